/**
 * `npm run bench grpc`: topic subscriptions while blocks are imported, with the importer restarted in the middle. Every
 * message is to arrive once and in order; the aim is a p99 of at most 100 ms from the commit of a block to the client. What a
 * block's delivery takes is split in its stages. The files of the blocks are made beforehand and released in their time.
 * Clients of the SDK take many times what the server does, so that a small machine measures nothing but them: all
 * subscriptions but so many read plain frames instead.
 *
 * Options: --subscribers N (1000), --sdk N of them by the SDK (all), --topics N (100), --rate N messages per second (2000),
 * --seconds N (60), --interval N milliseconds of a block (2000), --clients N processes of each kind (2), --profile FOLDER for
 * a profile of the server
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import type { DeliveryStages } from './delivery-stages.ts';
import { count, describeMachine, epochTime, numberOption, printTable, quantile, textOption } from './figures.ts';
import { freePort } from './grpc-client.ts';
import { ReleasedLedger } from './released-ledger.ts';
import { withScratch } from './scratch.ts';
import type { ClientOrder, ClientReport } from './subscriptions-client.ts';

const START_MS = 90_000;
/** Blocks that come before the figures count: code is compiled. */
const WARM_UP_MS = 6_000;
/** Clients that can't keep up have so long for the rest when time is up. */
const TRAIL_MS = 180_000;
const LOOK_MS = 2_000;
/** An importer that was restarted catches up with the blocks of its absence in so long, after its first one. */
const CATCHING_UP_MS = 2_000;
/** From the files of the founding to the first message: processes start, clients subscribe. */
const SUBSCRIBING_MS = 20_000;
/** Messages that are made in a millisecond, at the least. */
const MADE_PER_MS = 4;
const BLOCK_CHANNEL = 'kagami_block';
/** Calls on each connection of those who read frames. */
const FRAME_CALLS = 50;
const CALLS = 'hiero.mirror.grpc.netty.maxConcurrentCallsPerConnection';

const command = fileURLToPath(new URL('../src/cli/main.ts', import.meta.url));
const stagesProgram = new URL('./delivery-stages.ts', import.meta.url).href;
const clientProgram = fileURLToPath(new URL('./subscriptions-client.ts', import.meta.url));

interface Launch {
  /** Options of Node. */
  readonly options?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
}

const startKagami = (cwd: string, args: readonly string[], { options = [], env = {} }: Launch = {}): ChildProcess => {
  const child = spawn(process.execPath, [...options, command, 'start', ...args], {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-20_000);
    });
  }
  child.once('exit', (code) => {
    if (code !== 0 && code !== null) console.error(output);
  });
  return child;
};

const stop = async (child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
};

const mebibytes = (pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number => {
  const line = readFileSync(`/proc/${pid}/status`, 'utf8').match(new RegExp(`${field}:\\s+(\\d+)`));
  return Math.round(Number(line?.[1] ?? Number.NaN) / 1_024);
};

/** Seconds of processor time that a process has used. */
const processorTime = (pid: number | undefined): number => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

interface CommittedBlock {
  /** Nanoseconds, decimal digits. */
  readonly consensusEnd: string;
  /** When its commit was announced, in milliseconds since the epoch. */
  readonly time: number;
}

/** Remembers when each commit was announced. */
const watchCommits = async (connectionString: string) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const times = new Map<string, number>();
  client.on('notification', ({ payload }) => times.set(payload ?? '', epochTime()));
  await client.query(`listen ${BLOCK_CHANNEL}`);
  return {
    times,
    blocks: async (): Promise<readonly CommittedBlock[]> => {
      const { rows } = await client.query<{ index: string; consensus_end: string }>(
        'select index, consensus_end from record_file where index = any ($1) order by index',
        [[...times.keys()]],
      );
      return rows.map(({ index, consensus_end }) => ({ consensusEnd: consensus_end, time: times.get(index) ?? 0 }));
    },
    close: () => client.end(),
  };
};

const answerOf = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    child.once('message', (message) => resolve(message as T));
    child.once('exit', (code) => reject(new Error(`a client ended with ${code}`)));
  });

const tell = (child: ChildProcess, message: ClientOrder): void => {
  child.send(message);
};

