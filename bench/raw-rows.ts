/**
 * The limit of an endpoint's PostgreSQL time: the rows that its answers show, read by keys that are known, without a search,
 * through one connection of the driver that always has the next statement to run.
 */
import pg from 'pg';
import { processCpu } from './cpu-time.ts';

/** Pages whose rows are read in turn: more than PostgreSQL's buffers hold of rows that lie apart. */
const PAGES = 1_500;
const CALLERS = 32;
const ASKERS = 8;
const WARM_UP_MS = 500;

interface RawStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

interface TransactionJson {
  readonly consensus_timestamp: string;
}

/** The entity and block members are the answer's own. */
interface AnswerJson {
  readonly transactions?: readonly TransactionJson[];
  readonly account?: string;
  readonly number?: number;
}

const nanosOf = ({ consensus_timestamp }: TransactionJson): string => consensus_timestamp.replace('.', '');

const numOf = (id: string): string => id.split('.').at(-1) as string;

const rowsOfTransactions = (answer: AnswerJson): RawStatement[] => {
  const times = (answer.transactions ?? []).map(nanosOf);
  return ['transaction', 'crypto_transfer', 'token_transfer'].map((table) => ({
    name: `raw ${table}`,
    text: `select * from ${table} where consensus_timestamp = any ($1::bigint[])`,
    values: [times],
  }));
};

const rowsOfAccount = (answer: AnswerJson): RawStatement[] => {
  const values = [numOf(answer.account ?? '')];
  return [
    { name: 'raw entity', text: 'select * from entity where id = $1', values },
    {
      name: 'raw token_account',
      text: 'select token_id, balance from token_account where account_id = $1 and associated',
      values,
    },
    ...rowsOfTransactions(answer),
  ];
};

const rowsOfBlock = ({ number }: AnswerJson): RawStatement[] => [
  { name: 'raw record_file', text: 'select * from record_file where index = $1', values: [number] },
];

/** By the names of rest-endpoints.ts. */
const rowsOf: Readonly<Record<string, (answer: AnswerJson) => RawStatement[]>> = {
  '/transactions?limit=25': rowsOfTransactions,
  '/transactions?limit=100': rowsOfTransactions,
  '/transactions?account.id=': rowsOfTransactions,
  '/accounts/{id}': rowsOfAccount,
  '/blocks/{number}': rowsOfBlock,
};

const inTurns = async (callers: number, work: () => Promise<boolean>): Promise<void> => {
  const caller = async (): Promise<void> => {
    while (await work());
  };
  await Promise.all(Array.from({ length: callers }, caller));
};

const readAnswers = async (base: string, next: () => string): Promise<AnswerJson[]> => {
  const answers: AnswerJson[] = [];
  await inTurns(ASKERS, async () => {
    const response = await fetch(`${base}${next()}`);
    answers.push((await response.json()) as AnswerJson);
    return answers.length < PAGES;
  });
  return answers;
};

export interface RawRows {
  readonly name: string;
  readonly next: () => string;
  /** Of the server that gives the answers. */
  readonly base: string;
  readonly connectionString: string;
  readonly postmaster: number;
}

/** Microseconds of PostgreSQL's CPU for the rows of one answer; undefined where the endpoint has none that are known by key. */
export const rawRowsCost = async (
  { name, next, base, connectionString, postmaster }: RawRows,
  milliseconds: number,
): Promise<number | undefined> => {
  const statementsOf = rowsOf[name];
  if (statementsOf === undefined) return undefined;
  const pages = (await readAnswers(base, next)).map(statementsOf);
  const client = new pg.Client({ connectionString, pipeline: true } as pg.ClientConfig);
  await client.connect();
  let read = 0;
  const run = async (forMs: number): Promise<void> => {
    const end = performance.now() + forMs;
    await inTurns(CALLERS, async () => {
      const statements = pages[read++ % pages.length] as RawStatement[];
      await Promise.all(statements.map((statement) => client.query({ ...statement, values: [...statement.values] })));
      return performance.now() < end;
    });
  };
  try {
    await client.query("set plan_cache_mode = 'force_generic_plan'");
    await run(WARM_UP_MS);
    read = 0;
    const before = processCpu(postmaster);
    await run(milliseconds);
    return ((processCpu(postmaster) - before) * 1_000) / read;
  } finally {
    await client.end();
  }
};
