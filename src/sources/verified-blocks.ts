/**
 * Walks along the chain of blocks: asks for the next ones, has them proven a batch at a time, and asks elsewhere when a
 * source fails or gives what can't be proven. It owns which source is asked; proof itself is handed in.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { isKagamiError, type KagamiError } from '../errors/kagami-error.ts';
import { UNPROVABLE } from '../streams/block/verdict.ts';
import { streamError } from '../streams/stream-error.ts';
import type { BlockMeasurement } from './block-measurement.ts';
import { latencyMs } from './block-node/latency-probes.ts';
import type { BlockOrigin, OpenedOrigin } from './block-origin.ts';
import type { BlockProver, DisputedBlock, ProvenBlock } from './block-prover.ts';
import type { RawBlock } from './block-source.ts';

export interface VerifiedBlocksOptions<T> {
  /** The preferred one first. */
  readonly origins: readonly BlockOrigin[];
  readonly prove: BlockProver<T>;
  /** Number of the first block; undefined: the earliest that there is. */
  readonly from: bigint | undefined;
  /** Number of the last block, inclusive; undefined: no end. */
  readonly to: bigint | undefined;
  /** Waits for blocks to come; else ends after the last one that is there. */
  readonly follow: boolean;
  readonly acceptGaps: boolean;
  readonly signal: AbortSignal;
  /** Faults after which the next origin is asked. */
  readonly maxFaults?: number;
  /** Pauses in milliseconds after repeated faults: the first one, and the longest. */
  readonly minPauseMs?: number;
  readonly maxPauseMs?: number;
  /** Bytes and number of blocks above which no further one is proven with them. */
  readonly batchBytes?: number;
  readonly batchBlocks?: number;
  /** Milliseconds that later blocks are waited for which may prove one that doesn't prove itself, and bytes of all of them. */
  readonly laterProofMs?: number;
  readonly laterProofBytes?: number;
  /** The next block can't be read or proven, and why changes. */
  readonly onWaiting?: (file: string, reason: KagamiError) => void;
  /** What was waited for has come. */
  readonly onProceeding?: () => void;
  readonly onMeasured?: (measurement: BlockMeasurement) => void;
}

const DEFAULT_MAX_FAULTS = 3;
const DEFAULT_MIN_PAUSE_MS = 100;
const DEFAULT_MAX_PAUSE_MS = 5_000;
/** One signature proves a batch. Beside what a block of this size costs otherwise, a signature is little. */
const DEFAULT_BATCH_BYTES = 2 * 1024 * 1024;
const DEFAULT_BATCH_BLOCKS = 64;
const DEFAULT_LATER_PROOF_MS = 10_000;
const DEFAULT_LATER_PROOF_BYTES = 32 * 1024 * 1024;
/** Reading once, faults in a row after which it is given up. */
const READ_ONCE_FAULTS = 6;
/** How often each origin is asked for a block once more that may have been altered, before what is known of it must do. */
const SECOND_LOOKS = 3;
/** A block that took longer to come was waited for. */
const WAITED_MS = 20;

interface Batch<T> {
  readonly proven: readonly { readonly raw: RawBlock; readonly block: ProvenBlock<T> }[];
  readonly fault: KagamiError | undefined;
  readonly verificationMs: number;
  readonly waited: boolean;
}

/**
 * The proven blocks in order, without end while following.
 * @throws KagamiError when not following: why the next block can't be had or proven; SOURCE_EMPTY when there is none
 */
export async function* verifiedBlocks<T>(options: VerifiedBlocksOptions<T>): AsyncGenerator<ProvenBlock<T>> {
  yield* new BlockWalk(options).run();
}

class BlockWalk<T> {
  readonly #options: VerifiedBlocksOptions<T>;
  #next: bigint | undefined;
  /** A block has been proven, or the first one is given: until then the earliest one may become another. */
  #begun: boolean;
  #turn = 0;
  /** Faults of each origin since it last gave a block. */
  readonly #faultsOf = new Map<BlockOrigin, number>();
  /** Faults in a row. */
  #faults = 0;
  /** When each may be asked again, by `performance.now()`, and whether others may be asked meanwhile. */
  readonly #rests = new Map<BlockOrigin, { readonly until: number; readonly yields: boolean }>();
  /** How often files had nothing more since they last gave a block. */
  #misses = 0;
  #waiting: string | undefined;
  #lastEnd: bigint | undefined;
  /** While blocks are asked for once more: the number of the one that was refused because of them. */
  #disputing: bigint | undefined;
  #fruitlessLooks = 0;

