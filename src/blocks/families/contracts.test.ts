import { describe, expect, it } from 'vitest';
import { addToBloom, BLOOM_LENGTH, uniteBloom } from '../../ledger/bloom.ts';
import { longZeroAddress } from '../../ledger/evm-address.ts';
import { keccak256 } from '../../ledger/hash.ts';
import type { ContractFunctionResult } from '../../protobuf/generated/services/contract_types.ts';
import {
  account,
  accountState,
  bytes,
  contract,
  type Executed,
  rebuilt,
  removal,
  update,
} from '../testing/block.fixture.ts';

const evmResult = (fields: object = {}): object => ({
  senderId: account(3n),
  contractId: contract(90n),
  resultData: bytes('0102'),
  gasUsed: 21_000n,
  ...fields,
});
const called = (fields: object = {}): unknown => ({
  $case: 'contractCall',
  contractCall: { evmTransactionResult: evmResult(fields) },
});
const made = (fields: object = {}): unknown => ({
  $case: 'contractCreate',
  contractCreate: { evmTransactionResult: evmResult(fields) },
});
const CALL = { $case: 'contractCall', contractCall: { contractID: contract(90n), gas: 50_000n } };
const CREATE = { $case: 'contractCreateInstance', contractCreateInstance: { gas: 50_000n } };
const CALL_ETHEREUM = { $case: 'ethereumTransaction', ethereumTransaction: {} };
const TRANSFER = { $case: 'cryptoTransfer', cryptoTransfer: {} };
const evmTrace = (evmTraceData: object): unknown => ({ $case: 'evmTraceData', evmTraceData });
const NO_BLOOM = new Uint8Array(BLOOM_LENGTH);

type Records = ReturnType<typeof rebuilt>['records'];
const resultOf = (record: Records[number] | undefined): ContractFunctionResult | undefined => {
  const body = record?.body;
  return body?.$case === 'contractCreateResult' ? body.contractCreateResult : body?.contractCallResult;
};

describe('results of contracts', () => {
  it('are those of the output', () => {
    const fields = {
      errorMessage: 'oops',
      contractNonces: [{ contractId: contract(90n), nonce: 2n }],
      signerNonce: 8n,
    };
    const { records } = rebuilt({ data: CALL, at: 1, outputs: [called(fields)] });
    expect(records[0]?.body?.$case).toBe('contractCallResult');
    expect(records[0]?.receipt?.contractID).toMatchObject(contract(90n));
    expect(resultOf(records[0])).toMatchObject({
      contractID: contract(90n),
      contractCallResult: bytes('0102'),
      gasUsed: 21_000n,
      senderId: account(3n),
      bloom: NO_BLOOM,
      gas: 0n,
      amount: 0n,
      functionParameters: new Uint8Array(),
      createdContractIDs: [],
      ...fields,
    });
    expect(resultOf(records[0])?.evmAddress).toBeUndefined();
  });

  it('come with failures and with children of other types', () => {
    const context = { internalCallContext: { gas: 5n, value: 6n, callData: bytes('0a') } };
    const { records } = rebuilt(
      { data: CALL, at: 1, outputs: [called()], status: 33 },
      { data: TRANSFER, at: 2, parentAt: 1, outputs: [called(context)] },
    );
    expect(records[0]?.receipt?.contractID).toMatchObject(contract(90n));
    expect(resultOf(records[0])).toMatchObject({ gasUsed: 21_000n, bloom: new Uint8Array() });
    expect(records[1]?.receipt?.contractID).toBeUndefined();
    expect(resultOf(records[1])).toMatchObject({
      gas: 5n,
      amount: 6n,
      functionParameters: bytes('0a'),
      bloom: new Uint8Array(),
    });
  });

  it('have logs with blooms over their address and padded topics', () => {
    const logs = [
      { contractId: contract(91n), topics: [bytes('0102'), new Uint8Array(32).fill(9)], data: bytes('ff') },
      { contractId: { contract: { $case: 'evmAddress', evmAddress: bytes('ab'.repeat(20)) } }, topics: [] },
    ];
    const { records } = rebuilt({ data: CALL, at: 1, outputs: [called()], traces: [evmTrace({ logs })] });
    const first = new Uint8Array(BLOOM_LENGTH);
    const topic = new Uint8Array(32);
    topic.set([1, 2], 30);
    for (const value of [longZeroAddress(91n), topic, new Uint8Array(32).fill(9)]) addToBloom(first, value);
    const second = new Uint8Array(BLOOM_LENGTH);
    addToBloom(second, bytes('ab'.repeat(20)));
    const all = first.slice();
    uniteBloom(all, second);
    const result = resultOf(records[0]);
    expect(result?.logInfo).toMatchObject([
      { contractID: contract(91n), topic: [topic, new Uint8Array(32).fill(9)], data: bytes('ff'), bloom: first },
      { topic: [], bloom: second },
    ]);
    expect(result?.bloom).toEqual(all);
  });

  it('name the contracts that were created, and their addresses', () => {
    const { records } = rebuilt(
      {
        data: CREATE,
        at: 1,
        outputs: [made()],
        state: [
          accountState(90n, { smartContract: true }),
          accountState(92n, { alias: bytes('cd'.repeat(20)), smartContract: true }),
        ],
      },
      { data: CREATE, at: 2, parentAt: 1, outputs: [made({ contractId: contract(92n) })] },
      { data: CREATE, at: 3, parentAt: 1, outputs: [made({ contractId: contract(91n) })] },
      { data: CREATE, at: 4, parentAt: 1, outputs: [made({ contractId: contract(93n) })], status: 33 },
      { data: CREATE, at: 5, status: 33 },
    );
    const created = records.map((record) => resultOf(record)?.createdContractIDs.map((id) => id.contract));
    expect(created).toEqual([[90n, 91n, 92n].map((number) => contract(number).contract), [], [], [], undefined]);
    expect(records.map((record) => resultOf(record)?.evmAddress)).toEqual([
      longZeroAddress(90n),
      bytes('cd'.repeat(20)),
      longZeroAddress(91n),
      undefined,
      undefined,
    ]);
    expect(records.map(({ body }) => body?.$case)).toEqual([...new Array(4).fill('contractCreateResult'), undefined]);
  });
});

