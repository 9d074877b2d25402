/** Clients that take their time, and clients that take many connections, over real sockets. */
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type ConnectionLimits, type Listeners, openListeners } from './listeners.ts';

const open: Listeners[] = [];
const clients: Socket[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) client.destroy();
  await Promise.all(open.splice(0).map((listeners) => listeners.close(0)));
});

/** None of them within the time of a test. */
const patient: ConnectionLimits = {
  bodyMs: 60_000,
  headersMs: 60_000,
  keepAliveMs: 60_000,
  most: 100,
  mostPerClient: 0,
  requestMs: 60_000,
  sendMs: 60_000,
};

const serve = async (handler: RequestListener, limits: Partial<ConnectionLimits>) => {
  const refused: string[] = [];
  const listeners = await openListeners(handler, {
    host: '0.0.0.0',
    primaryPort: 0,
    additionalPorts: [0],
    limits: { ...patient, ...limits },
    onUnavailable: () => undefined,
    onRefused: (client) => refused.push(client),
  });
  open.push(listeners);
  return { port: listeners.ports[0] ?? 0, secondPort: listeners.ports[1] ?? 0, refused };
};

interface Client {
  readonly socket: Socket;
  /** All that came, once the other side has closed. */
  readonly ended: Promise<string>;
  /** Whether the server still keeps the connection. */
  isOpen(): boolean;
}

/** @param from address of the client: all of 127.0.0.0/8 are this machine's */
const client = async (port: number, from = '127.0.0.1', reads = true): Promise<Client> => {
  const socket = connect({ port, host: '127.0.0.1', localAddress: from });
  clients.push(socket);
  let text = '';
  let closed = false;
  const ended = new Promise<string>((resolve) => {
    socket.on('error', () => undefined);
    socket.on('close', () => {
      closed = true;
      resolve(text);
    });
  });
  if (reads) {
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
    });
  } else socket.pause();
  await new Promise((resolve) => socket.once('connect', resolve));
  return { socket, ended, isOpen: () => !closed };
};

const hello: RequestListener = (_request, response) => response.end('hello');

/** Reads the body to its end, and tells its length. */
const count: RequestListener = (request, response) => {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  request.on('end', () => response.end(String(bytes)));
  request.on('error', () => undefined);
};

const post = (length: number) => `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n\r\n`;
const get = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const getAndClose = 'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';

const bytesOneByOne = async ({ socket, isOpen }: Client, bytes: number, everyMs: number): Promise<void> => {
  for (let sent = 0; sent < bytes && isOpen(); sent++) {
    socket.write('x');
    await pause(everyMs);
  }
};

describe('a slow client', { timeout: 30_000 }, () => {
  it('that says nothing is hung up on', async () => {
    const { port } = await serve(hello, { headersMs: 200 });
    const silent = await client(port);
    expect(await silent.ended).toMatch(/^HTTP\/1.1 408 Request Timeout|^$/);
  });

  it('whose headers come byte by byte is hung up on', async () => {
    const { port } = await serve(hello, { headersMs: 300 });
    const slow = await client(port);
    slow.socket.write('GET / HTTP/1.1\r\nX: ');
    await bytesOneByOne(slow, 2_000, 10);
    expect(await slow.ended).toMatch(/^HTTP\/1.1 408 Request Timeout/);
  });

  it('whose body stops is told 408', async () => {
    const { port } = await serve(count, { bodyMs: 200 });
    const stalled = await client(port);
    stalled.socket.write(`${post(100)}begun`);
    expect(await stalled.ended).toMatch(/^HTTP\/1.1 408 Request Timeout/);
  });

  it('whose body comes byte by byte is told 408 after the time of a request', async () => {
    const { port } = await serve(count, { bodyMs: 1_000, headersMs: 500, requestMs: 500 });
    const slow = await client(port);
    slow.socket.write(post(100_000));
    await bytesOneByOne(slow, 2_000, 10);
    expect(await slow.ended).toMatch(/^HTTP\/1.1 408 Request Timeout/);
  });

  it('that takes nothing of its answer is hung up on', async () => {
    const big = Buffer.alloc(64 * 1024 * 1024, 'x');
    const { port } = await serve((_request, response) => response.end(big), { sendMs: 200 });
    const deaf = await client(port, '127.0.0.1', false);
    const gone = new Promise((resolve) => deaf.socket.once('close', resolve));
    deaf.socket.write(get);
    await pause(2_000);
    let received = 0;
    deaf.socket.on('data', (bytes) => {
      received += bytes.length;
    });
    deaf.socket.resume();
    await gone;
    expect(received).toBeLessThan(big.length);
  });

  it('that goes on, however slowly, gets all of its answer', async () => {
    const big = Buffer.alloc(24 * 1024 * 1024, 'x');
    const { port } = await serve((_request, response) => response.end(big), { sendMs: 1_000 });
    const slow = await client(port, '127.0.0.1', false);
    let received = 0;
    slow.socket.on('data', (bytes) => {
      received += bytes.length;
      slow.socket.pause();
      setTimeout(() => slow.socket.resume(), 5);
    });
    slow.socket.write(getAndClose);
    slow.socket.resume();
    await slow.ended;
    expect(received).toBeGreaterThan(big.length);
  });

  it('whose connection idles after its answer is hung up on', async () => {
    const { port } = await serve(hello, { keepAliveMs: 100 });
    const idle = await client(port);
    idle.socket.write(get);
    expect(await idle.ended).toMatch(/^HTTP\/1.1 200 OK.*hello$/s);
  });
});

