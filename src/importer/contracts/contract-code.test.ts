import { describe, expect, it } from 'vitest';
import { encodeTransaction, transactionOf } from '../../ledger/testing/ethereum-transaction.fixture.ts';
import { hasRealStreams } from '../../streams/testing/real-streams.fixture.ts';
import type { RecordItem } from '../record-item.ts';
import {
  bytes,
  contract,
  evmAddress,
  handle,
  type ItemFields,
  itemOf,
} from '../transactions/testing/handled.fixture.ts';
import { recordFileLedgers } from '../transactions/testing/real-items.fixture.ts';

const create = (initcodeSource: object | undefined, more: ItemFields = {}) =>
  itemOf({
    data: {
      $case: 'contractCreateInstance',
      contractCreateInstance: { ...(initcodeSource && { initcodeSource }) } as object,
    },
    receipt: { contractID: contract(1700n) },
    ...more,
  });

const rowOf = (item: RecordItem, known = {}) => handle(item, { known }).rows('contract')[0];

const FILE = { $case: 'fileID', fileID: { fileNum: 1500n } };
const INITCODE = { $case: 'initcode', initcode: bytes('6001') };

const sidecar = (bytecode: object, migration = false): NonNullable<ItemFields['sidecars']>[number] => ({
  migration,
  sidecarRecords: {
    $case: 'bytecode',
    bytecode: {
      contractId: contract(1700n),
      initcode: bytes('6002'),
      runtimeBytecode: bytes('60ff'),
      ...bytecode,
    },
  },
});

const ROW = { id: 1700n, file_id: null, initcode: null, runtime_bytecode: null };

describe('the code of a new contract', () => {
  it('is that of the body', () => {
    expect(rowOf(create(undefined))).toEqual(ROW);
    expect(rowOf(create(FILE))).toEqual({ ...ROW, file_id: 1500n });
    expect(rowOf(create(INITCODE))).toEqual({ ...ROW, initcode: bytes('6001') });
  });

  it('is else what the sidecar says, which also tells what runs', () => {
    const runtime = { runtime_bytecode: bytes('60ff') };
    const sidecars = [sidecar({})];
    expect(rowOf(create(undefined, { sidecars }))).toEqual({ ...ROW, initcode: bytes('6002'), ...runtime });
    expect(rowOf(create(FILE, { sidecars }))).toEqual({
      ...ROW,
      file_id: 1500n,
      initcode: bytes('6002'),
      ...runtime,
    });
    expect(rowOf(create(INITCODE, { sidecars }))).toEqual({ ...ROW, initcode: bytes('6001'), ...runtime });
  });

  it('comes from no sidecar of a migration, or of another contract', () => {
    const address = evmAddress(bytes('dd'.repeat(20)));
    const other = { contractId: contract(1701n) };
    const sidecars = [
      sidecar({}, true),
      sidecar(other),
      sidecar({ contractId: undefined }),
      sidecar({ contractId: address }),
      sidecar({ contractId: { ...contract(1700n), shardNum: 1n } }),
      { sidecarRecords: { $case: 'actions' as const, actions: {} } },
    ];
    expect(rowOf(create(undefined, { sidecars }))).toEqual(ROW);
    expect(rowOf(create(undefined, { sidecars: [...sidecars, sidecar({})] }))).toMatchObject({
      initcode: bytes('6002'),
    });
    const byAddress = create(undefined, { sidecars, receipt: { contractID: address } });
    expect(rowOf(byAddress, { ['dd'.repeat(20)]: 1700n })).toMatchObject({ runtime_bytecode: bytes('60ff') });
  });
});

describe('the code of a contract that another transaction creates', () => {
  const child = (parent: ItemFields, more: ItemFields = {}, initcodeSource?: object) =>
    rowOf(create(initcodeSource, { parent: itemOf(parent), ...more }));
  const creation = (initcodeSource: object): ItemFields => ({
    data: { $case: 'contractCreateInstance', contractCreateInstance: { initcodeSource } as object },
  });
  const ethereum = (ethereumData: Uint8Array, body = {}): ItemFields => ({
    data: { $case: 'ethereumTransaction', ethereumTransaction: { ethereumData, ...body } },
  });
  const raw = encodeTransaction(transactionOf(2, { callData: bytes('6003') }));

  it('is that of the creation', () => {
    expect(child(creation(FILE))).toEqual({ ...ROW, file_id: 1500n });
    expect(child(creation(INITCODE))).toEqual({ ...ROW, initcode: bytes('6001') });
    expect(child({ data: { $case: 'contractCall', contractCall: {} } })).toEqual(ROW);
  });

  it('is what the Ethereum transaction sends, in a file or itself', () => {
    const file = { callData: { fileNum: 1501n } };
    const withoutData = encodeTransaction(transactionOf(2, { callData: bytes('') }));
    expect(child(ethereum(withoutData, file))).toEqual({ ...ROW, file_id: 1501n });
    expect(child(ethereum(withoutData))).toEqual({ ...ROW, initcode: bytes('') });
    expect(child(ethereum(raw))).toEqual({ ...ROW, initcode: bytes('6003') });
    expect(child(ethereum(raw, file))).toEqual({ ...ROW, initcode: bytes('6003') });
    expect(child(ethereum(bytes('03c0'), file))).toEqual(ROW);
  });

  it('does not take the place of its own', () => {
    const sidecars = [sidecar({})];
    expect(child(ethereum(raw), { sidecars })).toMatchObject({ initcode: bytes('6002') });
    expect(child(creation(FILE), { sidecars })).toMatchObject({ file_id: 1500n, initcode: bytes('6002') });
    const otherFile = { $case: 'fileID', fileID: { fileNum: 1502n } };
    expect(child(creation(FILE), {}, otherFile)).toMatchObject({ file_id: 1502n });
  });
});

describe.skipIf(!hasRealStreams)('contracts that real Ethereum transactions created', () => {
  it('have the call data as initcode', () => {
    const children = [...recordFileLedgers()].flatMap(({ items }) =>
      items.filter(({ parent, type }) => type === 8 && parent?.type === 50),
    );
    const callDataOf = ({ parent }: RecordItem) => parent?.ethereum?.transaction?.callData;
    expect(children.map((item) => callDataOf(item)?.length)).toEqual([4035, 4035]);
    expect(children.map((item) => rowOf(item)?.initcode)).toEqual(children.map(callDataOf));
  });
});
