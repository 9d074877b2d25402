/**
 * `npm run bench verification`: a Solidity project of hundreds of files, uploaded and verified through the session
 * interface, and what it does to a cheap request of somebody else at the same process: the compiler runs in a process of
 * its own, so its time and memory should not show there.
 *
 * Options: --pools N (100; three files each), --runs N (3)
 */
import { readdirSync, readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase } from '../src/database/connection.ts';
import { startServer } from '../src/server/start.ts';
import { construct, insertContract, insertTransaction } from '../src/verification/testing/deployment.fixture.ts';
import { compileProject, type Project, projectOf } from '../src/verification/testing/project.fixture.ts';
import { count, describeMachine, numberOption, printTable, seconds } from './figures.ts';
import { kagami, quietLogger, serverSettings } from './measured-server.ts';
import { withScratch } from './scratch.ts';

const CHAIN_ID = '298';
const CREATED = 1_700_000_000_000_000_000n;
const CHEAP = '/health';

const serve = (connectionString: string, folder: string) => {
  const { compilers } = kagami.verification;
  return startServer({
    database: openDatabase({ connectionString, max: 4 }),
    verification: {
      database: openDatabase({ connectionString, max: 4 }),
      network: { chainId: CHAIN_ID, name: 'bench', shard: 0n, realm: 0n },
      settings: { ...kagami.verification, compilers: { ...compilers, download: false } },
      compilersFolder: folder,
    },
    settings: serverSettings,
    logger: quietLogger,
  });
};

/** Milliseconds of one cheap request. */
const timedGet = async (agent: Agent, port: number): Promise<number> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const started = performance.now();
  request({ agent, host: '127.0.0.1', port, path: CHEAP }, (response) => {
    response.resume();
    response.on('end', () => (response.statusCode === 200 ? resolve() : reject(new Error(`${CHEAP} fails`))));
  })
    .on('error', reject)
    .end();
  await promise;
  return performance.now() - started;
};

/** Asks every few milliseconds until the work has ended. */
const latenciesDuring = async (port: number, work: Promise<unknown>): Promise<number[]> => {
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  let hasEnded = false;
  const end = work.finally(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    latencies.push(await timedGet(agent, port));
    await pause(5);
  }
  agent.destroy();
  await end;
  return latencies;
};

const quantile = (latencies: readonly number[], share: number): number =>
  latencies.toSorted((a, b) => a - b)[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;

const statusField = (pid: string, name: string): string | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1];
  } catch {
    return undefined;
  }
};

/** Most memory of child processes so far, in MiB: compilers are the only ones. Linux only; else 0. */
const watchChildren = (): { readonly peak: () => number; readonly stop: () => void } => {
  let peak = 0;
  const look = (): void => {
    if (process.platform !== 'linux') return;
    const children = readdirSync('/proc').filter((pid) => statusField(pid, 'PPid') === String(process.pid));
    for (const pid of children) {
      if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('solc-worker')) continue;
      peak = Math.max(peak, Number(statusField(pid, 'VmHWM') ?? 0) / 1024);
    }
  };
  const timer = setInterval(look, 200);
  return { peak: () => peak, stop: () => clearInterval(timer) };
};

const deploy = async (database: Database, project: Project): Promise<{ address: string; metadata: string }> => {
  const { creation, metadata } = await compileProject(project);
  const initcode = `${creation}${'0'.repeat(64)}`;
  const { runtime, address } = await construct(initcode);
  const bytes = Buffer.from(initcode.slice(2), 'hex');
  await insertContract(database, { id: 3001, created: CREATED, evmAddress: address, runtime, initcode: bytes });
  await insertTransaction(database, { at: CREATED, hash: Buffer.alloc(48, 7) });
  return { address: `0x${address.toString('hex')}`, metadata };
};

interface Session {
  readonly contracts: readonly {
    readonly verificationId: string;
    readonly status: string;
    readonly statusMessage?: string;
  }[];
}

const upload = async (base: string, project: Project, metadata: string) => {
  const form = new FormData();
  for (const [path, text] of Object.entries(project.sources)) form.append('files', new File([text], path));
  form.append('files', new File([metadata], 'metadata.json'));
  const response = await fetch(`${base}/session/input-files`, { method: 'POST', body: form });
  const cookie = response.headers.get('set-cookie')?.split(';', 1)[0] ?? '';
  return { cookie, session: (await response.json()) as Session };
};

const verify = async (base: string, address: string, uploaded: Awaited<ReturnType<typeof upload>>): Promise<void> => {
  const { cookie, session } = uploaded;
  const contracts = session.contracts.map(({ verificationId }) => ({ verificationId, address, chainId: CHAIN_ID }));
  const response = await fetch(`${base}/session/verify-checked?dryrun=true`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', cookie },
    body: JSON.stringify({ contracts }),
  });
  const [contract] = ((await response.json()) as Session).contracts;
  if (contract?.status !== 'perfect') throw new Error(`The project is not verified: ${contract?.statusMessage}`);
};

export const run = async (args: readonly string[]): Promise<void> => {
  const project = projectOf(numberOption(args, 'pools', 100));
  const runs = numberOption(args, 'runs', 3);
  await withScratch(async ({ newDatabase, folder }) => {
    const { writer } = await newDatabase('verification');
    const database = openDatabase({ connectionString: writer, max: 1 });
    const [{ server_version: version } = { server_version: '' }] = await database.query<{ server_version: string }>(
      'show server_version',
    );
    const { address, metadata } = await deploy(database, project);
    await database.close();
    const server = await serve(writer, folder);
    const port = server.ports[0] ?? 0;
    const base = `http://127.0.0.1:${port}`;
    await latenciesDuring(port, pause(1_000));
    const texts = Object.values(project.sources);
    console.log(
      `${describeMachine(version)}; ${texts.length} files, ${count(texts.join('').length / 1024)} KiB of sources`,
    );
    const rows: string[][] = [];
    const add = (what: string, ms: number, latencies: readonly number[], compilerMb: string): void => {
      const [p50, p99, most] = [0.5, 0.99, 1].map((share) => quantile(latencies, share).toFixed(1));
      const own = Math.round(process.resourceUsage().maxRSS / 1024);
      rows.push([what, seconds(ms), String(p50), String(p99), String(most), compilerMb, String(own)]);
    };
    add('nothing', 3_000, await latenciesDuring(port, pause(3_000)), '');
    for (let i = 1; i <= runs; i++) {
      const children = watchChildren();
      let started = performance.now();
      const uploading = upload(base, project, metadata);
      const uploadLatencies = await latenciesDuring(port, uploading);
      add(`upload ${i}`, performance.now() - started, uploadLatencies, '');
      started = performance.now();
      const latencies = await latenciesDuring(port, verify(base, address, await uploading));
      children.stop();
      add(`verification ${i}`, performance.now() - started, latencies, String(Math.round(children.peak())));
    }
    printTable(['during', 's', 'GET p50 ms', 'p99', 'max', 'compiler MiB', 'own MiB'], rows);
    await server.stop();
  });
};