describe('a slow server', { timeout: 30_000 }, () => {
  const short = { bodyMs: 100, sendMs: 100, headersMs: 100, requestMs: 100 };

  it('keeps the connection while it makes an answer, with or without a body in the request', async () => {
    const { port } = await serve((_request, response) => void setTimeout(() => response.end('late'), 1_500), short);
    const reader = await client(port);
    reader.socket.write(getAndClose);
    const writer = await client(port);
    writer.socket.write(`${post(5).replace('Host', 'Connection: close\r\nHost')}whole`);
    expect(await reader.ended).toMatch(/late$/);
    expect(await writer.ended).toMatch(/late$/);
  });

  it('keeps it between the pieces of an answer', async () => {
    const { port } = await serve((_request, response) => {
      response.write('one ');
      setTimeout(() => response.write('two '), 700);
      setTimeout(() => response.end('three'), 1_400);
    }, short);
    const reader = await client(port);
    reader.socket.write(getAndClose);
    expect((await reader.ended).replaceAll(/\r\n\w+\r\n/g, '')).toMatch(/one two three/);
  });

  it('lets a body wait that it does not take yet', async () => {
    const limits = { bodyMs: 100, requestMs: 60_000, headersMs: 60_000 };
    const { port } = await serve((request, response) => void setTimeout(() => count(request, response), 1_000), limits);
    const patientClient = await client(port);
    const bytes = 1024 * 1024;
    patientClient.socket.write(post(bytes).replace('Host', 'Connection: close\r\nHost'));
    patientClient.socket.write('x'.repeat(bytes));
    expect(await patientClient.ended).toMatch(/1048576$/);
  });
});

/** Never answers. */
const silence: RequestListener = () => undefined;

describe('many connections', { timeout: 30_000 }, () => {
  const answered = async (port: number, from: string): Promise<string> => {
    const asking = await client(port, from);
    asking.socket.write(getAndClose);
    return asking.ended;
  };

  it('of one client close its own oldest idle ones, on whichever port they are', async () => {
    const { port, secondPort, refused } = await serve(hello, { most: 20, mostPerClient: 5 });
    const others = await client(port, '127.0.0.9');
    const silent: Client[] = [];
    for (let made = 0; made < 12; made++) silent.push(await client(made % 2 === 0 ? port : secondPort));
    await Promise.all(silent.slice(0, 7).map(({ ended }) => ended));
    expect(silent.map(({ isOpen }) => isOpen())).toEqual([...Array(7).fill(false), ...Array(5).fill(true)]);
    expect(others.isOpen()).toBe(true);
    expect(await answered(port, '127.0.0.1')).toMatch(/hello$/);
    expect(await answered(port, '127.0.0.2')).toMatch(/hello$/);
    expect(refused).toEqual([]);
  });

  it('of one client that are all at work are refused, and only its own', async () => {
    const handler: RequestListener = (request, response) =>
      request.url === '/forever' ? silence(request, response) : hello(request, response);
    const { port, refused } = await serve(handler, { most: 20, mostPerClient: 3 });
    const waiting: Client[] = [];
    for (let made = 0; made < 3; made++) {
      const one = await client(port);
      one.socket.write(get.replace('/ ', '/forever '));
      waiting.push(one);
    }
    await pause(200);
    const fourth = await client(port);
    expect(await fourth.ended).toMatch(/^HTTP\/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1/);
    expect(waiting.map(({ isOpen }) => isOpen())).toEqual([true, true, true]);
    expect(await answered(port, '127.0.0.2')).toMatch(/hello$/);
    expect(refused).toEqual(['127.0.0.1']);
  });

  it('of all clients close the oldest idle one of the client with the most', async () => {
    const { port } = await serve(hello, { most: 6, mostPerClient: 0 });
    const first = await client(port, '127.0.0.3');
    const many: Client[] = [];
    for (let made = 0; made < 5; made++) many.push(await client(port));
    expect(await answered(port, '127.0.0.4')).toMatch(/hello$/);
    await many[0]?.ended;
    expect([first, ...many].map(({ isOpen }) => isOpen())).toEqual([true, false, true, true, true, true]);
  });
});
