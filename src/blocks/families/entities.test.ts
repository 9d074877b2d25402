import { describe, expect, it } from 'vitest';
import { evmAddressOfAlias } from '../../ledger/key.ts';
import {
  account,
  accountState,
  alias,
  at,
  bytes,
  contract,
  type Executed,
  PAYER,
  rebuilt,
  update,
} from '../testing/block.fixture.ts';

const CALL = { $case: 'contractCall', contractCall: { gas: 1n } };
const create = (body: object = {}): unknown => ({ $case: 'cryptoCreateAccount', cryptoCreateAccount: body });
const created = (accountNum: bigint): unknown => ({
  $case: 'accountCreate',
  accountCreate: { createdAccountId: account(accountNum) },
});
const ADDRESS = bytes('cd'.repeat(20));
/** A Key with the generator of secp256k1. */
const KEY_ALIAS = bytes('3a210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798');

describe('accounts', () => {
  it('have the number of the output, and the EVM address of their key', () => {
    const { records, unknown } = rebuilt(
      { data: create({ alias: KEY_ALIAS }), at: 1, outputs: [created(9n)] },
      { data: create({ alias: ADDRESS }), at: 2, outputs: [created(10n)] },
      { data: create(), at: 3, status: 10 },
    );
    expect(records.map(({ receipt }) => receipt?.accountID?.account)).toEqual([
      account(9n).account,
      account(10n).account,
      undefined,
    ]);
    expect(records.map(({ evmAddress }) => evmAddress)).toEqual([
      new Uint8Array(evmAddressOfAlias(KEY_ALIAS) as Uint8Array),
      new Uint8Array(),
      new Uint8Array(),
    ]);
    expect(unknown.flat()).toEqual([]);
  });

  it('are found by alias without an output, or are unknown', () => {
    const { records, unknown } = rebuilt(
      { data: create({ alias: ADDRESS }), at: 1, state: [accountState(11n, { alias: ADDRESS })] },
      { data: create(), at: 2, state: [accountState(12n, {})] },
    );
    expect(records[0]?.receipt?.accountID).toMatchObject(account(11n));
    expect(records[1]?.receipt?.accountID).toBeUndefined();
    expect(unknown).toEqual([[], ['account id']]);
  });

  it('tell their nonce where they delegate their code', () => {
    const delegationAddress = ADDRESS;
    const state = [accountState(9n, { alias: ADDRESS, ethereumNonce: 4n })];
    const change = (accountIDToUpdate: unknown): unknown => ({
      $case: 'cryptoUpdateAccount',
      cryptoUpdateAccount: { accountIDToUpdate, delegationAddress },
    });
    const { recordFile, records } = rebuilt(
      { data: create({ delegationAddress }), at: 1, outputs: [created(9n)], state },
      { data: change(account(9n)), at: 2, state },
      { data: change(alias(ADDRESS)), at: 3, state },
      { data: create(), at: 4, outputs: [created(9n)], state },
    );
    expect(recordFile.items.map(({ ofBlock }) => ofBlock?.ethereumNonce)).toEqual([4n, 4n, 4n, undefined]);
    expect(records[1]?.receipt?.accountID).toBeUndefined();
  });
});

