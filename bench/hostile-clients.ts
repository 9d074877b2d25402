/**
 * `npm run bench hostile-clients`: what a server of gRPC and Rosetta keeps of clients that do not read, connections whose
 * client is gone without a word, and wrong requests. Memory is that of the server's process, after a collection of garbage:
 * before, while they are there, and after.
 *
 * Options: --subscribers N that never read (1000), --connections N whose client is gone (500), --requests N of each
 * interface (10000)
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { ConsensusTopicQuery } from '../src/protobuf/generated/mirror/consensus_service.ts';
import { count, describeMachine, numberOption, printTable } from './figures.ts';
import { framed, freePort } from './grpc-client.ts';
import { withScratch } from './scratch.ts';
import type { MemoryFigures } from './server-memory.ts';

const TOPIC = 1_001n;
const MESSAGES = 50_000;
const MESSAGE_BYTES = 1_000;
/** From the last request, or the end of the clients, to the measurement. */
const SETTLE_MS = 3_000;
const CALLS_OF_SESSION = 50;
const PARALLEL = 32;
const KEEPALIVE_MS = 4_000;
const START_MS = 60_000;

const SUBSCRIBE = '/com.hedera.mirror.api.proto.ConsensusService/subscribeTopic';

const command = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const memoryProgram = new URL('./server-memory.ts', import.meta.url).href;

const headersOf = (path: string) => ({
  ':method': 'POST',
  ':path': path,
  'content-type': 'application/grpc',
  te: 'trailers',
});

const subscription = framed(
  ConsensusTopicQuery.encode(
    ConsensusTopicQuery.fromPartial({
      topicID: { shardNum: 0n, realmNum: 0n, topicNum: TOPIC },
      consensusStartTime: { seconds: 0n, nanos: 0 },
    }),
  ).finish(),
);

class MeasuredServer {
  readonly #child: ChildProcess;
  readonly #file: string;

  constructor(child: ChildProcess, file: string) {
    this.#child = child;
    this.#file = file;
  }

  async memory(): Promise<MemoryFigures> {
    await pause(SETTLE_MS);
    rmSync(this.#file, { force: true });
    this.#child.kill('SIGUSR2');
    for (;;) {
      await pause(100);
      try {
        return JSON.parse(readFileSync(this.#file, 'utf8')) as MemoryFigures;
      } catch {
        // Not written yet.
      }
    }
  }
}

const answered = (stream: ClientHttp2Stream): Promise<void> =>
  new Promise((resolve, reject) => {
    stream.once('response', () => resolve());
    stream.once('close', () => reject(new Error('a subscription was cut')));
  });

/** Subscribers of the whole history that never read; gives what ends them. */
const slowSubscribers = async (port: number, total: number): Promise<() => void> => {
  const sessions: ClientHttp2Session[] = [];
  for (let first = 0; first < total; first += CALLS_OF_SESSION) {
    const session = connectHttp2(`http://127.0.0.1:${port}`).on('error', () => undefined);
    sessions.push(session);
    for (let place = first; place < Math.min(total, first + CALLS_OF_SESSION); place++) {
      const stream = session.request(headersOf(SUBSCRIBE)).on('error', () => undefined);
      stream.pause();
      stream.end(subscription);
      if (place === total - 1) await answered(stream);
    }
  }
  return () => {
    for (const session of sessions) session.destroy();
  };
};

/** The begin of a connection, by which a client of HTTP/2 says that it takes what is the default. */
const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from('000000040000000000', 'hex'),
]);

/** Connections that were begun, and on which nothing is ever read or said any more. */
const goneClients = (port: number, total: number): Promise<readonly Socket[]> =>
  Promise.all(
    Array.from({ length: total }, async () => {
      const socket = connect(port, '127.0.0.1');
      socket.pause();
      await once(socket, 'connect');
      socket.write(PREFACE);
      return socket;
    }),
  );

const wrongCalls = [
  { path: SUBSCRIBE, bytes: Buffer.alloc(0) },
  { path: SUBSCRIBE, bytes: framed(Buffer.from('ff'.repeat(50), 'hex')) },
  { path: SUBSCRIBE, bytes: framed(Buffer.alloc(5_000, 1)) },
  { path: SUBSCRIBE, bytes: framed(Buffer.alloc(0)) },
  { path: '/com.hedera.mirror.api.proto.NetworkService/getNodes', bytes: framed(Buffer.from('10ff', 'hex')) },
  { path: '/com.hedera.mirror.api.proto.NetworkService/none', bytes: framed(Buffer.alloc(0)) },
];

const inParallel = async (total: number, ask: (index: number) => Promise<void>): Promise<void> => {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < total) await ask(next++);
  };
  await Promise.all(Array.from({ length: PARALLEL }, work));
};

const askWrongly = async (port: number, total: number): Promise<void> => {
  const sessions = Array.from({ length: PARALLEL }, () => connectHttp2(`http://127.0.0.1:${port}`));
  for (const session of sessions) session.on('error', () => undefined);
  await inParallel(total, async (index) => {
    const { path, bytes } = wrongCalls[index % wrongCalls.length] ?? { path: '', bytes: Buffer.alloc(0) };
    const stream = (sessions[index % PARALLEL] as ClientHttp2Session).request(headersOf(path));
    stream.on('error', () => undefined).resume();
    stream.end(bytes);
    await new Promise((resolve) => stream.once('close', resolve));
  });
  for (const session of sessions) session.destroy();
};

