/**
 * `npm run bench calls`: contract calls over HTTP on a ledger with an ERC-20 contract and an HTS token, cold (the first ones
 * after a commit) and warm, and what a call of 15 million gas does to other requests. The aim is a p99 of at most 5 ms for
 * a warm view call, and of at most a second beside a call each second that spends 15 million gas on a precompiled contract.
 *
 * Options: --seconds N (5), --clients N (16), --commits N (100), --only bombs: only the last of these
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../src/database/connection.ts';
import { type Call, type CallsLedger, writeCallsLedger } from './calls-ledger.ts';
import { count, describeMachine, numberOption, printTable, textOption } from './figures.ts';
import { withScratch } from './scratch.ts';

interface Serving {
  readonly port: number;
  /** Makes the server forget what a newer block may have changed. */
  commit(): Promise<void>;
  stop(): void;
}

const serve = async (connectionString: string): Promise<Serving> => {
  const file = fileURLToPath(new URL('./calls-server.ts', import.meta.url));
  const server = spawn(process.execPath, [file, connectionString], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: server.stdout });
  const [port] = (await once(lines, 'line')) as [string];
  return {
    port: Number(port),
    commit: async () => {
      const confirmed = once(lines, 'line');
      server.stdin.write('\n');
      await confirmed;
    },
    stop: () => void server.kill(),
  };
};

interface Target {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
  readonly expected: number;
}

const CALL_PATH = '/api/v1/contracts/call';

const callTarget = ({ body }: Call, expected = 200): Target => ({
  method: 'POST',
  path: CALL_PATH,
  body: JSON.stringify(body),
  expected,
});

/** Milliseconds from sending a request to the end of its answer. */
const timed = async (agent: Agent, port: number, { method, path, body, expected }: Target): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const started = performance.now();
  const headers = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': body.length };
  request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      if (response.statusCode === expected) resolve();
      else reject(new Error(`${path} answers ${response.statusCode}: ${Buffer.concat(chunks)}`));
    });
    response.on('error', reject);
  })
    .on('error', reject)
    .end(body);
  await promise;
  return performance.now() - started;
};

interface Load {
  readonly rate: number;
  readonly latencies: readonly number[];
}

/** `clients` at a time, each its next request when the last one is answered. */
const load = async (port: number, next: () => Target, clients: number, milliseconds: number): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const latencies: number[] = [];
  const started = performance.now();
  const client = async (): Promise<void> => {
    while (performance.now() - started < milliseconds) latencies.push(await timed(agent, port, next()));
  };
  await Promise.all(Array.from({ length: clients }, client));
  const elapsed = performance.now() - started;
  agent.destroy();
  return { rate: (latencies.length * 1_000) / elapsed, latencies };
};

/** After each commit one request of each client. */
const coldLoad = async ({ port, commit }: Serving, target: Target, clients: number, commits: number): Promise<Load> => {
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const latencies: number[] = [];
  let elapsed = 0;
  for (let i = 0; i < commits; i++) {
    await commit();
    const started = performance.now();
    latencies.push(...(await Promise.all(Array.from({ length: clients }, () => timed(agent, port, target)))));
    elapsed += performance.now() - started;
  }
  agent.destroy();
  return { rate: (latencies.length * 1_000) / elapsed, latencies };
};

const percentile = (values: readonly number[], share: number): string => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(2);
};

const figuresOf = ({ rate, latencies }: Load): readonly string[] => [
  count(rate),
  percentile(latencies, 0.5),
  percentile(latencies, 0.99),
];

interface Options {
  readonly milliseconds: number;
  readonly clients: number;
  readonly commits: number;
}

const WARM_UP_MS = 1_000;

