import type { Hex } from 'viem';
import { beforeAll, describe, expect, it } from 'vitest';
import { accountServiceFunctions } from './system-contracts/account-service/account-service.ts';
import { exchangeRateFunctions } from './system-contracts/exchange-rate.ts';
import { pseudorandomFunctions } from './system-contracts/pseudorandom.ts';
import { scheduleServiceFunctions } from './system-contracts/schedule-service/schedule-service.ts';
import { compileContracts, contractNamed } from './testing/solidity.fixture.ts';
import { code, type FunctionCase, itAnswersEveryCase } from './testing/system-cases.fixture.ts';
import {
  ALICE,
  at,
  BOB,
  BOB_ADDRESS,
  CALLER_ADDRESS,
  EXECUTED_SCHEDULE,
  FUNGIBLE_TO_COME,
  NEXT,
  NFT_TO_COME,
  NOBODY,
  NOW,
  PLAIN_SCHEDULE,
  SIGNER,
  signatureMapOf,
  signatureOf,
  systemLedger,
  TREASURY,
  toHex,
  UNKNOWN,
} from './testing/system-ledger.fixture.ts';
import { createRuns, functionOf, inputOf, type Runs } from './testing/system-run.fixture.ts';

const contracts = compileContracts('system-contracts.sol');
const named = (name: string) => contractNamed(contracts, name);
const ledger = systemLedger(named('Forwarder').runtimeCode);
let runs: Runs;
beforeAll(async () => {
  runs = await createRuns(contracts);
});
const common = { ledger, runs: () => runs };

const OK = code('SUCCESS');
const VIEW = 2_607n;
const seed = `0x${Array.from({ length: 32 }, (_, i) => (i + 1).toString(16).padStart(2, '0')).join('')}`;

describe('the exchange rate contract', () => {
  itAnswersEveryCase({
    ...common,
    service: 0x168n,
    functions: exchangeRateFunctions,
    direct: named('ExchangeRate'),
    cases: {
      'tinycentsToTinybars(uint256)': {
        args: [125n],
        answer: [10n],
        gas: 100n,
        failing: { args: [11n], ending: ['success', 0n] },
      },
      'tinybarsToTinycents(uint256)': {
        args: [10n],
        answer: [120n],
        gas: 100n,
        failing: { args: [2n ** 256n - 1n], ending: ['halt'] },
      },
    },
  });
});

describe('the pseudorandom number contract', () => {
  itAnswersEveryCase({
    ...common,
    service: 0x169n,
    functions: pseudorandomFunctions,
    direct: named('Pseudorandom'),
    cases: {
      'getPseudorandomSeed()': {
        args: [],
        answer: [seed],
        gas: 15_284n,
        failing: { args: [], ending: ['success', seed] },
      },
    },
  });
});

const message = new TextEncoder().encode('agreed');
const wrongSignature = signatureOf(new TextEncoder().encode('denied'));

/** A function over the facade of an account or schedule; where there is none, calls find no code. */
const onFacade = (
  on: bigint,
  args: readonly unknown[],
  answer: readonly unknown[],
  gas: bigint,
  failing: FunctionCase['failing'],
): FunctionCase => ({ on, args, answer, gas, failing });

