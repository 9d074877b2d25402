/**
 * The worst legal request of each endpoint on skewed data: how long it takes alone, how long a short request waits beside
 * twelve of it at once, and, where that says something, how long plain SQL takes for the same question in the same run.
 *
 * Options: --transactions N (1000000), --database URL (a ledger of that many that is there), --only TEXT (in the path),
 * --crowd N (12; 0: requests are only timed alone)
 */
import { type Database, openDatabase } from '../src/database/connection.ts';
import { isKagamiError } from '../src/errors/kagami-error.ts';
import { count, describeMachine, numberOption, printTable, textOption } from './figures.ts';
import { serve } from './rest.ts';
import { withScratch } from './scratch.ts';
import { fillSkewedLedger } from './skewed-ledger.ts';
import { type WorstRequest, worstRequests } from './worst-requests.ts';

const largestPage = 25;
/** Milliseconds; what takes longer is not asked for again. */
const warmUpMs = 500;
/** Milliseconds for which short requests are sent beside the crowd at most. */
const longestWatch = 10_000;

interface Answer {
  readonly status: number;
  readonly milliseconds: number;
  /** Of the page; undefined for an answer that is no list. */
  readonly rows: number | undefined;
  readonly hasNext: boolean;
}

const ask = async (base: string, path: string): Promise<Answer> => {
  const started = performance.now();
  const response = await fetch(`${base}/api/v1${path}`);
  const body = (await response.json()) as Record<string, unknown>;
  const milliseconds = performance.now() - started;
  const lists = Object.entries(body).filter(([, value]) => Array.isArray(value));
  const list = (lists.find(([name]) => name === 'transactions') ?? lists[0])?.[1] as readonly unknown[] | undefined;
  const links = body.links as { readonly next?: string | null } | undefined;
  return { status: response.status, milliseconds, rows: list?.length, hasNext: (links?.next ?? null) !== null };
};

/** The request with a page of its own size, so that none is answered from the cache or along with another. */
const sized = ({ path }: WorstRequest, limit: number): string =>
  `${path}${path.includes('?') ? '&' : '?'}limit=${limit}`;

interface Watch {
  readonly most: number;
  /** Of the crowd, answered with 503. */
  readonly refused: number;
  /** Milliseconds until the last of the crowd had its answer. */
  readonly crowdTook: number;
}

/** Short requests, one after the other, while `crowd` of the request are answered. */
const watchBeside = async (base: string, request: WorstRequest, crowd: number, block: () => number): Promise<Watch> => {
  const started = performance.now();
  let isOver = false;
  const crowded = Promise.all(
    Array.from({ length: crowd }, (_, i) => ask(base, sized(request, largestPage - 1 - i))),
  ).finally(() => {
    isOver = true;
  });
  crowded.catch(() => undefined);
  // The crowd goes first.
  await new Promise((resolve) => setTimeout(resolve, 20));
  let most = 0;
  do {
    const { milliseconds } = await ask(base, `/blocks?limit=1&block.number=lte:${block()}`);
    most = Math.max(most, milliseconds);
  } while (!isOver && performance.now() - started < longestWatch);
  const answers = await crowded;
  return {
    most,
    refused: answers.filter(({ status }) => status === 503).length,
    crowdTook: performance.now() - started,
  };
};

const timeSql = async (database: Database, sql: string): Promise<string> => {
  const started = performance.now();
  try {
    await database.query(sql);
    return (performance.now() - started).toFixed(0);
  } catch (error) {
    if (isKagamiError(error, 'DATABASE_TIMEOUT')) return 'over 20000';
    throw error;
  }
};

const describeAnswer = ({ status, rows, hasNext }: Answer): string => {
  if (status !== 200) return String(status);
  if (rows === undefined) return '';
  return rows < largestPage && hasNext ? `${rows}, link` : String(rows);
};

const measureAll = async (connectionString: string, args: readonly string[], server: string): Promise<void> => {
  const transactions = numberOption(args, 'transactions', 1_000_000);
  const only = textOption(args, 'only') ?? '';
  const crowd = numberOption(args, 'crowd', 12);
  const database = openDatabase({
    connectionString,
    max: 1,
    statementTimeoutMs: 20_000,
    sessionSettings: { jit: 'off' },
  });
  const serving = await serve(connectionString);
  const base = `http://127.0.0.1:${serving.port}`;
  let block = Math.floor(transactions / 4);
  const rows: (readonly string[])[] = [];
  try {
    for (const request of worstRequests(transactions).filter(({ path }) => path.includes(only))) {
      const cold = await ask(base, sized(request, largestPage));
      const alone = cold.milliseconds > warmUpMs ? cold : await ask(base, sized(request, largestPage + 1));
      const watch = crowd === 0 ? undefined : await watchBeside(base, request, crowd, () => block--);
      const sql = request.sql === undefined ? '' : await timeSql(database, request.sql);
      rows.push([
        request.path,
        describeAnswer(alone),
        alone.milliseconds.toFixed(0),
        sql,
        ...(watch === undefined ? [] : [watch.most.toFixed(0), watch.crowdTook.toFixed(0), String(watch.refused)]),
      ]);
      console.error(rows.at(-1)?.join(' | '));
    }
  } finally {
    serving.stop();
    await database.close();
  }
  console.log(`\n${describeMachine(server)}`);
  console.log(`${count(transactions)} transactions, ${crowd} at once beside a short request\n`);
  printTable(['request', 'rows', 'alone ms', 'plain SQL ms', 'short request waits ms', 'crowd ms', '503'], rows);
};

export const run = async (args: readonly string[]): Promise<void> => {
  const given = textOption(args, 'database');
  if (given !== undefined) return measureAll(given, args, 'given');
  await withScratch(async (scratch) => {
    const target = await scratch.newDatabase('skewed');
    const transactions = numberOption(args, 'transactions', 1_000_000);
    console.error(`Filling a ledger of ${count(transactions)} transactions ...`);
    const owner = openDatabase({ connectionString: target.owner, max: 1 });
    await fillSkewedLedger(owner, transactions);
    await owner.close();
    await measureAll(target.owner, args, scratch.server.version);
  });
};
