import { beforeAll, describe } from 'vitest';
import { infoViews } from './system-contracts/token-service/info-views.ts';
import { relationViews } from './system-contracts/token-service/relation-views.ts';
import { tokenViews } from './system-contracts/token-service/token-views.ts';
import { compileContracts, contractNamed } from './testing/solidity.fixture.ts';
import { code, type FunctionCase, itAnswersEveryCase } from './testing/system-cases.fixture.ts';
import {
  ALICE,
  at,
  BARE,
  BOB,
  BOB_ADDRESS,
  CALLER_ADDRESS,
  CAROL,
  NFT,
  NOBODY,
  systemLedger,
  TAXED,
  TREASURY,
  UNITS,
  UNKNOWN,
} from './testing/system-ledger.fixture.ts';
import { createRuns, type Runs } from './testing/system-run.fixture.ts';

const contracts = compileContracts('system-contracts.sol');
let runs: Runs;
beforeAll(async () => {
  runs = await createRuns(contracts);
});

const NONE = '0x';
const keyValue = (ed25519 = NONE) => ({
  inheritAccountKey: false,
  contractId: NOBODY,
  ed25519,
  secp256k1: NONE,
  delegatableContractId: NOBODY,
});
const key = keyValue(`0x${'09'.repeat(32)}`);
const bits = [1n, 2n, 4n, 8n, 16n, 32n, 64n];
const noKeys = bits.map((keyType) => ({ keyType, value: keyValue() }));

const absentInfo = {
  token: {
    name: '',
    symbol: '',
    treasury: NOBODY,
    memo: '',
    finite: false,
    maxSupply: 0n,
    freezeDefault: false,
    keys: noKeys,
    expiry: { second: 0n, autoRenewAccount: NOBODY, autoRenewPeriod: 0n },
  },
  totalSupply: 0n,
  deleted: false,
  defaultKycStatus: false,
  pauseStatus: false,
  fixedFees: [],
  fractionalFees: [],
  royaltyFees: [],
  ledgerId: '0x03',
};
const expiry = { second: 4_000_000_000n, autoRenewAccount: NOBODY, autoRenewPeriod: 7_776_000n };
const unitsInfo = {
  ...absentInfo,
  token: {
    ...absentInfo.token,
    name: 'Units',
    symbol: 'UNI',
    treasury: at(TREASURY),
    keys: bits.map((keyType) => ({ keyType, value: key })),
    expiry,
  },
  totalSupply: 1_000n,
};
const taxedInfo = {
  ...absentInfo,
  token: { ...absentInfo.token, name: 'Token', symbol: 'TKN', treasury: at(TREASURY), expiry },
  totalSupply: 1_000_000n,
  fixedFees: [{ amount: 3n, token: at(TAXED), useHbar: false, useCurrentToken: false, collector: at(CAROL) }],
  fractionalFees: [
    { numerator: 1n, denominator: 10n, minimum: 1n, maximum: 0n, netOfTransfers: false, collector: at(BOB) },
  ],
};
const artInfo = {
  ...unitsInfo,
  token: { ...unitsInfo.token, name: 'Art', symbol: 'ART', memo: 'framed' },
  totalSupply: 5n,
};

const OK = code('SUCCESS');
const NO_SERIAL = code('INVALID_TOKEN_NFT_SERIAL_NUMBER');

/** A view that fails with a status and default values; in a static frame with the status's name. */
const view = (
  args: readonly unknown[],
  answer: readonly unknown[],
  failingArgs: readonly unknown[],
  defaults: readonly unknown[],
  status: Parameters<typeof code>[0] = 'INVALID_TOKEN_ID',
): FunctionCase => ({
  args,
  answer: [OK, ...answer],
  gas: 2_607n,
  failing: { args: failingArgs, ending: ['success', code(status), ...defaults], staticEnding: ['revert', status] },
});

/** A view that reverts. */
const reverting = (
  args: readonly unknown[],
  answer: readonly unknown[],
  failing: FunctionCase['failing'],
): FunctionCase => ({ args, answer, gas: 2_607n, failing });

const onToken = (
  on: bigint,
  args: readonly unknown[],
  answer: unknown,
  failing: FunctionCase['failing'],
): FunctionCase => ({ on, args, answer: [answer], gas: 2_607n, failing });

const onUnits = (answer: unknown): FunctionCase =>
  // An address without an entity has no code, and calls of it succeed.
  onToken(UNITS, [], answer, { args: [], on: UNKNOWN, ending: ['success'] });

