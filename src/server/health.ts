/** Health probes under both sets of paths that deployments of mirror nodes ask. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Database } from '../database/connection.ts';
import { type ImportCondition, type ReadImportCondition, verdictOf } from './import-condition.ts';
import { isMissed, type NodeCondition, type ReadNodeCondition } from './node-condition.ts';

/** Whether clients can be served: there is an address book, so the network is known and the schema is there. */
const isReady = async (database: Database): Promise<boolean> => {
  const rows = await database.query('select 1 from address_book limit 1', [], 'health_readiness');
  return rows.length > 0;
};

/** Whether the migrations have run. */
const isStarted = async (database: Database): Promise<boolean> => {
  await database.query('select 1 from address_book limit 1', [], 'health_readiness');
  return true;
};

/** Milliseconds that a probe waits for the database: one that does not answer is as good as none. */
const PATIENCE_MS = 2_000;

/** What comes within the probe's patience; undefined when nothing does, or a failure. */
const inTime = async <T>(coming: Promise<T>): Promise<T | undefined> => {
  const { promise: late, resolve } = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => resolve(undefined), PATIENCE_MS);
  try {
    return await Promise.race([coming, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
};

const passes = async (probe: Promise<boolean>): Promise<boolean> => (await inTime(probe)) === true;

type Words = Readonly<Record<'UP' | 'DOWN' | 'UNKNOWN', string>>;

const plainWords: Words = { UP: 'ok', DOWN: 'error', UNKNOWN: 'unknown' };
const actuatorWords: Words = { UP: 'UP', DOWN: 'DOWN', UNKNOWN: 'UNKNOWN' };

/** Why the import stands still is one component; what it says of files and stores is for the log and `kagami doctor`. */
const importerComponent = ({ standstill }: ImportCondition, words: Words): object => {
  const status = words[verdictOf(standstill)];
  if (standstill === undefined) return { status };
  const { state, code, file, since } = standstill;
  return { status, details: { state, code, ...(file === null ? {} : { file }), since } };
};

const nodeComponent = ({ state, port }: NodeCondition, words: Words): object => ({
  status: state === 'listening' ? words.UP : words.DOWN,
  details: { state, port },
});

export interface HealthConditions {
  /** Whether blocks keep coming. */
  readonly importCondition?: ReadImportCondition | undefined;
  /** Whether the simulated network takes transactions. */
  readonly nodeCondition?: ReadNodeCondition | undefined;
}

/**
 * A process is alive while it answers. It is ready when it can serve clients and, if it imports itself, nothing keeps
 * blocks from coming: one that only serves shows what another one suffers from, and goes on serving. A simulated network
 * whose port for transactions should be open belongs to that.
 */
export const registerHealth = (
  app: FastifyInstance,
  database: Database,
  { importCondition, nodeCondition }: HealthConditions = {},
): void => {
  const send = (reply: FastifyReply, passed: boolean, words: Words, components?: object): FastifyReply =>
    reply
      .code(passed ? 200 : 503)
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ status: passed ? words.UP : words.DOWN, ...(components && { components }) }));

  const readiness = async (reply: FastifyReply, words: Words): Promise<FastifyReply> => {
    const [served, condition] = await Promise.all([
      passes(isReady(database)),
      importCondition === undefined ? undefined : inTime(importCondition()),
    ]);
    const node = nodeCondition?.();
    if (condition === undefined && node === undefined) return send(reply, served, words);
    const stands = condition?.own === true && verdictOf(condition.standstill) === 'DOWN';
    return send(reply, served && !stands && !isMissed(node), words, {
      database: { status: served ? words.UP : words.DOWN },
      ...(condition && { importer: importerComponent(condition, words) }),
      ...(node && { node: nodeComponent(node, words) }),
    });
  };

  for (const [path, words] of [
    ['/health', plainWords],
    ['/actuator/health', actuatorWords],
  ] as const) {
    app.get(`${path}/liveness`, (_request, reply) => send(reply, true, words));
    app.get(`${path}/readiness`, (_request, reply) => readiness(reply, words));
    app.get(`${path}/startup`, async (_request, reply) => send(reply, await passes(isStarted(database)), words));
  }
  app.get('/actuator/health', (_request, reply) => readiness(reply, actuatorWords));
};