describe('the account service', () => {
  itAnswersEveryCase({
    ...common,
    service: 0x16an,
    functions: accountServiceFunctions,
    direct: named('AccountService'),
    facade: { contract: named('AccountFacade'), wrapper: 'redirectForAccount', entity: ALICE },
    cases: {
      'getEvmAddressAlias(address)': {
        args: [at(BOB)],
        answer: [OK, BOB_ADDRESS],
        gas: VIEW,
        failing: { args: [at(ALICE)], ending: ['success', code('INVALID_ACCOUNT_ID'), NOBODY] },
      },
      'getHederaAccountNumAlias(address)': {
        args: [BOB_ADDRESS],
        answer: [OK, at(BOB)],
        gas: VIEW,
        failing: { args: [at(BOB)], ending: ['success', code('INVALID_SOLIDITY_ADDRESS'), NOBODY] },
      },
      'isValidAlias(address)': {
        args: [BOB_ADDRESS],
        answer: [true],
        gas: VIEW,
        failing: { args: [at(UNKNOWN)], ending: ['success', false] },
      },
      'hbarAllowance(address,address)': {
        args: [CALLER_ADDRESS, at(ALICE)],
        answer: [OK, 6n],
        gas: VIEW,
        failing: { args: [at(UNKNOWN), at(ALICE)], ending: ['revert', 'INVALID_ALLOWANCE_OWNER_ID'] },
      },
      'hbarApprove(address,address,int256)': {
        args: [CALLER_ADDRESS, at(ALICE), 9n],
        answer: [OK],
        gas: 705_424n,
        failing: {
          args: [CALLER_ADDRESS, CALLER_ADDRESS, 9n],
          ending: ['revert', code('SPENDER_ACCOUNT_SAME_AS_OWNER')],
        },
      },
      'isAuthorizedRaw(address,bytes,bytes)': {
        args: [at(SIGNER), toHex(message), signatureOf(message)],
        answer: [true],
        gas: 3_000n,
        starvedEnding: ['revert', 'INSUFFICIENT_GAS'],
        failing: { args: [at(SIGNER), toHex(message), '0x01'], ending: ['revert', 'INVALID_TRANSACTION_BODY'] },
      },
      'isAuthorized(address,bytes,bytes)': {
        args: [at(SIGNER), toHex(message), signatureMapOf(message)],
        answer: [OK, true],
        gas: 3_000n,
        failing: {
          args: [at(UNKNOWN), toHex(message), signatureMapOf(message)],
          ending: ['success', code('INVALID_ACCOUNT_ID'), false],
        },
      },
      'hbarAllowance(address)': onFacade(ALICE, [CALLER_ADDRESS], [OK, 5n], VIEW, {
        args: [at(UNKNOWN)],
        ending: ['success', OK, 0n],
      }),
      'hbarApprove(address,int256)': onFacade(ALICE, [CALLER_ADDRESS, 4n], [OK], 705_424n, {
        args: [at(ALICE), 4n],
        ending: ['revert', code('SPENDER_ACCOUNT_SAME_AS_OWNER')],
      }),
      'setUnlimitedAutomaticAssociations(bool)': onFacade(ALICE, [true], [OK], 4_298n, {
        args: [true],
        on: UNKNOWN,
        ending: ['success'],
        staticEnding: ['success'],
      }),
    },
  });

  it('tells a wrong signature from a right one', async () => {
    const item = functionOf(named('AccountService'), 'isAuthorizedRaw(address,bytes,bytes)');
    const input = inputOf(item, [at(SIGNER), toHex(message), wrongSignature]);
    const { ending } = await runs.call(ledger, at(0x16an), 100_000n, 0n, input, item);
    expect(ending).toEqual(['success', false]);
  });
});

const emptyKey = {
  inheritAccountKey: false,
  contractId: NOBODY,
  ed25519: '0x',
  secp256k1: '0x',
  delegatableContractId: NOBODY,
};
const infoOf = (name: string, totalSupply: bigint, supplyKey = emptyKey) => ({
  token: {
    name,
    symbol: name.slice(0, 3),
    treasury: at(TREASURY),
    memo: '',
    finite: false,
    maxSupply: 0n,
    freezeDefault: false,
    keys: [1n, 2n, 4n, 8n, 16n, 32n, 64n].map((keyType) => ({
      keyType,
      value: keyType === 16n ? supplyKey : emptyKey,
    })),
    expiry: { second: 0n, autoRenewAccount: NOBODY, autoRenewPeriod: 0n },
  },
  totalSupply,
  deleted: false,
  defaultKycStatus: false,
  pauseStatus: false,
  fixedFees: [],
  fractionalFees: [],
  royaltyFees: [],
  ledgerId: '0x03',
});

const creationItem = functionOf(
  named('TokenService'),
  'createFungibleToken((string,string,address,string,bool,int64,bool,(uint256,(bool,address,bytes,bytes,address))[],' +
    '(int64,address,int64)),int64,int32)',
);
const creation = inputOf(creationItem, [{ ...infoOf('Later', 0n).token, keys: [] }, 10n, 2]);

/** What is signed of a schedule: shard, realm and num. */
const scheduleMessage = new Uint8Array(24);
new DataView(scheduleMessage.buffer).setBigUint64(16, PLAIN_SCHEDULE);

const SCHEDULING = 142_044n;
const SCHEDULING_A_CALL = 1_409_649n;
const DELETION = 71_622n;
const executed: FunctionCase['failing'] = {
  args: [],
  on: EXECUTED_SCHEDULE,
  ending: ['success', code('SCHEDULE_ALREADY_EXECUTED')],
};
const paidBy = (payer: Hex) => [CALLER_ADDRESS, payer, NOW + 100n, 200_000n, 5n, '0x0102'];
const unknownPayer: FunctionCase['failing'] = {
  args: paidBy(at(UNKNOWN)),
  ending: ['success', code('ACCOUNT_ID_DOES_NOT_EXIST'), NOBODY],
};

