/** gRPC and Rosetta beside HTTP: on ports of their own, on those of HTTP, and where ports are taken. */
import { once } from 'node:events';
import { type AddressInfo, connect as connectSocket, createServer } from 'node:net';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { HealthCheckResponse } from '../protobuf/generated/grpc/health.ts';
import { type StartedInterfaces, type StartOptions, startInterfaces } from './testing/interfaces.fixture.ts';

let target: TestDatabase;
const open: { stop(): Promise<void> | void }[] = [];

beforeAll(async () => {
  target = await createTestDatabase();
});

afterAll(() => target?.drop());

afterEach(async () => {
  for (const resource of open.splice(0).reverse()) await resource.stop();
});

const start = async (options: StartOptions = {}): Promise<StartedInterfaces> => {
  const started = await startInterfaces(target, options);
  open.push({ stop: () => started.server.stop(0) });
  return started;
};

/** Statuses that the server as a whole reports, or the code of the failure. */
const watchHealth = (port: number | undefined, method = 'Check'): Promise<readonly number[] | string> => {
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
    'grpc.enable_retries': 0,
  });
  open.push({ stop: () => client.close() });
  return new Promise((resolve) => {
    const statuses: number[] = [];
    const call = client.makeServerStreamRequest(
      `/grpc.health.v1.Health/${method}`,
      () => Buffer.alloc(0),
      HealthCheckResponse.decode,
      {},
      { deadline: Date.now() + 10_000 },
    );
    call.on('data', ({ status }: HealthCheckResponse) => statuses.push(status));
    call.on('error', ({ code }: ServiceError) => resolve(`failed with ${code}`));
    call.on('end', () => resolve(statuses));
  });
};

const NOT_SERVING = 2;

const postTo = async (port: number | undefined, path: string): Promise<number> =>
  (await fetch(`http://127.0.0.1:${port}${path}`, { method: 'POST', body: '{}' })).status;

const occupied = async (): Promise<number> => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  open.push({ stop: () => new Promise((resolve) => other.close(() => resolve())) });
  return (other.address() as AddressInfo).port;
};

describe('gRPC', () => {
  it('is served on its own port and on every port of HTTP, beside HTTP', async () => {
    const { server } = await start();
    for (const port of [server.interfacePorts.grpc, ...server.ports])
      expect(await watchHealth(port)).toEqual([NOT_SERVING]);
    for (const port of server.ports) {
      expect((await fetch(`http://127.0.0.1:${port}/health/liveness`)).status).toBe(200);
    }
  });

  it('is not served on ports of HTTP where that is not wanted', async () => {
    const { server } = await start({ set: { 'kagami.grpc.onHttpPorts': 'false' } });
    expect(await watchHealth(server.interfacePorts.grpc)).toEqual([NOT_SERVING]);
    expect(await watchHealth(server.ports[0])).toBe('failed with 14');
  });

  it('ends calls on ports of HTTP when the server stops', async () => {
    const { server } = await start();
    const watched = watchHealth(server.ports[0], 'Watch');
    await new Promise((resolve) => setTimeout(resolve, 300));
    await server.stop(100);
    expect(await watched).toBe('failed with 14');
  });

  it('remains on the ports of HTTP when its usual port is taken', async () => {
    const port = await occupied();
    const { server, warnings } = await start({ set: { 'hiero.mirror.grpc.port': port } });
    expect(server.interfacePorts.grpc).toBeUndefined();
    expect(warnings).toEqual(['gRPC is served on the HTTP ports only']);
    expect(await watchHealth(server.ports[0])).toEqual([NOT_SERVING]);
  });

  it('needs the port that somebody chose', async () => {
    const port = await occupied();
    await expect(start({ set: { 'hiero.mirror.grpc.port': port }, isGrpcPortChosen: true })).rejects.toMatchObject({
      code: 'PORT_UNAVAILABLE',
      details: { setting: 'hiero.mirror.grpc.port', port },
    });
  });

  it('has as many connections as one client and all together may have, and none that stay silent', async () => {
    const { server } = await start({
      set: { 'kagami.grpc.maxConnectionsPerClient': 2, 'kagami.grpc.firstBytesTimeout': '500ms' },
    });
    const port = server.interfacePorts.grpc ?? 0;
    const silent = [connectSocket(port, '127.0.0.1'), connectSocket(port, '127.0.0.1')];
    for (const socket of silent) socket.on('error', () => undefined);
    const ends = silent.map((socket) => once(socket.resume(), 'close'));
    await Promise.all(silent.map((socket) => once(socket, 'connect')));
    await new Promise((resolve) => setTimeout(resolve, 100));
    const third = connectSocket(port, '127.0.0.1')
      .on('error', () => undefined)
      .resume();
    await once(third, 'close');
    await Promise.all(ends);
    expect(await watchHealth(port)).toEqual([NOT_SERVING]);
  });
});

describe('Rosetta', () => {
  it('is served on its own port and below /rosetta', async () => {
    const { server } = await start();
    expect(await postTo(server.interfacePorts.rosetta, '/network/list')).toBe(200);
    expect(await postTo(server.ports[0], '/rosetta/network/list')).toBe(200);
  });

  it('remains below /rosetta when its usual port is taken', async () => {
    const port = await occupied();
    const { server, warnings } = await start({ set: { 'hiero.mirror.rosetta.port': port } });
    expect(server.interfacePorts.rosetta).toBeUndefined();
    expect(warnings).toEqual(['Rosetta is served below /rosetta only']);
    expect(await postTo(server.ports[0], '/rosetta/network/list')).toBe(200);
  });

  it('needs the port that somebody chose', async () => {
    const port = await occupied();
    const chosen = start({ set: { 'hiero.mirror.rosetta.port': port }, isRosettaPortChosen: true });
    await expect(chosen).rejects.toMatchObject({
      code: 'PORT_UNAVAILABLE',
      details: { setting: 'hiero.mirror.rosetta.port', port },
    });
  });
});
