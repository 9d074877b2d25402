import { beforeAll, describe } from 'vitest';
import { modifyingFunctions } from './system-contracts/token-service/modifying/functions.ts';
import { compileContracts, contractNamed } from './testing/solidity.fixture.ts';
import { CENT_TENTH, classic, code, type FunctionCase, itAnswersEveryCase } from './testing/system-cases.fixture.ts';
import {
  ALICE,
  at,
  BARE,
  BOB_ADDRESS,
  CALLER_ADDRESS,
  CAROL,
  EMPTY,
  FREE,
  NFT,
  PAUSED,
  SLOTS,
  STRANGER,
  systemLedger,
  TREASURY,
  UNITS,
  UNKNOWN,
} from './testing/system-ledger.fixture.ts';
import { createRuns, type Runs } from './testing/system-run.fixture.ts';
import { tokenSettingCases } from './testing/token-setting-cases.fixture.ts';

const contracts = compileContracts('system-contracts.sol');
let runs: Runs;
beforeAll(async () => {
  runs = await createRuns(contracts);
});

type Status = Parameters<typeof code>[0];

/** Two adjustments of units, and two of hbar. */
const TENTH_WITH_HBAR = 16_692n;
const CENT_FIFTH = 29_368n;
const TWO_CENTS = 282_889n;
const FIVE_CENTS = 705_424n;
const TEN_CENTS = 1_409_649n;
const OK = code('SUCCESS');

/** Like `classic`, and a failure reverts with the number of its status. */
const reverting = (
  gas: bigint,
  args: readonly unknown[],
  answer: readonly unknown[],
  failingArgs: readonly unknown[],
  status: Status,
  extra: { readonly on?: bigint; readonly failingOn?: bigint; readonly logs?: number } = {},
): FunctionCase => ({
  args,
  answer,
  gas,
  ...(extra.on !== undefined && { on: extra.on }),
  ...(extra.logs !== undefined && { logs: extra.logs }),
  failing: {
    args: failingArgs,
    ending: ['revert', code(status)],
    ...(extra.failingOn !== undefined && { on: extra.failingOn }),
  },
});

const onToken = (on: bigint, failingOn: bigint, case_: FunctionCase): FunctionCase => ({
  ...case_,
  on,
  failing: { ...case_.failing, on: failingOn },
});

const ofUnits = (from: string, to: string, amount: bigint) => ({
  token: at(UNITS),
  amounts: [
    { account: from, amount: -amount, isApproval: false },
    { account: to, amount, isApproval: false },
  ],
  serials: [],
});

const airdropTo = (receiver: string, amount: bigint) => [ofUnits(CALLER_ADDRESS, receiver, amount)];
const pending = (sender: string, receiver: string, token: bigint, serialNumber: bigint) => [
  { sender, receiver, token: at(token), serialNumber },
];

