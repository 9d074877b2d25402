import { brotliDecompressSync } from 'node:zlib';
import { Registry } from 'prom-client';
import { afterEach, describe, expect, it } from 'vitest';
import { type Application, createApplication } from '../../api/http/application.ts';
import { noDatabase } from '../../api/http/testing/application.fixture.ts';
import { loadSettings } from '../../config/load.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { CallAnswer, CallTask } from '../workers/simulation-task.ts';
import { type Web3Changes, web3SettingsWith } from '../workers/testing/web3-settings.fixture.ts';
import type { TaskOptions } from '../workers/worker-pool.ts';
import { createCallMetrics } from './call-metrics.ts';
import { callRoutes } from './call-route.ts';
import { createContractCalls } from './contract-calls.ts';
import { ALICE, CONTRACT } from './testing/call-bodies.fixture.ts';

const open: Application[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map(({ fastify }) => fastify.close()));
});

type Simulated = (task: CallTask, options: TaskOptions) => CallAnswer | Promise<CallAnswer>;

const measured = { gasUsed: 21_100n, runs: 1, blockTime: undefined };
const result = (output: readonly number[] = []): CallAnswer => ({
  kind: 'result',
  output: new Uint8Array(output),
  ...measured,
});

const serverOf = (simulated: Simulated, changes: Web3Changes = {}) => {
  const registry = new Registry();
  const logged: object[] = [];
  const calls = createContractCalls({
    settings: web3SettingsWith(changes),
    threads: { run: async (task, options = {}) => simulated(task, options) },
    metrics: createCallMetrics(registry, () => ({ threads: 2, running: 1, waiting: 3, lost: 4 })),
    log: { info: (details) => logged.push(details) },
    now: () => 0,
    random: () => 0,
  });
  const { hiero } = loadSettings({ cwd: '/', env: {}, files: [], readFile: () => undefined }).settings;
  const application = createApplication({
    routes: callRoutes(calls),
    db: noDatabase,
    settings: hiero.mirror.rest,
    javaSettings: hiero.mirror.restJava,
    shard: 0n,
    realm: 0n,
    clock: () => 0n,
    log: { error: () => undefined, debug: () => undefined },
  });
  open.push(application);
  const url = '/api/v1/contracts/call';
  const post = async (body: object | string, contentType = 'application/json') => {
    const payload = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await application.fastify.inject({
      method: 'POST',
      url,
      headers: { 'content-type': contentType },
      payload,
    });
    return { status: response.statusCode, headers: response.headers, body: response.body };
  };
  return { application, post, registry, logged, url };
};

const problem = (...messages: (readonly [message: string, detail?: string, data?: string])[]) =>
  JSON.stringify({
    _status: { messages: messages.map(([message, detail = '', data = '']) => ({ message, detail, data })) },
  });

describe('an answer', () => {
  it('is the output in hex', async () => {
    const { post } = serverOf(() => result([0, 0xab]));
    const { status, headers, body } = await post({ to: CONTRACT, data: '0x01' });
    expect([status, body]).toEqual([200, '{"result":"0x00ab"}']);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect([headers.etag, headers['cache-control']]).toEqual([undefined, undefined]);
  });

  it('is 0x without output', async () => {
    expect((await serverOf(() => result()).post({})).body).toBe('{"result":"0x"}');
  });

  it('is 8 bytes of gas for an estimate', async () => {
    const { post } = serverOf(() => ({ kind: 'estimate', gas: 21_000n, ...measured }));
    expect((await post({ estimate: true })).body).toBe('{"result":"0x0000000000005208"}');
  });

  it('is compressed when it is long', async () => {
    const { application, url } = serverOf(() => result(Array.from({ length: 5000 }, () => 0x11)));
    const { rawPayload, headers } = await application.fastify.inject({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/json', 'accept-encoding': 'br' },
      payload: '{}',
    });
    expect(headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(rawPayload).toString()).toBe(`{"result":"0x${'11'.repeat(5000)}"}`);
  });

  it('is made from the task that the body says', async () => {
    const tasks: CallTask[] = [];
    const { post } = serverOf((task) => {
      tasks.push(task);
      return result();
    });
    await post({ from: ALICE, to: '0x', block: '5' });
    await post({ from: ALICE, to: `0x${'0'.repeat(40)}`, data: '0x60', block: '5', value: 0 });
    expect(tasks).toEqual([
      {
        block: { kind: 'number', number: 5n },
        data: new Uint8Array([0x60]),
        estimate: false,
        from: ALICE,
        to: undefined,
        gas: 15_000_000n,
        isGasGiven: false,
        gasPrice: 0n,
        value: 0n,
        stateOverrides: [],
      },
    ]);
  });
});

