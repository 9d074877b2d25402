/** What the server does with connections and calls, seen by a client that knows frames only. */
import { once } from 'node:events';
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { CallFailure, GrpcStatus } from './call-failure.ts';
import { frameOf, framesOf, MessageReader } from './length-prefixed.ts';
import { createNativeServer, type NativeServer, type NativeServerLimits } from './native-server.ts';

const MAX_REQUEST_BYTES = 1_024;

const limits: NativeServerLimits = {
  maxConnections: 10,
  maxConnectionsPerClient: 0,
  firstBytesTimeout: 5_000,
  callsPerConnection: 5,
  maxRequestBytes: MAX_REQUEST_BYTES,
  keepaliveTime: 60_000,
  keepaliveTimeout: 5_000,
  permittedKeepaliveTime: 60_000,
  maxConnectionIdle: 0,
  shutdownTimeout: 300,
};

const open: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

interface Served {
  readonly server: NativeServer;
  readonly port: number;
  readonly session: ClientHttp2Session;
  readonly logged: readonly object[];
}

const serve = async (special: Partial<NativeServerLimits> = {}): Promise<Served> => {
  const logged: object[] = [];
  const server = createNativeServer({
    streaming: [
      {
        service: 'test.Streaming',
        name: 'Repeat',
        // As often as its first byte says.
        async *serve(request) {
          for (let count = 0; count < (request[0] ?? 0); count++) yield frameOf(request);
        },
      },
      {
        service: 'test.Streaming',
        name: 'Silent',
        async *serve(_request, signal) {
          yield frameOf(Uint8Array.of(7));
          await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        },
      },
      {
        service: 'test.Streaming',
        name: 'Fails',
        // biome-ignore lint/correctness/useYield: it fails first
        async *serve(request) {
          if (request[0] === 1) throw new Error('a secret');
          throw new CallFailure(GrpcStatus.NOT_FOUND, 'no é, 100 %\n');
        },
      },
    ],
    answering: [
      { service: 'test.Answering', name: 'Echo', isConversation: false, answer: (request) => request },
      { service: 'test.Answering', name: 'Talk', isConversation: true, answer: (request) => request },
    ],
    host: '127.0.0.1',
    port: 0,
    portSetting: 'test.port',
    limits: { ...limits, ...special },
    log: { warn: (details) => logged.push(details) },
  });
  const port = await server.open();
  const session = connect(`http://127.0.0.1:${port}`).on('error', () => undefined);
  open.push(
    () => server.stop(),
    () => session.destroy(),
  );
  await once(session, 'connect');
  return { server, port, session, logged };
};

const begin = ({ session }: Served, method: string, headers: OutgoingHttpHeaders = {}): ClientHttp2Stream =>
  session
    .request(
      {
        ':method': 'POST',
        ':path': `/test.${method}`,
        'content-type': 'application/grpc',
        te: 'trailers',
        ...headers,
      },
      { endStream: false },
    )
    .on('error', () => undefined);

interface Answer {
  readonly httpStatus: number | undefined;
  readonly status: string | undefined;
  readonly description: string | undefined;
  readonly messages: readonly number[][];
}

/** What comes of a call until it ends. */
const answerOf = async (stream: ClientHttp2Stream): Promise<Answer> => {
  let head: IncomingHttpHeaders & IncomingHttpStatusHeader = {};
  let trailers: IncomingHttpHeaders = {};
  const reader = new MessageReader(1_000_000);
  const messages: number[][] = [];
  stream.on('response', (headers) => {
    head = headers;
  });
  stream.on('trailers', (headers) => {
    trailers = headers;
  });
  stream.on('data', (chunk: Buffer) => messages.push(...reader.read(chunk).map((message) => [...message])));
  await once(stream, 'close');
  const all: Readonly<Record<string, unknown>> = { ...head, ...trailers };
  return {
    httpStatus: head[':status'],
    status: all['grpc-status'] as string | undefined,
    description: all['grpc-message'] as string | undefined,
    messages,
  };
};

const ask = (served: Served, method: string, body: Uint8Array, headers?: OutgoingHttpHeaders): Promise<Answer> => {
  const stream = begin(served, method, headers);
  stream.end(body);
  return answerOf(stream);
};

