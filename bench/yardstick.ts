/**
 * What a single-row statement costs through the driver on this machine at this moment, the measure by which figures of
 * another machine and another day are scaled.
 */
import pg from 'pg';
import type { Database } from '../src/database/connection.ts';
import { clientCpu, processCpu } from './cpu-time.ts';

const STATEMENT = 'select consensus_end, count, hash, name from record_file where index = $1';
const CALLERS = 32;
const POOL = 10;
const WARM_UP_MS = 200;

export interface StatementCost {
  /** Per second. */
  readonly rate: number;
  /** Microseconds of CPU per statement: this process, and the server. */
  readonly client: number;
  readonly server: number;
}

export interface Yardstick {
  /** Ten connections, a statement at a time on each. */
  pool(milliseconds: number): Promise<StatementCost>;
  /** One connection, statements sent without waiting for those before them. */
  pipelined(milliseconds: number): Promise<StatementCost>;
  close(): Promise<void>;
}

type Ask = (query: {
  readonly name: string;
  readonly text: string;
  readonly values: readonly number[];
}) => Promise<unknown>;

const costOf = async (ask: Ask, blocks: number, postmaster: number, milliseconds: number): Promise<StatementCost> => {
  let asked = 0;
  const run = async (forMs: number): Promise<void> => {
    const end = performance.now() + forMs;
    const caller = async (): Promise<void> => {
      while (performance.now() < end) {
        await ask({ name: 'yardstick', text: STATEMENT, values: [(asked++ * 7_919) % blocks] });
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
  };
  await run(WARM_UP_MS);
  asked = 0;
  const before = { client: clientCpu(), server: processCpu(postmaster) };
  const started = performance.now();
  await run(milliseconds);
  const seconds = (performance.now() - started) / 1_000;
  return {
    rate: asked / seconds,
    client: ((clientCpu() - before.client) * 1_000) / asked,
    server: ((processCpu(postmaster) - before.server) * 1_000) / asked,
  };
};

export const openYardstick = async (
  database: Database,
  connectionString: string,
  postmaster: number,
): Promise<Yardstick> => {
  const [newest] = await database.query<{ index: string }>('select max(index) as index from record_file');
  const blocks = Number(newest?.index ?? 1);
  const pool = new pg.Pool({ connectionString, max: POOL });
  // A connection that is being closed may still hear that the server stops.
  pool.on('error', () => undefined);
  const client = new pg.Client({ connectionString, pipeline: true } as pg.ClientConfig);
  await client.connect();
  const askPool: Ask = (query) => pool.query({ ...query, values: [...query.values] });
  const askPipelined: Ask = (query) => client.query({ ...query, values: [...query.values] });
  return {
    pool: (milliseconds) => costOf(askPool, blocks, postmaster, milliseconds),
    pipelined: (milliseconds) => costOf(askPipelined, blocks, postmaster, milliseconds),
    close: async () => {
      await Promise.all([pool.end(), client.end()]);
    },
  };
};