  constructor(options: VerifiedBlocksOptions<T>) {
    this.#options = options;
    this.#next = options.from;
    this.#begun = options.from !== undefined;
  }

  async *run(): AsyncGenerator<ProvenBlock<T>> {
    const { signal, to, follow } = this.#options;
    while (!signal.aborted) {
      if (to !== undefined && this.#next !== undefined && this.#next > to) return;
      const origin = await this.#choose();
      const opened = await this.#open(origin);
      if (opened === 'nothing') return;
      if (opened === undefined) continue;
      const end = yield* this.#blocksOf(origin, opened);
      if (end === 'dry' && !follow && origin.kind === 'files') return;
      if (end === 'dry') this.#ranDry(origin);
    }
  }

  /** The origin whose turn it is, or the next one that can be asked, when it may be asked. */
  async #choose(): Promise<BlockOrigin> {
    const { origins, signal } = this.#options;
    const usable: BlockOrigin[] = [];
    for (let i = 0; i < origins.length; i++) {
      const origin = origins[(this.#turn + i) % origins.length] as BlockOrigin;
      if (origins.length === 1 || (await origin.isUsable())) usable.push(origin);
    }
    const candidates = usable.length > 0 ? usable : origins.slice(0, 1);
    const now = performance.now();
    const restOf = (origin: BlockOrigin): number => Math.max(0, (this.#rests.get(origin)?.until ?? 0) - now);
    const chosen =
      candidates.find((origin) => restOf(origin) === 0 || this.#rests.get(origin)?.yields === false) ??
      candidates.reduce((soonest, origin) => (restOf(origin) < restOf(soonest) ? origin : soonest));
    const rest = restOf(chosen);
    if (rest > 0) await delay(rest, undefined, { signal }).catch(() => undefined);
    return chosen;
  }

  async #open(origin: BlockOrigin): Promise<OpenedOrigin | 'nothing' | undefined> {
    const { signal, to, follow, acceptGaps, origins } = this.#options;
    try {
      if (!this.#begun) this.#next = await origin.earliest(signal);
      if (this.#next === undefined) {
        throw streamError('SOURCE_EMPTY', { file: origin.description, rule: 'it has no blocks' });
      }
      if (to !== undefined && this.#next > to) return 'nothing';
      const request = { next: this.#next, to, follow, acceptGaps, signal, leaveWhenDry: origins.length > 1 };
      return (await origin.open(request)) ?? 'nothing';
    } catch (fault) {
      if (signal.aborted) return undefined;
      if (!isKagamiError(fault)) throw fault;
      this.#failed(origin, origin.kind === 'nodes' ? 'nodes' : 'cloud', fault);
      this.#looked(fault);
      return undefined;
    }
  }

  /** Blocks that are not to be had once more are taken to be as they are known. */
  #looked(fault: KagamiError): void {
    if (this.#disputing === undefined || fault.code !== 'SOURCE_BLOCK_MISSING') return;
    if (++this.#fruitlessLooks < SECOND_LOOKS * this.#options.origins.length) return;
    this.#next = this.#disputing;
    this.#disputing = undefined;
  }

  /** Goes back to the block that a refused one does not follow. */
  #goBack({ number }: DisputedBlock): void {
    if (this.#disputing === undefined) {
      this.#disputing = this.#next;
      this.#fruitlessLooks = 0;
    }
    this.#next = number;
  }

  async *#blocksOf(
    origin: BlockOrigin,
    opened: OpenedOrigin,
  ): AsyncGenerator<ProvenBlock<T>, 'dry' | 'moved' | 'failed'> {
    const batches = this.#batches(opened.blocks);
    let upcoming = soon(batches.next());
    let gave = false;
    let moves = false;
    try {
      for (;;) {
        const { done, value } = await upcoming;
        if (done) break;
        upcoming = soon(batches.next());
        for (const { raw, block } of value.proven) {
          gave = true;
          this.#progressed(origin, opened, raw, block, value);
          yield block;
        }
        if (value.fault !== undefined) throw new Refusal(value.fault, value.verificationMs);
        if (moves || !opened.shouldMove()) continue;
        // What is being proven is proven to its end: whoever proves keeps count of the chain.
        moves = true;
        opened.completed();
      }
      // A node that was chosen because it has the block, or is about to have it, and does not give it.
      if (!moves && !gave && origin.kind === 'nodes') throw this.#endsBefore(opened.label);
      opened.completed();
      return moves || gave ? 'moved' : 'dry';
    } catch (error) {
      const refusal = error instanceof Refusal ? error : undefined;
      const fault = refusal?.fault ?? error;
      // What was refused speaks against whoever gave it, also when it is too late for this walk.
      if (refusal === undefined && this.#options.signal.aborted) return 'failed';
      if (!isKagamiError(fault)) throw fault;
      if (refusal !== undefined) {
        const { verificationMs } = refusal;
        this.#options.onMeasured?.({ kind: 'refused', origin: opened.label, verificationMs });
      }
      const disputed = fault.details.askAgainFrom as DisputedBlock | undefined;
      const lied = disputed?.isContradiction ?? fault.code !== 'STREAM_UNCONFIRMED';
      opened.failed(fault, refusal !== undefined && lied);
      if (this.#options.signal.aborted) return 'failed';
      this.#failed(origin, opened.label, fault);
      if (disputed === undefined) this.#looked(fault);
      else this.#goBack(disputed);
      return 'failed';
    } finally {
      await opened.blocks.return(undefined);
      await upcoming.catch(() => undefined);
    }
  }

  /** Ends after the first block that is refused. */
  async *#batches(blocks: AsyncGenerator<RawBlock>): AsyncGenerator<Batch<T>> {
    const {
      batchBlocks = DEFAULT_BATCH_BLOCKS,
      batchBytes = DEFAULT_BATCH_BYTES,
      laterProofMs = DEFAULT_LATER_PROOF_MS,
      laterProofBytes = DEFAULT_LATER_PROOF_BYTES,
      to,
      follow,
    } = this.#options;
    let upcoming = soon(blocks.next());
    for (;;) {
      const asked = performance.now();
      const first = await upcoming;
      if (first.done) return;
      const waited = performance.now() - asked > WAITED_MS;
      const batch = [first.value];
      let bytes = first.value.bytes.length;
      upcoming = soon(blocks.next());
      while (batch.length < batchBlocks && bytes < batchBytes) {
        const next = await Promise.race([upcoming.catch(() => undefined), pendingWork()]);
        if (next === undefined || next.done) break;
        batch.push(next.value);
        bytes += next.value.bytes.length;
        upcoming = soon(blocks.next());
      }
      let deadline: number | undefined;
      for (let rest: readonly RawBlock[] = batch; rest.length > 0; ) {
        let proving = await this.#proveSome(rest, waited, rest.at(-1)?.number !== to);
        let { proven, fault } = proving;
        const mayBeProven = fault !== undefined && UNPROVABLE.has(fault.code);
        if (mayBeProven && proven.length === 0 && rest.length < batchBlocks && bytes < laterProofBytes) {
          deadline ??= performance.now() + laterProofMs;
          const later = await within(upcoming, deadline);
          if (later !== undefined && !later.done) {
            rest = [...rest, later.value];
            bytes += later.value.bytes.length;
            upcoming = soon(blocks.next());
            continue;
          }
          if (!follow && later?.done && rest.length === 1) {
            proving = await this.#proveSome(rest, waited, false);
            ({ proven, fault } = proving);
          }
        }
        // What stands before a block that may still be proven is handed on, and that one looked at again.
        const isLast = fault !== undefined && !(mayBeProven && proven.length > 0);
        yield isLast ? proving : { ...proving, fault: undefined };
        if (isLast) return;
        rest = rest.slice(proven.length);
      }
    }
  }

  async #proveSome(blocks: readonly RawBlock[], waited: boolean, moreToCome: boolean): Promise<Batch<T>> {
    const began = performance.now();
    const outcomes = await this.#options.prove(blocks, moreToCome);
    const verificationMs = (performance.now() - began) / Math.max(1, outcomes.length);
    const proven: { raw: RawBlock; block: ProvenBlock<T> }[] = [];
    for (const [i, outcome] of outcomes.entries()) {
      if (isKagamiError(outcome)) return { proven, fault: outcome, verificationMs, waited };
      proven.push({ raw: blocks[i] as RawBlock, block: outcome });
    }
    return { proven, fault: undefined, verificationMs, waited };
  }

  #progressed(
    origin: BlockOrigin,
    opened: OpenedOrigin,
    raw: RawBlock,
    { consensusEnd, wrapped }: ProvenBlock<T>,
    { verificationMs, waited }: Batch<T>,
  ): void {
    this.#next = raw.number + 1n;
    this.#begun = true;
    // Blocks that were there before are no progress.
    if (this.#disputing !== undefined && raw.number < this.#disputing) return;
    this.#disputing = undefined;
    this.#faultsOf.set(origin, 0);
    this.#faults = 0;
    this.#misses = 0;
    if (this.#waiting !== undefined) {
      this.#waiting = undefined;
      this.#options.onProceeding?.();
    }
    opened.proved(raw, consensusEnd, waited);
    this.#options.onMeasured?.({
      kind: 'proven',
      origin: opened.label,
      wrapped,
      latencyMs: latencyMs(Date.now(), consensusEnd),
      arrivalMs: latencyMs(raw.receivedTime, consensusEnd),
      verificationMs,
      closeMs: this.#lastEnd === undefined ? undefined : Number((consensusEnd - this.#lastEnd) / 1_000n) / 1_000,
    });
    this.#lastEnd = consensusEnd;
  }

  #failed(origin: BlockOrigin, label: string, fault: KagamiError): void {
    this.#options.onMeasured?.({ kind: 'error', origin: label });
    this.#faults++;
    const { follow, maxFaults = DEFAULT_MAX_FAULTS } = this.#options;
    const faults = (this.#faultsOf.get(origin) ?? 0) + 1;
    this.#faultsOf.set(origin, faults);
    const yields = faults >= maxFaults;
    if (yields) this.#turn++;
    if (!follow && this.#faults >= READ_ONCE_FAULTS) throw fault;
    this.#report(fault);
    this.#rests.set(origin, { until: performance.now() + this.#pauseAfter(faults), yields });
  }

  /** There is nothing more here now: whoever else there is may have it. */
  #ranDry(origin: BlockOrigin): void {
    const pause = origin.pauseAfter?.(++this.#misses) ?? 0;
    this.#rests.set(origin, { until: performance.now() + pause, yields: true });
    this.#turn++;
  }

  #endsBefore(file: string): KagamiError {
    const rule = `it ends its stream before block ${this.#next}`;
    return streamError('SOURCE_BLOCK_MISSING', { file, rule, block: this.#next });
  }

  #report(fault: KagamiError): void {
    const { follow, onWaiting } = this.#options;
    if (fault.message === this.#waiting) return;
    this.#waiting = fault.message;
    if (follow) onWaiting?.(this.#next === undefined ? '' : `block ${this.#next}`, fault);
  }

  /** Milliseconds: none after the first fault, since another node may have the block; then growing ones. */
  #pauseAfter(faults: number): number {
    const { minPauseMs = DEFAULT_MIN_PAUSE_MS, maxPauseMs = DEFAULT_MAX_PAUSE_MS } = this.#options;
    return faults < 2 ? 0 : Math.min(minPauseMs * 2 ** Math.min(faults - 2, 30), maxPauseMs);
  }
}

/** A block that was refused: unlike a fault of the way there, it speaks against whoever gave it. */
class Refusal extends Error {
  readonly fault: KagamiError;
  readonly verificationMs: number;

  constructor(fault: KagamiError, verificationMs: number) {
    super(fault.message);
    this.fault = fault;
    this.verificationMs = verificationMs;
  }
}

/** A rejection surfaces where it is awaited, also when that is later. */
const soon = <P extends Promise<unknown>>(promise: P): P => {
  promise.catch(() => undefined);
  return promise;
};

/** What comes until the deadline, by `performance.now()`; undefined when that is nothing, or a fault. */
const within = async <T>(promise: Promise<T>, deadline: number): Promise<T | undefined> => {
  const waiting = new AbortController();
  try {
    const expiry = delay(Math.max(0, deadline - performance.now()), undefined, { signal: waiting.signal });
    return await Promise.race([promise.catch(() => undefined), expiry.catch(() => undefined)]);
  } finally {
    waiting.abort();
  }
};

const pendingWork = (): Promise<undefined> => new Promise((resolve) => setImmediate(resolve, undefined));
