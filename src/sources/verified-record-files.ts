import type { GenesisState } from '../blocks/genesis-state.ts';
import { isKagamiError, type KagamiError } from '../errors/kagami-error.ts';
import type { ChainState } from '../streams/block/verdict.ts';
import { checkChain } from '../streams/record-file.ts';
import { streamError } from '../streams/stream-error.ts';
import { parseStreamFileName } from '../streams/stream-file-name.ts';
import type { Electorate } from './electorate.ts';
import { type FileGroup, listGroups } from './file-groups.ts';
import { GroupProof, isMissingSidecar, type ProofOptions, type ProvenRecordFile } from './group-proof.ts';
import { isSourceFailure } from './source-failure.ts';
import type { StreamSource } from './stream-source.ts';

/** A proven record file in its place in the chain. */
export interface VerifiedRecordFile extends ProvenRecordFile {
  /** False when nothing was known of the file before (the first one), or a gap was accepted. */
  readonly linked: boolean;
  /** The block as it was read, compressed if it was; none for record files. */
  readonly bytes?: Uint8Array;
  /** What block 0 of a block stream says of the state before its transactions. */
  readonly genesis?: GenesisState | undefined;
  /** Where the chain of blocks stands behind it, if it comes from a block. */
  readonly blockChain?: ChainState | undefined;
  /** Blocks before it that it shows to have been altered. */
  readonly corrections?: readonly BlockCorrection[];
}

/** What is right of a wrapped record block that was taken before it was known to be altered. */
export interface BlockCorrection {
  readonly number: bigint;
  /** 48 bytes. */
  readonly rootHash: Uint8Array;
  /** The rest, where the block was to be had once more. */
  readonly whole?: { readonly name: string; readonly previousRootHash: Uint8Array };
}

interface CommonOptions extends Omit<ProofOptions, 'trustUnsigned' | 'verifyAll' | 'leaveOutSidecars'> {
  readonly source: StreamSource;
  /** Asked before each attempt, so that a change of the address book or of stakes takes effect; cheap, same object while nothing changes. */
  readonly electorate: () => Electorate;
  /** Name of the last file already imported: the stream continues after it. */
  readonly startAfter?: string;
  /** Consensus time in nanoseconds to start after, when there is no such file. */
  readonly startAfterNanos?: bigint;
  /** `hash` of the last file already imported; without it the first file's chain is not checked. */
  readonly previousHash?: Uint8Array | undefined;
  /** Number of its block, as far as its file stated one; tells which blocks are missing. */
  readonly previousBlock?: bigint | undefined;
  /** How many files are read and proven ahead of the consumer, 4 by default. */
  readonly readAhead?: number;
  /** How many bytes these may take in memory, 24 MiB by default; one file is always read ahead. */
  readonly readAheadBytes?: number;
  readonly signal?: AbortSignal;
  /**
   * Yields a proven file that doesn't follow its predecessor with `linked: false`, instead of failing; when following, if
   * what is missing hasn't come after a while.
   */
  readonly acceptGaps?: boolean;
  /**
   * Leaves out sidecar files that no node has, instead of refusing files that lack them; when following, after a while
   * and until one is found again.
   */
  readonly acceptMissingSidecars?: boolean;
  /** A group of files that no consensus backs was passed over, because the chain leads past it. */
  readonly onSkipped?: (base: string, reason: KagamiError) => void;
}

/** Reads what is there and ends; whatever can't be proven ends it with an error. */
export interface ReadOnceOptions extends CommonOptions {
  readonly follow?: false;
  /** See `ProofOptions`. */
  readonly trustUnsigned?: boolean;
}

/**
 * Never ends: waits for files to arrive, and for signatures, copies or missing files to become complete. Unsigned files
 * can't be trusted here, since a file that is still being written looks like one.
 */
export interface FollowOptions extends CommonOptions {
  readonly follow: true;
  /** Longest pause between two looks, in milliseconds, 500 by default. */
  readonly pollMs?: number;
  /**
   * How long the stream waits for its first file to be signed, or for a missing one if gaps are accepted; 10 s by default.
   * Of sidecars, 30 s.
   */
  readonly patienceMs?: number;
  /** Called when the next file can't be proven yet, or (with an empty base) the source can't be read, and why changes. */
  readonly onWaiting?: (base: string, reason: KagamiError) => void;
  /** Called when what was waited for has come. Files handed on before the wait may be in work still. */
  readonly onProceeding?: () => void;
}