const measureCalls = async (
  serving: Serving,
  { calls }: CallsLedger,
  { milliseconds, clients, commits }: Options,
): Promise<void> => {
  const rows: (readonly string[])[] = [];
  for (const call of calls) {
    const target = callTarget(call);
    await load(serving.port, () => target, clients, WARM_UP_MS);
    for (const number of [1, clients]) {
      const warm = await load(serving.port, () => target, number, milliseconds);
      rows.push([call.name, 'warm', String(number), ...figuresOf(warm)]);
      const cold = await coldLoad(serving, target, number, commits);
      rows.push([call.name, 'cold', String(number), ...figuresOf(cold)]);
    }
  }
  printTable(['call', 'state', 'clients', 'calls/s', 'p50 ms', 'p99 ms'], rows);
};

/** Pages of blocks, each another one, so that none comes from the cache of answers. */
const measureOthers = async (
  { port }: Serving,
  { heavy, blocks }: CallsLedger,
  { milliseconds }: Options,
): Promise<void> => {
  let page = 0;
  const next = (): Target => ({
    method: 'GET',
    path: `/api/v1/blocks?limit=25&block.number=lte:${blocks - (++page % (blocks - 25))}`,
    expected: 200,
  });
  const heavyTarget = callTarget(heavy, 400);
  await load(port, next, 1, WARM_UP_MS);
  await load(port, () => heavyTarget, 1, WARM_UP_MS);
  const alone = await load(port, next, 1, milliseconds);
  const [beside, heavyLoad] = await Promise.all([
    load(port, next, 1, milliseconds),
    load(port, () => heavyTarget, 1, milliseconds),
  ]);
  printTable(
    ['request, one client', 'requests/s', 'p50 ms', 'p99 ms'],
    [
      ['/blocks?limit=25 alone', ...figuresOf(alone)],
      ['/blocks?limit=25 beside calls of 15 million gas', ...figuresOf(beside)],
      ['those calls', heavyLoad.rate.toFixed(1), ...figuresOf(heavyLoad).slice(1)],
    ],
  );
};

/** One client's view calls while a bomb goes off each second, whatever became of those before. */
const measureBombs = async (
  { port }: Serving,
  { calls, bombs }: CallsLedger,
  { milliseconds }: Options,
): Promise<void> => {
  const ordinary = callTarget(calls[0] as Call);
  await load(port, () => ordinary, 1, WARM_UP_MS);
  const rows: (readonly string[])[] = [];
  const agent = new Agent({ keepAlive: true });
  for (const bomb of bombs) {
    const answers: Promise<number>[] = [];
    const explode = (): void => {
      answers.push(timed(agent, port, callTarget(bomb, bomb.name.includes('million rounds') ? 200 : 400)));
    };
    explode();
    const fuse = setInterval(explode, 1_000);
    const beside = await load(port, () => ordinary, 1, milliseconds);
    clearInterval(fuse);
    const latencies = (await Promise.allSettled(answers)).map((answer) =>
      answer.status === 'fulfilled' ? answer.value : Number.NaN,
    );
    rows.push([bomb.name, ...figuresOf(beside), percentile(latencies, 0.5)]);
  }
  agent.destroy();
  printTable(['one each second', 'calls/s beside', 'p50 ms', 'p99 ms', 'p50 ms of those'], rows);
};

export const run = async (args: readonly string[]): Promise<void> => {
  const options: Options = {
    milliseconds: numberOption(args, 'seconds', 5) * 1_000,
    clients: numberOption(args, 'clients', 16),
    commits: numberOption(args, 'commits', 100),
  };
  await withScratch(async (scratch) => {
    const addresses = await scratch.newDatabase('calls');
    const database = openDatabase({ connectionString: addresses.owner, max: 1 });
    const ledger = await writeCallsLedger(database);
    await database.query('vacuum (analyze)');
    await database.close();
    const serving = await serve(addresses.reader);
    try {
      console.log(`\n${describeMachine(scratch.server.version)}\n`);
      if (textOption(args, 'only') !== 'bombs') {
        await measureCalls(serving, ledger, options);
        console.log('');
        await measureOthers(serving, ledger, options);
        console.log('');
      }
      await measureBombs(serving, ledger, options);
    } finally {
      serving.stop();
    }
  });
};