const until = async (what: string, look: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + START_MS;
  while (!(await look())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${START_MS} ms`);
    await pause(200);
  }
};

/** When the importer was away, and had more than one block to import; milliseconds since the epoch. */
interface Absence {
  readonly from: number;
  readonly to: number;
}

interface Span {
  readonly name: string;
  /** Milliseconds. */
  readonly values: readonly number[];
}

/** What became of each block after its commit; the spans of the stages are of its last subscriber. */
const stagesOf = (
  blocks: readonly CommittedBlock[],
  reads: readonly DeliveryStages[],
  reports: readonly ClientReport[],
  absence: Absence,
): { readonly blocks: number; readonly spans: readonly Span[] } => {
  const readOf = new Map(reads.map((read) => [read.through, read]));
  const times = new Map<string, readonly number[]>();
  for (const { consensusEnd, times: own } of reports.flatMap(({ arrivals }) => arrivals)) {
    times.set(consensusEnd, [...(times.get(consensusEnd) ?? []), ...own]);
  }
  const delivered = blocks.flatMap(({ consensusEnd, time }) => {
    const read = readOf.get(consensusEnd);
    const arrived = times.get(consensusEnd);
    return read === undefined || arrived === undefined ? [] : [{ time, read, arrived }];
  });
  return {
    blocks: delivered.length,
    spans: [
      { name: 'commit to statement', values: delivered.map(({ time, read }) => read.reading - time) },
      { name: 'statement to messages read and encoded', values: delivered.map(({ read }) => read.read - read.reading) },
      { name: 'read to last write', values: delivered.map(({ read }) => read.given - read.read) },
      { name: 'read to last byte on its socket', values: delivered.map(({ read }) => read.written - read.read) },
      {
        name: 'last byte on its socket to last client',
        values: delivered.map(({ read, arrived }) => Math.max(...arrived) - read.written),
      },
      {
        name: 'commit to client, each message',
        values: delivered.flatMap(({ time, arrived }) => arrived.map((at) => at - time)),
      },
      {
        name: 'the same, without the blocks of the restart',
        values: delivered
          .filter(({ time }) => time < absence.from || time > absence.to)
          .flatMap(({ time, arrived }) => arrived.map((at) => at - time)),
      },
      { name: 'writes to connections', values: delivered.map(({ read }) => read.writes) },
      { name: 'KiB', values: delivered.map(({ read }) => read.bytes / 1_024) },
    ],
  };
};

export const run = (args: readonly string[]): Promise<void> =>
  withScratch(async ({ folder, server, newDatabase }) => {
    const subscribers = numberOption(args, 'subscribers', 1_000);
    const topics = numberOption(args, 'topics', 100);
    const rate = numberOption(args, 'rate', 2_000);
    const seconds = numberOption(args, 'seconds', 60);
    const interval = numberOption(args, 'interval', 2_000);
    const clients = numberOption(args, 'clients', 2);
    const bySdk = Math.min(numberOption(args, 'sdk', subscribers), subscribers);
    const { writer } = await newDatabase('subscriptions');
    const connectionString = writer;
    const sentSeconds = seconds + WARM_UP_MS / 1_000;
    const madeAt = Date.now() + (rate * sentSeconds) / MADE_PER_MS;
    const begin = Math.ceil((madeAt + SUBSCRIBING_MS) / interval) * interval;
    const ledger = await ReleasedLedger.make({ folder, topics, rate, seconds: sentSeconds, interval, begin });
    const grpcPort = await freePort();
    const common = ['--database', connectionString, '--data', folder, '--port', '0', '--log-level', 'warn'];
    const startImporter = (): ChildProcess =>
      startKagami(folder, [
        ...common,
        '--roles',
        'importer',
        '--source',
        ledger.released,
        '--address-book',
        ledger.addressBook,
      ]);
    const commits = await watchCommits(connectionString);
    let importer = startImporter();
    const stagesFile = join(folder, 'stages.json');
    const profile = textOption(args, 'profile');
    const interfaces = startKagami(
      folder,
      [
        ...common,
        '--roles',
        'grpc',
        '--no-simulator',
        '--set',
        `hiero.mirror.grpc.port=${grpcPort}`,
        '--set',
        `${CALLS}=${subscribers}`,
      ],
      {
        options: [
          '--import',
          stagesProgram,
          ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
        ],
        env: { DELIVERY_STAGES: stagesFile },
      },
    );
    const releasing = new AbortController();
    const children: ChildProcess[] = [];
    try {
      const pool = new pg.Client({ connectionString });
      await pool.connect();
      const topicsOf = async (): Promise<readonly { readonly id: string }[]> =>
        (await pool.query<{ id: string }>(`select id from entity where type = 'TOPIC' order by id limit $1`, [topics]))
          .rows;
      await until('topics', async () => (await topicsOf()).length === topics);
      const rows = await topicsOf();
      const idle = mebibytes(interfaces.pid, 'VmRSS');
      const subscribe = async (total: number, callsPerConnection?: number): Promise<void> => {
        for (let index = 0; index < clients; index++) {
          const places = Array.from({ length: total }, (_, place) => place).filter(
            (place) => place % clients === index,
          );
          if (places.length === 0) continue;
          const child = fork(clientProgram);
          children.push(child);
          const subscribed = answerOf(child);
          const topicIds = places.map((place) => `0.0.${rows[Math.floor(place / clients) % rows.length]?.id}`);
          const order = { kind: 'subscribe', port: grpcPort, topics: topicIds } as const;
          tell(child, callsPerConnection === undefined ? order : { ...order, callsPerConnection });
          await subscribed;
        }
      };
      await subscribe(bySdk);
      await subscribe(subscribers - bySdk, FRAME_CALLS);
      if (Date.now() > begin) console.log(`Subscribing took ${Date.now() - begin} ms longer than thought.`);
      const released = ledger.run(releasing.signal);
      await pause(Math.max(0, begin + WARM_UP_MS - Date.now()));
      for (const child of children) tell(child, { kind: 'begin' });
      const began = performance.now();
      const idleCpu = processorTime(interfaces.pid);
      await pause((seconds / 2) * 1_000);
      const importerMemory = mebibytes(importer.pid, 'VmHWM');
      const stopping = epochTime();
      await stop(importer);
      importer = startImporter();
      const known = commits.times.size;
      await until('blocks after the restart', async () => commits.times.size > known);
      const outage = epochTime() - stopping;
      const absence = { from: stopping, to: stopping + outage + CATCHING_UP_MS };
      await pause(Math.max(0, seconds * 1_000 - (performance.now() - began)));
      for (const child of children) tell(child, { kind: 'end' });
      const measuredSeconds = (performance.now() - began) / 1_000;
      const interfaceCpu = processorTime(interfaces.pid) - idleCpu;
      const peak = mebibytes(interfaces.pid, 'VmHWM');
      await released;
      const over = performance.now();
      await pause(LOOK_MS);
      const sum = (pick: (report: ClientReport) => number): number => reports.reduce((all, one) => all + pick(one), 0);
      const blocks = await commits.blocks();
      const order = {
        kind: 'report',
        connectionString,
        blocks: blocks.map(({ consensusEnd }) => consensusEnd),
      } as const;
      let reports: ClientReport[] = [];
      do {
        await pause(LOOK_MS);
        reports = [];
        for (const child of children) {
          const report = answerOf<ClientReport>(child);
          tell(child, order);
          reports.push(await report);
        }
      } while (sum(({ behind }) => behind) > 0 && performance.now() - over < TRAIL_MS);
      const trail = (performance.now() - over) / 1_000;
      await stop(interfaces);
      const stages = stagesOf(
        blocks,
        JSON.parse(readFileSync(stagesFile, 'utf8')) as DeliveryStages[],
        reports,
        absence,
      );
      const delivered = sum((report) => report.delivered);
      const { rows: stored } = await pool.query<{ count: string }>('select count(*) from topic_message');
      await pool.end();
      console.log(describeMachine(server.version));
      console.log(
        `${subscribers} subscribers (${bySdk} by the SDK) of ${rows.length} topics, ${rate} messages/s asked for in blocks of ${interval} ms, ${seconds} s\n`,
      );
      printTable(
        ['figure', 'value'],
        [
          ['messages stored', count(Number(stored[0]?.count))],
          ['deliveries in the measured time', count(delivered)],
          ['deliveries per second', count(delivered / measuredSeconds)],
          ['subscriptions with a gap or out of order', count(sum(({ faults }) => faults))],
          ['not delivered', count(sum(({ behind }) => behind))],
          ['all delivered after the end, at the latest', `${trail.toFixed(0)} s`],
          ['delivered twice', count(sum(({ twice }) => twice))],
          ['errors', count(sum(({ errors }) => errors))],
          ['pause of the importer at its restart', `${Math.round(outage)} ms`],
          ['deliveries per second of processor time, interface', count(delivered / interfaceCpu)],
          ['processor time, interface', `${interfaceCpu.toFixed(1)} s`],
          ['processor time, clients', `${sum(({ cpu }) => cpu).toFixed(1)} s`],
          ['interface, no subscriber', `${idle} MiB`],
          ['interface, peak', `${peak} MiB`],
          ['importer, peak', `${importerMemory} MiB`],
        ],
      );
      console.log(`\nmilliseconds, of ${stages.blocks} blocks\n`);
      printTable(
        ['stage', 'median', 'p99'],
        stages.spans.map(({ name, values }) => [
          name,
          quantile(values, 0.5).toFixed(0),
          quantile(values, 0.99).toFixed(0),
        ]),
      );
    } finally {
      releasing.abort();
      for (const child of children) child.kill();
      await Promise.all([stop(importer), stop(interfaces), commits.close()]);
    }
  });
