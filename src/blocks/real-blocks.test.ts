import { describe, expect, it } from 'vitest';
import { StateChanges } from '../protobuf/generated/block/stream/output/state_changes.ts';
import { type AccountAmount, TransferList } from '../protobuf/generated/services/basic_types.ts';
import { Transaction, TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../protobuf/generated/services/transaction_contents.ts';
import { TransactionRecord } from '../protobuf/generated/services/transaction_record.ts';
import { BlockItemField } from '../streams/block/block.ts';
import { readBlock } from '../streams/block/read-block.ts';
import { readRecordFile } from '../streams/record-file.ts';
import type { RecordFileItem } from '../streams/record-file-content.ts';
import { hasRealStreams, type ManifestEntry, readReal, realManifest } from '../streams/testing/real-streams.fixture.ts';
import { type BlockRecordFile, recordFileOfBlock } from './block-record-file.ts';
import { accountNumOf } from './state-index.ts';
import { recordFileOfWrappedBlock } from './wrapped-block.ts';

const ROOT_HASH = new Uint8Array(48).fill(1);
const GENESIS_SUPPLY = 5_000_000_000_000_000_000n;

interface BlockEntry extends ManifestEntry {
  readonly types?: Readonly<Record<string, number>>;
  readonly results?: Readonly<Record<string, number>>;
  readonly transactionResults?: number;
  readonly record?: { readonly results: Readonly<Record<string, number>> };
}

const entries = (kind: string): BlockEntry[] =>
  hasRealStreams ? (realManifest() as BlockEntry[]).filter((entry) => entry.kind === kind) : [];

const convert = (path: string): BlockRecordFile => {
  const block = readBlock(path, readReal(path));
  return block.recordFile === null ? recordFileOfBlock(block, ROOT_HASH) : recordFileOfWrappedBlock(block, ROOT_HASH);
};

const bodyOf = ({ transaction }: RecordFileItem): TransactionBody => {
  const { signedTransactionBytes, bodyBytes } = Transaction.decode(transaction);
  return TransactionBody.decode(
    signedTransactionBytes.length > 0 ? SignedTransaction.decode(signedTransactionBytes).bodyBytes : bodyBytes,
  );
};

const camelCase = (name: string): string => name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

const count = (values: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
};

const recordsOf = ({ recordFile }: BlockRecordFile): TransactionRecord[] =>
  recordFile.items.map(({ record }) => TransactionRecord.decode(record));

const sum = (amounts: readonly AccountAmount[]): bigint => amounts.reduce((total, { amount }) => total + amount, 0n);

const sums = (converted: BlockRecordFile): bigint[] =>
  recordsOf(converted).map(({ transferList }) => sum((transferList ?? TransferList.fromPartial({})).accountAmounts));

describe.skipIf(!hasRealStreams)('real blocks', () => {
  it('have the transactions of the manifest, which all conserve hbar', () => {
    const blocks = entries('block');
    expect(blocks).toHaveLength(21);
    for (const { path, types = {}, transactionResults } of blocks) {
      const converted = convert(path);
      const { items } = converted.recordFile;
      expect(items).toHaveLength(transactionResults ?? -1);
      const executed = Object.entries(types).filter(([type]) => type !== 'state_signature_transaction');
      expect(count(items.map((item) => bodyOf(item).data?.$case ?? ''))).toEqual(
        Object.fromEntries(executed.map(([type, number]) => [camelCase(type), number])),
      );
      expect(items.flatMap(({ ofBlock }) => ofBlock?.unknown ?? [])).toEqual([]);
      // The treasury gets the supply from nowhere.
      const created = sums(converted).filter((total) => total !== 0n);
      expect(created).toEqual(path.endsWith('/0.blk.gz') ? [GENESIS_SUPPLY] : []);
    }
  });

  it('name what they create by the numbers of the ledger', () => {
    const records = recordsOf(convert('blocks/0.78-schnorr/2.blk.gz'));
    const topics = records.flatMap(({ receipt }) => receipt?.topicID?.topicNum ?? []);
    expect(topics).toHaveLength(5);
    expect(new Set(topics).size).toBe(5);
    const messages = records.filter(({ receipt }) => receipt?.topicRunningHashVersion === 3n);
    expect(messages.map(({ receipt }) => [receipt?.topicSequenceNumber, receipt?.topicRunningHash.length])).toEqual([
      [1n, 48],
    ]);
    const nodes = recordsOf(convert('blocks/0.78-schnorr/0.blk.gz')).slice(0, 800);
    expect(nodes.flatMap(({ receipt }) => (receipt?.nodeId ? [receipt.nodeId] : []))).toEqual([1n, 2n, 3n]);
  });

  it('move hbar to what the state says the accounts hold', () => {
    const balances = new Map<bigint, bigint>();
    const stated = new Map<bigint, bigint>();
    for (const number of [0, 1, 2, 3, 4, 5]) {
      const path = `blocks/0.78-schnorr/${number}.blk.gz`;
      const block = readBlock(path, readReal(path));
      for (const { transferList } of recordsOf(recordFileOfBlock(block, ROOT_HASH))) {
        for (const { accountID, amount } of transferList?.accountAmounts ?? []) {
          const account = accountNumOf(accountID) ?? -1n;
          balances.set(account, (balances.get(account) ?? 0n) + amount);
        }
      }
      for (const { payload } of block.items.filter(({ field }) => field === BlockItemField.stateChanges)) {
        for (const { changeOperation } of StateChanges.decode(payload).stateChanges) {
          const value =
            changeOperation?.$case === 'mapUpdate' ? changeOperation.mapUpdate.value?.valueChoice : undefined;
          if (value?.$case !== 'accountValue') continue;
          stated.set(accountNumOf(value.accountValue.accountId) ?? -1n, value.accountValue.tinybarBalance);
        }
      }
    }
    expect(stated.size).toBeGreaterThan(900);
    const differing = [...stated].filter(([account, balance]) => (balances.get(account) ?? 0n) !== balance);
    expect(differing).toEqual([]);
    expect([...stated.values()].reduce((total, balance) => total + balance, 0n)).toBe(GENESIS_SUPPLY);
  });

  it('look like record files of the same script, but for exchange rates', () => {
    const shapesOf = (paths: readonly string[]): Set<string> =>
      new Set(
        paths.flatMap((path) => {
          const converted = convert(path);
          return recordsOf(converted).map((record, index) => {
            const type = bodyOf(converted.recordFile.items[index] as RecordFileItem).data?.$case;
            return `${type}: ${[...present(record), ...present(record.receipt ?? {})].join(' ')}`;
          });
        }),
      );
    const ofFiles = shapesOf([0, 1, 2, 3, 4].map((number) => `wrapped/solo-0.78/${number}.blk.gz`));
    const ofBlocks = shapesOf([0, 1, 2, 3, 4, 5].map((number) => `blocks/0.78-schnorr/${number}.blk.gz`));
    expect(ofFiles.size).toBeGreaterThan(15);
    expect([...ofFiles].filter((shape) => !ofBlocks.has(shape))).toEqual([]);
  });
});

const NOT_TOLD = new Set(['_unknownFields', 'exchangeRate']);

const present = (message: object): string[] =>
  Object.entries(message)
    .filter(([name, value]) => !NOT_TOLD.has(name) && value !== undefined && value !== 0n && value !== '')
    .filter(([, value]) => !(value instanceof Uint8Array || Array.isArray(value)) || value.length > 0)
    .map(([name]) => name);

describe.skipIf(!hasRealStreams)('real wrapped record blocks', () => {
  it('hold the transactions of the manifest, which all conserve hbar', () => {
    const blocks = entries('wrapped-record-block');
    expect(blocks).toHaveLength(8);
    for (const { path, types = {}, transactions } of blocks) {
      const converted = convert(path);
      const { recordFile } = converted;
      expect(recordFile.items).toHaveLength(transactions ?? -1);
      expect(count(recordFile.items.map((item) => bodyOf(item).data?.$case ?? ''))).toEqual(
        Object.fromEntries(Object.entries(types).map(([type, number]) => [camelCase(type), number])),
      );
      expect(recordFile.ofBlock).toMatchObject({ wrappedRecordBlockHash: ROOT_HASH, roundStart: null });
      expect(sums(converted).filter((total) => total !== 0n)).toEqual(
        path === 'wrapped/solo-0.78/0.blk.gz' ? [GENESIS_SUPPLY] : [],
      );
    }
  });

  it('are the record file that they wrap, with its sidecars', () => {
    const { recordFile, sidecars } = convert('wrapped/mainnet-samples/v6-block.blk.gz');
    const name = '2025-07-23T20_37_42.076472454Z.rcd';
    const entry = realManifest().find(
      ({ path }) => path.startsWith('records/mainnet-2025') && path.includes(`${name}.gz`),
    );
    const original = readRecordFile(`${name}.gz`, readReal(entry?.path ?? ''));
    expect(recordFile.name).toBe(name);
    expect(recordFile.blockNumber).toBe(82_297_471n);
    expect(recordFile.items).toEqual(original.items);
    expect(recordFile.fileHash).toEqual(original.fileHash);
    expect(sidecars.map(({ id, records }) => [id, records.length > 0])).toEqual([[1, true]]);
  });
});