it('name a contract once that an Ethereum transaction and its child created', () => {
  const result = {
    transactionResult: { $case: 'evmCreateTransactionResult', evmCreateTransactionResult: evmResult() },
  };
  const { records } = rebuilt(
    { data: CALL_ETHEREUM, at: 1, outputs: [{ $case: 'ethereumCall', ethereumCall: result }] },
    { data: CREATE, at: 2, parentAt: 1, outputs: [made()] },
  );
  expect(resultOf(records[0])?.createdContractIDs).toMatchObject([contract(90n)]);
});

describe('Ethereum transactions', () => {
  /** Legacy, of 5 tinybars, with gas limit 100,000; `data` is call data. */
  const legacy = (data: string): Uint8Array => {
    const length = data.length / 2;
    const fields = `01${'8502540be400'}830186a094${'aa'.repeat(20)}850ba43b7400${(0x80 + length).toString(16)}${data}820274a0${'11'.repeat(32)}a0${'22'.repeat(32)}`;
    return bytes(`f8${(fields.length / 2).toString(16)}${fields}`);
  };
  const ethereum = (ethereumData: Uint8Array, callData?: object): unknown => ({
    $case: 'ethereumTransaction',
    ethereumTransaction: { ethereumData, callData },
  });
  const output = (name: string, fields: object = {}): unknown => ({
    $case: 'ethereumCall',
    ethereumCall: { transactionResult: { $case: name, [name]: evmResult(fields) } },
  });
  const INLINE = legacy('deadbeef');
  const IN_FILE = legacy('');

  it('have tinybars, gas limit and call data of what was signed, and its hash', () => {
    const { records, unknown } = rebuilt(
      { data: ethereum(INLINE), at: 1, outputs: [output('evmCallTransactionResult')] },
      { data: ethereum(INLINE), at: 2, outputs: [output('evmCreateTransactionResult')] },
      {
        data: ethereum(IN_FILE, { fileNum: 7n }),
        at: 3,
        outputs: [output('evmCallTransactionResult', { gasUsed: 0n })],
      },
      { data: ethereum(INLINE), at: 4, status: 312 },
    );
    const request = { gas: 100_000n, amount: 5n, functionParameters: bytes('deadbeef') };
    expect(records.map(({ body }) => body?.$case)).toEqual([
      'contractCallResult',
      'contractCreateResult',
      'contractCallResult',
      undefined,
    ]);
    expect(records.map(resultOf)).toMatchObject([
      request,
      request,
      { ...request, functionParameters: new Uint8Array() },
      undefined,
    ]);
    expect(records.map(({ receipt }) => receipt?.contractID?.contract)).toEqual([
      contract(90n).contract,
      contract(90n).contract,
      undefined,
      undefined,
    ]);
    const hash = new Uint8Array(keccak256(INLINE));
    expect(records.map(({ ethereumHash }) => ethereumHash)).toEqual([hash, hash, new Uint8Array(), hash]);
    expect(unknown.flat()).toEqual([]);
  });

  it('that cannot be decoded keep what the output says', () => {
    const { records, unknown } = rebuilt({
      data: ethereum(bytes('c0')),
      at: 1,
      outputs: [output('evmCallTransactionResult')],
    });
    expect(resultOf(records[0])).toMatchObject({ gasUsed: 21_000n, gas: 0n });
    expect(unknown).toEqual([['contract result']]);
  });
});

