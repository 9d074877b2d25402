import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { type Application, createApplication } from '../../api/http/application.ts';
import { noDatabase } from '../../api/http/testing/application.fixture.ts';
import { loadSettings } from '../../config/load.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { NotWantedError, PieceMaker } from '../workers/piece-stream.ts';
import { type Web3Changes, web3SettingsWith } from '../workers/testing/web3-settings.fixture.ts';
import type { TraceAnswer, TraceTask } from '../workers/trace-task.ts';
import type { TaskOptions } from '../workers/worker-pool.ts';
import { opcodeRoutes } from './opcode-routes.ts';

const open: Application[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ fastify }) => fastify.close()));
});

const { hiero } = loadSettings({ cwd: '/', env: {}, files: [], readFile: () => undefined }).settings;

type MakeTrace = (pieces: PieceMaker, task: TraceTask) => Promise<TraceAnswer>;

const traceOf = (text: string) => async (pieces: PieceMaker) => {
  await pieces.write(text);
  await pieces.end();
  return { kind: 'traced' } as const;
};

const HASH = 'ab'.repeat(32);
const pathOf = (reference: string): string => `/api/v1/contracts/results/${reference}/opcodes`;
const gzip = { 'accept-encoding': 'gzip' };

const serverOf = (make: MakeTrace = traceOf('{}'), changes: Web3Changes = {}) => {
  const tasks: TraceTask[] = [];
  const options: TaskOptions[] = [];
  const errors: unknown[] = [];
  let now = 0;
  const application = createApplication({
    routes: opcodeRoutes({
      settings: web3SettingsWith(changes),
      threads: {
        run: async (task, given = {}) => {
          tasks.push(task);
          options.push(given);
          const pieces = new PieceMaker(task.port, performance.now() + 30_000);
          try {
            return await make(pieces, task);
          } finally {
            pieces.close();
          }
        },
      },
      now: () => now,
    }),
    db: noDatabase,
    settings: hiero.mirror.rest,
    javaSettings: hiero.mirror.restJava,
    shard: 0n,
    realm: 0n,
    clock: () => 0n,
    log: { error: (details) => errors.push(details), debug: () => undefined },
  });
  open.push(application);
  const ask = async (target: string, headers: Readonly<Record<string, string>> = gzip) => {
    now += 1_000;
    const { statusCode, headers: answered, rawPayload } = await application.fastify.inject({ url: target, headers });
    const body = answered['content-encoding'] === 'gzip' ? gunzipSync(rawPayload) : rawPayload;
    return { status: statusCode, headers: answered, body: body.toString() };
  };
  return { application, ask, tasks, options, errors, pass: (milliseconds: number) => (now += milliseconds) };
};

const problem = (message: string, detail = ''): string =>
  JSON.stringify({ _status: { messages: [{ message, detail, data: '' }] } });

