/**
 * Keeps in `kagami.importer_state` why the import stands still, for whoever asks later (`kagami doctor`): written when it
 * stops or has waited for longer than anyone would expect, gone with the next block.
 */
import type { Database, Queryable } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { Fault } from './fault.ts';
import { faultOf } from './fault.ts';

/**
 * waiting: for stream files. retrying: after a passing fault. stopped: until someone does something. ended: at the end
 * of the range that the settings ask for.
 */
export type StopState = 'waiting' | 'retrying' | 'stopped' | 'ended';

/** Milliseconds that a wait may take before anyone needs to know: nodes never sign all at once. */
const PATIENCE_MS = 10_000;
/** A network that produces no block for so long, or whose files don't reach the source, is news. */
const SILENCE_MS = 60_000;

export interface StopReason {
  readonly state: StopState;
  readonly fault: Fault;
  /** Stream file that it concerns, if any. */
  readonly file: string | null;
}

export interface StopRecordOptions {
  readonly database: Database;
  readonly lease: Pick<WriterLease, 'token' | 'holder'>;
  /** The import has stood still for a while, or another reason for that has come up. */
  readonly onStandstill?: (reason: StopReason) => void;
  /** It goes on. */
  readonly onResumed?: () => void;
  /** Whether blocks are waited for, so that silence means something. */
  readonly follow?: boolean;
  readonly patienceMs?: number;
  readonly silenceMs?: number;
}

/**
 * Judges whether the import stands still. Reading runs ahead of writing, so that blocks may be committed long after the
 * file behind them was found missing: a commit ends only what commits can end.
 */
export class StopRecord {
  readonly #options: StopRecordOptions;
  /** What keeps the next file from being read, until it is. */
  #waiting: StopReason | undefined;
  /** What keeps blocks from being written, or leaves none to be written, until one is. */
  #failing: StopReason | undefined;
  #silent: StopReason | undefined;
  #writing = false;
  /** `performance.now()` when the standstill began. */
  #since: number | undefined;
  #told: StopReason | undefined;
  #patience: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** There may be a row; at first, of an importer before this one. */
  #kept = true;
  #work: Promise<void> = Promise.resolve();

  constructor(options: StopRecordOptions) {
    this.#options = options;
    this.#listen();
  }

  /** The next file can't be read or proven; `proceeds` ends that. */
  waits(fault: KagamiError, file = ''): void {
    this.#waiting = { state: 'waiting', fault: faultOf(fault), file: file === '' ? null : file };
    this.#judge();
  }

  /** What was waited for has come. */
  proceeds(): void {
    this.#waiting = undefined;
    this.#judge();
    this.#listen();
  }

  /** A file was read that isn't wanted yet; the next block ends that. */
  passesOver(fault: KagamiError, file: string): void {
    this.#failing = { state: 'waiting', fault: faultOf(fault), file };
    this.#judge();
  }

  /** A passing fault; the next block ends that. */
  retries(fault: KagamiError): void {
    this.#writing = false;
    this.#waiting = undefined;
    this.#failing = { state: 'retrying', fault: faultOf(fault), file: null };
    this.#judge();
  }

  /** Files are being read, after whatever was written before. */
  reads(): void {
    this.#writing = false;
    this.#listen();
  }

  /** Blocks or repairs are being written, however long that takes. */
  writes(): void {
    this.#writing = true;
  }