describe('created entities', () => {
  const inState: Readonly<Record<string, (number: bigint) => unknown>> = {
    file: (fileNum) =>
      update(
        { $case: 'fileIdKey', fileIdKey: { shardNum: 1n, realmNum: 2n, fileNum } },
        { $case: 'fileValue', fileValue: {} },
      ),
    topic: (topicNum) =>
      update(
        { $case: 'topicIdKey', topicIdKey: { shardNum: 1n, realmNum: 2n, topicNum } },
        { $case: 'topicValue', topicValue: {} },
      ),
    token: (tokenNum) =>
      update(
        { $case: 'tokenIdKey', tokenIdKey: { shardNum: 1n, realmNum: 2n, tokenNum } },
        { $case: 'tokenValue', tokenValue: {} },
      ),
    node: (nodeId) =>
      update({ $case: 'entityNumberKey', entityNumberKey: nodeId }, { $case: 'nodeValue', nodeValue: { nodeId } }),
    registeredNode: (registeredNodeId) =>
      update(
        { $case: 'entityNumberKey', entityNumberKey: registeredNodeId },
        { $case: 'registeredNodeValue', registeredNodeValue: { registeredNodeId } },
      ),
  };
  const cases = [
    {
      kind: 'file',
      body: { $case: 'fileCreate', fileCreate: {} },
      receipt: { fileID: { shardNum: 1n, realmNum: 2n, fileNum: 77n } },
      part: 'file id',
    },
    {
      kind: 'topic',
      body: { $case: 'consensusCreateTopic', consensusCreateTopic: {} },
      receipt: { topicID: { shardNum: 1n, realmNum: 2n, topicNum: 77n } },
      part: 'topic id',
    },
    {
      kind: 'token',
      body: { $case: 'tokenCreation', tokenCreation: {} },
      receipt: { tokenID: { shardNum: 1n, realmNum: 2n, tokenNum: 77n } },
      part: 'token id',
    },
    { kind: 'node', body: { $case: 'nodeCreate', nodeCreate: {} }, receipt: { nodeId: 77n }, part: 'node id' },
    {
      kind: 'registeredNode',
      body: { $case: 'registeredNodeCreate', registeredNodeCreate: {} },
      receipt: { registeredNodeId: 77n },
      part: 'registered node id',
    },
  ];

  for (const { kind, body, receipt, part } of cases) {
    const state = (number: bigint): unknown => inState[kind]?.(number);

    it(`have the number of the state: ${kind}`, () => {
      const { records, unknown } = rebuilt(
        { data: body, at: 1, state: [state(77n)] },
        { data: body, at: 2 },
        { data: body, at: 3, status: 10 },
      );
      expect(records[0]?.receipt).toMatchObject(receipt);
      expect(records[1]?.receipt).not.toMatchObject(receipt);
      expect(unknown).toEqual([[], [part], []]);
    });

    it(`share state changes, in which they have the greatest numbers in order: ${kind}`, () => {
      const { records } = rebuilt(
        { data: CALL, at: 1, state: [state(78n), state(3n), state(77n)] },
        { data: body, at: 2, parentAt: 1 },
        { data: body, at: 3, parentAt: 1 },
      );
      expect(records[1]?.receipt).toMatchObject(receipt);
      expect(records[2]?.receipt).not.toMatchObject(receipt);
    });
  }
});

describe('messages of topics', () => {
  const TOPIC = { topicNum: 60n };
  const submit = { $case: 'consensusSubmitMessage', consensusSubmitMessage: { topicID: TOPIC, message: bytes('68') } };
  const state = update(
    { $case: 'topicIdKey', topicIdKey: TOPIC },
    { $case: 'topicValue', topicValue: { sequenceNumber: 5n, runningHash: bytes('ee') } },
  );
  const trace = {
    $case: 'submitMessageTraceData',
    submitMessageTraceData: { sequenceNumber: 4n, runningHash: bytes('dd') },
  };
  const place = ({ receipt }: ReturnType<typeof rebuilt>['records'][number]) => [
    receipt?.topicSequenceNumber,
    receipt?.topicRunningHash,
    receipt?.topicRunningHashVersion,
  ];

  it('have the place of their trace, else of the topic’s state', () => {
    const { records } = rebuilt(
      { data: submit, at: 1, traces: [trace], state: [state] },
      { data: submit, at: 2, state: [state] },
    );
    expect(records.map(place)).toEqual([
      [4n, bytes('dd'), 3n],
      [5n, bytes('ee'), 3n],
    ]);
  });

  it('have a state that is only that of the last one', () => {
    const { records, unknown } = rebuilt(
      { data: CALL, at: 1, state: [state] },
      { data: submit, at: 2, parentAt: 1 },
      { data: submit, at: 3, parentAt: 1, traces: [trace] },
      { data: submit, at: 4, parentAt: 1 },
    );
    expect(records.slice(1).map(place)).toEqual([
      [0n, new Uint8Array(), 0n],
      [4n, bytes('dd'), 3n],
      [5n, bytes('ee'), 3n],
    ]);
    expect(unknown).toEqual([[], ['running hash'], [], []]);
  });
});

