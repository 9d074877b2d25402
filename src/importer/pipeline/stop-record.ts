/**
 * Keeps in `kagami.importer_state` why the import stands still, for whoever asks later (`kagami doctor`): written when it
 * stops or has waited for longer than anyone would expect, gone with the next block.
 */
import type { Database, Queryable } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { Fault } from './importer-messages.ts';

/**
 * waiting: for stream files. retrying: after a passing fault. stopped: until someone does something. ended: at the end
 * of the range that the settings ask for.
 */
export type StopState = 'waiting' | 'retrying' | 'stopped' | 'ended';

/** Milliseconds that a wait may take before anyone needs to know: nodes never sign all at once. */
export const WAIT_PATIENCE_MS = 10_000;
/** A network that produces no block for so long, or whose files don't reach the source, is news. */
const SILENCE_MS = 60_000;

export interface StopRecordOptions {
  readonly database: Database;
  readonly lease: Pick<WriterLease, 'token' | 'holder'>;
  /** Told when neither a block nor a reason to wait has come for a while; absent where nothing is waited for. */
  readonly onSilence?: (reason: KagamiError) => void;
  readonly patienceMs?: number;
  readonly silenceMs?: number;
}

interface Reason {
  readonly state: StopState;
  readonly fault: Pick<Fault, 'code' | 'message'>;
  readonly file: string | null;
}

export class StopRecord {
  readonly #options: StopRecordOptions;
  readonly #patienceMs: number;
  #reason: Reason | undefined;
  /** `performance.now()` when the standstill began. */
  #since = performance.now();
  #patience: NodeJS.Timeout | undefined;
  #silence: NodeJS.Timeout | undefined;
  /** There may be a row; at first, of an importer before this one. */
  #kept = true;
  #work: Promise<void> = Promise.resolve();

  constructor(options: StopRecordOptions) {
    this.#options = options;
    this.#patienceMs = options.patienceMs ?? WAIT_PATIENCE_MS;
    this.#listen();
  }

  /** The import waits; kept if it still does after a while. */
  waits(state: 'waiting' | 'retrying', fault: Reason['fault'], file = ''): void {
    clearTimeout(this.#silence);
    if (this.#reason === undefined) {
      this.#since = performance.now();
      this.#patience = setTimeout(() => {
        this.#patience = undefined;
        this.#keep();
      }, this.#patienceMs).unref();
    }
    this.#reason = { state, fault, file: file === '' ? null : file };
    if (this.#patience === undefined) this.#keep();
  }

  /** Blocks are being written, however long that takes. */
  writes(): void {
    clearTimeout(this.#silence);
  }

  /** Blocks were committed, or there is nothing left to do. */
  progressed(): void {
    this.#forget();
    this.#listen();
    if (!this.#kept) return;
    this.#kept = false;
    this.#do('delete from kagami.importer_state', []);
  }

  /** The import is over. Resolves when that is kept, or can't be. */
  async stopped(state: StopState, fault: Reason['fault']): Promise<void> {
    const { file } = this.#reason ?? { file: null };
    if (this.#reason === undefined) this.#since = performance.now();
    this.#reason = { state, fault, file };
    this.#keep();
    await this.close();
  }

  /** Resolves when everything is written. */
  async close(): Promise<void> {
    this.#forget();
    clearTimeout(this.#silence);
    await this.#work;
  }

  #forget(): void {
    clearTimeout(this.#patience);
    this.#patience = undefined;
    this.#reason = undefined;
  }

  #listen(): void {
    const { onSilence, silenceMs = SILENCE_MS } = this.#options;
    if (onSilence === undefined) return;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      const seconds = Math.round(silenceMs / 1_000);
      const reason = new KagamiError('SOURCE_SILENT', `The source has had no newer file for ${seconds} seconds`);
      this.waits('waiting', reason);
      onSilence(reason);
    }, silenceMs).unref();
  }

  #keep(): void {
    if (this.#reason === undefined) return;
    const { state, fault, file } = this.#reason;
    const { token, holder } = this.#options.lease;
    this.#kept = true;
    // An importer that was overtaken has nothing to say any more.
    this.#do(
      `insert into kagami.importer_state (state, code, message, file, holder, since)
       select $1, $2, $3, $4, $5, now() - make_interval(secs => $6) from kagami.writer where token = $7
       on conflict (only_row) do update set state = excluded.state, code = excluded.code, message = excluded.message,
         file = excluded.file, holder = excluded.holder, since = excluded.since`,
      [state, fault.code, fault.message, file, holder, (performance.now() - this.#since) / 1_000, token],
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
