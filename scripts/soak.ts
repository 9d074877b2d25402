/**
 * `node scripts/soak.ts [minutes] [tps]`: runs the built node with its simulated network for an hour (100 transactions
 * per second) under a client that polls like an explorer, and fails when its memory passes 300 MiB or grows. PostgreSQL
 * is not counted.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { endWithThisProcess } from './lifeline.ts';
import { judgeMemory, type MemorySample } from './memory-judgement.ts';

const [minutes = '60', tps = '100'] = process.argv.slice(2);
const seconds = Number(minutes) * 60;
if (!(seconds > 0)) throw new Error('usage: node scripts/soak.ts [minutes] [tps]');

const MOST_MEBIBYTES = 300;
/** In the time after the warm-up, which is most of an hour. */
const GROWTH_MEBIBYTES = 20;
const WARM_UP_SECONDS = Math.min(600, seconds / 4);
const SAMPLE_SECONDS = Math.min(5, seconds / 40);
const POLL_MS = 1_000;
const START_MS = 120_000;
/** Of the lines that tell how it goes. */
const REPORT_SECONDS = 60;
/** Part of the requests that may fail, such as while the machine is held up. */
const FAILURES = 0.01;

const command = fileURLToPath(new URL('../bin/kagami.js', import.meta.url));

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
};

const residentMebibytes = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

/** Asks what an explorer's pages ask, a contract call among it. */
class Explorer {
  readonly #base: string;
  answers = 0;
  failures = 0;
  calls = 0;

  constructor(port: number) {
    this.#base = `http://127.0.0.1:${port}`;
  }

  async poll(): Promise<void> {
    const transactions = await this.#get('/api/v1/transactions?limit=25');
    const [transaction] = (transactions?.transactions ?? []) as {
      readonly transaction_id: string;
      readonly transfers: readonly { readonly account: string }[];
    }[];
    const blocks = await this.#get('/api/v1/blocks?limit=10');
    const [block] = (blocks?.blocks ?? []) as { readonly number: number }[];
    if (block !== undefined) await this.#get(`/api/v1/blocks/${block.number}`);
    if (transaction !== undefined) {
      await this.#get(`/api/v1/transactions/${transaction.transaction_id}`);
      const account = transaction.transfers[0]?.account;
      if (account !== undefined) await this.#get(`/api/v1/accounts/${account}`);
    }
    await this.#get('/api/v1/tokens?limit=25');
    const results = await this.#get('/api/v1/contracts/results?limit=25');
    const called = ((results?.results ?? []) as { readonly to: string | null; readonly result: string }[]).find(
      ({ to, result }) => to !== null && result === 'SUCCESS',
    );
    if (called !== undefined && (await this.#call(called.to))) this.calls++;
  }

  get #rate(): number {
    return this.failures / Math.max(1, this.answers + this.failures);
  }

  /** In words; undefined when nearly all was answered. */
  fault(): string | undefined {
    if (this.answers === 0 || this.#rate > FAILURES) return `${this.failures} requests failed`;
    return this.calls === 0 ? 'no contract was called' : undefined;
  }

  async #get(path: string): Promise<Record<string, unknown> | undefined> {
    return this.#ask(path, {});
  }

  async #call(to: string | null): Promise<boolean> {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ to, data: '0x', gas: 500_000, block: 'latest' }),
    };
    return (await this.#ask('/api/v1/contracts/call', init, [400])) !== undefined;
  }

  async #ask(
    path: string,
    init: RequestInit,
    fine: readonly number[] = [],
  ): Promise<Record<string, unknown> | undefined> {
    try {
      const response = await fetch(this.#base + path, init);
      const text = await response.text();
      if (!response.ok && !fine.includes(response.status)) throw new Error(`${path}: ${response.status}`);
      this.answers++;
      return JSON.parse(text) as Record<string, unknown>;
    } catch {
      this.failures++;
      return undefined;
    }
  }
}

const isReady = async (port: number): Promise<boolean> => {
  try {
    const { blocks } = (await (await fetch(`http://127.0.0.1:${port}/api/v1/blocks?limit=1`)).json()) as {
      readonly blocks?: readonly unknown[];
    };
    return (blocks?.length ?? 0) > 0;
  } catch {
    return false;
  }
};

/** @throws Error when the node ends before its time, or `stop` is signalled */
const sampleMemory = async (child: ChildProcess, port: number, stop: AbortSignal): Promise<string[]> => {
  const { pid = 0 } = child;
  const started = performance.now();
  const elapsed = (): number => (performance.now() - started) / 1_000;
  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;
  while (!(await isReady(port))) {
    stop.throwIfAborted();
    if (hasEnded() || elapsed() * 1_000 > START_MS) throw new Error('the node did not start');
    await pause(500);
  }
  const explorer = new Explorer(port);
  const samples: MemorySample[] = [];
  let nextSample = 0;
  let nextReport = REPORT_SECONDS;
  const began = elapsed();
  while (elapsed() - began < seconds) {
    stop.throwIfAborted();
    if (hasEnded()) throw new Error(`the node ended after ${elapsed().toFixed(0)} s`);
    const now = performance.now();
    await explorer.poll();
    if (elapsed() >= nextSample) {
      samples.push({ seconds: elapsed() - began, mebibytes: residentMebibytes(pid) });
      nextSample = elapsed() + SAMPLE_SECONDS;
    }
    if (elapsed() - began >= nextReport) {
      const minute = samples
        .filter(({ seconds }) => seconds >= nextReport - REPORT_SECONDS)
        .map((one) => one.mebibytes);
      const range = `${Math.min(...minute).toFixed(0)} to ${Math.max(...minute).toFixed(0)} MiB`;
      process.stdout.write(`minute ${nextReport / REPORT_SECONDS}: ${range}\n`);
      nextReport += REPORT_SECONDS;
    }
    await pause(Math.max(0, POLL_MS - (performance.now() - now)));
  }
  const { peak, median, trend, growth, faults } = judgeMemory(samples, {
    warmUpSeconds: WARM_UP_SECONDS,
    mostMebibytes: MOST_MEBIBYTES,
    growthMebibytes: GROWTH_MEBIBYTES,
  });
  process.stdout.write(
    `${minutes} minutes with ${tps} transactions per second, ${explorer.answers} answers (${explorer.calls} calls), ` +
      `${explorer.failures} failures\n` +
      `memory: ${median.toFixed(0)} MiB, at most ${peak.toFixed(0)}; after ${WARM_UP_SECONDS} s of warm-up ` +
      `${growth.toFixed(1)} MiB more, a trend of ${trend.toFixed(1)} MiB an hour\n`,
  );
  const unanswered = explorer.fault();
  return unanswered === undefined ? [...faults] : [...faults, unanswered];
};

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stopping.abort(new Error(`the soak was ended by ${signal}`)));
}

const folder = mkdtempSync(join(tmpdir(), 'kagami-soak-'));
try {
  const [port, grpcPort] = [await freePort(), await freePort()];
  const child = spawn(
    process.execPath,
    [
      command,
      'start',
      ...['--tps', tps, '--port', String(port), '--data', folder],
      ...['--set', 'kagami.server.additionalPorts=', '--set', `hiero.mirror.grpc.port=${grpcPort}`],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  const ended = once(child, 'exit');
  endWithThisProcess(child);
  try {
    const faults = await sampleMemory(child, port, stopping.signal);
    for (const fault of faults) process.stdout.write(`soak failed: ${fault}\n`);
    if (faults.length > 0) process.exitCode = 1;
  } finally {
    child.kill('SIGTERM');
    await ended;
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
