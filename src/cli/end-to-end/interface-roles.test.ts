/** `--roles rosetta` and `--roles grpc`: one interface each on a database of others, whose readiness tells the truth. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { HealthCheckResponse } from '../../protobuf/generated/grpc/health.ts';
import { insertBalances, insertBlocks } from '../../rosetta/testing/ledger-rows.fixture.ts';
import { eventually, type KagamiProcess, startKagami } from './testing/kagami-process.fixture.ts';

const PATIENCE = 120_000;

interface Started {
  readonly url: string;
  readonly grpcPort?: number;
  readonly rosettaPort?: number;
}

let folder: string;
let target: TestDatabase;
let kagami: KagamiProcess | undefined;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-roles-'));
});

afterEach(async () => {
  await kagami?.end('SIGTERM');
  kagami = undefined;
  await target?.drop();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start = async (role: string): Promise<Started> => {
  target = await createTestDatabase();
  kagami = startKagami(folder, [
    ...['start', '--roles', role, '--no-simulator', '--database', target.connectionString, '--data', folder],
    ...['--port', '0', '--set', 'kagami.server.additionalPorts='],
    ...['--set', 'hiero.mirror.grpc.port=0', '--set', 'hiero.mirror.rosetta.port=0'],
  ]);
  await kagami.says('Kagami runs', PATIENCE);
  const line = kagami
    .output()
    .split('\n')
    .find((text) => text.includes('Kagami runs'));
  return JSON.parse(line ?? '{}') as Started;
};

const statusOf = async (url: string): Promise<number> => (await fetch(url)).status;

it('serves Rosetta alone, which is ready when there is a block to begin with', { timeout: PATIENCE }, async () => {
  const { url, grpcPort, rosettaPort } = await start('rosetta');
  const own = `http://127.0.0.1:${rosettaPort}`;
  expect(grpcPort).toBeUndefined();
  const ask = async (path: string) => {
    const answer = await fetch(`${own}${path}`, { method: 'POST', body: '{"metadata":{}}' });
    return [answer.status, await answer.json()];
  };
  expect(await ask('/network/list')).toMatchObject([200, { network_identifiers: [{ blockchain: 'Hedera' }] }]);
  expect(await statusOf(`${url.replace(/\/api\/v1$/, '')}/api/v1/blocks`)).toBe(404);
  expect(await statusOf(`${own}/health/liveness`)).toBe(200);
  expect(await statusOf(`${own}/health/readiness`)).toBe(503);
  await insertBlocks(target.database);
  await insertBalances(target.database, { 2: 5_000n });
  await eventually('readiness', PATIENCE, async () => (await statusOf(`${own}/health/readiness`)) === 200);
});

it('serves gRPC alone, which is ready when there is an address book', { timeout: PATIENCE }, async () => {
  const { url, grpcPort, rosettaPort } = await start('grpc');
  expect(rosettaPort).toBeUndefined();
  expect(await statusOf(`${url.replace(/\/api\/v1$/, '')}/api/v1/blocks`)).toBe(404);
  const client = new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure());
  const check = (): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(
        '/grpc.health.v1.Health/Check',
        (value: Buffer) => value,
        (bytes) => HealthCheckResponse.decode(bytes),
        Buffer.alloc(0),
        (error: ServiceError | null, answer) => (error === null ? resolve(answer?.status) : reject(error)),
      );
    });
  expect(await check()).toBe(2);
  await target.database.query(
    `insert into address_book (start_consensus_timestamp, file_id, node_count, file_data) values (10, 102, 0, '')`,
  );
  await eventually('health', PATIENCE, async () => (await check()) === 1);
  client.close();
});
