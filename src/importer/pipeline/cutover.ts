/**
 * The cutover: goes over from record files to blocks when the network does. Nobody is told when that is; once the network
 * runs a version that may have done it, either stream is asked while the other brings nothing new, until there is a block
 * of a block stream. From then on there are only blocks. What is read once needs no waiting: each stream is read to its end.
 */
import type { SettingsOf } from '../../config/setting.ts';
import type { blockSettings } from '../../config/settings/block.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { ErrorCode } from '../../errors/registry.ts';
import { toHex } from '../../ledger/bytes.ts';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import type { HapiVersion } from '../../streams/record-file-content.ts';
import { blockNumberOf } from './block-number.ts';
import { type ChainPosition, isBlockStream } from './chain-position.ts';

export interface CutoverRules {
  /** HAPI version of the record files that blocks may follow. */
  readonly hapiVersion: HapiVersion;
  /** Milliseconds without anything new after which the other stream is asked. */
  readonly thresholdMs: number;
  /** Wrapped record blocks in place of record files, from an earlier version on; undefined: not before the cutover. */
  readonly firstStage?:
    | {
        readonly hapiVersion: HapiVersion;
        /** Milliseconds after which the latency of blocks counts, and above which they give way to record files for once. */
        readonly latencyCheckMs: number;
        readonly maxLatencyMs: number;
      }
    | undefined;
}

export type StreamKind = 'records' | 'blocks';

/** What is waited for, as it is told while one stream is read. */
export interface StageEvents {
  readonly onWaiting: (file: string, reason: KagamiError) => void;
  readonly onProceeding: () => void;
}

export interface CutoverOptions {
  readonly rules: CutoverRules;
  readonly last: ChainPosition | undefined;
  /** Number of the first block of an empty database. */
  readonly firstBlock: bigint | undefined;
  /** Either stream behind a position, until its signal aborts. */
  readonly open: (
    kind: StreamKind,
    last: ChainPosition | undefined,
    signal: AbortSignal,
    events: StageEvents,
  ) => AsyncGenerator<VerifiedRecordFile>;
  /** Waits for what comes; else ends when neither stream has any more. True by default. */
  readonly follow?: boolean | undefined;
  readonly signal: AbortSignal;
  readonly onWaiting?: ((file: string, reason: KagamiError) => void) | undefined;
  readonly onProceeding?: (() => void) | undefined;
  /** The stream that is read from now on. */
  readonly onStage?: ((kind: StreamKind) => void) | undefined;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

const isAtLeast = (version: HapiVersion | null, least: HapiVersion): boolean =>
  version !== null && (version.major - least.major || version.minor - least.minor || version.patch - least.patch) >= 0;

const NOTHING_YET: ReadonlySet<ErrorCode> = new Set(['SOURCE_EMPTY', 'SOURCE_BLOCK_MISSING']);

/** Files of record streams and blocks in the order of their numbers, none twice and none left out. */
export async function* cutOver(options: CutoverOptions): AsyncGenerator<VerifiedRecordFile> {
  const cutover = new Cutover(options);
  yield* options.follow === false ? cutover.readOnce() : cutover.run();
}

class Cutover {
  readonly #options: CutoverOptions;
  #last: ChainPosition | undefined;
  #isWaiting = false;

  constructor(options: CutoverOptions) {
    this.#options = options;
    this.#last = options.last;
  }

  async *run(): AsyncGenerator<VerifiedRecordFile> {
    const { signal, onStage } = this.#options;
    let kind: StreamKind = this.#prefersBlocks() ? 'blocks' : 'records';
    while (!signal.aborted) {
      onStage?.(kind);
      const end = yield* this.#stage(kind);
      if (end === 'over' || signal.aborted) return;
      // The first block may have come just when its turn was over.
      kind = kind === 'records' || this.#isOver() ? 'blocks' : 'records';
    }
  }