describe('a refusal', () => {
  const { post } = { post: (body: object | string, type?: string) => serverOf(() => result()).post(body, type) };

  it('has one message for each fault', async () => {
    const { status, headers, body } = await post({ from: 'x', gas: 1 });
    expect(status).toBe(400);
    expect(headers['content-type']).toBe('application/json');
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(body).toBe(
      problem(
        ['Bad Request', 'from field invalid hexadecimal string'],
        ['Bad Request', 'gas field must be greater than or equal to 21000'],
      ),
    );
  });

  it.each([
    ['{f}', "JSON parse error: Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    ['', 'Required request body is missing'],
    ['{"block":"7f"}', 'JSON parse error: Cannot construct instance of block, problem: Invalid block value: 7f'],
    ['{"data":"0x123"}', 'Odd number of characters.'],
    ['{"gas":15000001}', 'gas field must be less than or equal to 15000000'],
    [`{"state_overrides":[{"address":"${ALICE}"}]}`, '400 BAD_REQUEST "State overrides are not supported."'],
  ])('of %j is 400', async (text, detail) => {
    const { status, body } = await post(text);
    expect([status, body]).toEqual([400, problem(['Bad Request', detail])]);
  });

  it('of a body that is far too long is 413, of one beyond the limit of the document 400', async () => {
    const long = await post(`{"data":"${'0'.repeat(263_200)}"}`);
    expect([long.status, long.body]).toEqual([
      400,
      problem(['Bad Request', 'JSON parse error: Document length (263211) exceeds the maximum allowed (263168)']),
    ]);
    const tooLong = await post(`{"data":"${'0'.repeat(1_100_000)}"}`);
    expect([tooLong.status, tooLong.body]).toEqual([413, problem(['Payload Too Large'])]);
  });

  it('of another content type is 415', async () => {
    const { status, body } = await post('{}', 'text/plain;charset=UTF-8');
    expect([status, body]).toEqual([
      415,
      problem(['Unsupported Media Type', "Content-Type 'text/plain;charset=UTF-8' is not supported"]),
    ]);
    expect((await post('{}', 'application/vnd.api+json; charset=utf-8')).status).toBe(200);
  });

  it.each(['GET', 'PUT', 'PATCH', 'DELETE'] as const)('of the method %s is 405', async (method) => {
    const { application, url } = serverOf(() => result());
    const { statusCode, body, headers } = await application.fastify.inject({ method, url });
    expect([statusCode, body]).toEqual([
      405,
      problem(['Method Not Allowed', `Request method '${method}' is not supported`]),
    ]);
    expect(headers.allow).toBe('POST');
  });

  it('of an unknown block is 400', async () => {
    const { status, body } = await serverOf(() => ({ kind: 'unknown-block' })).post({ block: '0x10' });
    expect([status, body]).toEqual([400, problem(['Bad Request', 'Unknown block number'])]);
  });

  it.each([
    ['SIMULATION_TIMEOUT', 503, 'Service Unavailable', undefined],
    ['SIMULATION_BUSY', 503, 'Service Unavailable', '1'],
    ['SIMULATION_STOPPED', 503, 'Service Unavailable', '1'],
    ['SIMULATION_FAILED', 500, 'Internal Server Error', undefined],
    ['DATABASE_TIMEOUT', 503, 'Service Unavailable', undefined],
    ['DATABASE_UNAVAILABLE', 503, 'Service Unavailable', undefined],
    ['DATABASE_QUERY_FAILED', 500, 'Internal Server Error', undefined],
  ] as const)('for %s is %i without particulars', async (code, status, message, retryAfter) => {
    const refused = await serverOf(() => Promise.reject(new KagamiError(code, 'secret host'))).post({});
    expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([
      status,
      problem([message]),
      retryAfter,
    ]);
  });

  it('names how far a browser may go', async () => {
    const { application, url } = serverOf(() => result());
    const { statusCode, headers } = await application.fastify.inject({ method: 'OPTIONS', url });
    expect(statusCode).toBe(204);
    expect(headers['access-control-allow-methods']).toBe('GET,HEAD,POST');
    expect(headers['access-control-allow-origin']).toBe('*');
  });
});

describe('limits', () => {
  it('are told apart, and invalid requests do not count', async () => {
    const byCount = serverOf(() => result(), { throttle: { requestsPerSecond: 1 } });
    expect((await byCount.post({ gas: 1 })).status).toBe(400);
    expect((await byCount.post({})).status).toBe(200);
    const refused = await byCount.post({});
    expect([refused.status, refused.body, refused.headers['retry-after']]).toEqual([
      429,
      problem(['Too Many Requests', 'Requests per second rate limit exceeded']),
      '1',
    ]);
    const byGas = await serverOf(() => result(), { throttle: { gasPerSecond: 14_000_000n } }).post({});
    expect([byGas.status, byGas.body]).toEqual([
      429,
      problem(['Too Many Requests', 'Gas per second rate limit exceeded.']),
    ]);
  });

  it('are refused before the maximum of gas, whose refusal gives the gas back', async () => {
    const { post } = serverOf(() => result(), { throttle: { gasPerSecond: 16_000_000n } });
    expect((await post({ gas: 17_000_000 })).status).toBe(429);
    expect((await post({ gas: 15_500_000 })).status).toBe(400);
    expect((await post({ gas: 15_000_000, data: '0x1' })).status).toBe(400);
    expect((await post({ gas: 15_000_000 })).status).toBe(200);
  });

  it.each([
    ['a result gives back what it left', () => result(), 200],
    [
      'a failure, too',
      (): CallAnswer => ({
        kind: 'failure',
        status: 'INSUFFICIENT_GAS',
        output: new Uint8Array(),
        executed: true,
        childStatuses: [],
        ...measured,
      }),
      400,
    ],
    ['an unknown block gives back all', (): CallAnswer => ({ kind: 'unknown-block' }), 400],
    ['a fault gives back all', () => Promise.reject(new KagamiError('SIMULATION_FAILED', 'x')), 500],
  ])('of gas: %s', async (_what, simulated, status) => {
    const { post } = serverOf(simulated, { throttle: { gasPerSecond: 15_000_000n } });
    expect((await post({ gas: 15_000_000 })).status).toBe(status);
    expect((await post({ gas: 14_978_900 })).status).toBe(status);
  });

  it('log what a rule chose, shortened', async () => {
    const rule = { action: 'LOG', filters: [], limit: 1n, location: '', rate: 100 } as const;
    const { post, logged } = serverOf(() => result(), { maxPayloadLogSize: 40, throttle: { request: [rule] } });
    await post({ data: '0x01', gas: 21_000 });
    expect(logged).toEqual([{ request: '{"block":"latest","data":"0x01","from":"' }]);
  });
});

describe('a failed run', () => {
  const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex, 'hex'));
  const reasoned = `08c379a0${'20'.padStart(64, '0')}${'5'.padStart(64, '0')}${Buffer.from('Hello').toString('hex').padEnd(64, '0')}`;

  const failed = async (failure: Partial<Extract<CallAnswer, { readonly kind: 'failure' }>>) => {
    const { status, body } = await serverOf(() => ({
      kind: 'failure',
      status: 'CONTRACT_REVERT_EXECUTED',
      output: new Uint8Array(),
      executed: true,
      childStatuses: [],
      ...measured,
      ...failure,
    })).post({ to: CONTRACT });
    return [status, body];
  };

  it.each([
    [
      'revert with a text',
      { output: bytes(reasoned) },
      [400, problem(['CONTRACT_REVERT_EXECUTED', 'Hello', `0x${reasoned}`])],
    ],
    [
      'panic',
      { output: bytes(`4e487b71${'11'.padStart(64, '0')}`) },
      [400, problem(['CONTRACT_REVERT_EXECUTED', '', `0x4e487b71${'11'.padStart(64, '0')}`])],
    ],
    ['custom error', { output: bytes('12345678') }, [400, problem(['CONTRACT_REVERT_EXECUTED', '', '0x12345678'])]],
    ['bare revert', {}, [400, problem(['CONTRACT_REVERT_EXECUTED', '', '0x'])]],
    [
      'revert with a text cut short',
      { output: bytes(reasoned.slice(0, -64)) },
      [400, problem(['CONTRACT_REVERT_EXECUTED', '', `0x${reasoned.slice(0, -64)}`])],
    ],
    [
      'exception',
      { status: 'CONTRACT_EXECUTION_EXCEPTION' },
      [400, problem(['CONTRACT_EXECUTION_EXCEPTION', '', '0x'])],
    ],
    ['out of gas', { status: 'INSUFFICIENT_GAS' }, [400, problem(['INSUFFICIENT_GAS', '', '0x'])]],
    ['too little gas to begin', { status: 'INSUFFICIENT_GAS', executed: false }, [400, problem(['INSUFFICIENT_GAS'])]],
    [
      'change in a static frame',
      { status: 'LOCAL_CALL_MODIFICATION_EXCEPTION' },
      [400, problem(['LOCAL_CALL_MODIFICATION_EXCEPTION', '', '0x'])],
    ],
    [
      'unknown sender',
      { status: 'PAYER_ACCOUNT_NOT_FOUND', executed: false },
      [400, problem(['PAYER_ACCOUNT_NOT_FOUND', 'Sender account not found.'])],
    ],
    ['too much data', { status: 'TRANSACTION_OVERSIZE', executed: false }, [400, problem(['TRANSACTION_OVERSIZE'])]],
    [
      'poor sender',
      { status: 'INSUFFICIENT_PAYER_BALANCE', executed: false },
      [400, problem(['INSUFFICIENT_PAYER_BALANCE'])],
    ],
    ['no code', { status: 'CONTRACT_BYTECODE_EMPTY', executed: false }, [400, problem(['CONTRACT_BYTECODE_EMPTY'])]],
    ['fault of the network', { status: 'FAIL_INVALID' }, [500, problem(['FAIL_INVALID'])]],
    [
      'fault of the platform',
      { status: 'PLATFORM_NOT_ACTIVE', executed: false },
      [500, problem(['PLATFORM_NOT_ACTIVE'])],
    ],
    [
      'failed children',
      { childStatuses: ['TOKEN_NOT_ASSOCIATED_TO_ACCOUNT', 'SUCCESS', 'REVERTED_SUCCESS', 'INVALID_TOKEN_ID'] },
      [400, problem(['CONTRACT_REVERT_EXECUTED', '', '0x'], ['TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'], ['INVALID_TOKEN_ID'])],
    ],
  ] as const)('tells: %s', async (_what, failure, expected) => {
    expect(await failed(failure)).toEqual(expected);
  });
});

