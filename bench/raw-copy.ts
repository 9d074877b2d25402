import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import copyStreams from 'pg-copy-streams';

/** The rows of one table in PostgreSQL's binary COPY format. */
export interface TableDump {
  readonly table: string;
  readonly rows: number;
  readonly chunks: readonly Buffer[];
}

const quote = pg.escapeIdentifier;

/** All rows of all ledger tables, as they stand. */
export const dumpTables = async (connectionString: string): Promise<readonly TableDump[]> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select c.relname as name from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') " +
        'and not c.relispartition order by 1',
    );
    const dumps: TableDump[] = [];
    for (const { name } of tables) {
      const chunks: Buffer[] = [];
      const stream = client.query(copyStreams.to(`copy (select * from ${quote(name)}) to stdout (format binary)`));
      for await (const chunk of stream) chunks.push(chunk as Buffer);
      if (stream.rowCount > 0) dumps.push({ table: name, rows: stream.rowCount, chunks });
    }
    return dumps;
  } finally {
    await client.end();
  }
};

/** Milliseconds that COPY of the dumped rows into an empty database takes, in one transaction, commit included. */
export const timeRawCopy = async (connectionString: string, dumps: readonly TableDump[]): Promise<number> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    const { rows } = await client.query<{ filled: string }>(
      "select string_agg(quote_ident(relname), ', ') as filled from pg_class where relnamespace = 'public'::regnamespace " +
        "and relkind in ('r', 'p') and not relispartition",
    );
    await client.query(`truncate ${rows[0]?.filled}`);
    const started = performance.now();
    await client.query('begin');
    for (const { table, chunks } of dumps) {
      const stream = client.query(copyStreams.from(`copy ${quote(table)} from stdin (format binary)`));
      await pipeline(Readable.from(chunks), stream);
    }
    await client.query('commit');
    return performance.now() - started;
  } finally {
    await client.end();
  }
};
