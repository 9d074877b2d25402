/**
 * List endpoints over a ledger of at least 2 million transactions: requests for ever new pages, repeated requests within
 * a block, and as limit the very same SQL statements straight through the driver.
 *
 * Options: --transactions N (2000000), --seconds N (5), --connections N (32), --database URL (a ledger that is there)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { createApplication } from '../src/api/http/application.ts';
import { loadSettings } from '../src/config/load.ts';
import { type Database, openDatabase, type Queryable } from '../src/database/connection.ts';
import { restRoutes } from '../src/server/routes.ts';
import { simulateLedger } from '../src/simulator/simulate-ledger.ts';
import { count, describeMachine, numberOption, printTable, textOption } from './figures.ts';
import { timeImport } from './import.ts';
import { type BenchEndpoint, benchEndpoints } from './rest-endpoints.ts';
import { withScratch } from './scratch.ts';

interface Statement {
  readonly text: string;
  readonly values: readonly unknown[] | undefined;
  readonly name: string | undefined;
}

/** The statements that answering each of `urls` sends to the database. */
const recordStatements = async (
  database: Database,
  urls: readonly string[],
): Promise<readonly (readonly Statement[])[]> => {
  const { rest, restJava, common } = loadSettings({ cwd: process.cwd(), env: {}, readFile: () => undefined }).settings
    .hiero.mirror;
  let statements: Statement[] = [];
  const quiet = () => undefined;
  const recording = (to: Queryable): Queryable => ({
    query: (text, values, name) => {
      // Replayed one by one, outside of a transaction.
      if (!/\bsavepoint\b/i.test(text)) statements.push({ text, values, name });
      return to.query(text, values, name);
    },
  });
  const application = createApplication({
    routes: restRoutes,
    db: {
      ...database,
      query: recording(database).query,
      transaction: (work, options) =>
        database.transaction((client) => work({ driver: client.driver, ...recording(client) }), options),
    },
    settings: rest,
    javaSettings: restJava,
    shard: common.shard,
    realm: common.realm,
    clock: () => BigInt(Date.now()) * 1_000_000n,
    log: { debug: quiet, error: quiet },
  });
  const recorded: (readonly Statement[])[] = [];
  for (const url of urls) {
    statements = [];
    const answer = await application.fastify.inject({ url });
    if (answer.statusCode !== 200) throw new Error(`${url} answers ${answer.statusCode}: ${answer.body}`);
    recorded.push(statements);
  }
  await application.fastify.close();
  return recorded;
};

/** How many of the recorded sets of statements per second the driver alone gets through. */
const rateOfStatements = async (
  database: Database,
  sets: readonly (readonly Statement[])[],
  connections: number,
  milliseconds: number,
): Promise<number> => {
  const end = performance.now() + milliseconds;
  let done = 0;
  const client = async (): Promise<void> => {
    while (performance.now() < end) {
      for (const { text, values, name } of sets[done++ % sets.length] ?? []) await database.query(text, values, name);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  return (done * 1_000) / milliseconds;
};

interface Load {
  readonly rate: number;
  readonly p99: number;
}

const load = async (port: number, url: () => string, connections: number, seconds: number): Promise<Load> => {
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections,
    duration: seconds,
    requests: [{ setupRequest: (request) => ({ ...request, path: url() }) }],
  });
  if (result.non2xx > 0 || result.errors > 0) {
    throw new Error(`${url()}: ${result.non2xx} answers were refusals, ${result.errors} failed`);
  }
  return { rate: result.requests.average, p99: result.latency.p99 };
};

const STATEMENT_SAMPLE = 200;

const measure = async (
  endpoint: BenchEndpoint,
  database: Database,
  port: number,
  connections: number,
  seconds: number,
): Promise<readonly string[]> => {
  const sample = Array.from({ length: STATEMENT_SAMPLE }, endpoint.next);
  const statements = await recordStatements(database, sample);
  const limit = await rateOfStatements(database, statements, connections, seconds * 1_000);
  await load(port, endpoint.next, connections, 1);
  const fresh = await load(port, endpoint.next, connections, seconds);
  const [same = ''] = sample;
  const repeated = await load(port, () => same, connections, seconds);
  return [
    endpoint.name,
    count(limit),
    count(fresh.rate),
    (limit / fresh.rate).toFixed(2),
    String(fresh.p99),
    count(repeated.rate),
    String(repeated.p99),
  ];
};

/** Starts the server in its own process; gives its port. */
export const serve = async (connectionString: string): Promise<{ readonly port: number; stop(): void }> => {
  const server = spawn(
    process.execPath,
    [fileURLToPath(new URL('./rest-server.ts', import.meta.url)), connectionString],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = (await once(server.stdout, 'data')) as [Buffer];
  return { port: Number(line.toString()), stop: () => server.kill() };
};

const measureAll = async (connectionString: string, args: readonly string[], server: string): Promise<void> => {
  const connections = numberOption(args, 'connections', 32);
  const seconds = numberOption(args, 'seconds', 5);
  const database = openDatabase({ connectionString, max: 10 });
  await database.query('vacuum (analyze)');
  const [size] = await database.query<{ transactions: string }>('select count(*) as transactions from transaction');
  const serving = await serve(connectionString);
  try {
    const rows: (readonly string[])[] = [];
    for (const endpoint of await benchEndpoints(database)) {
      rows.push(await measure(endpoint, database, serving.port, connections, seconds));
    }
    console.log(`\n${describeMachine(server)}`);
    console.log(`${count(Number(size?.transactions))} transactions, ${connections} connections, ${seconds} s each\n`);
    printTable(
      ['endpoint', 'same SQL alone /s', 'requests/s', 'ratio', 'p99 ms', 'repeated requests/s', 'p99 ms'],
      rows,
    );
  } finally {
    serving.stop();
    await database.close();
  }
};

export const run = async (args: readonly string[]): Promise<void> => {
  const given = textOption(args, 'database');
  if (given !== undefined) return measureAll(given, args, 'given');
  const transactions = numberOption(args, 'transactions', 2_000_000);
  await withScratch(async (scratch) => {
    const ledger = join(scratch.folder, 'ledger');
    console.log(`Simulating and importing ${count(transactions)} transactions ...`);
    const mix = 'transfer=73,message=12,tokentransfer=4,mint=3,nfttransfer=2,associate=2,contractcall=3,tokencreate=1';
    const simulated = await simulateLedger({ out: ledger, seed: 'bench', transactions, tps: 10_000, mix });
    const target = await scratch.newDatabase('imported');
    await timeImport(target.writer, ledger, simulated.addressBookFile);
    await measureAll(target.owner, args, scratch.server.version);
  });
};