describe('a trace', () => {
  it('goes out compressed, of any length', async () => {
    const text = JSON.stringify(Array.from({ length: 50_000 }, (_, index) => index));
    const { ask, options } = serverOf(traceOf(text));
    const { status, headers, body } = await ask(pathOf(HASH));
    expect([status, body]).toEqual([200, text]);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'content-encoding': 'gzip',
      'access-control-allow-origin': '*',
    });
    expect([headers.etag, headers['content-length']]).toEqual([undefined, undefined]);
    expect(options).toEqual([{ client: '127.0.0.1', isTrace: true, timeoutMs: 60_000, transfer: [expect.anything()] }]);
  });

  it('is made of several pieces', async () => {
    const piece = '"'.padEnd(100_000, 'x');
    const { ask } = serverOf(async (pieces) => {
      for (let i = 0; i < 20; i++) await pieces.write(piece);
      await pieces.end();
      return { kind: 'traced' };
    });
    expect((await ask(pathOf(HASH))).body).toBe(piece.repeat(20));
  });

  it('stays as it is where 64-bit integers are wanted as strings', async () => {
    const { ask } = serverOf(traceOf('{"gas":1}'));
    const { status, headers, body } = await ask(pathOf(HASH), { ...gzip, accept: 'application/json; int64=string' });
    expect([status, headers['content-type'], body]).toEqual([200, 'application/json', '{"gas":1}']);
  });

  it.each([
    [HASH, { kind: 'hash', hash: new Uint8Array(32).fill(0xab) }],
    [`0x${HASH.toUpperCase()}`, { kind: 'hash', hash: new Uint8Array(32).fill(0xab) }],
    ['0.0.1001-1700000000-5', { kind: 'transaction-id', payerId: 1001n, validStart: 1_700_000_000_000_000_005n }],
  ])('is of what is asked for: %s', async (reference, expected) => {
    const { ask, tasks } = serverOf();
    expect((await ask(pathOf(reference))).status).toBe(200);
    expect(tasks.map((task) => task.reference)).toEqual([expected]);
  });

  it.each([
    ['', [true, false, false]],
    ['?stack=false&memory=true&storage=TRUE', [false, true, true]],
    ['?stack=0&memory=1&storage=yes', [false, true, true]],
    ['?stack=off&memory=on&storage=no', [false, true, false]],
    ['?stack=&memory=&storage=', [true, false, false]],
    ['?memory=false&memory=true&other=x', [true, true, false]],
  ])('shows what the query asks for: "%s"', async (query, expected) => {
    const { ask, tasks } = serverOf();
    expect((await ask(`${pathOf(HASH)}${query}`)).status).toBe(200);
    expect(tasks.map(({ stack, memory, storage }) => [stack, memory, storage])).toEqual([expected]);
  });

  it.each(['gzip', 'GZIP', 'deflate, gzip;q=0.5', 'x-gzip'])('is compressed for who takes %s', async (accepted) => {
    const { status, headers, body } = await serverOf().ask(pathOf(HASH), { 'accept-encoding': accepted });
    expect([status, headers['content-encoding'], body]).toEqual([200, 'gzip', '{}']);
  });

  it.each([{}, { 'accept-encoding': 'identity' }, { 'accept-encoding': '' }])(
    'is plain for a plain client: %j',
    async (asked) => {
      const { status, headers, body } = await serverOf().ask(pathOf(HASH), asked as Record<string, string>);
      expect([status, headers['content-encoding'], body]).toEqual([200, undefined, '{}']);
    },
  );
});

