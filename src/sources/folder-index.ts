import { type FSWatcher, statSync, watch } from 'node:fs';
import { opendir, stat } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import { nanosToStreamName } from '../ledger/timestamp.ts';
import { streamError } from '../streams/stream-error.ts';
import { compareStreamNames, parseStreamFileName, type StreamFileName } from '../streams/stream-file-name.ts';
import { pageOfNames } from './node-page.ts';
import type { NodeListing } from './stream-source.ts';

/** Names kept per folder: a scan of a folder of any size keeps this many of the earliest, then stops growing. */
const MAX_KEPT_NAMES = 20_000;
const READ_BUFFER_ENTRIES = 4096;
/** Length of `2022-07-13T08_46_11`, by which names sort as text; fractions vary in length and don't. */
const SECOND_CHARS = 19;
/** Coarsest modification times of file systems in use. */
const MTIME_GRANULARITY_MS = 2000;
const RESCAN_INTERVAL_MS = 30_000;
/** Time that an event may take to follow the change that it reports. */
const EVENT_DELAY_MS = 200;
/** A folder is not scanned again before this many times the last scan's duration, so that scans stay below 1/10 of time. */
const SCAN_PAUSE_FACTOR = 10;
/** Latest time whose name has a year of four digits. */
const LAST_NAMED_NANOS = 253_402_300_799_000_000_000n;

/**
 * The names in one node's folder after a moving cursor. Scanning streams through the folder and keeps a bounded number
 * of names; afterwards file system events add names one by one, and the folder is scanned again only when events are
 * not available or may have been lost: network file systems tell nothing of what other machines write.
 */
export class FolderIndex {
  readonly #path: string;
  readonly #onChange: () => void;
  #names = new Map<string, StreamFileName>();
  #sorted: StreamFileName[] | undefined;
  #after = 0n;
  /** The last scan left later names out. */
  #more = false;
  #scanned = false;
  #stale = true;
  #scanStart = 0;
  #scanDuration = 0;
  #watcher: FSWatcher | undefined;
  /** What events told while a scan was under way, which may have read past it. */
  #arrived: StreamFileName[] | undefined;
  #listing: Promise<unknown> = Promise.resolve();
  #watchedInode: number | undefined;
  #modified = 0;
  /** An event has come since the time of modification was last looked at. */
  #heard = false;
  /** When a change was seen that no event has told of. */
  #unheardSince: number | undefined;

  constructor(path: string, watched: boolean, onChange: () => void) {
    this.#path = path;
    this.#onChange = onChange;
    if (watched) this.#watch();
  }

  /** One listing at a time: each moves the cursor. */
  list(after: bigint, limit: number): Promise<NodeListing> {
    const listing = this.#listing.then(() => this.#list(after, limit));
    this.#listing = listing.catch(() => undefined);
    return listing;
  }

  /** Says that a listed name was not there when it was read. */
  forget(name: string): void {
    this.#names.delete(name);
    this.#sorted = undefined;
  }

  close(): void {
    this.#watcher?.close();
    this.#watcher = undefined;
  }

