import { createServer, type RequestListener } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Listeners, openListeners } from './listeners.ts';

const limits = {
  bodyMs: 60_000,
  headersMs: 60_000,
  keepAliveMs: 60_000,
  most: 100,
  mostPerClient: 100,
  requestMs: 60_000,
  sendMs: 60_000,
};

const open: Listeners[] = [];
const sockets: Socket[] = [];

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(open.splice(0).map((listeners) => listeners.close(0)));
});

const echo: RequestListener = (request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => response.end(`${request.method} ${request.url} ${Buffer.concat(chunks)}`));
};

const http2 = createHttp2Server();
http2.on('stream', (stream: ServerHttp2Stream, headers) => {
  stream.respond({ ':status': 200 });
  stream.end(`http2 ${headers[':path']}`);
});

const start = async (changed: Partial<typeof limits> = {}): Promise<number> => {
  const listeners = await openListeners(echo, {
    host: '127.0.0.1',
    primaryPort: 0,
    additionalPorts: [],
    limits: { ...limits, ...changed },
    onUnavailable: () => undefined,
    onRefused: () => undefined,
    onHttp2: (socket) => http2.emit('connection', socket),
  });
  open.push(listeners);
  return listeners.ports[0] as number;
};

/** Everything that comes back until the connection ends, or `until` does. */
const conversation = (port: number): { readonly socket: Socket; readonly ended: Promise<string> } => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  sockets.push(socket);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => undefined);
  return {
    socket,
    ended: new Promise((resolve) => socket.once('close', () => resolve(text)).once('end', () => socket.end())),
  };
};

const overHttp2 = async (port: number, path: string): Promise<string> => {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  try {
    const stream = session.request({ ':path': path });
    let text = '';
    for await (const chunk of stream.setEncoding('utf8')) text += chunk;
    return text;
  } finally {
    session.close();
  }
};

describe('one port for HTTP/1 and HTTP/2', () => {
  it('answers each in its own', async () => {
    const port = await start();
    const answers = await Promise.all(
      Array.from({ length: 40 }, async (_, index) =>
        index % 2 === 0
          ? (
              await fetch(`http://127.0.0.1:${port}/${index}`, { method: 'POST', body: 'x'.repeat(index * 5_000) })
            ).text()
          : overHttp2(port, `/${index}`),
      ),
    );
    expect(answers).toEqual(
      Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0 ? `POST /${index} ${'x'.repeat(index * 5_000)}` : `http2 /${index}`,
      ),
    );
  });

  it('reads requests that come in single bytes, or several at a time, or with the end of the connection', async () => {
    const port = await start();
    const slow = conversation(port);
    for (const byte of 'PUT /slow HTTP/1.1\r\nhost: a\r\ncontent-length: 3\r\nconnection: close\r\n\r\nabc') {
      slow.socket.write(byte);
      await pause(1);
    }
    expect(await slow.ended).toContain('PUT /slow abc');

    const pipelined = conversation(port);
    pipelined.socket.end(
      'GET /first HTTP/1.1\r\nhost: a\r\n\r\nGET /second HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n',
    );
    expect(await pipelined.ended).toMatch(/GET \/first[\s\S]*GET \/second/);

    const old = conversation(port);
    old.socket.end('GET /old HTTP/1.0\r\n\r\n');
    expect(await old.ended).toContain('GET /old');
  });

  it('reads a preface that comes in single bytes', async () => {
    const port = await start();
    const { socket, ended } = conversation(port);
    // The preface, and an empty SETTINGS frame, which is acknowledged.
    const bytes = Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1'),
      Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
    ]);
    for (const byte of bytes) {
      socket.write(Buffer.from([byte]));
      await pause(1);
    }
    await pause(200);
    socket.destroy();
    expect(await ended).toContain('\0\0\0\x04\x01\0\0\0\0');
  });

  it('refuses what is neither, as HTTP/1', async () => {
    const port = await start();
    const { socket, ended } = conversation(port);
    socket.write('PRX\r\n\r\n');
    expect(await ended).toContain('400 Bad Request');
  });

  it('lets no connection wait for its first bytes forever', async () => {
    const port = await start({ headersMs: 200 });
    const silent = conversation(port);
    const half = conversation(port);
    half.socket.write('PR');
    expect(await Promise.all([silent.ended, half.ended])).toEqual(['', '']);
    expect(await (await fetch(`http://127.0.0.1:${port}/after`)).text()).toBe('GET /after ');
  });

  it('counts no connection of HTTP/2 among those of HTTP/1', async () => {
    const port = await start({ most: 2, mostPerClient: 2 });
    const sessions = Array.from({ length: 5 }, () => connectHttp2(`http://127.0.0.1:${port}`));
    for (const session of sessions) await new Promise((resolve) => session.once('remoteSettings', resolve));
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('GET / ');
    expect(sessions.every((session) => !session.destroyed)).toBe(true);
    for (const session of sessions) session.destroy();
  });

  it('stops while connections say nothing', async () => {
    const port = await start();
    const silent = conversation(port);
    await new Promise((resolve) => silent.socket.once('connect', resolve));
    await open.pop()?.close(5_000);
    expect(await silent.ended).toBe('');
  });

  it('leaves servers as they are where nobody takes HTTP/2', () => {
    expect(createServer().listeners('connection')).toHaveLength(1);
  });
});
