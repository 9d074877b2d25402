import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectionLimits, type Listeners, openListeners } from './listeners.ts';

const open: Listeners[] = [];

const usualLimits: ConnectionLimits = {
  bodyMs: 60_000,
  headersMs: 60_000,
  keepAliveMs: 60_000,
  most: 100,
  mostPerClient: 100,
  requestMs: 60_000,
  sendMs: 60_000,
};

const start = async (handler: RequestListener, primaryPort = 0, additionalPorts: readonly number[] = []) => {
  const unavailable: number[] = [];
  const listeners = await openListeners(handler, {
    host: '127.0.0.1',
    primaryPort,
    additionalPorts,
    limits: usualLimits,
    onUnavailable: (port) => unavailable.push(port),
    onRefused: () => undefined,
  });
  open.push(listeners);
  return { listeners, unavailable };
};

const occupied = async (): Promise<{ readonly port: number; free(): Promise<void> }> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    free: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

afterEach(async () => {
  await Promise.all(open.splice(0).map((listeners) => listeners.close(0)));
});

const hello: RequestListener = (_request, response) => response.end('hello');
const get = async (port: number | undefined) => (await fetch(`http://127.0.0.1:${port}/`)).text();

describe('openListeners', () => {
  it('answers the same on every port', async () => {
    const { listeners, unavailable } = await start(hello, 0, [0]);
    expect(listeners.ports).toHaveLength(2);
    expect(await Promise.all(listeners.ports.map(get))).toEqual(['hello', 'hello']);
    expect(unavailable).toEqual([]);
  });

  it('goes on without an additional port that is taken', async () => {
    const other = await occupied();
    const { listeners, unavailable } = await start(hello, 0, [other.port]);
    expect(unavailable).toEqual([other.port]);
    expect(await get(listeners.ports[0])).toBe('hello');
    await other.free();
  });

  it('fails when the primary port is taken, naming the setting', async () => {
    const other = await occupied();
    await expect(start(hello, other.port)).rejects.toMatchObject({
      code: 'PORT_UNAVAILABLE',
      details: { setting: 'hiero.mirror.rest.port', port: other.port },
    });
    await other.free();
  });

  it('lets a running request end, and takes no new one', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: release, resolve: answer } = Promise.withResolvers<void>();
    const { listeners } = await start((_request, response) => {
      ask();
      void release.then(() => response.end('late'));
    });
    const running = get(listeners.ports[0]);
    await asked;
    const closing = listeners.close(10_000);
    await expect(get(listeners.ports[0])).rejects.toThrow('fetch failed');
    answer();
    expect(await running).toBe('late');
    await closing;
  });

  it('cuts what does not end in time', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { listeners } = await start(() => ask());
    const running = get(listeners.ports[0]).catch((error: Error) => error.message);
    await asked;
    const started = performance.now();
    await listeners.close(100);
    expect(performance.now() - started).toBeLessThan(2000);
    expect(await Promise.race([running, pause(1000)])).toMatch(/fetch failed|terminated/);
  });
});
