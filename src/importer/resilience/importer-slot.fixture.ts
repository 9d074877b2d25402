/** A place where an importer process runs, dies and runs again, behind a proxy of its own. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CuttingProxy } from './cutting-proxy.fixture.ts';
import type { ClockJump } from './fault-plan.fixture.ts';
import type { FaultyServer } from './faulty-server.fixture.ts';
import type { ImporterArguments, ImporterNews } from './importer-process.fixture.ts';

const fileOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const PROGRAM = fileOf('./importer-process.fixture.ts');
const CLOCK = fileOf('./clock-jumps-process.fixture.ts');
const LONGEST_STOP_MS = 20_000;

export interface SlotOptions {
  readonly server: FaultyServer;
  readonly database: string;
  readonly task: Omit<ImporterArguments, 'connectionString'>;
  readonly clock: readonly ClockJump[];
  /** Folder of compiled code, shared by all. */
  readonly compileCache: string;
  /** Of the process. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly onNews: (news: ImporterNews) => void;
}

export class ImporterSlot {
  readonly proxy: CuttingProxy;
  readonly #options: SlotOptions;
  #child: ChildProcess | undefined;
  #importing = false;

  private constructor(options: SlotOptions, proxy: CuttingProxy) {
    this.#options = options;
    this.proxy = proxy;
  }

  static async open(options: SlotOptions): Promise<ImporterSlot> {
    return new ImporterSlot(options, await CuttingProxy.start(() => options.server.port));
  }

  /** Whether the last that was heard from it is that it is the writer. */
  get importing(): boolean {
    return this.#importing && this.runs;
  }

  get runs(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  run(): void {
    const { server, database, task, clock, compileCache, environment } = this.#options;
    const connectionString = server.connectionString(database, this.proxy.port);
    const child = spawn(process.execPath, ['--import', CLOCK, PROGRAM, JSON.stringify({ ...task, connectionString })], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: compileCache,
        KAGAMI_TEST_CLOCK: JSON.stringify(clock),
        ...environment,
      },
    });
    let rest = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#hear(JSON.parse(line) as ImporterNews);
    });
    let complaint = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    child.once('exit', (code) => {
      if (code) this.#options.onNews({ kind: 'failed', code: `EXIT_${code}`, message: complaint });
    });
    this.#importing = false;
    this.#child = child;
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    if (this.runs) this.#child?.kill(name);
  }

  async kill(): Promise<void> {
    if (!this.runs) return;
    this.#child?.kill('SIGKILL');
    await once(this.#child as ChildProcess, 'exit');
  }

  /** Stops in good order; false when that takes too long. */
  async stop(): Promise<boolean> {
    let stopped = true;
    if (this.runs) {
      const exited = once(this.#child as ChildProcess, 'exit');
      this.#child?.kill('SIGTERM');
      stopped = await Promise.race([exited.then(() => true), pause(LONGEST_STOP_MS, false, { ref: false })]);
      await this.kill();
    }
    await this.proxy.close();
    return stopped;
  }

  #hear(news: ImporterNews): void {
    if (news.kind === 'importing') this.#importing = true;
    if (news.kind === 'standby' || news.kind === 'restarting' || news.kind === 'ended') {
      this.#importing = false;
    }
    this.#options.onNews(news);
  }
}