  async #list(after: bigint, limit: number): Promise<NodeListing> {
    if (after < this.#after) this.#scanned = false;
    this.#forgetUpTo(after);
    if (await this.#needsScan(limit)) await this.#scan();
    return pageOfNames(this.#inOrder(), limit, this.#more);
  }

  #watch(): void {
    try {
      this.#watchedInode = statSync(this.#path).ino;
      this.#watcher = watch(this.#path, { persistent: false }, (_event, name) => {
        this.#heard = true;
        if (name === null) this.#stale = true;
        else this.#hear(name);
        this.#onChange();
      });
      // Without events the modification time of the folder tells when to scan.
      this.#watcher.on('error', () => this.close());
    } catch {
      this.#watcher = undefined;
    }
  }

  #hear(name: string): void {
    const parsed = parseStreamFileName(name);
    if (parsed === undefined || parsed.kind === 'sidecar') return;
    this.#arrived?.push(parsed);
    this.#add(parsed);
  }

  #add(parsed: StreamFileName): void {
    if (parsed.nanos <= this.#after) return;
    // Beyond the last name kept lie names that a scan left out; adding one of those would hide the others.
    if (this.#more && parsed.nanos > (this.#inOrder().at(-1)?.nanos ?? 0n)) return;
    this.#names.set(parsed.name, parsed);
    this.#sorted = undefined;
  }

  #forgetUpTo(after: bigint): void {
    this.#after = after;
    const sorted = this.#inOrder();
    let passed = 0;
    while (passed < sorted.length && (sorted[passed] as StreamFileName).nanos <= after) {
      this.#names.delete((sorted[passed++] as StreamFileName).name);
    }
    if (passed > 0) this.#sorted = sorted.slice(passed);
  }

  #inOrder(): StreamFileName[] {
    this.#sorted ??= [...this.#names.values()].sort(compareStreamNames);
    return this.#sorted;
  }

  async #needsScan(limit: number): Promise<boolean> {
    if (!this.#scanned) return true;
    // Two names make one record file with its signature.
    if (this.#more) return this.#names.size < 2 * limit;
    const elapsed = performance.now() - this.#scanStart;
    if (elapsed < SCAN_PAUSE_FACTOR * this.#scanDuration) return false;
    if (this.#watcher === undefined) return this.#modifiedSinceScan(elapsed);
    return this.#stale || elapsed > RESCAN_INTERVAL_MS || (await this.#hasUnheardChange());
  }

  /** Whether the folder is another one than is watched, or has changed and no event has come for a while. */
  async #hasUnheardChange(): Promise<boolean> {
    const folder = await stat(this.#path).catch(() => undefined);
    if (folder === undefined) return true;
    if (folder.ino !== this.#watchedInode) {
      this.close();
      this.#watch();
      return true;
    }
    const now = performance.now();
    if (this.#heard) this.#unheardSince = undefined;
    else if (folder.mtimeMs !== this.#modified) this.#unheardSince ??= now;
    this.#heard = false;
    this.#modified = folder.mtimeMs;
    return this.#unheardSince !== undefined && now - this.#unheardSince > EVENT_DELAY_MS;
  }

  async #modifiedSinceScan(elapsed: number): Promise<boolean> {
    try {
      const { mtimeMs } = await stat(this.#path);
      return mtimeMs > Date.now() - elapsed - MTIME_GRANULARITY_MS;
    } catch {
      return true;
    }
  }

  async #scan(): Promise<void> {
    this.#scanStart = performance.now();
    this.#stale = false;
    this.#unheardSince = undefined;
    this.#arrived = [];
    const afterSecond = this.#secondOf(this.#after);
    let lastSecond = '~';
    let more = false;
    let kept: StreamFileName[] = [];
    const cut = (): void => {
      kept.sort(compareStreamNames);
      if (kept.length <= MAX_KEPT_NAMES) return;
      const bound = kept[MAX_KEPT_NAMES] as StreamFileName;
      // The record file at the bound may have lost one of its names: leave it out as a whole.
      const fit = kept.findIndex(({ nanos }) => nanos >= bound.nanos);
      kept = kept.slice(0, fit);
      lastSecond = bound.name.slice(0, SECOND_CHARS);
      more = true;
    };
    try {
      await this.#eachName((name) => {
        if (name < afterSecond || name.slice(0, SECOND_CHARS) > lastSecond) return;
        const parsed = parseStreamFileName(name);
        if (parsed === undefined || parsed.kind === 'sidecar' || parsed.nanos <= this.#after) return;
        kept.push(parsed);
        if (kept.length >= 2 * MAX_KEPT_NAMES) cut();
      });
    } catch (error) {
      this.#stale = true;
      this.#scanned = false;
      this.#arrived = undefined;
      const { code } = error as NodeJS.ErrnoException;
      throw streamError(
        'SOURCE_UNREADABLE',
        { file: this.#path, rule: `the folder cannot be listed (${code})` },
        error,
      );
    }
    cut();
    this.#names = new Map(kept.map((parsed) => [parsed.name, parsed]));
    this.#sorted = kept;
    this.#more = more;
    this.#scanned = true;
    const arrived = this.#arrived;
    this.#arrived = undefined;
    for (const parsed of arrived) this.#add(parsed);
    this.#scanDuration = performance.now() - this.#scanStart;
  }

  /** Reading synchronously takes a third of the time; a pause after each buffer keeps the thread responsive. */
  async #eachName(visit: (name: string) => void): Promise<void> {
    const folder = await opendir(this.#path, { bufferSize: READ_BUFFER_ENTRIES });
    try {
      for (let count = 1; ; count++) {
        const entry = folder.readSync();
        if (entry === null) return;
        visit(entry.name);
        if (count % READ_BUFFER_ENTRIES === 0) await setImmediate();
      }
    } finally {
      await folder.close();
    }
  }

  #secondOf(nanos: bigint): string {
    if (nanos < 0n) return '';
    return nanosToStreamName(nanos > LAST_NAMED_NANOS ? LAST_NAMED_NANOS : nanos).slice(0, SECOND_CHARS);
  }
}