  /** Reads either stream to its end, in turn, as long as that brings anything. */
  async *readOnce(): AsyncGenerator<VerifiedRecordFile> {
    const { signal, onStage } = this.#options;
    let kind: StreamKind = this.#prefersBlocks() ? 'blocks' : 'records';
    let fruitless = 0;
    while (!signal.aborted && fruitless < 2) {
      const before = this.#last;
      onStage?.(kind);
      yield* this.#stage(kind);
      if (this.#isOver() && kind === 'blocks') return;
      if (kind === 'records' && !this.#mayHaveCutOver() && !this.#isFirstStage()) return;
      fruitless = this.#last === before ? fruitless + 1 : 0;
      kind = kind === 'records' ? 'blocks' : 'records';
    }
  }

  /** Reads one stream until it is the other's turn. */
  async *#stage(kind: StreamKind): AsyncGenerator<VerifiedRecordFile, 'over' | 'other'> {
    const { open, signal } = this.#options;
    const turn = new AbortController();
    const files = open(kind, this.#last, AbortSignal.any([signal, turn.signal]), {
      onWaiting: (file, reason) => {
        // That there are no blocks yet says nothing while record files may come.
        if (kind === 'blocks' && !this.#isOver() && NOTHING_YET.has(reason.code)) return;
        this.#isWaiting = true;
        this.#options.onWaiting?.(file, reason);
      },
      onProceeding: () => this.#proceed(),
    });
    const clock = new TurnClock(this.#turnMs(kind), () => turn.abort());
    const began = this.#now();
    try {
      for (;;) {
        const { done, value } = await files.next();
        if (done) return turn.signal.aborted ? 'other' : 'over';
        this.#proceed();
        this.#last = positionOf(value, this.#last, this.#options.firstBlock);
        clock.stop();
        yield value;
        if (this.#givesWay(kind, value, began)) return 'other';
        clock.restart(this.#turnMs(kind), kind === 'records' && this.#prefersBlocks());
      }
    } finally {
      clock.stop();
      turn.abort();
      await files.return(undefined);
    }
  }

  /** Milliseconds without anything new that a stream is given; undefined: for ever. */
  #turnMs(kind: StreamKind): number | undefined {
    const { rules, follow } = this.#options;
    if (this.#isOver() || follow === false) return undefined;
    if (kind === 'blocks' || this.#mayHaveCutOver()) return rules.thresholdMs;
    return this.#isFirstStage() ? rules.firstStage?.latencyCheckMs : undefined;
  }

  /** Wrapped record blocks that come too late, or the record files that were read once in their place. */
  #givesWay(kind: StreamKind, { recordFile }: VerifiedRecordFile, began: number): boolean {
    const { firstStage } = this.#options.rules;
    if (firstStage === undefined || !this.#isFirstStage() || this.#options.follow === false) return false;
    if (this.#now() - began < firstStage.latencyCheckMs) return false;
    if (kind === 'records') return true;
    return this.#now() - Number(recordFile.consensusEnd / 1_000_000n) > firstStage.maxLatencyMs;
  }

  #isOver(): boolean {
    return this.#last !== undefined && isBlockStream(this.#last);
  }

  #mayHaveCutOver(): boolean {
    const { hapiVersion } = this.#options.rules;
    return this.#last === undefined || isAtLeast(this.#last.hapiVersion, hapiVersion);
  }

  /** Wrapped record blocks are preferred to record files, before the cutover and until it. */
  #isFirstStage(): boolean {
    const { firstStage } = this.#options.rules;
    return (
      firstStage !== undefined && !this.#isOver() && isAtLeast(this.#last?.hapiVersion ?? null, firstStage.hapiVersion)
    );
  }

  #prefersBlocks(): boolean {
    return this.#isOver() || this.#isFirstStage();
  }

  #proceed(): void {
    if (!this.#isWaiting) return;
    this.#isWaiting = false;
    this.#options.onProceeding?.();
  }

  #now(): number {
    return (this.#options.now ?? Date.now)();
  }
}

/** Ends a turn when nothing has come for a while. */
class TurnClock {
  readonly #onEnd: () => void;
  #timer: NodeJS.Timeout | undefined;
  #deadline: number | undefined;

  constructor(ms: number | undefined, onEnd: () => void) {
    this.#onEnd = onEnd;
    this.restart(ms, false);
  }

  /** @param keep whether what comes does not prolong the turn */
  restart(ms: number | undefined, keep: boolean): void {
    clearTimeout(this.#timer);
    if (ms === undefined) return;
    const now = performance.now();
    this.#deadline = keep ? (this.#deadline ?? now + ms) : now + ms;
    this.#timer = setTimeout(this.#onEnd, Math.max(0, this.#deadline - now));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

const positionOf = (
  { recordFile }: VerifiedRecordFile,
  last: ChainPosition | undefined,
  firstBlock: bigint | undefined,
): ChainPosition => ({
  name: recordFile.name,
  consensusEnd: recordFile.consensusEnd,
  hash: toHex(recordFile.hash),
  index: blockNumberOf(recordFile, last, firstBlock),
  version: recordFile.version,
  hapiVersion: recordFile.hapiVersion,
});

type CutoverSettings = SettingsOf<typeof blockSettings>['cutover'];

/** @throws KagamiError CONFIG_INVALID for a version that is none */
export const cutoverRulesOf = ({ hapiVersion, threshold, firstStage }: CutoverSettings): CutoverRules => ({
  hapiVersion: versionOf(hapiVersion, 'hapiVersion'),
  thresholdMs: threshold,
  firstStage: firstStage.enabled
    ? {
        hapiVersion: versionOf(firstStage.hapiVersion, 'firstStage.hapiVersion'),
        latencyCheckMs: firstStage.latencyCheckThreshold,
        maxLatencyMs: firstStage.maxLatency,
      }
    : undefined,
});

const VERSION = /^(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?$/;

const versionOf = (text: string, name: string): HapiVersion => {
  const match = VERSION.exec(text.trim());
  if (match !== null) return { major: Number(match[1]), minor: Number(match[2]), patch: Number(match[3] ?? 0) };
  const setting = `hiero.mirror.importer.block.cutover.${name}`;
  throw new KagamiError('CONFIG_INVALID', `${setting}: ${JSON.stringify(text)} is no version such as 0.76.0`, {
    details: { setting },
  });
};
