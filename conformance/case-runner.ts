/** Runs cases against the application, started in this process on a migrated database without rows. */
import { Agent } from 'node:http';
import type { Database } from '../src/database/connection.ts';
import { restRoutes } from '../src/server/rest-routes.ts';
import type { ServerLog } from '../src/server/server-log.ts';
import { createAnswerSchemas } from '../src/server/testing/answer-schemas.fixture.ts';
import { createRouteFinder } from '../src/server/testing/route-finder.fixture.ts';
import type { CaseRequest, ConformanceCase } from './cases.ts';
import { exchange } from './exchange.ts';
import { inRealm, type Realm } from './realm.ts';
import type { CaseOutcome, RequestOutcome } from './report.ts';
import { createRowLoader } from './rows.ts';
import { createTarget } from './target.ts';

export interface CaseRun {
  readonly database: Database;
  /** Those to run, in this order. */
  readonly cases: readonly ConformanceCase[];
  /** Where the network lies; the cases, which are of 0.0, move there. */
  readonly home: Realm;
  /** Called after each case, with what the application logged as errors during it. */
  done?(outcome: CaseOutcome, log: readonly string[]): void;
}

/** Sends every request of every case, whatever serves it. */
export const runCases = async ({ database, cases, home, done }: CaseRun): Promise<CaseOutcome[]> => {
  const routeOf = createRouteFinder(restRoutes);
  const schemas = createAnswerSchemas(restRoutes);
  const log: string[] = [];
  const note = (details: object, message: string): void => {
    const fault = (details as { readonly err?: unknown }).err;
    log.push(`${message}${fault instanceof Error ? `: ${fault.stack ?? fault.message}` : ''}`);
  };
  const logger: ServerLog = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: note };
  const target = createTarget(database, logger, home);
  const agent = new Agent({ keepAlive: true });
  const loader = createRowLoader(database);

  const send = async (request: CaseRequest, config: ConformanceCase['config']): Promise<RequestOutcome> => {
    await target.prepare(request.ignoreConfig ? undefined : config?.rest, request.config, config?.now);
    const differences = await exchange(target.port, agent, request, routeOf(request), schemas);
    return { url: request.url, outcome: differences.length === 0 ? 'passed' : 'failed', differences };
  };

  const run = async (one: ConformanceCase): Promise<CaseOutcome> => {
    const { name, group, requests, config } = one;
    try {
      await loader.load(one);
      target.onRowsChanged();
      const outcomes: RequestOutcome[] = [];
      for (const request of requests) outcomes.push(await send(request, config));
      return { name, group, requests: outcomes };
    } catch (error) {
      const failed = requests.map(({ url }): RequestOutcome => ({ url, outcome: 'failed' }));
      return { name, group, requests: failed, error: (error as Error).message };
    }
  };

  const outcomes: CaseOutcome[] = [];
  try {
    for (const one of cases) {
      log.length = 0;
      const outcome = await run(inRealm(one, home));
      outcomes.push(outcome);
      done?.(outcome, log);
    }
  } finally {
    agent.destroy();
    await target.stop();
  }
  return outcomes;
};