const wrongBodies = [
  { path: '/network/status', body: '{"network_identifier":' },
  { path: '/block', body: '[]' },
  { path: '/block', body: '{"network_identifier":{"blockchain":"x","network":"y"}}' },
  { path: '/construction/parse', body: `{"transaction":"0x${'0a'.repeat(5_000)}"}` },
  { path: '/construction/payloads', body: `${'['.repeat(20_000)}${']'.repeat(20_000)}` },
  { path: '/nothing', body: 'x' },
];

const askRosettaWrongly = async (port: number, total: number): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: PARALLEL });
  await inParallel(total, async (index) => {
    const { path, body } = wrongBodies[index % wrongBodies.length] ?? { path: '/', body: '' };
    await new Promise<void>((resolve) => {
      request({ agent, host: '127.0.0.1', port, method: 'POST', path }, (response) => {
        response.resume().once('close', () => resolve());
      })
        .once('error', () => resolve())
        .end(body);
    });
  });
  agent.destroy();
};

const fill = async (connectionString: string): Promise<void> => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(
    `insert into entity (id, num, realm, shard, type, timestamp_range, created_timestamp)
      values ($1::bigint, $1, 0, 0, 'TOPIC', '[1,)', 1)`,
    [TOPIC],
  );
  await client.query(
    `insert into topic_message (consensus_timestamp, message, running_hash, running_hash_version, sequence_number, topic_id)
      select n, decode(repeat('ab', $3), 'hex'), '\\x01', 3, n, $1 from generate_series(1, $2::int) n`,
    [TOPIC, MESSAGES, MESSAGE_BYTES],
  );
  await client.query(
    `insert into record_file (consensus_start, consensus_end, "count", digest_algorithm, file_hash, hash, index, load_end,
        load_start, name, prev_hash, version)
      values (1, $1, 1, 0, '', '1', 1, 1, 1, '1', '', 6)`,
    [MESSAGES],
  );
  await client.end();
};

const isServed = async (port: number): Promise<boolean> => {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  try {
    await once(session, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    session.destroy();
  }
};

export const run = (args: readonly string[]): Promise<void> =>
  withScratch(async ({ folder, server, newDatabase }) => {
    const subscribers = numberOption(args, 'subscribers', 1_000);
    const connections = numberOption(args, 'connections', 500);
    const requests = numberOption(args, 'requests', 10_000);
    const { writer } = await newDatabase('hostile');
    await fill(writer);
    const [grpcPort, rosettaPort] = [await freePort(), await freePort()];
    const file = join(folder, 'memory.json');
    const set = (name: string, value: string | number) => ['--set', `${name}=${value}`];
    const child = spawn(
      process.execPath,
      [
        ...['--expose-gc', '--import', memoryProgram, command, 'start', '--database', writer, '--data', folder],
        ...['--port', '0', '--log-level', 'error', '--roles', 'grpc,rosetta', '--no-simulator'],
        ...set('hiero.mirror.grpc.port', grpcPort),
        ...set('hiero.mirror.rosetta.port', rosettaPort),
        ...set('hiero.mirror.grpc.netty.maxConcurrentCallsPerConnection', CALLS_OF_SESSION),
        ...set('kagami.grpc.keepaliveTime', `${KEEPALIVE_MS}ms`),
        ...set('kagami.grpc.keepaliveTimeout', `${KEEPALIVE_MS}ms`),
      ],
      { cwd: folder, env: { ...process.env, SERVER_MEMORY: file }, stdio: ['ignore', 'ignore', 'inherit'] },
    );
    const ended = once(child, 'exit');
    try {
      const deadline = performance.now() + START_MS;
      while (!(await isServed(grpcPort))) {
        if (performance.now() > deadline) throw new Error(`the server did not start within ${START_MS} ms`);
        await pause(200);
      }
      const measured = new MeasuredServer(child, file);
      // Code is compiled, and pools have grown.
      await askWrongly(grpcPort, requests / 10);
      await askRosettaWrongly(rosettaPort, requests / 10);
      (await slowSubscribers(grpcPort, 10))();
      const rows: string[][] = [];
      const note = (what: string, { heap, external, resident }: MemoryFigures): void => {
        rows.push([what, heap.toFixed(1), external.toFixed(1), resident.toFixed(0)]);
      };
      note('before', await measured.memory());
      const end = await slowSubscribers(grpcPort, subscribers);
      note(`with ${count(subscribers)} subscribers that never read`, await measured.memory());
      end();
      note('after them', await measured.memory());
      const sockets = await goneClients(grpcPort, connections);
      await pause(2 * KEEPALIVE_MS);
      note(`${count(connections)} connections whose client is gone, cut`, await measured.memory());
      for (const socket of sockets) socket.destroy();
      await askWrongly(grpcPort, requests);
      note(`after ${count(requests)} wrong calls of gRPC`, await measured.memory());
      await askRosettaWrongly(rosettaPort, requests);
      note(`after ${count(requests)} wrong requests of Rosetta`, await measured.memory());
      console.log(describeMachine(server.version));
      console.log(`MiB of the server, after a collection of garbage\n`);
      printTable(['when', 'heap', 'outside of the heap', 'resident'], rows);
    } finally {
      child.kill();
      await ended;
    }
  });
