/**
 * List endpoints over a ledger of a million transactions, every request for another page, cache as shipped: requests per
 * second, latency, and the CPU that one request takes of Node and of PostgreSQL, beside what PostgreSQL takes for the rows
 * alone (raw-rows.ts) and the reference's figures scaled to this machine by a yardstick measured before and after each endpoint.
 *
 * Options: --transactions N (1000000), --seconds N (4), --connections N (32), --only TEXT (in the endpoint's name),
 * --ledger DIR (kept for the next run), --database URL (a ledger that is there, on this machine), --tree DIR (another
 * checkout), --rest-threads N, --runs N (1; the median of each figure is shown), --same-page (all requests of an endpoint for
 * one page, without the answer cache, as the reference's figures were measured)
 */
import autocannon from 'autocannon';
import { openDatabase } from '../src/database/connection.ts';
import { postmasterOf, processCpu } from './cpu-time.ts';
import { fillEvenLedger } from './even-ledger.ts';
import { count, describeMachine, numberOption, printTable, textOption } from './figures.ts';
import { type LedgerForBench, withLedger } from './kept-ledger.ts';
import { rawRowsCost } from './raw-rows.ts';
import { referenceFigures, referenceYardstick } from './reference-figures.ts';
import { type BenchEndpoint, benchEndpoints } from './rest-endpoints.ts';
import { type ServedRest, serveRest } from './serve-rest.ts';
import { openYardstick, type StatementCost, type Yardstick } from './yardstick.ts';

const WARM_UP_SECONDS = 2;

/** Of the yardstick, before and after each run: other work on the machine changes it from minute to minute. */
const YARDSTICK_MS = 800;

interface Figures {
  /** Requests per second. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
  /** Microseconds of CPU per request. */
  readonly node: number;
  readonly postgres: number;
  /** Times that the reference's throughput, and its CPU, are to be multiplied by on this machine at this moment. */
  readonly faster: number;
  readonly slower: number;
}