describe('metrics', () => {
  it('count calls, runs, gas and refusals, and show the threads', async () => {
    const { post, registry } = serverOf(
      (task) =>
        task.estimate
          ? { kind: 'estimate', gas: 5n, gasUsed: 30_000n, runs: 4, blockTime: 1_675_962_000_231_859_003n }
          : result(),
      { throttle: { requestsPerSecond: 2 } },
    );
    await post({ gas: 100_000 });
    await post({ gas: 50_000, estimate: true, block: '44029066' });
    await post({});
    const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    expect(lines).toEqual([
      'hiero_mirror_web3_evm_invocation_total{block="latest",type="ETH_CALL",status="SUCCESS"} 1',
      'hiero_mirror_web3_evm_invocation_total{block="2023-02",type="ETH_ESTIMATE_GAS",status="SUCCESS"} 1',
      'hiero_mirror_web3_evm_runs_total{block="latest",type="ETH_CALL",status="SUCCESS"} 1',
      'hiero_mirror_web3_evm_runs_total{block="2023-02",type="ETH_ESTIMATE_GAS",status="SUCCESS"} 4',
      'hiero_mirror_web3_evm_gas_used_total{block="latest",type="ETH_CALL",status="SUCCESS"} 21100',
      'hiero_mirror_web3_evm_gas_used_total{block="2023-02",type="ETH_ESTIMATE_GAS",status="SUCCESS"} 30000',
      'hiero_mirror_web3_evm_gas_limit_total{block="latest",type="ETH_CALL",status="SUCCESS"} 100000',
      'hiero_mirror_web3_evm_gas_limit_total{block="2023-02",type="ETH_ESTIMATE_GAS",status="SUCCESS"} 50000',
      'hiero_mirror_web3_throttled_total{reason="requests"} 1',
      'hiero_mirror_web3_threads 2',
      'hiero_mirror_web3_threads_busy 1',
      'hiero_mirror_web3_queue 3',
      'hiero_mirror_web3_threads_lost 4',
    ]);
  });
});