const cases: Record<string, FunctionCase> = {
  'isToken(address)': {
    args: [at(UNITS)],
    answer: [OK, true],
    gas: 2_607n,
    failing: { args: [at(ALICE)], ending: ['success', OK, false] },
  },
  'getTokenKey(address,uint256)': view([at(UNITS), 16n], [key], [at(BARE), 16n], [keyValue()], 'KEY_NOT_PROVIDED'),
  'getNonFungibleTokenInfo(address,int64)': view(
    [at(NFT), 5n],
    [
      {
        tokenInfo: artInfo,
        serialNumber: 5n,
        owner: CALLER_ADDRESS,
        creationTime: 1_600_000_000n,
        metadata: '0x66697665',
        spender: BOB_ADDRESS,
      },
    ],
    [at(NFT), 9n],
    [
      {
        tokenInfo: artInfo,
        serialNumber: 9n,
        owner: at(TREASURY),
        creationTime: 0n,
        metadata: NONE,
        spender: NOBODY,
      },
    ],
    'INVALID_TOKEN_NFT_SERIAL_NUMBER',
  ),
  'getTokenType(address)': view([at(NFT)], [1n], [at(UNKNOWN)], [0n]),
  'getTokenDefaultFreezeStatus(address)': view([at(UNITS)], [false], [at(UNKNOWN)], [false]),
  'getTokenDefaultKycStatus(address)': view([at(UNITS)], [false], [at(UNKNOWN)], [false]),
  'getTokenExpiryInfo(address)': view([at(UNITS)], [expiry], [at(UNKNOWN)], [absentInfo.token.expiry]),
  'getTokenCustomFees(address)': view(
    [at(TAXED)],
    [taxedInfo.fixedFees, taxedInfo.fractionalFees, []],
    [at(UNKNOWN)],
    [[], [], []],
  ),
  'getTokenInfo(address)': view([at(TAXED)], [taxedInfo], [at(UNKNOWN)], [absentInfo]),
  'getFungibleTokenInfo(address)': view(
    [at(UNITS)],
    [{ tokenInfo: unitsInfo, decimals: 2n }],
    [at(UNKNOWN)],
    [{ tokenInfo: absentInfo, decimals: 0n }],
  ),
  'isFrozen(address,address)': view(
    [at(UNITS), at(CAROL)],
    [true],
    [at(UNITS), at(UNKNOWN)],
    [false],
    'INVALID_ACCOUNT_ID',
  ),
  'isKyc(address,address)': view([at(UNITS), BOB_ADDRESS], [true], [at(UNKNOWN), BOB_ADDRESS], [false]),
  'allowance(address,address,address)': reverting([at(UNITS), BOB_ADDRESS, CALLER_ADDRESS], [OK, 8n], {
    args: [at(NFT), BOB_ADDRESS, CALLER_ADDRESS],
    ending: ['success', OK, 0n],
    staticEnding: ['revert', 'INVALID_TOKEN_ID'],
  }),
  'getApproved(address,uint256)': reverting([at(NFT), 5n], [OK, BOB_ADDRESS], {
    args: [at(UNITS), 5n],
    ending: ['revert', 'INVALID_TOKEN_NFT_SERIAL_NUMBER'],
    staticEnding: ['revert', 'INVALID_TOKEN_ID'],
  }),
  'isApprovedForAll(address,address,address)': reverting([at(NFT), BOB_ADDRESS, CALLER_ADDRESS], [OK, true], {
    args: [at(UNITS), BOB_ADDRESS, CALLER_ADDRESS],
    ending: ['revert', 'INVALID_TOKEN_ID'],
  }),
  'allowance(address,address)': onToken(UNITS, [BOB_ADDRESS, CALLER_ADDRESS], 8n, {
    args: [at(UNKNOWN), CALLER_ADDRESS],
    ending: ['revert', 'INVALID_ALLOWANCE_OWNER_ID'],
  }),
  'getApproved(uint256)': onToken(NFT, [5n], BOB_ADDRESS, {
    args: [9n],
    ending: ['revert', 'INVALID_TOKEN_NFT_SERIAL_NUMBER'],
  }),
  'isApprovedForAll(address,address)': onToken(NFT, [BOB_ADDRESS, CALLER_ADDRESS], true, {
    args: [at(ALICE), CALLER_ADDRESS],
    ending: ['success', false],
  }),
  'name()': onUnits('Units'),
  'symbol()': onUnits('UNI'),
  'decimals()': onToken(UNITS, [], 2n, { args: [], on: NFT, ending: ['halt'] }),
  'totalSupply()': onUnits(1_000n),
  'balanceOf(address)': onToken(UNITS, [CALLER_ADDRESS], 100n, {
    args: [at(UNKNOWN)],
    ending: ['revert', 'INVALID_ACCOUNT_ID'],
  }),
  'isAssociated()': onToken(UNITS, [], true, { args: [], on: UNKNOWN, ending: ['success'] }),
  'ownerOf(uint256)': onToken(NFT, [2n], BOB_ADDRESS, { args: [9n], ending: ['revert', NO_SERIAL] }),
  'tokenURI(uint256)': onToken(NFT, [5n], 'five', {
    args: [9n],
    ending: ['success', 'ERC721Metadata: URI query for nonexistent token'],
  }),
};

describe('views of the token service', () => {
  itAnswersEveryCase({
    service: 0x167n,
    functions: [...infoViews, ...relationViews, ...tokenViews],
    direct: contractNamed(contracts, 'TokenService'),
    facade: { contract: contractNamed(contracts, 'TokenFacade'), wrapper: 'redirectForToken', entity: UNITS },
    cases,
    ledger: systemLedger(contractNamed(contracts, 'Forwarder').runtimeCode),
    runs: () => runs,
  });
});