export type VerifiedRecordFilesOptions = ReadOnceOptions | FollowOptions;

const GROUPS_PER_PAGE = 500;
const DEFAULT_READ_AHEAD = 4;
const DEFAULT_READ_AHEAD_BYTES = 24 * 1024 * 1024;
const DEFAULT_POLL_MS = 500;
const DEFAULT_PATIENCE_MS = 10_000;
/** Nodes may store sidecars later than the record files that name them. */
const DEFAULT_SIDECAR_PATIENCE_MS = 30_000;
/** A follower looks behind this many unproven groups only, since it does so again at every change. */
const FOLLOWER_REACH = 100;

type Outcome = ProvenRecordFile | KagamiError;

/**
 * The record files of a source in stream order, each proven: signatures of enough weight over its hashes, the data file
 * matching them, running hash, and chained to the file before. A missing, late or lying node is no obstacle while the
 * others carry the required weight.
 * @throws KagamiError in read-once mode the reason why the next file can't be proven (STREAM_NO_CONSENSUS,
 * STREAM_UNSIGNED, STREAM_CHAIN_BROKEN, SOURCE_FILE_MISSING, ...), SOURCE_EMPTY when there are no stream folders;
 * SOURCE_UNREADABLE; in both modes STREAM_WRONG_NAME for an unusable `startAfter`.
 */
export async function* verifiedRecordFiles(options: VerifiedRecordFilesOptions): AsyncGenerator<VerifiedRecordFile> {
  const walk = new StreamWalk(options);
  while (!options.signal?.aborted) {
    const step = await walk.step();
    if (step === 'end') return;
    if (step !== 'again') yield step;
  }
}

class StreamWalk {
  readonly #options: VerifiedRecordFilesOptions;
  readonly #readAhead: number;
  readonly #readAheadBytes: number;
  /** Attempts under way or done, by base name; they never reject. */
  readonly #outcomes = new Map<string, { readonly electorate: Electorate; readonly outcome: Promise<Outcome> }>();
  readonly #proofs = new Map<string, GroupProof>();
  /** Bytes that a file takes in memory while it is read, by base name. */
  readonly #sizes = new Map<string, number>();
  /** Those of the file that was proven last: what is not read yet is taken to be as large. */
  #usualSize = 0;
  #queue: FileGroup[] = [];
  #more = true;
  #cursor: bigint;
  #previousHash: Uint8Array | undefined;
  #previousBlock: bigint | undefined;
  #waiting: { readonly base: string; readonly about: string } | undefined;
  /** The head whose copies were listed just before its last attempt. */
  #freshHead = '';
  #headSince = { base: '', time: 0 };
  #expectsSidecars = true;

  constructor(options: VerifiedRecordFilesOptions) {
    this.#options = options;
    this.#readAhead = options.readAhead ?? DEFAULT_READ_AHEAD;
    this.#readAheadBytes = options.readAheadBytes ?? DEFAULT_READ_AHEAD_BYTES;
    this.#cursor = startOf(options);
    this.#previousHash = options.previousHash;
    this.#previousBlock = options.previousBlock;
  }