describe('a refusal', () => {
  it.each(['x', HASH.slice(2), `${HASH}00`, '0.0.1001@1700000000.5', '0.0.1001-1700000000-1234567890', '0.0.1001'])(
    'of what is neither id nor hash: %s',
    async (reference) => {
      const { ask, tasks } = serverOf();
      const { status, headers, body } = await ask(pathOf(reference));
      expect([status, body]).toEqual([400, problem('Bad Request', `Unsupported ID format: '${reference}'`)]);
      expect([headers['content-type'], tasks]).toEqual(['application/json', []]);
    },
  );

  it.each(['stack', 'memory', 'storage'])('of a flag that is none: %s', async (name) => {
    const { status, body } = await serverOf().ask(`${pathOf(HASH)}?${name}=2`);
    expect([status, body]).toEqual([400, problem('Bad Request', `Failed to convert '${name}' with value: '2'`)]);
  });

  it('of all, where traces are not served', async () => {
    const { ask, tasks } = serverOf(traceOf('{}'), { opcode: { tracer: { enabled: false } } });
    const { status, body } = await ask('/api/v1/contracts/results/x/opcodes', {});
    expect([status, body, tasks]).toEqual([404, problem('Not Found'), []]);
  });

  it('of more than so many in a second', async () => {
    const { application, pass } = serverOf(traceOf('{}'), { throttle: { opcodeRequestsPerSecond: 2 } });
    const status = async () => (await application.fastify.inject({ url: pathOf(HASH), headers: gzip })).statusCode;
    expect([await status(), await status()]).toEqual([200, 200]);
    const refused = await application.fastify.inject({ url: pathOf(HASH), headers: gzip });
    expect([refused.statusCode, refused.body]).toEqual([
      429,
      problem('Too Many Requests', 'Requests per second rate limit exceeded'),
    ]);
    expect(refused.headers['retry-after']).toBe('1');
    pass(499);
    expect(await status()).toBe(429);
    pass(1);
    expect([await status(), await status()]).toEqual([200, 429]);
  });

  it('counts neither what is not there nor what is none', async () => {
    let isThere = false;
    const { application } = serverOf(
      async (pieces) => (isThere ? traceOf('{}')(pieces) : { kind: 'not-found', message: 'Transaction not found: x' }),
      { throttle: { opcodeRequestsPerSecond: 1 } },
    );
    const status = async (target: string) => (await application.fastify.inject(target)).statusCode;
    const absent = await Promise.all([pathOf('x'), `${pathOf(HASH)}?stack=2`].map(status));
    expect(absent).toEqual([400, 400]);
    expect([await status(pathOf(HASH)), await status(pathOf(HASH))]).toEqual([404, 404]);
    isThere = true;
    expect([await status(pathOf(HASH)), await status(pathOf(HASH))]).toEqual([200, 429]);
  });

  it('does not meet a relay that asks for all of a block', async () => {
    const { application } = serverOf();
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => application.fastify.inject({ url: pathOf(HASH), headers: gzip })),
    );
    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  });

  it.each([
    [{ kind: 'not-found', message: 'Transaction not found: x' }, 404, problem('Not Found', 'Transaction not found: x')],
    [{ kind: 'not-executed', status: 'PAYER_ACCOUNT_NOT_FOUND' }, 400, problem('PAYER_ACCOUNT_NOT_FOUND')],
  ] as const)('of a trace that there is not: %#', async (answer, expectedStatus, expectedBody) => {
    const { ask } = serverOf(async () => answer);
    const { status, body } = await ask(pathOf(HASH));
    expect([status, body]).toEqual([expectedStatus, expectedBody]);
  });

  it.each([
    ['SIMULATION_TIMEOUT', undefined],
    ['SIMULATION_BUSY', '1'],
    ['SIMULATION_STOPPED', '1'],
  ] as const)('by threads: %s', async (code, retryAfter) => {
    const { ask, errors } = serverOf(() => Promise.reject(new KagamiError(code, 'no')));
    const { status, headers, body } = await ask(pathOf(HASH));
    expect([status, body]).toEqual([503, problem('Service Unavailable')]);
    expect([headers['retry-after'], errors]).toEqual([retryAfter, []]);
  });

  it('of another method', async () => {
    const { application } = serverOf();
    const { statusCode, headers } = await application.fastify.inject({ method: 'POST', url: pathOf(HASH) });
    expect([statusCode, headers.allow]).toEqual([405, 'GET, HEAD']);
  });
});

describe('a client', () => {
  const listening = async (make: MakeTrace) => {
    const { application } = serverOf(make);
    await application.fastify.listen({ host: '127.0.0.1', port: 0 });
    const { port } = application.fastify.server.address() as AddressInfo;
    return get({ host: '127.0.0.1', port, path: pathOf(HASH), headers: gzip });
  };
  const unlikeAnyOther = (): string =>
    Array.from({ length: 10_000 }, () => Math.random().toString(36).slice(2)).join('');

  it('sees a trace that breaks off as broken', async () => {
    const request = await listening(async (pieces) => {
      for (let i = 0; i < 5; i++) await pieces.write(unlikeAnyOther());
      throw new KagamiError('SIMULATION_TIMEOUT', 'too long');
    });
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect(response.statusCode).toBe(200);
    const failure = once(response, 'end');
    response.resume();
    await expect(failure).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  const endOf = () => {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const make: MakeTrace = async (pieces) => {
      try {
        for (;;) await pieces.write(unlikeAnyOther());
      } catch (error) {
        resolve(error);
        throw error;
      }
    };
    return { promise, make };
  };

  it('who goes ends the trace', async () => {
    const { promise, make } = endOf();
    const request = await listening(make);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    await once(response, 'data');
    response.destroy();
    expect(await promise).toBeInstanceOf(NotWantedError);
  });

  it('who goes before the trace begins ends it, too', async () => {
    const { promise, make } = endOf();
    const begun = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    const request = await listening(async (pieces, task) => {
      begun.resolve();
      await gone.promise;
      return make(pieces, task);
    });
    request.on('error', () => undefined);
    const [application] = open;
    application?.fastify.server.on('connection', (socket) => socket.once('close', () => gone.resolve()));
    await begun.promise;
    request.destroy();
    expect(await promise).toBeInstanceOf(NotWantedError);
  });
});
