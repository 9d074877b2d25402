import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import { expect, it } from 'vitest';
import type { RecordFile, RecordFileItem } from '../../streams/record-file-content.ts';
import type { SidecarFile } from '../../streams/sidecar-file.ts';
import { type PackedRecordFile, packRecordFile, transferablesOf, unpackRecordFile } from './packed-record-file.ts';

const hash = (fill: number): Uint8Array => new Uint8Array(48).fill(fill);

const fileOf = (items: readonly RecordFileItem[], content: Uint8Array): RecordFile => ({
  name: '0000000000000000007.blk',
  version: 7,
  hapiVersion: { major: 0, minor: 78, patch: 0 },
  fileHash: new Uint8Array(0),
  metadataHash: null,
  // A part of the block itself.
  hash: content.subarray(0, 48),
  previousHash: hash(2),
  blockNumber: 7n,
  items,
  sidecars: [],
  consensusStart: 1n,
  consensusEnd: 2n,
  outOfOrder: false,
  size: 100,
  uncompressedSize: 100,
  compression: 'none',
});

/** What arrives on the other side of a thread's border. */
const send = (packed: PackedRecordFile): PackedRecordFile => {
  const { port1, port2 } = new MessageChannel();
  port1.postMessage(packed, transferablesOf(packed));
  const received = receiveMessageOnPort(port2)?.message as PackedRecordFile;
  port1.close();
  return received;
};

const plain = (items: readonly RecordFileItem[]) =>
  items.map(({ transaction, record, ofBlock }) => ({
    transaction: Buffer.from(transaction).toString(),
    record: Buffer.from(record).toString(),
    ofBlock,
  }));

const nothing = { congestionPricingMultiplier: 0n, unknown: [] };

it('is the same on the other side, its items not copied', () => {
  const content = new Uint8Array(new ArrayBuffer(200)).fill(65);
  const other = new Uint8Array(new ArrayBuffer(50)).fill(66);
  const items: RecordFileItem[] = [
    { transaction: content.subarray(10, 13), record: other.subarray(0, 2), ofBlock: nothing },
    {
      transaction: other.subarray(4, 5),
      record: content.subarray(100, 100),
      ofBlock: { ...nothing, congestionPricingMultiplier: (1n << 64n) - 1n },
    },
    {
      transaction: content.subarray(0, 1),
      record: content.subarray(1, 2),
      ofBlock: { ...nothing, ethereumNonce: 5n, unknown: [{ part: 'topic id', message: 'not told' }] },
    },
  ];
  const file = fileOf(items, content);
  const { recordFile } = unpackRecordFile(send(packRecordFile(file, [])));
  expect(content.length).toBe(0);
  expect(plain(recordFile.items)).toEqual([
    { transaction: 'AAA', record: 'BB', ofBlock: nothing },
    { transaction: 'B', record: '', ofBlock: { ...nothing, congestionPricingMultiplier: (1n << 64n) - 1n } },
    {
      transaction: 'A',
      record: 'A',
      ofBlock: { ...nothing, ethereumNonce: 5n, unknown: [{ part: 'topic id', message: 'not told' }] },
    },
  ]);
  expect(recordFile.hash).toEqual(new Uint8Array(48).fill(65));
  expect(recordFile.hash.buffer.byteLength).toBe(48);
});

it('leaves items of wrapped record files without facts of blocks, and the bytes that sidecars share', () => {
  const content = new Uint8Array(new ArrayBuffer(100)).fill(67);
  const items = [{ transaction: content.subarray(0, 2), record: content.subarray(2, 4) }];
  const sidecar: SidecarFile = {
    name: 'x_01.rcd',
    id: 1,
    types: [1],
    hash: hash(3),
    records: [{ consensusTimestamp: 1n, bytes: content.subarray(50, 53) }],
    size: 3,
    bytes: content.subarray(50, 53),
  };
  const { recordFile, sidecars } = unpackRecordFile(send(packRecordFile(fileOf(items, content), [sidecar])));
  expect(content.length).toBe(100);
  expect(recordFile.items.map((item) => 'ofBlock' in item)).toEqual([false]);
  expect(plain(recordFile.items)).toEqual([{ transaction: 'CC', record: 'CC', ofBlock: undefined }]);
  expect(Buffer.from(sidecars[0]?.records[0]?.bytes ?? []).toString()).toBe('CCC');
});