  async step(): Promise<VerifiedRecordFile | 'again' | 'end'> {
    if (this.#queue.length === 0 && !(await this.#listOrReport())) {
      if (!this.#options.follow) return 'end';
      await this.#wait();
      return 'again';
    }
    const head = this.#queue[0] as FileGroup;
    const outcome = await this.#outcomeOf(head);
    const fault = isKagamiError(outcome) ? outcome : this.#chainFault(outcome);
    if (fault === undefined) return this.#advance(head, outcome as ProvenRecordFile, this.#previousHash !== undefined);
    if (this.#options.follow && this.#freshHead !== head.base) {
      await this.#forgetFailures(head);
      return 'again';
    }
    if (isKagamiError(outcome)) {
      if (isMissingSidecar(outcome) && this.#givesUpSidecars(head)) {
        await this.#forgetFailures(head);
        return 'again';
      }
      if (await this.#passOver(head, outcome)) return 'again';
    } else if (this.#options.acceptGaps && (!this.#options.follow || this.#waitedLongFor(head))) {
      return this.#advance(head, outcome, false);
    }
    if (!this.#options.follow) throw fault;
    await this.#waitFor(head, fault);
    return 'again';
  }

  /** Like `#list`; a follower waits for a source that can't be read now. */
  async #listOrReport(): Promise<boolean> {
    try {
      const found = await this.#list();
      if (this.#waiting?.base === '') this.#endWait();
      return found;
    } catch (error) {
      if (!this.#options.follow || !(isSourceFailure(error) || isKagamiError(error, 'SOURCE_EMPTY'))) throw error;
      this.#report('', error);
      return false;
    }
  }

  /** Fills the queue; false when nothing lies after the cursor. */
  async #list(): Promise<boolean> {
    const { groups, more, nodes } = await listGroups(
      this.#options.source,
      this.#options.electorate(),
      this.#cursor,
      GROUPS_PER_PAGE,
    );
    if (nodes === 0) {
      throw streamError('SOURCE_EMPTY', { file: this.#options.source.description, rule: 'no record stream folders' });
    }
    this.#queue = [...groups];
    this.#more = more;
    return groups.length > 0;
  }

  /** The outcome of a group's proof, attempted anew when the electorate has changed since a failure. */
  async #outcomeOf(group: FileGroup): Promise<Outcome> {
    const first = this.#start(group);
    this.#startAhead();
    const outcome = await first.outcome;
    if (!isKagamiError(outcome) || first.electorate === this.#options.electorate()) return outcome;
    this.#outcomes.delete(group.base);
    this.#proofs.delete(group.base);
    return this.#start(group).outcome;
  }

  #startAhead(): void {
    let bytes = 0;
    for (const [index, next] of this.#queue.slice(1, 1 + this.#readAhead).entries()) {
      bytes += this.#sizes.get(next.base) ?? this.#usualSize;
      if (index > 0 && (this.#usualSize === 0 || bytes > this.#readAheadBytes)) return;
      this.#start(next);
    }
  }

  #noteSize(base: string, { recordFile }: ProvenRecordFile): void {
    this.#usualSize = recordFile.size + recordFile.uncompressedSize;
    this.#sizes.set(base, this.#usualSize);
  }

  #start(group: FileGroup): { readonly electorate: Electorate; readonly outcome: Promise<Outcome> } {
    const known = this.#outcomes.get(group.base);
    if (known !== undefined) return known;
    const electorate = this.#options.electorate();
    let proof = this.#proofs.get(group.base);
    if (proof === undefined) {
      proof = new GroupProof(this.#options.source, this.#proofOptions());
      this.#proofs.set(group.base, proof);
    }
    const outcome = proof.attempt(group, electorate).catch((error: unknown) => {
      if (isKagamiError(error)) return error;
      throw error;
    });
    // A fault of the program surfaces where the outcome is awaited, not as an unhandled rejection before that.
    outcome.then((result) => isKagamiError(result) || this.#noteSize(group.base, result)).catch(() => undefined);
    const started = { electorate, outcome };
    this.#outcomes.set(group.base, started);
    return started;
  }

  #proofOptions(): ProofOptions {
    const { acceptMissingSidecars = false, follow = false } = this.#options;
    return {
      ...this.#options,
      ...(follow ? { trustUnsigned: false } : {}),
      leaveOutSidecars: () => acceptMissingSidecars && !(follow && this.#expectsSidecars),
    };
  }

  #givesUpSidecars(head: FileGroup): boolean {
    if (!this.#options.acceptMissingSidecars || !this.#waitedLongFor(head, DEFAULT_SIDECAR_PATIENCE_MS)) return false;
    this.#expectsSidecars = false;
    return true;
  }

  #chainFault({ recordFile }: ProvenRecordFile): KagamiError | undefined {
    if (this.#previousHash === undefined) return undefined;
    try {
      checkChain(recordFile, this.#previousHash);
      return undefined;
    } catch (error) {
      if (isKagamiError(error)) return nameMissingBlocks(error, this.#previousBlock, recordFile.blockNumber);
      throw error;
    }
  }

  #advance(head: FileGroup, proven: ProvenRecordFile, linked: boolean): VerifiedRecordFile {
    this.#endWait();
    this.#queue.shift();
    this.#cursor = head.nanos;
    if (proven.sidecars.length > 0) this.#expectsSidecars = true;
    this.#previousHash = proven.recordFile.hash;
    this.#previousBlock = proven.recordFile.blockNumber ?? undefined;
    this.#drop(head.base);
    return { ...proven, linked };
  }

  #drop(base: string): void {
    this.#outcomes.delete(base);
    this.#proofs.delete(base);
    this.#sizes.delete(base);
  }

  /**
   * Groups without consensus at the head may be a lying node's inventions. They are when the next proven file follows
   * the last accepted one directly; then they are passed over. Where no file was accepted yet, a follower passes over
   * them after a while, since nodes keep histories of different lengths; reading once, they are refused.
   */
  async #passOver(head: FileGroup, reason: KagamiError): Promise<boolean> {
    if (this.#previousHash === undefined && !this.#waitedLongFor(head)) return false;
    if (this.#more && this.#queue.length < GROUPS_PER_PAGE) await this.#listOrReport();
    const reach = this.#options.follow ? FOLLOWER_REACH : this.#queue.length;
    for (let i = 1; i < Math.min(this.#queue.length, reach); i++) {
      const outcome = await this.#outcomeOf(this.#queue[i] as FileGroup);
      if (isKagamiError(outcome)) continue;
      if (this.#chainFault(outcome) !== undefined) return false;
      for (const { base } of this.#queue.splice(0, i)) {
        this.#options.onSkipped?.(base, reason);
        this.#drop(base);
      }
      return true;
    }
    return false;
  }

  #waitedLongFor(head: FileGroup, patienceMs = DEFAULT_PATIENCE_MS): boolean {
    if (!this.#options.follow) return false;
    if (this.#headSince.base !== head.base) this.#headSince = { base: head.base, time: performance.now() };
    return performance.now() - this.#headSince.time > (this.#options.patienceMs ?? patienceMs);
  }

  async #waitFor(head: FileGroup, reason: KagamiError): Promise<void> {
    this.#report(head.base, reason);
    await this.#wait();
    await this.#forgetFailures(head);
  }

  #report(base: string, reason: KagamiError): void {
    const about = `${base} ${reason.message}`;
    if (about !== this.#waiting?.about && this.#options.follow) this.#options.onWaiting?.(base, reason);
    this.#waiting = { base, about };
  }

  #endWait(): void {
    if (this.#waiting !== undefined && this.#options.follow) this.#options.onProceeding?.();
    this.#waiting = undefined;
  }

  /** Has whatever failed attempted again, with the copies that are there now. */
  async #forgetFailures(head: FileGroup): Promise<void> {
    for (const [base, { outcome }] of this.#outcomes) if (isKagamiError(await outcome)) this.#outcomes.delete(base);
    this.#queue = [];
    this.#freshHead = head.base;
  }

  async #wait(): Promise<void> {
    const pollMs = this.#options.follow ? (this.#options.pollMs ?? DEFAULT_POLL_MS) : 0;
    await this.#options.source.waitForChange(pollMs, this.#options.signal);
  }
}

const startOf = ({ startAfter, startAfterNanos }: VerifiedRecordFilesOptions): bigint => {
  if (startAfter === undefined) return startAfterNanos ?? -1n;
  const parsed = parseStreamFileName(startAfter);
  if (parsed === undefined) {
    throw streamError('STREAM_WRONG_NAME', { file: startAfter, rule: 'not the name of a record file to start after' });
  }
  return parsed.nanos;
};

/** A broken link, with the numbers of the blocks that are missing before the file, where both sides tell theirs. */
const nameMissingBlocks = (fault: KagamiError, previous: bigint | undefined, block: bigint | null): KagamiError => {
  if (previous === undefined || block === null || block <= previous + 1n) return fault;
  const [first, last] = [previous + 1n, block - 1n];
  const missing = first === last ? `block ${first} is missing` : `blocks ${first} to ${last} are missing`;
  return streamError('STREAM_CHAIN_BROKEN', {
    ...fault.details,
    file: String(fault.details.file),
    rule: `${missing} before it (block ${block})`,
    missing: { first, last },
  });
};
