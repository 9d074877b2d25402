/**
 * The worst legal request of each endpoint on skewed data: how long it takes alone, how long a short request waits beside
 * twelve of it at once, and how long the statement by which the reference finds the page takes on the same database
 * (reference-statements.ts).
 *
 * Options: --transactions N (1000000), --database URL (a ledger of that many that is there), --ledger DIR
 * (kept for the next run), --tree DIR (another checkout), --only TEXT (in the path),
 * --crowd N (12; 0: requests are only timed alone)
 */
import { type Database, openDatabase } from '../src/database/connection.ts';
import { isKagamiError } from '../src/errors/kagami-error.ts';
import { count, describeMachine, numberOption, printTable, textOption } from './figures.ts';
import { type LedgerForBench, withLedger } from './kept-ledger.ts';
import { serveRest } from './serve-rest.ts';
import { fillSkewedLedger } from './skewed-ledger.ts';
import { type WorstRequest, worstRequests } from './worst-requests.ts';

const largestPage = 25;
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
  /** Milliseconds of short requests. */
  readonly p99: number;
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
  const latencies: number[] = [];
  do {
    const { milliseconds } = await ask(base, `/blocks?limit=1&block.number=lte:${block()}`);
    latencies.push(milliseconds);
  } while (!isOver && performance.now() - started < longestWatch);
  const answers = await crowded;
  latencies.sort((a, b) => a - b);
  return {
    p99: latencies[Math.ceil(latencies.length * 0.99) - 1] ?? 0,
    most: latencies.at(-1) ?? 0,
    refused: answers.filter(({ status }) => status === 503).length,
    crowdTook: performance.now() - started,
  };
};

/** What the reference's statement takes at most; longer ones are cut off. */
const longestStatement = 20_000;

/** Milliseconds of the reference's statement, the shorter of two runs as of the request's own. */
const timeReference = async (database: Database, sql: string): Promise<number> => {
  const time = async (): Promise<number> => {
    const started = performance.now();
    try {
      await database.query(sql);
    } catch (error) {
      if (!isKagamiError(error, 'DATABASE_TIMEOUT')) throw error;
    }
    return performance.now() - started;
  };
  return Math.min(await time(), await time());
};

/** Milliseconds that say nothing: HTTP, JSON and the noise of a machine. */
const NOISE_MS = 15;

/** A page cut short, with a link, counts as slower than a whole one. */
const isSlower = ({ milliseconds, rows, hasNext }: Answer, reference: number): boolean =>
  milliseconds > reference + NOISE_MS || (rows !== undefined && rows < largestPage && hasNext && reference < 5_000);

const describeAnswer = ({ status, rows, hasNext }: Answer): string => {
  if (status !== 200) return String(status);
  if (rows === undefined) return '';
  return rows < largestPage && hasNext ? `${rows}, link` : String(rows);
};

const measureAll = async ({ connectionString, server }: LedgerForBench, args: readonly string[]): Promise<void> => {
  const transactions = numberOption(args, 'transactions', 1_000_000);
  const only = textOption(args, 'only') ?? '';
  const crowd = numberOption(args, 'crowd', 12);
  const database = openDatabase({
    connectionString,
    max: 1,
    statementTimeoutMs: longestStatement,
    sessionSettings: { jit: 'off' },
  });
  const serving = await serveRest({ connectionString, tree: textOption(args, 'tree') });
  const base = `http://127.0.0.1:${serving.port}`;
  let block = Math.floor(transactions / 4);
  const rows: (readonly string[])[] = [];
  try {
    for (const request of worstRequests(transactions).filter(({ path }) => path.includes(only))) {
      const cold = await ask(base, sized(request, largestPage));
      const warm = await ask(base, sized(request, largestPage + 1));
      const alone = warm.milliseconds < cold.milliseconds ? warm : cold;
      const watch = crowd === 0 ? undefined : await watchBeside(base, request, crowd, () => block--);
      const reference = request.reference === undefined ? undefined : await timeReference(database, request.reference);
      rows.push([
        request.path,
        describeAnswer(alone),
        alone.milliseconds.toFixed(0),
        reference === undefined ? '' : reference >= longestStatement ? 'time-out' : reference.toFixed(0),
        reference !== undefined && isSlower(alone, reference) ? 'slower' : '',
        ...(watch === undefined
          ? []
          : [watch.p99.toFixed(0), watch.most.toFixed(0), watch.crowdTook.toFixed(0), String(watch.refused)]),
      ]);
      console.error(rows.at(-1)?.join(' | '));
    }
  } finally {
    await serving.stop();
    await database.close();
  }
  console.log(`\n${describeMachine(server)}`);
  console.log(`${count(transactions)} transactions, ${crowd} at once beside a short request\n`);
  const beside = crowd === 0 ? [] : ['short request p99 ms', 'most ms', 'crowd ms', '503'];
  printTable(['request', 'rows', 'alone ms', "reference's statement ms", '', ...beside], rows);
};

export const run = (args: readonly string[]): Promise<void> => {
  const transactions = numberOption(args, 'transactions', 1_000_000);
  return withLedger(
    args,
    (owner) => fillSkewedLedger(owner, transactions),
    (ledger) => measureAll(ledger, args),
  );
};
