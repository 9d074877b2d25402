/** Clients of gRPC and Rosetta that mean harm: thousands of wrong requests, half of a request, nothing at all. */
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import type { RunningServer } from './start.ts';
import { startInterfaces } from './testing/interfaces.fixture.ts';

const REQUESTS = 10_000;
/** Heap that the process may have more afterwards; what each request left behind would be ten times as much. */
const MOST_GROWTH = 20 * 2 ** 20;

let target: TestDatabase;
const open: { stop(): Promise<void> | void }[] = [];

beforeAll(async () => {
  setFlagsFromString('--expose-gc');
  target = await createTestDatabase();
});

afterAll(() => target?.drop());

afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource.stop();
});

const start = async (set: Readonly<Record<string, string | number>> = {}): Promise<RunningServer> => {
  const { server } = await startInterfaces(target, { set });
  open.push({ stop: () => server.stop(0) });
  return server;
};

const collectGarbage = runInNewContext.bind(undefined, 'gc()') as () => void;

const usedHeap = async (): Promise<number> => {
  await pause(200);
  collectGarbage();
  return process.memoryUsage().heapUsed;
};

/** So many at a time, and what came of them, by outcome. */
const outcomesOf = async (
  total: number,
  parallel: number,
  ask: (index: number) => Promise<string>,
): Promise<Readonly<Record<string, number>>> => {
  const outcomes: Record<string, number> = {};
  let next = 0;
  await Promise.all(
    Array.from({ length: parallel }, async () => {
      while (next < total) {
        const outcome = await ask(next++);
        outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
      }
    }),
  );
  return outcomes;
};

const opened = (port: number | undefined, count: number): readonly Socket[] => {
  const sockets = Array.from({ length: count }, () =>
    connect(port ?? 0, '127.0.0.1')
      .on('error', () => undefined)
      .resume(),
  );
  for (const socket of sockets) open.push({ stop: () => void socket.destroy() });
  return sockets;
};

describe('Rosetta', () => {
  const network_identifier = { blockchain: 'Hedera', network: 'demo' };
  const wrong = [
    { path: '/network/list', body: '' },
    { path: '/network/status', body: '{"network_identifier":' },
    { path: '/block', body: '[]' },
    { path: '/block', body: JSON.stringify({ network_identifier: { blockchain: 'x', network: 'y' } }) },
    { path: '/block', body: JSON.stringify({ network_identifier, block_identifier: { index: -1 } }) },
    {
      path: '/account/balance',
      body: JSON.stringify({ network_identifier, account_identifier: { address: '0x'.repeat(9_000) } }),
    },
    {
      path: '/construction/parse',
      body: JSON.stringify({ network_identifier, signed: true, transaction: `0x${'0a'.repeat(5_000)}` }),
    },
    {
      path: '/construction/preprocess',
      body: JSON.stringify({ network_identifier, operations: Array.from({ length: 500 }, () => ({})) }),
    },
    { path: '/construction/payloads', body: `${'['.repeat(20_000)}${']'.repeat(20_000)}` },
    { path: '/nothing', body: 'x' },
  ];

  const post = (port: number | undefined, agent: Agent, path: string, body: string): Promise<number> =>
    new Promise((resolve, reject) => {
      request({ agent, host: '127.0.0.1', port, method: 'POST', path }, (response) => {
        response.resume().once('end', () => resolve(response.statusCode ?? 0));
      })
        .once('error', reject)
        .end(body);
    });

  it('answers ten thousand wrong requests, and keeps nothing of them', async () => {
    const server = await start();
    const agent = new Agent({ keepAlive: true, maxSockets: 16 });
    open.push({ stop: () => agent.destroy() });
    const ask = async (index: number): Promise<string> => {
      const { path, body } = wrong[index % wrong.length] ?? { path: '/', body: '' };
      return String(await post(server.interfacePorts.rosetta, agent, path, body));
    };
    await outcomesOf(REQUESTS / 10, 16, ask);
    const before = await usedHeap();
    expect(await outcomesOf(REQUESTS, 16, ask)).toEqual({ 404: REQUESTS / 10, 500: (REQUESTS / 10) * 9 });
    expect((await usedHeap()) - before).toBeLessThan(MOST_GROWTH);
    expect(await post(server.interfacePorts.rosetta, agent, '/network/list', '{}')).toBe(200);
  }, 180_000);

  it('hangs up on those who send half a request, and serves others meanwhile', async () => {
    const server = await start({
      'hiero.mirror.rosetta.http.readTimeout': '500ms',
      'hiero.mirror.rosetta.http.readHeaderTimeout': '500ms',
    });
    const sockets = opened(server.interfacePorts.rosetta, 150);
    const ends = sockets.map((socket) => once(socket, 'close'));
    for (const [index, socket] of sockets.entries()) {
      if (index % 3 === 0) socket.write('POST /network/list HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{');
      if (index % 3 === 1) socket.write('POST /network/list HT');
    }
    const agent = new Agent();
    expect(await post(server.interfacePorts.rosetta, agent, '/network/list', '{}')).toBe(200);
    await Promise.all(ends);
    expect(await post(server.interfacePorts.rosetta, agent, '/network/list', '{}')).toBe(200);
  }, 60_000);
});