describe('schedules and random numbers', () => {
  const scheduledTransactionID = { accountID: account(PAYER), transactionValidStart: at(7), scheduled: true };
  const output = {
    $case: 'createSchedule',
    createSchedule: { scheduleId: { scheduleNum: 80n }, scheduledTransactionId: scheduledTransactionID },
  };
  const scheduleCreate = { $case: 'scheduleCreate', scheduleCreate: {} };
  const scheduleSign = { $case: 'scheduleSign', scheduleSign: { scheduleID: { scheduleNum: 80n } } };
  const scheduleDelete = { $case: 'scheduleDelete', scheduleDelete: { scheduleID: { scheduleNum: 81n } } };

  it('name the schedule and what it holds', () => {
    const { records, unknown } = rebuilt(
      { data: scheduleCreate, at: 1, outputs: [output] },
      { data: scheduleCreate, at: 2, outputs: [output], status: 210 },
      { data: scheduleCreate, at: 3, outputs: [output], status: 10 },
      {
        data: scheduleSign,
        at: 4,
        outputs: [{ $case: 'signSchedule', signSchedule: { scheduledTransactionId: scheduledTransactionID } }],
      },
      { data: scheduleDelete, at: 5 },
      { data: scheduleCreate, at: 6 },
    );
    const told = records.map(({ receipt }) => [
      receipt?.scheduleID?.scheduleNum,
      receipt?.scheduledTransactionID?.transactionValidStart?.nanos,
    ]);
    expect(told).toEqual([
      [80n, 7],
      [80n, 7],
      [undefined, undefined],
      [80n, 7],
      [81n, undefined],
      [undefined, undefined],
    ]);
    expect(unknown.at(-1)).toEqual(['schedule id']);
  });

  it('keep random bytes and numbers, the number 0 too', () => {
    const body = { $case: 'utilPrng', utilPrng: { range: 9 } };
    const prng = (entropy: unknown, nanos: number): Executed => ({
      data: body,
      at: nanos,
      outputs: [{ $case: 'utilPrng', utilPrng: { entropy } }],
    });
    const { records, unknown } = rebuilt(
      prng({ $case: 'prngNumber', prngNumber: 5 }, 1),
      prng({ $case: 'prngNumber', prngNumber: 0 }, 2),
      prng({ $case: 'prngBytes', prngBytes: bytes('0102') }, 3),
      { data: body, at: 4 },
    );
    expect(records.map(({ entropy }) => entropy)).toEqual([
      { $case: 'prngNumber', prngNumber: 5 },
      { $case: 'prngNumber', prngNumber: 0 },
      { $case: 'prngBytes', prngBytes: bytes('0102') },
      undefined,
    ]);
    expect(unknown.at(-1)).toEqual(['random number']);
  });
});

describe('contracts that are updated or deleted', () => {
  const change = (contractID: unknown): unknown => ({
    $case: 'contractUpdateInstance',
    contractUpdateInstance: { contractID },
  });
  const end = (contractID: unknown): unknown => ({
    $case: 'contractDeleteInstance',
    contractDeleteInstance: { contractID },
  });
  const byAddress = (evmAddress: Uint8Array): unknown => ({ contract: { $case: 'evmAddress', evmAddress } });

  it('are named by number', () => {
    const state = [accountState(90n, { alias: ADDRESS, smartContract: true })];
    const { records, unknown } = rebuilt(
      { data: change(contract(90n)), at: 1 },
      { data: change(byAddress(bytes(`${'00'.repeat(19)}5a`))), at: 2 },
      { data: end(byAddress(ADDRESS)), at: 3, state },
      { data: end(byAddress(ADDRESS)), at: 4 },
      { data: end(contract(90n)), at: 5, status: 10 },
    );
    expect(records.map(({ receipt }) => receipt?.contractID?.contract)).toEqual([
      contract(90n).contract,
      contract(90n).contract,
      contract(90n).contract,
      undefined,
      undefined,
    ]);
    expect(unknown).toEqual([[], [], [], ['contract id'], []]);
  });
});
