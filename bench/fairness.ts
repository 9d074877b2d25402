/**
 * `npm run bench fairness`: what clients with endless loops of 15 million gas leave to another client's ordinary calls. The
 * aim is a p99 of at most one second for the other client, whether the loops come from one address or from four.
 *
 * Options: --seconds N (20)
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openDatabase } from '../src/database/connection.ts';
import { type Call, type CallsLedger, writeCallsLedger } from './calls-ledger.ts';
import { describeMachine, numberOption, printTable } from './figures.ts';
import { withScratch } from './scratch.ts';

interface Scenario {
  readonly name: string;
  /** Parallel endless loops. */
  readonly loops: number;
  /** Addresses that they come from. */
  readonly addresses: number;
}

const scenarios: readonly Scenario[] = [
  { name: 'nothing', loops: 0, addresses: 1 },
  { name: '8 loops of one client', loops: 8, addresses: 1 },
  { name: '40 loops of one client', loops: 40, addresses: 1 },
  { name: '40 loops from 4 addresses', loops: 40, addresses: 4 },
];

/** The time between two calls of the ordinary client. */
const PAUSE_MS = 50;
/** Threads are started by then. */
const STARTED_MS = 5_000;
/** The loops are under way by then. */
const SETTLED_MS = 5_000;
const REFUSED_PAUSE_MS = 100;
const ORDINARY_ADDRESS = '127.0.0.9';

const post = async (agent: Agent, port: number, { body }: Call): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const text = JSON.stringify(body);
  const headers = { 'content-type': 'application/json', 'content-length': text.length };
  request({ agent, host: '127.0.0.1', port, method: 'POST', path: '/api/v1/contracts/call', headers }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode ?? 0));
    response.on('error', reject);
  })
    .on('error', reject)
    .end(text);
  return promise;
};

/** Clients are told apart by the address that they connect from; all of 127.0.0.0/8 is this machine. */
const agentFrom = (localAddress: string): Agent => new Agent({ keepAlive: true, localAddress });

const loopEndlessly = async (port: number, { loops, addresses }: Scenario, call: Call, isOver: () => boolean) => {
  const answers = new Map<number, number>();
  const agents = Array.from({ length: addresses }, (_, index) => agentFrom(`127.0.1.${index + 1}`));
  const loop = async (index: number): Promise<void> => {
    while (!isOver()) {
      const status = await post(agents[index % addresses] as Agent, port, call);
      answers.set(status, (answers.get(status) ?? 0) + 1);
      if (status !== 400) await pause(REFUSED_PAUSE_MS);
    }
  };
  await Promise.all(Array.from({ length: loops }, (_, index) => loop(index)));
  for (const agent of agents) agent.destroy();
  return answers;
};

interface Ordinary {
  readonly latencies: readonly number[];
  readonly failed: number;
}

const callOrdinarily = async (port: number, calls: readonly Call[], forMs: number): Promise<Ordinary> => {
  const agent = agentFrom(ORDINARY_ADDRESS);
  const latencies: number[] = [];
  let failed = 0;
  const end = performance.now() + forMs;
  for (let index = 0; performance.now() < end; index++) {
    const started = performance.now();
    const status = await post(agent, port, calls[index % calls.length] as Call);
    if (status === 200) latencies.push(performance.now() - started);
    else failed++;
    await pause(PAUSE_MS);
  }
  agent.destroy();
  return { latencies, failed };
};

const percentile = (values: readonly number[], share: number): string => {
  const sorted = values.toSorted((a, b) => a - b);
  return (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN).toFixed(1);
};

const measure = async (
  connectionString: string,
  { calls, heavy }: CallsLedger,
  scenario: Scenario,
  milliseconds: number,
): Promise<readonly string[]> => {
  const file = fileURLToPath(new URL('./calls-server.ts', import.meta.url));
  const server = spawn(process.execPath, [file, connectionString, 'usual-limits'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  try {
    const [line] = (await once(createInterface({ input: server.stdout }), 'line')) as [string];
    const port = Number(line);
    let isOver = false;
    await callOrdinarily(port, calls, STARTED_MS);
    const looping = loopEndlessly(port, scenario, heavy, () => isOver);
    await callOrdinarily(port, calls, SETTLED_MS);
    const { latencies, failed } = await callOrdinarily(port, calls, milliseconds);
    isOver = true;
    const answers = await looping;
    const others = [...answers].map(([status, number]) => `${number} x ${status}`).join(', ');
    return [
      scenario.name,
      String(latencies.length),
      String(failed),
      percentile(latencies, 0.5),
      percentile(latencies, 0.99),
      others,
    ];
  } finally {
    server.kill();
  }
};

export const run = async (args: readonly string[]): Promise<void> => {
  const milliseconds = numberOption(args, 'seconds', 20) * 1_000;
  await withScratch(async (scratch) => {
    const addresses = await scratch.newDatabase('fairness');
    const database = openDatabase({ connectionString: addresses.owner, max: 1 });
    const ledger = await writeCallsLedger(database);
    await database.query('vacuum (analyze)');
    await database.close();
    console.log(`\n${describeMachine(scratch.server.version)}\n`);
    const rows: (readonly string[])[] = [];
    for (const scenario of scenarios) rows.push(await measure(addresses.reader, ledger, scenario, milliseconds));
    printTable(['beside', 'calls', 'failed', 'p50 ms', 'p99 ms', 'answers to the loops'], rows);
  });
};