const cases: Record<string, FunctionCase> = {
  ...tokenSettingCases,
  'cryptoTransfer((address,(address,int64)[],(address,address,int64)[])[])': classic(
    CENT_TENTH,
    [[ofUnits(CALLER_ADDRESS, at(ALICE), 5n)]],
    [[{ ...ofUnits(CALLER_ADDRESS, at(ALICE), 5n), token: at(UNKNOWN) }]],
    'INVALID_TOKEN_ID',
    { logs: 1 },
  ),
  'cryptoTransfer(((address,int64,bool)[]),(address,(address,int64,bool)[],(address,address,int64,bool)[])[])': classic(
    TENTH_WITH_HBAR,
    [{ amounts: ofUnits(at(ALICE), BOB_ADDRESS, 10n).amounts }, [ofUnits(CALLER_ADDRESS, at(ALICE), 5n)]],
    [{ amounts: ofUnits(at(ALICE), BOB_ADDRESS, 10n).amounts.slice(1) }, []],
    'INVALID_ACCOUNT_AMOUNTS',
    { logs: 1 },
  ),
  'transferTokens(address,address[],int64[])': classic(
    CENT_TENTH,
    [at(UNITS), [CALLER_ADDRESS, at(ALICE)], [-5n, 5n]],
    [at(UNITS), [CALLER_ADDRESS, at(ALICE)], [-5n, 6n]],
    'TRANSFERS_NOT_ZERO_SUM_FOR_TOKEN',
    { logs: 1 },
  ),
  // The receiver takes one of its slots, which costs as much as an association.
  'transferToken(address,address,address,int64)': classic(
    CENT_TENTH + FIVE_CENTS,
    [at(BARE), CALLER_ADDRESS, at(SLOTS), 30n],
    [at(BARE), CALLER_ADDRESS, at(SLOTS), 31n],
    'INSUFFICIENT_TOKEN_BALANCE',
    { logs: 1 },
  ),
  'transferNFTs(address,address[],address[],int64[])': classic(
    CENT_FIFTH,
    [at(NFT), [CALLER_ADDRESS, CALLER_ADDRESS], [at(ALICE), BOB_ADDRESS], [3n, 5n]],
    [at(NFT), [CALLER_ADDRESS], [at(ALICE)], [9n]],
    'INVALID_NFT_ID',
    { logs: 2 },
  ),
  'transferNFT(address,address,address,int64)': classic(
    CENT_TENTH,
    [at(NFT), at(ALICE), BOB_ADDRESS, 1n],
    [at(NFT), at(ALICE), BOB_ADDRESS, 3n],
    'SENDER_DOES_NOT_OWN_NFT_SERIAL_NO',
    { logs: 1 },
  ),
  'transferFrom(address,address,address,uint256)': classic(
    CENT_TENTH,
    [at(UNITS), BOB_ADDRESS, at(ALICE), 8n],
    [at(UNITS), BOB_ADDRESS, at(ALICE), 9n],
    'AMOUNT_EXCEEDS_ALLOWANCE',
    { logs: 1 },
  ),
  'transferFromNFT(address,address,address,uint256)': classic(
    CENT_TENTH,
    [at(NFT), BOB_ADDRESS, at(ALICE), 2n],
    [at(NFT), at(ALICE), BOB_ADDRESS, 1n],
    'SPENDER_DOES_NOT_HAVE_ALLOWANCE',
    { logs: 1 },
  ),
  'mintToken(address,uint64,bytes[])': classic(
    CENT_TENTH,
    [at(UNITS), 10n, []],
    [at(BARE), 10n, []],
    'TOKEN_HAS_NO_SUPPLY_KEY',
    { answer: [1_010n, []], defaults: [0n, []] },
  ),
  'mintToken(address,int64,bytes[])': classic(
    TWO_CENTS,
    [at(NFT), 0n, ['0xaa']],
    [at(NFT), 0n, ['0x'.padEnd(204, 'a')]],
    'METADATA_TOO_LONG',
    { answer: [6n, [6n]], defaults: [0n, []] },
  ),
  'burnToken(address,uint64,int64[])': classic(
    CENT_TENTH,
    [at(UNITS), 10n, []],
    [at(UNITS), 841n, []],
    'INSUFFICIENT_TOKEN_BALANCE',
    { answer: [990n], defaults: [0n] },
  ),
  'burnToken(address,int64,int64[])': classic(
    CENT_TENTH,
    [at(NFT), 0n, [4n]],
    [at(NFT), 0n, [1n]],
    'TREASURY_MUST_OWN_BURNED_NFT',
    { answer: [4n], defaults: [0n] },
  ),
  'associateToken(address,address)': classic(
    FIVE_CENTS,
    [at(STRANGER), at(UNITS)],
    [at(ALICE), at(UNITS)],
    'TOKEN_ALREADY_ASSOCIATED_TO_ACCOUNT',
  ),
  'associateTokens(address,address[])': classic(
    TEN_CENTS,
    [at(STRANGER), [at(UNITS), at(NFT)]],
    [at(STRANGER), [at(UNITS), at(UNITS)]],
    'TOKEN_ID_REPEATED_IN_TOKEN_LIST',
  ),
  'dissociateToken(address,address)': classic(
    FIVE_CENTS,
    [at(CAROL), at(BARE)],
    [at(STRANGER), at(BARE)],
    'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT',
  ),
  'dissociateTokens(address,address[])': classic(
    FIVE_CENTS,
    [at(CAROL), [at(BARE), at(NFT)]],
    [CALLER_ADDRESS, [at(BARE)]],
    'TRANSACTION_REQUIRES_ZERO_TOKEN_BALANCES',
  ),
  'deleteToken(address)': classic(CENT_TENTH, [at(UNITS)], [at(BARE)], 'TOKEN_IS_IMMUTABLE'),
  'pauseToken(address)': classic(CENT_TENTH, [at(UNITS)], [at(BARE)], 'TOKEN_HAS_NO_PAUSE_KEY'),
  'unpauseToken(address)': classic(CENT_TENTH, [at(PAUSED)], [at(BARE)], 'TOKEN_HAS_NO_PAUSE_KEY'),
  'freezeToken(address,address)': classic(
    CENT_TENTH,
    [at(UNITS), at(ALICE)],
    [at(BARE), at(CAROL)],
    'TOKEN_HAS_NO_FREEZE_KEY',
  ),
  'unfreezeToken(address,address)': classic(
    CENT_TENTH,
    [at(UNITS), at(CAROL)],
    [at(UNITS), at(STRANGER)],
    'TOKEN_NOT_ASSOCIATED_TO_ACCOUNT',
  ),
  'grantTokenKyc(address,address)': classic(
    CENT_TENTH,
    [at(NFT), at(CAROL)],
    [at(BARE), at(CAROL)],
    'TOKEN_HAS_NO_KYC_KEY',
  ),
  'revokeTokenKyc(address,address)': classic(
    CENT_TENTH,
    [at(UNITS), at(ALICE)],
    [at(UNITS), at(CAROL)],
    'ACCOUNT_FROZEN_FOR_TOKEN',
  ),
  'wipeTokenAccount(address,address,uint32)': classic(
    CENT_TENTH,
    [at(UNITS), at(ALICE), 50],
    [at(UNITS), at(ALICE), 51],
    'INVALID_WIPING_AMOUNT',
  ),
  'wipeTokenAccount(address,address,int64)': classic(
    CENT_TENTH,
    [at(UNITS), at(ALICE), 50n],
    [at(UNITS), at(TREASURY), 1n],
    'CANNOT_WIPE_TOKEN_TREASURY_ACCOUNT',
  ),
  'wipeTokenAccountNFT(address,address,int64[])': classic(
    CENT_TENTH,
    [at(NFT), at(ALICE), [1n]],
    [at(NFT), at(ALICE), [2n]],
    'ACCOUNT_DOES_NOT_OWN_WIPED_NFT',
  ),
  'approve(address,address,uint256)': reverting(
    FIVE_CENTS,
    [at(UNITS), at(ALICE), 5n],
    [OK, true],
    [at(NFT), at(ALICE), 5n],
    'NFT_IN_FUNGIBLE_TOKEN_ALLOWANCES',
    { logs: 1 },
  ),
  'approveNFT(address,address,uint256)': reverting(
    FIVE_CENTS,
    [at(NFT), at(ALICE), 3n],
    [OK],
    [at(NFT), at(ALICE), 9n],
    'INVALID_TOKEN_NFT_SERIAL_NUMBER',
    { logs: 1 },
  ),
  'setApprovalForAll(address,address,bool)': classic(
    FIVE_CENTS,
    [at(NFT), at(ALICE), true],
    [at(NFT), at(UNKNOWN), true],
    'INVALID_ALLOWANCE_SPENDER_ID',
    { logs: 1 },
  ),
  // The receiver cannot hold the units, and has to claim them.
  'airdropTokens((address,(address,int64,bool)[],(address,address,int64,bool)[])[])': classic(
    TEN_CENTS,
    [airdropTo(at(STRANGER), 5n)],
    [airdropTo(at(STRANGER), 101n)],
    'INSUFFICIENT_TOKEN_BALANCE',
  ),
  'claimAirdrops((address,address,address,int64)[])': classic(
    CENT_TENTH,
    [pending(at(ALICE), CALLER_ADDRESS, UNITS, 0n)],
    [pending(BOB_ADDRESS, CALLER_ADDRESS, UNITS, 0n)],
    'INVALID_PENDING_AIRDROP_ID',
    { logs: 1 },
  ),
  'cancelAirdrops((address,address,address,int64)[])': classic(
    CENT_TENTH,
    [pending(CALLER_ADDRESS, at(STRANGER), NFT, 3n)],
    [[]],
    'EMPTY_PENDING_AIRDROP_ID_LIST',
  ),
  'rejectTokens(address,address[],(address,int64)[])': classic(
    CENT_FIFTH,
    [at(ALICE), [at(UNITS)], [{ token: at(NFT), serialNumber: 1n }]],
    [
      at(ALICE),
      [],
      [
        { token: at(NFT), serialNumber: 2n },
        { token: at(NFT), serialNumber: 3n },
      ],
    ],
    'INVALID_OWNER_ID',
  ),
  'approve(address,uint256)': reverting(
    FIVE_CENTS,
    [at(SLOTS), 3n],
    [],
    [at(SLOTS), 1n],
    'SENDER_DOES_NOT_OWN_NFT_SERIAL_NO',
    { on: NFT, logs: 1 },
  ),
  'transfer(address,uint256)': reverting(
    CENT_TENTH,
    [at(ALICE), 100n],
    [true],
    [at(ALICE), 101n],
    'INSUFFICIENT_TOKEN_BALANCE',
    { on: UNITS, logs: 1 },
  ),
  'transferFrom(address,address,uint256)': reverting(
    CENT_TENTH,
    [BOB_ADDRESS, at(ALICE), 2n],
    [],
    [at(ALICE), BOB_ADDRESS, 1n],
    'SPENDER_DOES_NOT_HAVE_ALLOWANCE',
    { on: NFT, logs: 1 },
  ),
  'setApprovalForAll(address,bool)': onToken(
    NFT,
    UNITS,
    reverting(FIVE_CENTS, [at(ALICE), true], [OK], [at(ALICE), true], 'FUNGIBLE_TOKEN_IN_NFT_ALLOWANCES', { logs: 1 }),
  ),
  'associate()': onToken(FREE, UNITS, classic(FIVE_CENTS, [], [], 'TOKEN_ALREADY_ASSOCIATED_TO_ACCOUNT')),
  'dissociate()': onToken(EMPTY, UNITS, classic(FIVE_CENTS, [], [], 'TRANSACTION_REQUIRES_ZERO_TOKEN_BALANCES')),
  'claimAirdropFT(address)': onToken(
    UNITS,
    BARE,
    classic(CENT_TENTH, [at(ALICE)], [at(ALICE)], 'INVALID_PENDING_AIRDROP_ID', { logs: 1 }),
  ),
  'claimAirdropNFT(address,int64)': onToken(
    NFT,
    NFT,
    classic(CENT_TENTH, [at(ALICE), 1n], [at(ALICE), 2n], 'INVALID_PENDING_AIRDROP_ID', { logs: 1 }),
  ),
  'cancelAirdropFT(address)': onToken(
    UNITS,
    UNITS,
    classic(CENT_TENTH, [at(STRANGER)], [at(ALICE)], 'INVALID_PENDING_AIRDROP_ID'),
  ),
  'cancelAirdropNFT(address,int64)': onToken(
    NFT,
    NFT,
    classic(CENT_TENTH, [at(STRANGER), 3n], [at(STRANGER), 5n], 'INVALID_PENDING_AIRDROP_ID'),
  ),
  'rejectTokenFT()': onToken(UNITS, PAUSED, classic(CENT_TENTH, [], [], 'TOKEN_IS_PAUSED')),
  'rejectTokenNFTs(int64[])': onToken(NFT, NFT, classic(CENT_TENTH, [[3n, 5n]], [[1n]], 'INVALID_OWNER_ID')),
};

describe('changes by the token service', () => {
  itAnswersEveryCase({
    service: 0x167n,
    functions: modifyingFunctions,
    direct: contractNamed(contracts, 'TokenService'),
    facade: { contract: contractNamed(contracts, 'TokenFacade'), wrapper: 'redirectForToken', entity: UNITS },
    cases,
    ledger: systemLedger(contractNamed(contracts, 'Forwarder').runtimeCode),
    runs: () => runs,
  });
});