describe('sidecars of contracts', () => {
  const bytecode = (contractNum: bigint, code: Uint8Array): unknown =>
    update(
      { $case: 'contractIdKey', contractIdKey: contract(contractNum) },
      { $case: 'bytecodeValue', bytecodeValue: { code } },
    );

  it('hold actions as they are traced', () => {
    const contractActions = [
      { gas: 7n, callDepth: 0 },
      { gas: 3n, callDepth: 1 },
    ];
    const { sidecarRecords, sidecars } = rebuilt({
      data: CALL,
      at: 4,
      outputs: [called()],
      traces: [evmTrace({ contractActions })],
    });
    expect(sidecars).toMatchObject([{ name: '0000000000000000005.blk', id: 1 }]);
    expect(sidecarRecords).toMatchObject([
      {
        consensusTimestamp: { nanos: 4 },
        migration: false,
        sidecarRecords: { $case: 'actions', actions: { contractActions } },
      },
    ]);
  });

  it('hold code, whose initcode may be told by what is around it', () => {
    const executedInitcode = (initcode: object): unknown =>
      evmTrace({ executedInitcode: { contractId: contract(90n), initcode } });
    const state = [bytecode(90n, bytes('6001'))];
    const bookends = {
      $case: 'initcodeBookends',
      initcodeBookends: { deployBytecode: bytes('aa'), metadataBytecode: bytes('bbcc') },
    };
    const explicit = { $case: 'explicitInitcode', explicitInitcode: bytes('dd') };
    const { sidecarRecords } = rebuilt(
      { data: CREATE, at: 1, outputs: [made()], traces: [executedInitcode(bookends)], state },
      { data: CREATE, at: 2, outputs: [made()], traces: [executedInitcode(explicit)], state },
      { data: CREATE, at: 3, outputs: [made()], state },
      { data: CREATE, at: 4, outputs: [made()], traces: [executedInitcode(explicit)], status: 33 },
      { data: CREATE, at: 5, outputs: [made()], traces: [executedInitcode(bookends)], status: 33 },
    );
    expect(
      sidecarRecords.map(({ sidecarRecords: content }) =>
        content?.$case === 'bytecode' ? [content.bytecode.initcode, content.bytecode.runtimeBytecode] : undefined,
      ),
    ).toEqual([
      [bytes('aa6001bbcc'), bytes('6001')],
      [bytes('dd'), bytes('6001')],
      [new Uint8Array(), bytes('6001')],
      [bytes('dd'), new Uint8Array()],
    ]);
  });

  const slot = (key: string, value: string, identical = false): unknown =>
    update(
      { $case: 'slotKeyKey', slotKeyKey: { contractID: contract(90n), key: bytes(key) } },
      { $case: 'slotValueValue', slotValueValue: { value: bytes(value) } },
      identical,
    );
  const readAt = (index: number, value: string): object => ({
    identifier: { $case: 'index', index },
    readValue: bytes(value),
  });
  const readOf = (key: string, value: string): object => ({
    identifier: { $case: 'key', key: bytes(key) },
    readValue: bytes(value),
  });
  const usage = (slotReads: object[], keys?: string[], contractNum = 90n): unknown =>
    evmTrace({
      contractSlotUsages: [
        { contractId: contract(contractNum), slotReads, ...(keys && { writtenSlotKeys: { keys: keys.map(bytes) } }) },
      ],
    });
  const used = (...transactions: Executed[]) => {
    const { sidecarRecords, unknown } = rebuilt(...transactions);
    const storage = sidecarRecords.map(({ sidecarRecords: content }) =>
      content?.$case === 'stateChanges'
        ? content.stateChanges.contractStateChanges.flatMap(({ storageChanges }) =>
            storageChanges.map((change) => [
              hex(change.slot),
              hex(change.valueRead),
              change.valueWritten && hex(change.valueWritten),
            ]),
          )
        : undefined,
    );
    return { storage, unknown };
  };
  const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

  it('hold slots that were read, and written ones with their value in the end', () => {
    const removed = removal({ $case: 'slotKeyKey', slotKeyKey: { contractID: contract(90n), key: bytes('0003') } });
    const { storage, unknown } = used({
      data: CALL,
      at: 1,
      outputs: [called()],
      traces: [usage([readOf('0009', '0005'), readAt(0, '00'), readAt(1, '07')])],
      state: [slot('0008', '44', true), slot('0002', '0033'), removed],
    });
    expect(storage).toEqual([
      [
        ['0009', '05', undefined],
        ['02', '', '33'],
        ['03', '07', ''],
      ],
    ]);
    expect(unknown).toEqual([[]]);
  });

  it('hold what the next transaction of the execution read, where written keys are listed', () => {
    const { storage, unknown } = used(
      {
        data: CALL,
        at: 1,
        outputs: [called()],
        traces: [usage([readAt(0, '01')], ['0002'])],
        state: [slot('02', '09')],
      },
      { data: CALL, at: 2, parentAt: 1, outputs: [called()], traces: [usage([readAt(0, '05')], ['02'])] },
      { data: CALL, at: 3, parentAt: 1, outputs: [called()], traces: [usage([readOf('00000002', '07')])] },
    );
    expect(storage).toEqual([[['02', '01', '05']], [['02', '05', '07']], [['00000002', '07', undefined]]]);
    expect(unknown.flat()).toEqual([]);
  });

  it('lack slots that nothing names', () => {
    const { storage, unknown } = used({
      data: CALL,
      at: 1,
      outputs: [called()],
      traces: [usage([readAt(4, '01'), readOf('01', '02')])],
      state: [slot('02', '09')],
    });
    expect(storage).toEqual([[['01', '02', undefined]]]);
    expect(unknown).toEqual([['storage slot']]);
  });

  it('hold the storage of the hook that ran', () => {
    const hookId = { entityId: { entityId: { $case: 'accountId', accountId: account(3n) } }, hookId: 2n };
    const other = { ...hookId, hookId: 1n };
    const hookSlot = (id: object, value: string): unknown =>
      update(
        { $case: 'evmHookSlotKey', evmHookSlotKey: { hookId: id, key: bytes('0001') } },
        { $case: 'slotValueValue', slotValueValue: { value: bytes(value) } },
      );
    const run = (fields: object): Executed => ({
      data: CALL,
      at: 2,
      parentAt: 1,
      outputs: [called({ contractId: contract(365n), ...fields })],
      traces: [usage([readAt(0, '')], undefined, 365n)],
    });
    const transfer: Executed = { data: TRANSFER, at: 1, state: [hookSlot(other, '08'), hookSlot(hookId, '09')] };
    expect(used(transfer, run({ executedHookId: hookId })).storage).toEqual([[['01', '', '09']]]);
    expect(used(transfer, run({}))).toEqual({ storage: [], unknown: [[], ['storage slot']] });
  });
});
