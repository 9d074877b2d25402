/**
 * Adds the transactions that the streams of mainnet lack (errata INSERT), as if each were a block of its own. Balances
 * and versions of entities stay as they are: those in the streams already reckon with them.
 */
import type { DatabaseClient } from '../../database/connection.ts';
import { copyRows } from '../../database/copy.ts';
import type { RowOf } from '../../database/table.ts';
import type { RecordFile, RecordFileItem } from '../../streams/record-file-content.ts';
import { BlockTransformer } from '../block-transformer.ts';
import { CachedEntityLookup } from '../entity-lookup.ts';
import { PrefetchedFileContents } from '../file-contents.ts';
import { LedgerBatch } from '../ledger-batch.ts';
import { decodeRecordItems } from '../record-items.ts';
import type { InsertTable } from '../tables/registry.ts';
import { transactionHandlers } from '../transactions/registry.ts';
import { writeBatch } from '../write/ledger-writer.ts';
import { readMissingTransactions } from './missing-transaction-file.ts';
import type { Repair, RepairContext } from './repair.ts';

const NETWORK = { shard: 0n, realm: 0n };

/** On an empty database they come before the first block, so that nothing that follows blocks finds them missing. */
export const missingTransactions: Repair = {
  name: 'missing-transactions',
  setting: 'errataMigration',
  isDue: ({ begins }) => begins !== undefined,
  async run(client, context) {
    const { begins, ends } = context;
    const missing = readMissingTransactions().filter(
      ({ consensusTimestamp }) => consensusTimestamp >= begins && (ends === undefined || consensusTimestamp <= ends),
    );
    const known = await knownTransactions(
      client,
      missing.map(({ consensusTimestamp }) => consensusTimestamp),
    );
    const isKnown = ({ consensusTimestamp }: { readonly consensusTimestamp: bigint }): boolean =>
      known.has(consensusTimestamp);
    const absent = missing.filter((item) => !isKnown(item));
    await writeBatch(client, await rowsOf(client, absent, context));
    const present = await rowsOf(client, missing.filter(isKnown), context);
    return absent.length + (await addTokenTransfers(client, present.rows('token_transfer')));
  },
};

/** Rows of transactions that no block holds. */
class ErrataBatch extends LedgerBatch {
  override insert<T extends InsertTable>(table: T, row: RowOf<T>): void {
    if (table === 'record_file') return;
    if (table === 'transaction' || table === 'crypto_transfer') (row as RowOf<'transaction'>).errata = 'INSERT';
    // The bytes are our own: they lack the signatures that the transaction's hash is made over.
    if (table === 'transaction') (row as RowOf<'transaction'>).transaction_bytes = null;
    super.insert(table, row);
  }
}

/** The rows of record items as the importer makes them, with balances and history turned off. */
export const rowsOf = async (
  client: DatabaseClient,
  missing: readonly RecordFileItem[],
  context: Pick<RepairContext, 'persist' | 'filter'>,
): Promise<LedgerBatch> => {
  const persist = { ...context.persist, entityHistory: false, trackBalance: false };
  const lookup = new CachedEntityLookup({ ...NETWORK, itemizedTransfers: persist.itemizedTransfers });
  const files = new PrefetchedFileContents();
  const batch = new ErrataBatch({ entityHistory: false, entityStaged: lookup.entityStaged });
  lookup.useBatch(batch);
  files.useBatch(batch);
  const { filter } = context;
  const transformer = new BlockTransformer({
    handlers: transactionHandlers,
    lookup,
    files,
    persist,
    network: NETWORK,
    filter,
  });
  for (const item of missing) {
    const file = fileOf(item);
    // What a problem would tell is known: the file of them does not change.
    const items = decodeRecordItems(file, () => undefined);
    await lookup.prefetch(client, items);
    await files.prefetch(client, items);
    transformer.transform({ file, index: 0n, loadStart: 0n, loadEnd: 0n }, items, batch);
  }
  return batch;
};

const NO_HASH = new Uint8Array(0);

/** Nothing but the item counts: no row is made of the file. */
const fileOf = (item: RecordFileItem): RecordFile => ({
  name: 'missing transactions of mainnet',
  version: 2,
  hapiVersion: null,
  fileHash: NO_HASH,
  metadataHash: null,
  hash: NO_HASH,
  previousHash: NO_HASH,
  blockNumber: null,
  items: [item],
  sidecars: [],
  consensusStart: 0n,
  consensusEnd: 0n,
  outOfOrder: false,
  size: 0,
  uncompressedSize: 0,
  compression: 'none',
});

const knownTransactions = async (client: DatabaseClient, times: readonly bigint[]): Promise<ReadonlySet<bigint>> => {
  const rows = await client.query<{ consensus_timestamp: string }>(
    'select consensus_timestamp from transaction where consensus_timestamp = any($1)',
    [times],
  );
  return new Set(rows.map((row) => BigInt(row.consensus_timestamp)));
};

type TokenTransfer = RowOf<'token_transfer'>;

/** Earlier repairs of the reference left out what failed transactions moved of tokens. */
const addTokenTransfers = async (client: DatabaseClient, transfers: readonly TokenTransfer[]): Promise<number> => {
  const known = await client.query<{ consensus_timestamp: string; token_id: string; account_id: string }>(
    'select consensus_timestamp, token_id, account_id from token_transfer where consensus_timestamp = any($1)',
    [transfers.map(({ consensus_timestamp }) => consensus_timestamp)],
  );
  const keyOf = (transfer: { [K in 'consensus_timestamp' | 'token_id' | 'account_id']: unknown }): string =>
    `${transfer.consensus_timestamp} ${transfer.token_id} ${transfer.account_id}`;
  const keys = new Set(known.map(keyOf));
  const lacking = transfers.filter((transfer) => !keys.has(keyOf(transfer)));
  await copyRows(client, 'token_transfer', lacking);
  return lacking.length;
};
