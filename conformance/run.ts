/**
 * `npm run conformance -- [filter...] [--fixtures DIR] [--database URL] [--report FILE] [--verbose]`
 *
 * Starts the application in this process on an embedded PostgreSQL (or on a new database of the server at URL), loads
 * the rows of each case, sends its requests over HTTP and compares status, headers and body. Cases of endpoints that no
 * route serves are counted and left out. Exit code 1 when a case fails, 2 when nothing could be run.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Database, openDatabase } from '../src/database/connection.ts';
import { startEmbeddedPostgres } from '../src/database/embedded/launcher.ts';
import { migrate } from '../src/database/migrate.ts';
import { restRoutes } from '../src/server/routes.ts';
import type { ServerLog } from '../src/server/start.ts';
import { createAnswerSchemas } from './answer-schemas.ts';
import { type ConformanceCase, loadCases, selects } from './cases.ts';
import { exchange } from './exchange.ts';
import { loadFeeCases } from './fee-cases.ts';
import {
  type CaseOutcome,
  countsByGroup,
  countsOfAll,
  failureText,
  hasFailed,
  type RequestOutcome,
  summaryOf,
} from './report.ts';
import { createRouteFinder, isAboutNoResource, knownResources } from './route-table.ts';
import { createRowLoader, type RowLoader } from './rows.ts';
import { createTarget, type Target } from './target.ts';

interface Ground {
  readonly database: Database;
  leave(): Promise<void>;
}

/** Settings for a database that is thrown away. */
const careless = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off', autovacuum: 'off' };

const embeddedGround = async (): Promise<Ground> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'kagami-conformance-'));
  const server = await startEmbeddedPostgres({ dataDir, settings: careless, sync: false });
  const connectionString = server.connectionString('postgres');
  await migrate({ connectionString });
  const database = openDatabase({ connectionString, applicationName: 'kagami conformance' });
  return {
    database,
    leave: async () => {
      await database.close();
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};

const externalGround = async (serverUrl: string): Promise<Ground> => {
  const name = `kagami_conformance_${randomBytes(4).toString('hex')}`;
  const administer = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: serverUrl });
    await client.connect();
    await client.query(sql).finally(() => client.end());
  };
  await administer(`create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await migrate({ connectionString: url.href });
  const database = openDatabase({ connectionString: url.href, applicationName: 'kagami conformance' });
  return {
    database,
    leave: async () => {
      await database.close();
      await administer(`drop database if exists ${name} with (force)`);
    },
  };
};

const runCase = async (
  conformanceCase: ConformanceCase,
  target: Target,
  loader: RowLoader,
  run: (request: ConformanceCase['requests'][number], port: number) => Promise<RequestOutcome>,
  isServed: (request: ConformanceCase['requests'][number]) => boolean,
): Promise<CaseOutcome> => {
  const { name, group, requests, config } = conformanceCase;
  const leftOut = (url: string): RequestOutcome => ({ url, outcome: 'left out' });
  if (!requests.some(isServed)) return { name, group, requests: requests.map(({ url }) => leftOut(url)) };
  try {
    await loader.load(conformanceCase);
    target.onRowsChanged();
    const outcomes: RequestOutcome[] = [];
    for (const request of requests) {
      if (isServed(request)) {
        await target.prepare(request.ignoreConfig ? undefined : config?.rest, request.config, config?.now);
        outcomes.push(await run(request, target.port));
      } else outcomes.push(leftOut(request.url));
    }
    return { name, group, requests: outcomes };
  } catch (error) {
    const failed = requests.map(({ url }): RequestOutcome => ({ url, outcome: 'failed' }));
    return { name, group, requests: failed, error: (error as Error).message };
  }
};

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      fixtures: { type: 'string' },
      database: { type: 'string' },
      report: { type: 'string' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const folder = resolve(values.fixtures ?? join(import.meta.dirname, '../../shared/conformance/rest'));
  if (!existsSync(folder)) {
    console.error(`No cases in ${folder}; name their folder with --fixtures.`);
    return 2;
  }
  const allCases = [...loadCases(folder, []), ...loadFeeCases(folder)];
  const cases = allCases.filter(
    ({ name }) => positionals.length === 0 || positionals.some((filter) => selects(filter, name)),
  );
  if (cases.length === 0) {
    console.error('The filter selects no case.');
    return 2;
  }
  const known = knownResources(allCases);
  const routeOf = createRouteFinder(restRoutes);
  const schemas = createAnswerSchemas(restRoutes);

  const started = performance.now();
  const ground = await (values.database === undefined ? embeddedGround() : externalGround(values.database));
  const ready = performance.now();
  const messages: string[] = [];
  const note = (details: object, message: string): void => {
    const fault = (details as { readonly err?: unknown }).err;
    messages.push(`  log: ${message}${fault instanceof Error ? `: ${fault.stack ?? fault.message}` : ''}`);
  };
  const logger: ServerLog = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: note };
  const target = createTarget(ground.database, logger);
  const agent = new Agent({ keepAlive: true });
  const outcomes: CaseOutcome[] = [];
  try {
    const loader = createRowLoader(ground.database);
    for (const conformanceCase of cases) {
      messages.length = 0;
      const outcome = await runCase(
        conformanceCase,
        target,
        loader,
        async (request, port) => {
          const differences = await exchange(port, agent, request, routeOf(request), schemas);
          return { url: request.url, outcome: differences.length === 0 ? 'passed' : 'failed', differences };
        },
        (request) => routeOf(request) !== undefined || isAboutNoResource(request, known),
      );
      outcomes.push(outcome);
      if (hasFailed(outcome)) {
        console.log(values.verbose ? [failureText(outcome), ...messages].join('\n') : `FAILED ${outcome.name}`);
      }
    }
  } finally {
    agent.destroy();
    await target.stop();
    await ground.leave();
  }
  const ended = performance.now();
  console.log(summaryOf(outcomes));
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);
  console.log(`database ready after ${seconds(ready - started)} s, cases took ${seconds(ended - ready)} s`);
  if (values.report !== undefined) {
    const report = { all: countsOfAll(outcomes), groups: Object.fromEntries(countsByGroup(outcomes)), cases: outcomes };
    writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`);
  }
  return outcomes.some(hasFailed) ? 1 : 0;
};

process.exitCode = await main();
