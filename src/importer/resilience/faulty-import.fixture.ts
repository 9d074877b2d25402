/** One import under a plan of faults, from an empty database to the last block, and what is found afterwards. */
import { setTimeout as pause } from 'node:timers/promises';
import { type Database, openDatabase } from '../../database/connection.ts';
import type { TestDatabase } from '../../database/testing/test-database.fixture.ts';
import type { Fault, PlannedFault, RunPlan } from './fault-plan.fixture.ts';
import type { FaultyServer } from './faulty-server.fixture.ts';
import type { ImporterArguments, ImporterNews } from './importer-process.fixture.ts';
import { ImporterSlot } from './importer-slot.fixture.ts';

const POLL_MS = 40;
const LAST_NEWS = 25;

/** Codes by which an importer admits a fault of its own. */
const ownFaults: readonly string[] = [
  'UNEXPECTED',
  'DATABASE_QUERY_FAILED',
  'ROW_INVALID',
  'TRANSACTION_UNTRANSFORMABLE',
];

/** What importers read, itself with faults that pass. */
export interface FaultySource {
  /** Blocks that are to be imported. */
  readonly blocks: number;
  readonly task: Omit<ImporterArguments, 'connectionString' | 'holder' | 'maxFiles'>;
  /** Of the processes of importers. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Lets come what may, now that so many blocks are in the database. */
  advance(blocks: number): void;
  /** Imports what is left from a source without faults, and gives the number of its blocks: none should be left. */
  catchUp(target: TestDatabase, maxFiles: number): Promise<number>;
  stop(): Promise<void>;
}

export interface FaultyImportOptions<Found> {
  readonly server: FaultyServer;
  readonly source: FaultySource;
  /** Looks at the database of an import that is over. */
  readonly find: (database: Database) => Promise<Found>;
  readonly compileCache: string;
  readonly longestMs: number;
}

export interface FaultyImportOutcome<Found> {
  /** What should not have happened; empty when all went well. */
  readonly problems: readonly string[];
  /** Undefined after problems. */
  readonly found: Found | undefined;
  /** How often importers told of each reason to wait, retry or restart. */
  readonly reasons: ReadonlyMap<string, number>;
}

export const importUnderFaults = async <Found>(
  plan: RunPlan,
  options: FaultyImportOptions<Found>,
): Promise<FaultyImportOutcome<Found>> => {
  const name = `seed_${plan.seed}`;
  await options.server.createDatabase(name);
  const run = new FaultyImport(plan, name, options);
  try {
    await run.run();
    return { found: await run.found(), problems: run.problems, reasons: run.reasons };
  } finally {
    await run.close();
    await options.server.dropDatabase(name);
  }
};

class FaultyImport<Found> {
  readonly problems: string[] = [];
  readonly reasons = new Map<string, number>();
  readonly #plan: RunPlan;
  readonly #name: string;
  readonly #options: FaultyImportOptions<Found>;
  readonly #database: Database;
  readonly #slots: ImporterSlot[] = [];
  readonly #underWay: Promise<unknown>[] = [];
  readonly #lastNews: string[] = [];
  /** Of what is done to the server, which can't be two things at once. */
  #serverWork: Promise<void> = Promise.resolve();

  constructor(plan: RunPlan, name: string, options: FaultyImportOptions<Found>) {
    this.#plan = plan;
    this.#name = name;
    this.#options = options;
    // Not through a proxy: this is how the test sees what the importers did.
    this.#database = openDatabase({ connectionString: options.server.connectionString(name), max: 2 });
  }