describe('a call', () => {
  it('gets its messages and the status after them', async () => {
    const served = await serve();
    expect(await ask(served, 'Streaming/Repeat', frameOf(Uint8Array.of(2, 9)))).toEqual({
      httpStatus: 200,
      status: '0',
      description: undefined,
      messages: [
        [2, 9],
        [2, 9],
      ],
    });
    expect(await ask(served, 'Answering/Echo', frameOf(Uint8Array.of(5)))).toMatchObject({
      status: '0',
      messages: [[5]],
    });
  });

  it('may come byte by byte', async () => {
    const served = await serve();
    const stream = begin(served, 'Answering/Echo');
    const answer = answerOf(stream);
    for (const byte of frameOf(Uint8Array.of(1, 2, 3))) stream.write(Uint8Array.of(byte));
    stream.end();
    expect(await answer).toMatchObject({ status: '0', messages: [[1, 2, 3]] });
  });

  it('ends with the status of its failure, and says nothing of other errors but to the log', async () => {
    const served = await serve();
    expect(await ask(served, 'Streaming/Fails', frameOf(Uint8Array.of(0)))).toEqual({
      httpStatus: 200,
      status: '5',
      description: 'no %C3%A9, 100 %25%0A',
      messages: [],
    });
    expect(await ask(served, 'Streaming/Fails', frameOf(Uint8Array.of(1)))).toMatchObject({
      status: '2',
      description: 'Unknown error',
    });
    expect(served.logged).toMatchObject([{ err: { message: 'a secret' }, method: '/test.Streaming/Fails' }]);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ])('may be compressed: %s', async (encoding, compress) => {
    const served = await serve();
    const body = frameOf(compress(Uint8Array.of(4, 2)), 1);
    const headers = { 'grpc-encoding': encoding };
    expect(await ask(served, 'Answering/Echo', body, headers)).toMatchObject({ status: '0', messages: [[4, 2]] });
  });

  it.each([
    ['a method that is not there', 'Streaming/Nothing', frameOf(Uint8Array.of(1)), {}, '12'],
    ['no message', 'Answering/Echo', Buffer.alloc(0), {}, '13'],
    ['two messages', 'Answering/Echo', framesOf([Uint8Array.of(1), Uint8Array.of(2)]), {}, '13'],
    ['half of a message', 'Answering/Echo', Buffer.from([0, 0, 0, 0, 9, 1]), {}, '13'],
    ['compression without a name', 'Answering/Echo', frameOf(Uint8Array.of(1), 1), {}, '13'],
    ['an unknown compression', 'Answering/Echo', frameOf(Uint8Array.of(1), 1), { 'grpc-encoding': 'br' }, '12'],
    ['what is not compressed', 'Answering/Echo', frameOf(Uint8Array.of(1), 1), { 'grpc-encoding': 'gzip' }, '13'],
    ['a bomb', 'Answering/Echo', frameOf(gzipSync(Buffer.alloc(1_000_000)), 1), { 'grpc-encoding': 'gzip' }, '8'],
    ['a timeout that is none', 'Answering/Echo', frameOf(Uint8Array.of(1)), { 'grpc-timeout': '1 day' }, '13'],
  ])('is refused with %s', async (_name, method, body, headers, status) => {
    expect(await ask(await serve(), method, body, headers)).toMatchObject({ httpStatus: 200, status, messages: [] });
  });

  it('is refused as soon as its length is known to be too large', async () => {
    const stream = begin(await serve(), 'Answering/Echo');
    const answer = answerOf(stream);
    stream.write(Buffer.from([0, 0, 0, 4, 1]));
    expect(await answer).toMatchObject({
      status: '8',
      description: 'Received message larger than max (1025 vs 1024)',
    });
  });

  it('ends at its deadline', async () => {
    const answer = await ask(await serve(), 'Streaming/Silent', frameOf(Uint8Array.of(1)), { 'grpc-timeout': '50m' });
    expect(answer).toMatchObject({ status: '4', description: 'Deadline exceeded', messages: [[7]] });
  });

  it('ends with UNAVAILABLE when the server stops', async () => {
    const served = await serve();
    const stream = begin(served, 'Streaming/Silent');
    stream.end(frameOf(Uint8Array.of(1)));
    const answer = answerOf(stream);
    await once(stream, 'data');
    await served.server.stop();
    expect(await answer).toMatchObject({ status: '14', description: 'The server is shutting down' });
  });

  it('may be a conversation', async () => {
    const stream = begin(await serve(), 'Answering/Talk');
    const answer = answerOf(stream);
    stream.write(frameOf(Uint8Array.of(1)));
    await once(stream, 'data');
    stream.end(framesOf([Uint8Array.of(2), Uint8Array.of(3)]));
    expect(await answer).toMatchObject({ status: '0', messages: [[1], [2], [3]] });
  });
});

