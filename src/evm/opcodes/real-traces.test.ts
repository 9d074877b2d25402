/** Traces of a real ledger by real threads, over HTTP. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createGunzip } from 'node:zlib';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Application, createApplication } from '../../api/http/application.ts';
import { loadSettings } from '../../config/load.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { assemble } from '../engine/testing/engine.fixture.ts';
import { BEGINNING, CONTRACT_CALL, RecordedLedger, SECOND } from '../traces/testing/recorded-ledger.fixture.ts';
import { openSimulationThreads, type SimulationThreads } from '../workers/simulation-threads.ts';
import { web3SettingsWith } from '../workers/testing/web3-settings.fixture.ts';
import { opcodeRoutes } from './opcode-routes.ts';

const { hiero } = loadSettings({ cwd: '/', env: {}, files: [], readFile: () => undefined }).settings;

let target: TestDatabase;
let threads: SimulationThreads;
let application: Application;
let port: number;

/** Transactions by the second after the beginning in which they came to consensus: what they call, with how much gas. */
const calls = [
  { second: 10n, contractId: 2_001n, code: assemble('7 0 MSTORE 32 0 RETURN'), gas: 100_000n },
  { second: 20n, contractId: 2_002n, code: assemble('1 1 1 JUMPDEST 6 JUMP'), gas: 4_021_000n },
  {
    second: 30n,
    contractId: 2_003n,
    code: assemble(`${'1 '.repeat(1_000)} JUMPDEST 2000 JUMP`),
    gas: 15_000_000n,
  },
];

beforeAll(async () => {
  target = await createTestDatabase();
  const ledger = new RecordedLedger(target.database);
  await ledger.begin();
  for (const { second, contractId, code, gas } of calls) {
    await ledger.contract({ id: contractId, code });
    await ledger.result({ at: BEGINNING + second * SECOND, type: CONTRACT_CALL, contractId, gas });
  }
  const settings = web3SettingsWith({ throttle: { opcodeRequestsPerSecond: 1_000 }, requestTimeout: 60_000 });
  threads = openSimulationThreads({
    settings: { ...settings, workers: { ...settings.workers, threads: 1 } },
    common: { shard: 0n, realm: 0n },
    connectionString: target.connectionString,
    schema: 'public',
  });
  application = createApplication({
    routes: opcodeRoutes({ settings, threads: threads.traces }),
    db: target.database,
    settings: hiero.mirror.rest,
    javaSettings: hiero.mirror.restJava,
    shard: 0n,
    realm: 0n,
    clock: () => 0n,
    log: { error: () => undefined, debug: () => undefined },
  });
  await application.fastify.listen({ host: '127.0.0.1', port: 0 });
  port = (application.fastify.server.address() as AddressInfo).port;
}, 60_000);

afterAll(async () => {
  await application?.fastify.close();
  await threads?.stop(0);
  await target?.drop();
});

const ask = async (second: bigint, query = ''): Promise<IncomingMessage> => {
  const id = `0.0.1001-${BEGINNING / SECOND + second - 1n}-0`;
  const request = get({
    host: '127.0.0.1',
    port,
    path: `/api/v1/contracts/results/${id}/opcodes${query}`,
    headers: { 'accept-encoding': 'gzip' },
  });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  return response;
};

it('are complete', async () => {
  const response = await ask(10n);
  expect([response.statusCode, response.headers['content-encoding']]).toEqual([200, 'gzip']);
  const chunks: Buffer[] = [];
  for await (const chunk of response.pipe(createGunzip())) chunks.push(chunk);
  const { opcodes, ...summary } = JSON.parse(Buffer.concat(chunks).toString());
  expect(summary).toEqual({
    address: `0x${'0'.repeat(37)}7d1`,
    contract_id: '0.0.2001',
    failed: false,
    gas: 21_018,
    return_value: `0x${'0'.repeat(63)}7`,
  });
  expect(opcodes.map(({ op }: { op: string }) => op)).toEqual(['PUSH1', 'PUSH1', 'MSTORE', 'PUSH1', 'PUSH1', 'RETURN']);
}, 60_000);

it('that are not there are refused, and leave the thread free', async () => {
  const response = await ask(11n);
  expect(response.statusCode).toBe(404);
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk);
  expect(JSON.parse(Buffer.concat(chunks).toString())._status.messages).toEqual([
    { message: 'Not Found', detail: `Transaction not found: 0.0.1001-${BEGINNING + 10n * SECOND}`, data: '' },
  ]);
  await vi.waitFor(() => expect(threads.figures).toMatchObject({ running: 0, waiting: 0, lost: 0 }));
}, 60_000);

/** Heaps grow by some 150 MB before it pays to tidy them. The trace is longer than this, and would be here twice. */
const MOST_MORE_MB = 250;

it('of a million instructions take little memory', async () => {
  const rssMb = (): number => process.memoryUsage.rss() / 2 ** 20;
  const before = rssMb();
  let most = before;
  let braces = 0;
  let length = 0;
  const response = await ask(20n);
  for await (const chunk of response.pipe(createGunzip()) as AsyncIterable<Buffer>) {
    length += chunk.length;
    for (let at = chunk.indexOf('{'); at >= 0; at = chunk.indexOf('{', at + 1)) braces++;
    most = Math.max(most, rssMb());
  }
  // One brace for the whole, two for each instruction: itself and its storage. The last loop runs out of gas at its end.
  expect((braces - 1) / 2).toBe(1_000_002);
  expect(length).toBeGreaterThan(320 * 2 ** 20);
  expect(most - before).toBeLessThan(MOST_MORE_MB);
}, 120_000);

it('that nobody takes any more free their thread', async () => {
  // Each instruction shows a thousand words: all of them would take hours.
  const response = await ask(30n);
  await once(response, 'data');
  expect(threads.figures.running).toBe(1);
  response.destroy();
  await vi.waitFor(() => expect(threads.figures).toMatchObject({ running: 0, waiting: 0, lost: 0 }), 30_000);
  expect((await ask(11n)).statusCode).toBe(404);
  expect(threads.figures.lost).toBe(0);
}, 60_000);
