/** Health probes under both sets of paths that deployments of mirror nodes ask. */
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Database } from '../database/connection.ts';

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

const isAlive = async (): Promise<boolean> => true;

const passes = async (probe: () => Promise<boolean>): Promise<boolean> => {
  try {
    return await probe();
  } catch {
    return false;
  }
};

export const registerHealth = (app: FastifyInstance, database: Database): void => {
  const probes: Record<string, () => Promise<boolean>> = {
    liveness: isAlive,
    readiness: () => isReady(database),
    startup: () => isStarted(database),
  };
  const answer = async (reply: FastifyReply, probe: () => Promise<boolean>, up: string, down: string) => {
    const passed = await passes(probe);
    return reply
      .code(passed ? 200 : 503)
      .header('cache-control', 'no-store')
      .type('application/json; charset=utf-8')
      .send(JSON.stringify({ status: passed ? up : down }));
  };
  for (const [name, probe] of Object.entries(probes)) {
    app.get(`/health/${name}`, (_request, reply) => answer(reply, probe, 'ok', 'error'));
    app.get(`/actuator/health/${name}`, (_request, reply) => answer(reply, probe, 'UP', 'DOWN'));
  }
  app.get('/actuator/health', (_request, reply) => answer(reply, () => isReady(database), 'UP', 'DOWN'));
};
