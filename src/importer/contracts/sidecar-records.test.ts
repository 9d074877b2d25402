import { describe, expect, it } from 'vitest';
import { TransactionSidecarRecord } from '../../protobuf/generated/streams/sidecar_file.ts';
import type { SidecarFile } from '../../streams/sidecar-file.ts';
import { decodeRecordItems } from '../record-items.ts';
import { rawItem, recordFileOf, SECOND, START } from '../testing/items.fixture.ts';
import { NO_SIDECARS, sidecarRecordsOf } from './sidecar-records.ts';

type Fields = Parameters<typeof TransactionSidecarRecord.fromPartial>[0];

const record = (nanos: number, content: Fields['sidecarRecords']) => ({
  consensusTimestamp: START + BigInt(nanos),
  bytes: TransactionSidecarRecord.encode(
    TransactionSidecarRecord.fromPartial({
      consensusTimestamp: { seconds: SECOND, nanos },
      ...(content && { sidecarRecords: content }),
    }),
  ).finish(),
});

const STATE = { $case: 'stateChanges', stateChanges: {} } as const;
const ACTIONS = { $case: 'actions', actions: {} } as const;
const BYTECODE = { $case: 'bytecode', bytecode: { initcode: new Uint8Array([1]) } } as const;

const file = (id: number, ...records: SidecarFile['records']): SidecarFile => ({
  name: `2023-11-14T22_13_20.000000001Z_0${id}.rcd.gz`,
  id,
  types: [1, 2, 3],
  hash: new Uint8Array(48),
  records,
  size: 1,
  bytes: new Uint8Array(1),
});

const FILES = [file(1, record(1, STATE), record(2, ACTIONS)), file(2, record(1, BYTECODE), record(1, undefined))];

const kindsAt = (nanos: number, types: readonly number[]) =>
  sidecarRecordsOf(FILES, types)
    .of(START + BigInt(nanos))
    .map(({ sidecarRecords }) => sidecarRecords?.$case);

describe('sidecar records', () => {
  it('belong to the transaction of exactly their time, in the order of the files', () => {
    expect(kindsAt(1, [])).toEqual(['stateChanges', 'bytecode']);
    expect(kindsAt(2, [])).toEqual(['actions']);
    expect(kindsAt(3, [])).toEqual([]);
  });

  it.each([
    [1, ['stateChanges'], []],
    [2, [], ['actions']],
    [3, ['bytecode'], []],
  ])('are those of the chosen types only: %i', (type, first, second) => {
    expect(kindsAt(1, [type])).toEqual(first);
    expect(kindsAt(2, [type])).toEqual(second);
  });

  it('are none when no file is read', () => {
    expect(sidecarRecordsOf([], [])).toBe(NO_SIDECARS);
    expect(NO_SIDECARS.of(START)).toEqual([]);
  });

  it('come with record items, and again after a release', () => {
    const [item] = decodeRecordItems(recordFileOf([rawItem({ at: 1 })]), () => undefined, sidecarRecordsOf(FILES, []));
    expect(item?.sidecarRecords).toHaveLength(2);
    item?.release?.();
    expect(item?.sidecarRecords).toHaveLength(2);
  });

  it('that cannot be decoded stop the import, naming file and transaction', () => {
    const broken = { consensusTimestamp: START + 1n, bytes: new Uint8Array([0x1a, 0x05, 0x01]) };
    const sidecars = sidecarRecordsOf([file(1, broken)], []);
    const [item] = decodeRecordItems(recordFileOf([rawItem({ at: 1 })]), () => undefined, sidecars);
    expect(() => item?.sidecarRecords).toThrowError(
      expect.objectContaining({
        code: 'RECORD_ITEM_UNDECODABLE',
        details: { file: '2023-11-14T22_13_20.000000001Z.rcd.gz', index: 0 },
      }),
    );
  });
});
