/**
 * `npm run conformance -- [filter...] [--shard N --realm N] [--fixtures DIR] [--database URL] [--report FILE] [--verbose]`
 *
 * `npm run conformance -- verification [filter...] [--fixtures DIR] [--database URL]` runs the cases of contract
 * verification (verification.ts) instead.
 *
 * Starts the application in this process on an embedded PostgreSQL (or on a new database of the server at URL), loads
 * the rows of each case, sends its requests over HTTP and compares status, headers and body. Exit code 1 when a case fails
 * or none of a group runs, 2 when nothing could be run.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import pg from 'pg';
import { loadSettings } from '../src/config/load.ts';
import { type Database, openDatabase } from '../src/database/connection.ts';
import { startEmbeddedPostgres } from '../src/database/embedded/launcher.ts';
import { migrate } from '../src/database/migrate.ts';
import { runCases } from './case-runner.ts';
import { loadCases, selects } from './cases.ts';
import { loadFeeCases } from './fee-cases.ts';
import { countsByGroup, countsOfAll, failureText, groupsWithoutRequests, hasFailed, summaryOf } from './report.ts';
import { runVerificationCases } from './verification.ts';

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

const verificationMain = async (
  values: { readonly fixtures?: string | undefined; readonly database?: string | undefined },
  filters: readonly string[],
): Promise<number> => {
  const folder = resolve(values.fixtures ?? join(import.meta.dirname, '../../shared/conformance/verification'));
  if (!existsSync(folder)) {
    console.error(`No cases in ${folder}; name their folder with --fixtures.`);
    return 2;
  }
  const ground = await (values.database === undefined ? embeddedGround() : externalGround(values.database));
  const compilersFolder = join(tmpdir(), 'kagami-conformance-compilers');
  const { settings } = loadSettings({ env: {}, cwd: compilersFolder, readFile: () => undefined });
  const options = { folder, filters, compilersFolder, settings: settings.kagami.verification };
  const { failed, silent } = await runVerificationCases({ ...options, database: ground.database }).finally(
    ground.leave,
  );
  if (silent.length > 0) console.error(`No case ran of: ${silent.join(', ')}`);
  return failed > 0 || silent.length > 0 ? 1 : 0;
};

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      fixtures: { type: 'string' },
      database: { type: 'string' },
      report: { type: 'string' },
      verbose: { type: 'boolean', default: false },
      shard: { type: 'string', default: '0' },
      realm: { type: 'string', default: '0' },
    },
  });
  if (positionals[0] === 'verification') return verificationMain(values, positionals.slice(1));
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
  const started = performance.now();
  const ground = await (values.database === undefined ? embeddedGround() : externalGround(values.database));
  const ready = performance.now();
  const outcomes = await runCases({
    database: ground.database,
    cases,
    home: { shard: BigInt(values.shard), realm: BigInt(values.realm) },
    done: (outcome, log) => {
      if (!hasFailed(outcome)) return;
      const noted = log.map((entry) => `  log: ${entry}`);
      console.log(values.verbose ? [failureText(outcome), ...noted].join('\n') : `FAILED ${outcome.name}`);
    },
  }).finally(ground.leave);
  const ended = performance.now();
  console.log(summaryOf(outcomes));
  const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(1);
  console.log(`database ready after ${seconds(ready - started)} s, cases took ${seconds(ended - ready)} s`);
  if (values.report !== undefined) {
    const report = { all: countsOfAll(outcomes), groups: Object.fromEntries(countsByGroup(outcomes)), cases: outcomes };
    writeFileSync(values.report, `${JSON.stringify(report, null, 2)}\n`);
  }
  const silent = groupsWithoutRequests(cases, outcomes);
  if (silent.length > 0) console.error(`No case ran of: ${silent.join(', ')}`);
  return silent.length > 0 || outcomes.some(hasFailed) ? 1 : 0;
};

process.exitCode = await main();