describe('gRPC', () => {
  const SERVICE = '/com.hedera.mirror.api.proto.ConsensusService';
  const wrong = [
    { path: `${SERVICE}/subscribeTopic`, bytes: Buffer.alloc(0) },
    { path: `${SERVICE}/subscribeTopic`, bytes: Buffer.from('ff'.repeat(50), 'hex') },
    { path: `${SERVICE}/subscribeTopic`, bytes: Buffer.from('0a0318ff7f', 'hex') },
    { path: `${SERVICE}/subscribeTopic`, bytes: Buffer.alloc(5_000, 1) },
    { path: `${SERVICE}/nothing`, bytes: Buffer.alloc(10) },
    { path: '/com.hedera.mirror.api.proto.NetworkService/getNodes', bytes: Buffer.from('10ff', 'hex') },
    { path: '/grpc.health.v1.Health/Check', bytes: Buffer.from('0a036e6f6e', 'hex') },
  ];

  const clientOf = (port: number | undefined): Client => {
    const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_retries': 0,
    });
    open.push({ stop: () => client.close() });
    return client;
  };

  const call = (client: Client, path: string, bytes: Buffer): Promise<string> =>
    new Promise((resolve) => {
      const stream = client.makeServerStreamRequest(
        path,
        (value: Buffer) => value,
        (value) => value,
        bytes,
        { deadline: Date.now() + 60_000 },
      );
      stream.on('data', () => undefined);
      stream.on('error', ({ code }: ServiceError) => resolve(String(code)));
      stream.on('end', () => resolve('0'));
    });

  const isServed = async (port: number | undefined): Promise<boolean> =>
    (await call(clientOf(port), '/grpc.health.v1.Health/Check', Buffer.alloc(0))) === '0';

  it('answers ten thousand wrong calls, and keeps nothing of them', async () => {
    const server = await start();
    const clients = Array.from({ length: 8 }, () => clientOf(server.interfacePorts.grpc));
    const ask = (index: number): Promise<string> => {
      const { path, bytes } = wrong[index % wrong.length] ?? { path: '', bytes: Buffer.alloc(0) };
      return call(clients[index % clients.length] as Client, path, bytes);
    };
    await outcomesOf(REQUESTS / 10, 40, ask);
    const before = await usedHeap();
    const outcomes = await outcomesOf(REQUESTS, 40, ask);
    // None of them was a success, a timeout, or a fault that nobody thought of.
    expect(Object.keys(outcomes).sort()).toEqual(['12', '13', '3', '5', '8']);
    expect((await usedHeap()) - before).toBeLessThan(MOST_GROWTH);
    expect(await isServed(server.interfacePorts.grpc)).toBe(true);
  }, 180_000);

  it('serves others beside connections that say nothing, or half of a call', async () => {
    const server = await start({ 'kagami.grpc.firstBytesTimeout': '500ms' });
    const silent = opened(server.interfacePorts.grpc, 100);
    const ends = silent.map((socket) => once(socket, 'close'));
    const sessions = Array.from({ length: 50 }, () =>
      connectHttp2(`http://127.0.0.1:${server.interfacePorts.grpc}`).on('error', () => undefined),
    );
    for (const session of sessions) open.push({ stop: () => session.destroy() });
    for (const session of sessions) {
      const half = session.request(
        { ':method': 'POST', ':path': `${SERVICE}/subscribeTopic`, 'content-type': 'application/grpc', te: 'trailers' },
        { endStream: false },
      );
      half.on('error', () => undefined);
      half.write(Buffer.from([0, 0, 0]));
    }
    expect(await isServed(server.interfacePorts.grpc)).toBe(true);
    await Promise.all(ends);
    expect(await isServed(server.interfacePorts.grpc)).toBe(true);
    const closed = sessions.map((session) => new Promise((resolve) => session.once('close', resolve)));
    await server.stop(0);
    await Promise.all(closed);
  }, 60_000);

  it('takes calls down with the connection that made them', async () => {
    const server = await start();
    await target.database.query(
      `insert into entity (id, num, realm, shard, type, timestamp_range, created_timestamp)
        values (4242, 4242, 0, 0, 'TOPIC', '[1,)', 1)`,
    );
    const subscribers = async (): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${server.ports[0]}/actuator/prometheus`)).text();
      return Number(/^hiero_mirror_grpc_subscribers\{[^}]*\} (\d+)/m.exec(text)?.[1]);
    };
    const socket = connect(server.interfacePorts.grpc ?? 0, '127.0.0.1');
    const session = connectHttp2('http://127.0.0.1', { createConnection: () => socket }).on('error', () => undefined);
    const call = session.request(
      { ':method': 'POST', ':path': `${SERVICE}/subscribeTopic`, 'content-type': 'application/grpc', te: 'trailers' },
      { endStream: false },
    );
    call.on('error', () => undefined);
    // topicID 0.0.4242
    call.end(Buffer.from([0, 0, 0, 0, 5, 0x0a, 3, 0x18, 0x92, 0x21]));
    while ((await subscribers()) !== 1) await pause(20);
    socket.destroy();
    while ((await subscribers()) !== 0) await pause(20);
  }, 60_000);
});