  async run(): Promise<void> {
    const { source } = this.#options;
    const total = source.blocks;
    const deadline = performance.now() + this.#options.longestMs;
    await this.#startImporter();
    const pending = [...this.#plan.faults];
    let blocks = 0;
    source.advance(blocks);
    while (blocks < total || pending.length > 0) {
      if (performance.now() > deadline || this.problems.length > 0) {
        if (this.problems.length === 0) this.problems.push(`stuck at block ${blocks} of ${total}`);
        break;
      }
      for (let next = pending[0]; next !== undefined && next.afterBlocks <= blocks; next = pending[0]) {
        pending.shift();
        this.#underWay.push(this.#cause(next));
      }
      await pause(POLL_MS);
      blocks = await this.#blocks(blocks);
      source.advance(blocks);
    }
    await Promise.all(this.#underWay);
    if (this.problems.length > 0) this.problems.push(...this.#lastNews);
    for (const slot of this.#slots.splice(0)) {
      if (!(await slot.stop())) this.problems.push('an importer did not stop when asked to');
    }
  }

  /** Of the database, once work that follows commits has caught up. */
  async found(): Promise<Found | undefined> {
    if (this.problems.length > 0) return undefined;
    const { server, source, find } = this.#options;
    // The last fault may have been a crash from which the server still recovers.
    await server.query(this.#name, 'select 1');
    const target = {
      connectionString: server.connectionString(this.#name),
      database: this.#database,
      drop: async () => undefined,
    };
    const further = await source.catchUp(target, this.#plan.maxFiles);
    if (further > 0) this.problems.push(`${further} blocks were left to import`);
    return find(this.#database);
  }

  async close(): Promise<void> {
    await this.#options.source.stop();
    for (const slot of this.#slots) await slot.stop();
    await this.#database.close();
  }

  async #blocks(before: number): Promise<number> {
    try {
      const [row] = await this.#database.query<{ blocks: string }>('select count(*) as blocks from record_file');
      return Number(row?.blocks);
    } catch {
      return before;
    }
  }

  async #startImporter(): Promise<void> {
    const { server, source, compileCache } = this.#options;
    const slot = await ImporterSlot.open({
      server,
      database: this.#name,
      task: {
        ...source.task,
        holder: `importer ${this.#slots.length}`,
        maxFiles: this.#plan.maxFiles,
      },
      clock: this.#plan.clock,
      compileCache,
      environment: source.environment ?? {},
      onNews: (news) => this.#hear(news),
    });
    this.#slots.push(slot);
    slot.run();
  }

  #hear(news: ImporterNews): void {
    if (!('code' in news)) return;
    const reason = `${news.kind} ${news.code}`;
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + 1);
    this.#lastNews.push(`${reason}: ${news.message}`);
    if (this.#lastNews.length > LAST_NEWS) this.#lastNews.shift();
    if (news.kind === 'failed' || ownFaults.includes(news.code)) this.problems.push(`${reason}: ${news.message}`);
  }

  async #cause({ thenMs, fault }: PlannedFault): Promise<void> {
    await pause(thenMs);
    const slot = this.#slots.find(({ importing }) => importing) ?? this.#slots[0];
    if (slot === undefined) return;
    await this.#inflict(fault, slot).catch((error: unknown) => {
      this.problems.push(`the test could not cause '${fault.kind}': ${error}`);
    });
  }

  async #inflict(fault: Fault, slot: ImporterSlot): Promise<void> {
    const { server } = this.#options;
    switch (fault.kind) {
      case 'restart server':
        return this.#toServer(() => server.restart(fault.mode, fault.downMs));
      case 'kill backend':
        return this.#toServer(() => this.#killBackend());
      case 'terminate connections':
        return this.#toServer(() => this.#terminate(fault.of));
      case 'fill disk':
        return server.canFill
          ? this.#toServer(async () => {
              server.fillDisk(fault.leaveBytes);
              await pause(fault.forMs);
              await server.freeDisk();
            })
          : undefined;
      case 'drop connections':
        return slot.proxy.drop();
      case 'stall connections':
        slot.proxy.stall();
        await pause(fault.forMs);
        if (fault.thenDrop) slot.proxy.drop();
        return slot.proxy.resume();
      case 'cut copy':
        slot.proxy.trap = { kind: 'copy', chunk: fault.chunk };
        return;
      case 'cut commit':
        slot.proxy.trap = { kind: 'commit', moment: fault.moment };
        return;
      case 'kill importer':
        await slot.kill();
        await pause(fault.awayMs);
        return slot.run();
      case 'freeze importer':
        return this.#freeze(fault, slot);
      case 'second importer':
        return this.#haveSecondImporter();
    }
  }

  async #freeze({ forMs, loses }: Fault & { kind: 'freeze importer' }, slot: ImporterSlot): Promise<void> {
    await this.#haveSecondImporter();
    slot.signal('SIGSTOP');
    try {
      if (loses === 'lock') await this.#toServer(() => this.#terminate('lock'));
      if (loses === 'all connections') slot.proxy.drop();
      await pause(forMs);
    } finally {
      slot.signal('SIGCONT');
    }
  }

  async #haveSecondImporter(): Promise<void> {
    if (this.#slots.length < 2) await this.#startImporter();
  }

  /** One of those that write the ledger; the server then ends all others too, and recovers. */
  async #killBackend(): Promise<void> {
    const backends = await this.#options.server.query<{ pid: number }>(
      this.#name,
      "select pid from pg_stat_activity where application_name = 'kagami importer' and datname = current_database()",
    );
    for (const { pid } of backends) {
      try {
        process.kill(pid, 'SIGKILL');
        return;
      } catch (error) {
        // It went by itself after the question.
        if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
      }
    }
  }

  async #terminate(of: 'lock' | 'import' | 'all'): Promise<void> {
    const names = {
      lock: ['kagami writer lock'],
      import: ['kagami importer'],
      all: ['kagami writer lock', 'kagami importer'],
    };
    await this.#options.server.query(
      this.#name,
      'select pg_terminate_backend(pid) from pg_stat_activity where application_name = any($1) and datname = current_database()',
      [names[of]],
    );
  }

  #toServer(work: () => Promise<void>): Promise<void> {
    const done = this.#serverWork.then(work);
    this.#serverWork = done.catch(() => undefined);
    return done;
  }
}