describe('the schedule service', () => {
  itAnswersEveryCase({
    ...common,
    service: 0x16bn,
    functions: scheduleServiceFunctions,
    direct: named('ScheduleService'),
    facade: { contract: named('ScheduleFacade'), wrapper: 'redirectForScheduleTxn', entity: PLAIN_SCHEDULE },
    cases: {
      'scheduleNative(address,bytes,address)': {
        args: [at(0x167n), creation, at(ALICE)],
        answer: [OK, at(NEXT)],
        gas: SCHEDULING,
        failing: { args: [at(0x168n), creation, at(ALICE)], ending: ['revert', 'INVALID_CONTRACT_ID'] },
      },
      'scheduleCall(address,uint256,uint256,uint64,bytes)': {
        args: [CALLER_ADDRESS, NOW + 100n, 200_000n, 5n, '0x0102'],
        answer: [OK, at(NEXT)],
        gas: SCHEDULING_A_CALL,
        failing: {
          args: [CALLER_ADDRESS, NOW, 200_000n, 5n, '0x0102'],
          ending: ['success', code('SCHEDULE_EXPIRATION_TIME_MUST_BE_HIGHER_THAN_CONSENSUS_TIME'), NOBODY],
        },
      },
      'scheduleCallWithPayer(address,address,uint256,uint256,uint64,bytes)': {
        args: paidBy(at(ALICE)),
        answer: [OK, at(NEXT)],
        gas: SCHEDULING_A_CALL,
        failing: unknownPayer,
      },
      'executeCallOnPayerSignature(address,address,uint256,uint256,uint64,bytes)': {
        args: paidBy(BOB_ADDRESS),
        answer: [OK, at(NEXT)],
        gas: SCHEDULING_A_CALL,
        failing: unknownPayer,
      },
      'hasScheduleCapacity(uint256,uint256)': {
        args: [NOW + 5n, 1_000_000n],
        answer: [true],
        gas: VIEW,
        failing: { args: [NOW - 5n, 1_000_000n], ending: ['success', false] },
      },
      'getScheduledCreateFungibleTokenInfo(address)': {
        args: [at(FUNGIBLE_TO_COME)],
        answer: [OK, { tokenInfo: infoOf('Coming', 500n), decimals: 2n }],
        gas: VIEW,
        failing: { args: [at(UNKNOWN)], ending: ['revert', 'RECORD_NOT_FOUND'] },
      },
      'getScheduledCreateNonFungibleTokenInfo(address)': {
        args: [at(NFT_TO_COME)],
        answer: [
          OK,
          {
            tokenInfo: infoOf('Painting', 0n, { ...emptyKey, ed25519: `0x${'09'.repeat(32)}` }),
            serialNumber: 0n,
            owner: at(TREASURY),
            creationTime: 0n,
            metadata: '0x',
            spender: at(TREASURY),
          },
        ],
        gas: VIEW,
        failing: { args: [at(FUNGIBLE_TO_COME)], ending: ['revert', 'INVALID_SCHEDULE_ID'] },
      },
      'signSchedule(address,bytes)': {
        args: [at(PLAIN_SCHEDULE), signatureMapOf(scheduleMessage)],
        answer: [OK],
        gas: SCHEDULING,
        failing: {
          args: [at(PLAIN_SCHEDULE), signatureMapOf(message)],
          ending: ['success', code('NO_NEW_VALID_SIGNATURES')],
        },
      },
      'authorizeSchedule(address)': {
        args: [at(PLAIN_SCHEDULE)],
        answer: [OK],
        gas: SCHEDULING,
        failing: { args: [at(UNKNOWN)], ending: ['revert', 'INVALID_SCHEDULE_ID'] },
      },
      'deleteSchedule(address)': {
        args: [at(PLAIN_SCHEDULE)],
        answer: [OK],
        gas: DELETION,
        failing: { args: [at(EXECUTED_SCHEDULE)], ending: ['success', code('SCHEDULE_ALREADY_EXECUTED')] },
      },
      'signSchedule()': onFacade(PLAIN_SCHEDULE, [], [OK], SCHEDULING, executed),
      'deleteSchedule()': onFacade(PLAIN_SCHEDULE, [], [OK], DELETION, executed),
    },
  });
});