  /** Blocks were committed, or there is nothing left to do. */
  progressed(): void {
    this.#writing = false;
    this.#failing = undefined;
    // The standstill of whoever waits for the next file begins now.
    if (this.#told === undefined) this.#endPatience();
    this.#judge();
    this.#listen();
    if (this.#told === undefined) this.#drop();
  }

  /** The import is over. Resolves when that is kept, or can't be. */
  async stopped(state: StopState, error: unknown): Promise<void> {
    const file = this.#reason?.file ?? null;
    this.#since ??= performance.now();
    this.#keep({ state, fault: faultOf(error), file });
    await this.close();
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    clearTimeout(this.#patience);
    clearTimeout(this.#silence);
    await this.#work;
  }

  get #reason(): StopReason | undefined {
    return this.#failing ?? this.#waiting ?? this.#silent;
  }

  #judge(): void {
    if (this.#failing !== undefined || this.#waiting !== undefined) this.#endSilence();
    const reason = this.#reason;
    if (reason === undefined) {
      this.#resume();
      return;
    }
    this.#since ??= performance.now();
    if (this.#told !== undefined) this.#tell(reason);
    else this.#patience ??= setTimeout(() => this.#loseHope(), this.#options.patienceMs ?? PATIENCE_MS).unref();
  }

  #loseHope(): void {
    this.#patience = undefined;
    const reason = this.#reason;
    if (reason === undefined) return;
    // What was read before the wait is being written: that is no standstill yet.
    if (this.#writing) this.#judge();
    else this.#tell(reason);
  }

  #tell(reason: StopReason): void {
    const told = this.#told;
    this.#told = reason;
    this.#keep(reason);
    if (told?.state === reason.state && told.file === reason.file && told.fault.code === reason.fault.code) return;
    this.#options.onStandstill?.(reason);
  }

  #resume(): void {
    this.#endPatience();
    if (this.#told === undefined) return;
    this.#told = undefined;
    this.#options.onResumed?.();
    this.#drop();
  }

  #endPatience(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#since = undefined;
  }

  /** Silence is over when there is a file, though it may be one that has to be waited for. */
  #endSilence(): void {
    if (this.#silent === undefined) return;
    this.#silent = undefined;
    this.#resume();
  }

  #listen(): void {
    const { follow = false, silenceMs = SILENCE_MS } = this.#options;
    this.#endSilence();
    clearTimeout(this.#silence);
    if (follow) this.#silence = setTimeout(() => this.#hearNothing(), silenceMs).unref();
  }

  #hearNothing(): void {
    if (this.#writing || this.#reason !== undefined) {
      this.#silence?.refresh();
      return;
    }
    const seconds = Math.round((this.#options.silenceMs ?? SILENCE_MS) / 1_000);
    const fault = new KagamiError('SOURCE_SILENT', `The source has had no newer file for ${seconds} seconds`);
    this.#silent = { state: 'waiting', fault: faultOf(fault), file: null };
    this.#since ??= performance.now();
    this.#tell(this.#silent);
  }

  #drop(): void {
    if (!this.#kept) return;
    this.#kept = false;
    this.#do('delete from kagami.importer_state', []);
  }

  #keep({ state, fault, file }: StopReason): void {
    const { token, holder } = this.#options.lease;
    this.#kept = true;
    const seconds = (performance.now() - (this.#since ?? performance.now())) / 1_000;
    // An importer that was overtaken has nothing to say any more.
    this.#do(
      `insert into kagami.importer_state (state, code, message, file, holder, since)
       select $1, $2, $3, $4, $5, now() - make_interval(secs => $6) from kagami.writer where token = $7
       on conflict (only_row) do update set state = excluded.state, code = excluded.code, message = excluded.message,
         file = excluded.file, holder = excluded.holder, since = excluded.since`,
      [state, fault.code, fault.message, file, holder, seconds, token],
    );
  }

  /** One statement after the other; a database that can't take one has troubles of its own. */
  #do(text: string, values: readonly unknown[]): void {
    this.#work = this.#work.then(async () => {
      await this.#options.database.query(text, values).catch(() => undefined);
    });
  }
}

/** Why the import stands still, or did when its process ended. */
export interface Standstill {
  readonly state: StopState;
  readonly code: string;
  readonly message: string;
  readonly file: string | null;
  readonly holder: string;
  /** ISO 8601. */
  readonly since: string;
}

/** Undefined while the import goes on. @throws KagamiError SCHEMA_NOT_READY before the migrations */
export const readStandstill = async (database: Queryable): Promise<Standstill | undefined> => {
  const [row] = await database.query<Standstill>(
    `select state, code, message, file, holder,
            to_char(since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as since
     from kagami.importer_state`,
  );
  return row;
};