describe('what is no call', () => {
  it.each([
    ['another method of HTTP', { ':method': 'GET' }, 405],
    ['another type of content', { 'content-type': 'application/json' }, 415],
    ['gRPC-Web', { 'content-type': 'application/grpc-web+proto' }, 415],
  ])('is answered with a status of HTTP: %s', async (_name, headers, httpStatus) => {
    expect(await ask(await serve(), 'Answering/Echo', Buffer.alloc(0), headers)).toMatchObject({
      httpStatus,
      status: undefined,
    });
  });
});

describe('a connection', () => {
  const goneAway = (session: ClientHttp2Session): Promise<{ code: number; text: string }> =>
    new Promise((resolve) => {
      session.once('goaway', (code, _lastStream, data) => resolve({ code, text: Buffer.from(data ?? []).toString() }));
    });

  const closed = (session: ClientHttp2Session): Promise<unknown> =>
    new Promise((resolve) => session.once('close', resolve));

  const ping = (session: ClientHttp2Session): Promise<unknown> =>
    new Promise((resolve) => {
      session.ping((fault) => resolve(fault));
    });

  it('is cut when its client pings too often', async () => {
    const { session } = await serve();
    const told = goneAway(session);
    const cut = closed(session);
    // One is welcome, two more are forgiven.
    for (let count = 0; count < 3; count++) expect(await ping(session)).toBeNull();
    session.ping(() => undefined);
    expect(await told).toEqual({ code: constants.NGHTTP2_ENHANCE_YOUR_CALM, text: 'too_many_pings' });
    await cut;
  });

  it('may ping as often as something comes', async () => {
    const served = await serve();
    for (let count = 0; count < 20; count++) {
      await ask(served, 'Answering/Echo', frameOf(Uint8Array.of(1)));
      expect(await ping(served.session)).toBeNull();
    }
  });

  it('may ping as often as is permitted', async () => {
    const { session } = await serve({ permittedKeepaliveTime: 20 });
    for (let count = 0; count < 10; count++) {
      await pause(25);
      expect(await ping(session)).toBeNull();
    }
  });

  it('ends when there is no call on it for long', async () => {
    const served = await serve({ maxConnectionIdle: 300 });
    const stream = begin(served, 'Streaming/Silent');
    stream.end(frameOf(Uint8Array.of(1)));
    await pause(700);
    expect(served.session.closed).toBe(false);
    const told = goneAway(served.session);
    stream.close(constants.NGHTTP2_CANCEL);
    expect((await told).code).toBe(constants.NGHTTP2_NO_ERROR);
    await closed(served.session);
  });

  it.each([
    [100, 100],
    [50, 300],
    [20, 5],
  ])(
    'ends when its client does not answer pings: every %i ms, within %i ms',
    async (keepaliveTime, keepaliveTimeout) => {
      const { port } = await serve({ keepaliveTime, keepaliveTimeout });
      const socket = connectSocket(port, '127.0.0.1').on('error', () => undefined);
      open.push(() => socket.destroy());
      // The preface and an empty SETTINGS frame.
      socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
      socket.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
      await once(socket.resume(), 'close');
    },
  );

  it('stays while its client answers them', async () => {
    const served = await serve({ keepaliveTime: 50, keepaliveTimeout: 200 });
    await pause(1_000);
    expect(await ask(served, 'Answering/Echo', frameOf(Uint8Array.of(1)))).toMatchObject({ status: '0' });
  });
});
