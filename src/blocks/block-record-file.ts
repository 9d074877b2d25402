/**
 * This module turns proven blocks into what record files hold, so that nothing after it needs to know from which
 * stream a transaction came: the serialized transaction and record of each item, sidecar records by consensus time, and
 * the facts that only blocks tell beside them. It proves nothing, and opens no file, socket or database.
 */
import { type Block, BlockItemField } from '../streams/block/block.ts';
import type { BlockColumns, RecordFile, RecordFileItem } from '../streams/record-file-content.ts';
import type { SidecarFile, SidecarRecord } from '../streams/sidecar-file.ts';
import { WireReader } from '../streams/wire.ts';
import { type BlockTransaction, transactionsOf } from './block-transactions.ts';
import { Execution, relationsOf } from './execution.ts';
import { type GenesisState, genesisStateOf } from './genesis-state.ts';
import { isPlain, rebuildItem } from './rebuild-record.ts';
import { RecordWriter } from './record-writer.ts';
import { TransactionView } from './transaction-view.ts';

/** A block as a record file with its sidecars. */
export interface BlockRecordFile {
  readonly recordFile: RecordFile;
  /** At most one, which holds everything that sidecar files would; it has no row of its own. */
  readonly sidecars: readonly SidecarFile[];
  /** Only block 0 may have one. */
  readonly genesis: GenesisState | undefined;
}

const BLOCK_STREAM_VERSION = 7;
const NO_HASH: Uint8Array = new Uint8Array(0);

/**
 * The record file of a block of a block stream. `rootHash` is the proven one, 48 bytes. What the block does not contain about a
 * transaction is named in the item's `ofBlock.unknown`; the rest of the item stands.
 * @throws KagamiError STREAM_MALFORMED, STREAM_TRUNCATED naming block and item, when items are no messages or a result
 * belongs to no transaction
 */
export const recordFileOfBlock = (block: Block, rootHash: Uint8Array): BlockRecordFile => {
  const transactions = transactionsOf(block);
  const { items, sidecarRecords } = rebuild(transactions);
  const recordFile: RecordFile = {
    name: block.name,
    version: BLOCK_STREAM_VERSION,
    hapiVersion: block.hapiVersion,
    fileHash: NO_HASH,
    metadataHash: null,
    hash: rootHash,
    previousHash: block.footer.previousRootHash,
    blockNumber: block.number,
    items,
    sidecars: [],
    ...spanOf(block, transactions),
    size: block.size,
    uncompressedSize: block.uncompressedSize,
    compression: block.compression,
    ofBlock: columnsOf(block),
  };
  return {
    recordFile,
    sidecars: sidecarFileOf(block, sidecarRecords),
    genesis: genesisStateOf(block, recordFile.consensusStart),
  };
};

interface Rebuilt {
  readonly items: readonly RecordFileItem[];
  readonly sidecarRecords: readonly SidecarRecord[];
}

/** From the last transaction to the first: what came after one tells what was there before. */
const rebuild = (transactions: readonly BlockTransaction[]): Rebuilt => {
  const views = viewsOf(transactions);
  const writer = new RecordWriter();
  const items = new Array<RecordFileItem>(transactions.length);
  const sidecarRecords: SidecarRecord[][] = [];
  for (let position = transactions.length - 1; position >= 0; position--) {
    const { item, sidecars } = rebuildItem(transactions[position] as BlockTransaction, views[position], writer);
    items[position] = item;
    if (sidecars.length > 0) sidecarRecords.push([...sidecars]);
  }
  return { items, sidecarRecords: sidecarRecords.reverse().flat() };
};

/** None for plain transactions, unless another one refers to them. */
const viewsOf = (transactions: readonly BlockTransaction[]): readonly (TransactionView | undefined)[] => {
  if (transactions.every(isPlain)) return [];
  const relations = relationsOf(transactions);
  const executions = new Map<number, Execution>();
  const views = new Map<number, TransactionView>();
  const viewAt = (position: number): TransactionView => {
    const known = views.get(position);
    if (known !== undefined) return known;
    const { parent, root } = relations[position] as (typeof relations)[number];
    const execution = executions.get(root) ?? new Execution();
    executions.set(root, execution);
    const view = new TransactionView(
      transactions[position] as BlockTransaction,
      execution,
      parent === undefined ? undefined : viewAt(parent),
      parent === undefined && root !== position ? viewAt(root) : undefined,
    );
    views.set(position, view);
    return view;
  };
  return transactions.map((transaction, position) => (isPlain(transaction) ? undefined : viewAt(position)));
};

const spanOf = (
  { timestamp }: Block,
  transactions: readonly BlockTransaction[],
): Pick<RecordFile, 'consensusStart' | 'consensusEnd' | 'outOfOrder'> => {
  let consensusStart: bigint | undefined;
  let consensusEnd: bigint | undefined;
  let outOfOrder = false;
  for (const { result } of transactions) {
    const time = result.consensusTimestamp;
    if (consensusEnd !== undefined && time <= consensusEnd) outOfOrder = true;
    if (consensusStart === undefined || time < consensusStart) consensusStart = time;
    if (consensusEnd === undefined || time > consensusEnd) consensusEnd = time;
  }
  return { consensusStart: consensusStart ?? timestamp, consensusEnd: consensusEnd ?? timestamp, outOfOrder };
};

const ROUND_NUMBER = 1;

const columnsOf = (block: Block): BlockColumns => {
  const rounds = block.items.filter(({ field }) => field === BlockItemField.roundHeader);
  const first = rounds[0];
  const last = rounds.at(-1);
  return {
    softwareVersion: block.softwareVersion,
    roundStart: first === undefined ? null : roundOf(first.payload, block.name),
    roundEnd: last === undefined ? null : roundOf(last.payload, block.name),
    wrappedRecordBlockHash: null,
    previousWrappedRecordBlockHash: null,
  };
};

const roundOf = (header: Uint8Array, file: string): bigint => {
  const fields = new WireReader(header, file);
  let round = 0n;
  while (fields.next()) if (fields.field === ROUND_NUMBER) round = fields.int64();
  return round;
};

const sidecarFileOf = ({ name }: Block, records: readonly SidecarRecord[]): readonly SidecarFile[] =>
  records.length === 0 ? [] : [{ name, id: 1, types: [1, 2, 3], hash: NO_HASH, records, size: 0, bytes: NO_HASH }];
