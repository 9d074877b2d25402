/**
 * Bulk writing through binary COPY, with encoders made from the table descriptions. Owns the
 * chunks; how they travel is copy-query.ts, the bytes of a row are row-encoder.ts, those of a value encoders.ts.
 */
import pg from 'pg';
import type { DatabaseClient } from './connection.ts';
import { createCopyBuffer, reserve, take } from './copy-buffer.ts';
import { chunkBytes, chunkCapacity, copyHeadroom, startCopy } from './copy-query.ts';
import type { EncodedRows } from './encoded-rows.ts';
import { rowEncoder } from './row-encoder.ts';
import { type RowOf, type TableName, tableNamed } from './table.ts';

/** Signature, flags (none), length of the header's extension (none). */
const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);

export interface CopyOptions<Name extends TableName> {
  /** Columns to write, the others get their defaults; absent: all. */
  readonly columns?: readonly (keyof RowOf<Name> & string)[];
  /** Another table with these columns, for example a staging table. */
  readonly into?: string;
}

const copyAny = async (
  client: DatabaseClient,
  name: TableName,
  rows: Iterable<object>,
  { columns, into = name }: { readonly columns?: readonly string[]; readonly into?: string },
  encoded?: EncodedRows<TableName>,
): Promise<number> => {
  const iterator = rows[Symbol.iterator]();
  let next = iterator.next();
  let count = encoded?.count ?? 0;
  if (next.done === true && count === 0) return 0;

  const table = tableNamed(name);
  const names = columns ?? Object.keys(table.columns);
  const encodeRow = rowEncoder(table, names);
  const list = names.map((column) => pg.escapeIdentifier(column)).join(', ');
  const copy = startCopy(client.driver, `copy ${pg.escapeIdentifier(into)} (${list}) from stdin (format binary)`);
  await copy.ready;

  const buffer = createCopyBuffer(chunkCapacity);
  header.copy(buffer.bytes, copyHeadroom);
  buffer.position = copyHeadroom + header.length;
  try {
    if (encoded !== undefined && count > 0) {
      copy.write(take(buffer, chunkCapacity))?.catch(() => undefined);
      buffer.position = copyHeadroom;
      for (const chunk of encoded.chunks()) await copy.write(chunk);
    }
    for (; next.done !== true; next = iterator.next()) {
      encodeRow(buffer, next.value);
      count += 1;
      if (buffer.position < chunkBytes) continue;
      const full = copy.write(take(buffer, chunkCapacity));
      buffer.position = copyHeadroom;
      if (full !== undefined) await full;
    }
  } catch (fault) {
    iterator.return?.();
    await copy.abandon((fault as Error).message);
    throw fault;
  }
  reserve(buffer, 2);
  buffer.view.setInt16(buffer.position, -1);
  buffer.position += 2;
  copy.write(buffer.bytes.subarray(0, buffer.position))?.catch(() => undefined);
  await copy.finish();
  return count;
};

/**
 * Writes rows into a table; gives their number. Without rows nothing is sent. The connection runs nothing else meanwhile.
 * @throws KagamiError ROW_INVALID when a value does not fit, and those of a query; the transaction must be rolled back
 */
export const copyRows = <Name extends TableName>(
  client: DatabaseClient,
  name: Name,
  rows: Iterable<RowOf<Name>>,
  options: CopyOptions<Name> = {},
): Promise<number> => copyAny(client, name, rows as Iterable<object>, options);

/**
 * As `copyRows` with rows that are encoded already, followed by those that aren't yet. The encoded ones can be sent once.
 * @throws KagamiError as `copyRows`
 */
export const copyEncodedRows = <Name extends TableName>(
  client: DatabaseClient,
  name: Name,
  encoded: EncodedRows<Name>,
  rows: Iterable<RowOf<Name>>,
): Promise<number> => copyAny(client, name, rows as Iterable<object>, {}, encoded as unknown as EncodedRows<TableName>);
