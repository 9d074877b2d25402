/**
 * Contents of files without waiting, as far as a block's transactions need them: `prefetch` asks the database before the
 * block is handled, and what the same batch of rows creates, updates or appends is known at once.
 */
import type { Queryable } from '../database/connection.ts';
import { fileContentSql } from '../database/file-content.ts';
import type { RowOf } from '../database/table.ts';
import { fromHex } from '../ledger/bytes.ts';
import { type EntityId, encodeEntityId } from '../ledger/entity-id.ts';
import { TransactionType } from '../ledger/transaction-type.ts';
import type { FileID } from '../protobuf/generated/services/basic_types.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import type { FileContents } from './lookups.ts';
import type { RecordItem } from './record-item.ts';

const CONTENTS_SQL = `
  select f.id as entity_id, version.content as contents
  from unnest($1::bigint[]) f(id) cross join lateral (${fileContentSql({ file: 'f.id' })}) version
  where version.content is not null`;

const fileIdOf = ({ shardNum, realmNum, fileNum }: FileID): EntityId | undefined => {
  try {
    return encodeEntityId(shardNum, realmNum, fileNum);
  } catch {
    return undefined;
  }
};

/** Whether contents begin with this row. */
const isBase = (row: RowOf<'file_data'>): boolean =>
  row.transaction_type === TransactionType.FILECREATE ||
  (row.transaction_type === TransactionType.FILEUPDATE && (row.file_data?.length ?? 0) > 0);

export class PrefetchedFileContents implements FileContents {
  /** What the database holds, of the files that the block asks about. */
  readonly #stored = new Map<EntityId, Uint8Array>();
  #batch: LedgerBatch | undefined;

  /** The batch whose rows count as known. */
  useBatch(batch: LedgerBatch): void {
    this.#batch = batch;
  }

  contents(id: FileID): Uint8Array | undefined {
    const fileId = fileIdOf(id);
    if (fileId === undefined) return undefined;
    const appended: Uint8Array[] = [];
    const rows = this.#batch?.rows('file_data') ?? [];
    for (let index = rows.length - 1; index >= 0; index--) {
      const row = rows[index] as RowOf<'file_data'>;
      if (row.entity_id !== fileId || row.file_data === null) continue;
      if (isBase(row)) return joined(row.file_data, appended);
      if (row.transaction_type === TransactionType.FILEAPPEND) appended.unshift(row.file_data);
    }
    const stored = this.#stored.get(fileId);
    return stored && joined(stored, appended);
  }

  hexContents(id: FileID): Uint8Array | undefined {
    const contents = this.contents(id);
    return contents && fromHex(Buffer.from(contents).toString('latin1'));
  }

  /**
   * Asks the database about the files that the items need: call data of Ethereum transactions whose record doesn't tell
   * their hash. One query, or none when there is nothing to ask.
   */
  async prefetch(client: Queryable, items: readonly RecordItem[]): Promise<void> {
    this.#stored.clear();
    const wanted = new Set<EntityId>();
    for (const item of items) {
      if (item.type !== TransactionType.ETHEREUMTRANSACTION) continue;
      const id = neededFile(item);
      if (id !== undefined) wanted.add(id);
      item.release?.();
    }
    if (wanted.size === 0) return;
    const rows = await client.query<{ entity_id: string; contents: Buffer }>(
      CONTENTS_SQL,
      [[...wanted]],
      'lookup_file_contents',
    );
    for (const { entity_id, contents } of rows) this.#stored.set(BigInt(entity_id), contents);
  }
}

const neededFile = (item: RecordItem): EntityId | undefined => {
  const { data } = item.body;
  if (data?.$case !== 'ethereumTransaction') return undefined;
  const { callData } = data.ethereumTransaction;
  if (callData === undefined || item.record.ethereumHash.length > 0) return undefined;
  return fileIdOf(callData);
};

const joined = (base: Uint8Array, appended: readonly Uint8Array[]): Uint8Array =>
  appended.length === 0 ? base : new Uint8Array(Buffer.concat([base, ...appended]));
