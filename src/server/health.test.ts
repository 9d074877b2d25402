import fastify from 'fastify';
import { expect, it } from 'vitest';
import type { Database } from '../database/connection.ts';
import { registerHealth } from './health.ts';

const never = <T>(): Promise<T> => new Promise(() => undefined);

it('does not wait for a database that never answers', async () => {
  const app = fastify();
  registerHealth(app, { query: never } as unknown as Database, { importCondition: never });
  const asked = ['/health/readiness', '/actuator/health', '/health/startup', '/health/liveness'].map((path) =>
    app.inject(path),
  );
  const [readiness, actuator, startup, liveness] = await Promise.all(asked);
  expect([readiness?.statusCode, readiness?.json()]).toEqual([503, { status: 'error' }]);
  expect([actuator?.statusCode, actuator?.json()]).toEqual([503, { status: 'DOWN' }]);
  expect([startup?.statusCode, startup?.json()]).toEqual([503, { status: 'error' }]);
  expect([liveness?.statusCode, liveness?.json()]).toEqual([200, { status: 'ok' }]);
  await app.close();
});
