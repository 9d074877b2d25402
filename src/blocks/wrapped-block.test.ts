import { describe, expect, it } from 'vitest';
import { RecordFileItem } from '../protobuf/generated/block/stream/record_file_item.ts';
import { TransactionRecord } from '../protobuf/generated/services/transaction_record.ts';
import { RecordStreamFile, RecordStreamItem } from '../protobuf/generated/streams/record_stream_file.ts';
import type { Block } from '../streams/block/block.ts';
import { writeRecordFileV6 } from '../streams/write/record-file-v6.ts';
import { accountState, at, blockOf, rebuilt, stateItem, T } from './testing/block.fixture.ts';
import { recordFileOfWrappedBlock } from './wrapped-block.ts';

const VERSION_BYTES = 4;
const ROOT_HASH = new Uint8Array(48).fill(3);
const PREVIOUS_ROOT = new Uint8Array(48).fill(2);
const START_HASH = new Uint8Array(48).fill(1);
const TRANSFER = { $case: 'cryptoTransfer', cryptoTransfer: {} };

/** Transfers at these nanoseconds that cost `fee`, as a record file has them. */
const transfers = (fee: bigint, ...nanos: readonly number[]) =>
  rebuilt(...nanos.map((at) => ({ data: TRANSFER, at, result: { transactionFeeCharged: fee } }))).recordFile.items.map(
    ({ transaction, record }) => ({ transaction, record }),
  );

const written = writeRecordFileV6({
  hapiVersion: { major: 0, minor: 75, patch: 2 },
  startRunningHash: START_HASH,
  blockNumber: 9n,
  items: transfers(1n, 10, 20),
  compressionLevel: null,
});

const wrapping = (amendments: ReturnType<typeof transfers>, rest: Partial<Block> = {}): Block => {
  const recordFile = RecordFileItem.encode(
    RecordFileItem.fromPartial({
      creationTime: at(10),
      recordFileContents: RecordStreamFile.decode(new Uint8Array(written.bytes).subarray(VERSION_BYTES)),
      amendments: amendments.map(({ transaction, record }) => RecordStreamItem.decode(messageOf(transaction, record))),
    }),
  ).finish();
  return blockOf([], {
    name: '0000000000000000009.blk',
    number: 9n,
    recordFile,
    softwareVersion: null,
    footer: { previousRootHash: PREVIOUS_ROOT, allPreviousRootsHash: ROOT_HASH, startStateRootHash: ROOT_HASH },
    proofs: [{ kind: 'record-file', version: 6, signatures: [] }],
    ...rest,
  });
};

/** RecordStreamItem {1 transaction, 2 record} of serialized parts. */
const messageOf = (transaction: Uint8Array, record: Uint8Array): Uint8Array => {
  const field = (number: number, bytes: Uint8Array): number[] => {
    if (bytes.length > 127 * 128) throw new Error('too long for this fixture');
    const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 0x7f) | 0x80, bytes.length >> 7];
    return [number * 8 + 2, ...length, ...bytes];
  };
  return Uint8Array.from([...field(1, transaction), ...field(2, record)]);
};

const told = (block: Block) =>
  recordFileOfWrappedBlock(block, ROOT_HASH).recordFile.items.map(({ record }) => {
    const { consensusTimestamp, transactionFee } = TransactionRecord.decode(record);
    return [consensusTimestamp?.nanos, transactionFee];
  });

describe('a wrapped record block', () => {
  it('is the record file that it wraps', () => {
    const { recordFile, genesis } = recordFileOfWrappedBlock(wrapping([]), ROOT_HASH);
    expect(recordFile).toMatchObject({
      version: 6,
      blockNumber: 9n,
      hapiVersion: { major: 0, minor: 75, patch: 2 },
      fileHash: written.fileHash,
      hash: written.endRunningHash,
      previousHash: START_HASH,
      consensusStart: T * 1_000_000_000n + 10n,
      consensusEnd: T * 1_000_000_000n + 20n,
      ofBlock: {
        softwareVersion: null,
        roundStart: null,
        roundEnd: null,
        wrappedRecordBlockHash: ROOT_HASH,
        previousWrappedRecordBlockHash: PREVIOUS_ROOT,
      },
    });
    expect(recordFile.items.map(({ ofBlock }) => ofBlock)).toEqual([undefined, undefined]);
    expect(told(wrapping([]))).toEqual([
      [10, 1n],
      [20, 1n],
    ]);
    expect(genesis).toBeUndefined();
  });

  it('is corrected by its amendments', () => {
    expect(told(wrapping(transfers(7n, 30, 20, 15, 5)))).toEqual([
      [5, 7n],
      [10, 1n],
      [15, 7n],
      [20, 7n],
      [30, 7n],
    ]);
    const { recordFile } = recordFileOfWrappedBlock(wrapping(transfers(7n, 30, 5)), ROOT_HASH);
    expect(recordFile.consensusStart).toBe(T * 1_000_000_000n + 5n);
    expect(recordFile.consensusEnd).toBe(T * 1_000_000_000n + 30n);
  });

  it('may carry the state that the ledger begins with', () => {
    const block = wrapping([], { number: 0n });
    const state = stateItem([accountState(2n, { tinybarBalance: 5n })], 0);
    const { genesis } = recordFileOfWrappedBlock({ ...block, items: [block.header, state] }, ROOT_HASH);
    expect(genesis).toMatchObject({ timestamp: T * 1_000_000_000n + 10n, accounts: [{ tinybarBalance: 5n }] });
  });

  it('is refused without a record file or its proof', () => {
    for (const block of [wrapping([], { proofs: [] }), wrapping([], { recordFile: null })]) {
      expect(() => recordFileOfWrappedBlock(block, ROOT_HASH)).toThrow(
        expect.objectContaining({ code: 'STREAM_MALFORMED', message: expect.stringContaining('block 9 wraps no') }),
      );
    }
  });
});