const load = async (port: number, next: () => string, connections: number, seconds: number) => {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    requests: [{ setupRequest: (request) => ({ ...request, path: next() }) }],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${next()}: ${result.non2xx} answers were refusals, ${result.errors} failed`);
  }
  return result;
};

const measure = async (
  { next }: BenchEndpoint,
  { port, pid }: ServedRest,
  postmaster: number,
  yardstick: Yardstick,
  connections: number,
  seconds: number,
): Promise<Figures> => {
  await load(port, next, connections, WARM_UP_SECONDS);
  const costBefore = await yardstick.pool(YARDSTICK_MS);
  const before = { node: processCpu(pid), postgres: processCpu(postmaster) };
  const result = await load(port, next, connections, seconds);
  const answered = result['2xx'];
  const used = { node: processCpu(pid) - before.node, postgres: processCpu(postmaster) - before.postgres };
  const costAfter = await yardstick.pool(YARDSTICK_MS);
  return {
    rate: result.requests.average,
    p50: result.latency.p50,
    p99: result.latency.p99,
    node: (used.node * 1_000) / answered,
    postgres: (used.postgres * 1_000) / answered,
    faster: (costBefore.rate + costAfter.rate) / 2 / referenceYardstick.rate,
    slower: (costBefore.client + costAfter.client) / 2 / referenceYardstick.client,
  };
};

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number;

const medians = (runs: readonly Figures[]): Figures => ({
  rate: median(runs.map(({ rate }) => rate)),
  p50: median(runs.map(({ p50 }) => p50)),
  p99: median(runs.map(({ p99 }) => p99)),
  node: median(runs.map(({ node }) => node)),
  postgres: median(runs.map(({ postgres }) => postgres)),
  faster: median(runs.map(({ faster }) => faster)),
  slower: median(runs.map(({ slower }) => slower)),
});

const times = (value: number): string => value.toFixed(1);

/**
 * Beside the limit, and what the reference would do here: CPU in proportion to the driver's, throughput to its rate.
 * @param raw microseconds of PostgreSQL's CPU for the rows alone
 */
const row = (name: string, figures: Figures, raw: number | undefined): readonly string[] => {
  const { rate, p50, p99, node, postgres, faster, slower } = figures;
  const scale = [(faster * referenceYardstick.rate).toFixed(0), (slower * referenceYardstick.client).toFixed(0)];
  const own = [
    count(rate),
    p50.toFixed(0),
    p99.toFixed(0),
    count(node),
    count(postgres),
    count(node + postgres),
    raw === undefined ? '' : count(raw),
    raw === undefined ? '' : times(postgres / raw),
    ...scale,
  ];
  const reference = referenceFigures[name];
  if (reference === undefined) return [name, ...own, '', '', '', ''];
  const scaledRate = reference.rate * faster;
  const scaledCpu = reference.cpu && (reference.cpu.node + reference.cpu.postgres) * slower;
  return [
    name,
    ...own,
    count(scaledRate),
    times(rate / scaledRate),
    scaledCpu === undefined ? '' : count(scaledCpu),
    scaledCpu === undefined ? '' : times(scaledCpu / (node + postgres)),
  ];
};

const onePageOf = ({ name, next }: BenchEndpoint): BenchEndpoint => {
  const page = next();
  return { name, next: () => page };
};

const describeCost = (name: string, { rate, client, server }: StatementCost): string =>
  `${name}: ${count(rate)}/s, ${client.toFixed(0)} microseconds of the client's CPU, ${server.toFixed(0)} of the server's`;

const measureAll = async ({ connectionString, server }: LedgerForBench, args: readonly string[]): Promise<void> => {
  const connections = numberOption(args, 'connections', 32);
  const seconds = numberOption(args, 'seconds', 4);
  const runs = numberOption(args, 'runs', 1);
  const only = textOption(args, 'only') ?? '';
  const threads = textOption(args, 'rest-threads');
  const isSamePage = args.includes('--same-page');
  const database = openDatabase({ connectionString, max: 2 });
  try {
    const postmaster = await postmasterOf(database);
    const endpoints = (await benchEndpoints(database))
      .filter(({ name }) => name.includes(only))
      .map((endpoint) => (isSamePage ? onePageOf(endpoint) : endpoint));
    const [size] = await database.query<{ transactions: string }>('select count(*) as transactions from transaction');
    const yardstick = await openYardstick(database, connectionString, postmaster);
    const pool = await yardstick.pool(seconds * 1_000);
    const pipelined = await yardstick.pipelined(seconds * 1_000);
    const serving = await serveRest({
      connectionString,
      tree: textOption(args, 'tree'),
      flags: [
        ...(threads === undefined ? [] : ['--rest-threads', threads]),
        ...(isSamePage ? ['--set', 'hiero.mirror.rest.cache.response.enabled=false'] : []),
      ],
    });
    const rows: (readonly string[])[] = [];
    try {
      for (const endpoint of endpoints) {
        const measured: Figures[] = [];
        for (let run = 0; run < runs; run++) {
          measured.push(await measure(endpoint, serving, postmaster, yardstick, connections, seconds));
        }
        const base = `http://127.0.0.1:${serving.port}`;
        const raw = await rawRowsCost({ ...endpoint, base, connectionString, postmaster }, seconds * 1_000);
        rows.push(row(endpoint.name, medians(measured), raw));
        console.error(rows.at(-1)?.join(' | '));
      }
    } finally {
      await serving.stop();
      await yardstick.close();
    }
    console.log(`\n${describeMachine(server)}`);
    console.log(
      `${count(Number(size?.transactions))} transactions, ${connections} connections, ${seconds} s each, ${threads ?? 'usual number of'} threads${isSamePage ? ', one page of each, no answer cache' : ''}`,
    );
    console.log(describeCost('single row, pool of ten', pool));
    console.log(describeCost('single row, pipelined', pipelined));
    console.log(
      `reference's machine: ${count(referenceYardstick.rate)}/s, ${referenceYardstick.client} microseconds of the client's CPU\n`,
    );
    const cpu = ['Node us', 'PostgreSQL us', 'sum us', 'raw rows us', 'times', 'yardstick /s', 'us'];
    const reference = ['reference /s, scaled', 'times', "reference's CPU us, scaled", 'times'];
    printTable(['endpoint', 'requests/s', 'p50 ms', 'p99 ms', ...cpu, ...reference], rows);
  } finally {
    await database.close();
  }
};

export const run = (args: readonly string[]): Promise<void> => {
  const transactions = numberOption(args, 'transactions', 1_000_000);
  return withLedger(
    args,
    (owner) => fillEvenLedger(owner, transactions),
    (ledger) => measureAll(ledger, args),
  );
};
