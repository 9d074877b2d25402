/** Messages of one topic one after the other, encoded once for all who get them. */
import type { EntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { TopicFrames } from './topic-frames.ts';
import type { TopicMessageRow } from './topic-message.ts';

/** Bytes that go out in one piece; a client that does not read has that much waiting for it. */
const MOST_BYTES_TOGETHER = 65_536;

interface BatchContent {
  readonly topic: EntityId;
  /** Consensus times in nanoseconds, in order. */
  readonly times: BigInt64Array;
  readonly numbers: BigInt64Array;
  /** Where the frame of each message ends in `bytes`, counted from the begin of the first batch that they were part of. */
  readonly ends: Uint32Array;
  /** Frames, one after the other. */
  readonly bytes: Uint8Array;
}

/** How many of the values, which are in order, are below a limit. */
const countBelow = (values: BigInt64Array, limit: bigint): number => {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0n) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
};

const isWithoutHole = (numbers: BigInt64Array): boolean => {
  const first = numbers[0] ?? 0n;
  if ((numbers.at(-1) ?? 0n) - first !== BigInt(numbers.length - 1)) return false;
  for (let place = 1; place < numbers.length; place++) {
    if (numbers[place] !== first + BigInt(place)) return false;
  }
  return true;
};

/** Never empty. */
export class TopicBatch {
  readonly topic: EntityId;
  readonly firstTime: Nanos;
  readonly lastTime: Nanos;
  readonly firstNumber: bigint;
  readonly lastNumber: bigint;
  readonly #content: BatchContent;
  #hasHole: boolean | undefined;

  constructor(content: BatchContent) {
    const { topic, times, numbers } = content;
    this.topic = topic;
    this.firstTime = times[0] ?? 0n;
    this.lastTime = times.at(-1) ?? 0n;
    this.firstNumber = numbers[0] ?? 0n;
    this.lastNumber = numbers.at(-1) ?? 0n;
    this.#content = content;
  }

  /** Messages. */
  get length(): number {
    return this.#content.times.length;
  }

  get byteLength(): number {
    return this.#content.bytes.length;
  }

  /** Consensus times in nanoseconds. */
  get times(): BigInt64Array {
    return this.#content.times;
  }

  /** Whether a number is missing between the first message and the last one. */
  get hasHole(): boolean {
    this.#hasHole ??= !isWithoutHole(this.#content.numbers);
    return this.#hasHole;
  }

  /** The messages after a consensus time; undefined when there is none. */
  after(time: Nanos): TopicBatch | undefined {
    return time < this.firstTime ? this : this.#part(countBelow(this.times, time + 1n), this.length);
  }

  /** The messages before a consensus time; undefined when there is none. */
  before(time: Nanos): TopicBatch | undefined {
    return this.lastTime < time ? this : this.#part(0, countBelow(this.times, time));
  }

  /** The first messages, at least one and at most so many. */
  upTo(count: number): TopicBatch {
    return count >= this.length ? this : (this.#part(0, Math.max(1, count)) ?? this);
  }

  /** The frames in as few pieces as may be, in order. */
  pieces(): readonly Uint8Array[] {
    const { bytes } = this.#content;
    if (bytes.length <= MOST_BYTES_TOGETHER) return [bytes];
    const pieces: Uint8Array[] = [];
    let start = 0;
    let end = 0;
    for (let place = 0; place < this.length; place++) {
      const next = this.#endOf(place);
      if (next - start > MOST_BYTES_TOGETHER && end > start) {
        pieces.push(bytes.subarray(start, end));
        start = end;
      }
      end = next;
    }
    pieces.push(bytes.subarray(start, end));
    return pieces;
  }

  /** Where the frame of a message ends in `bytes`. */
  #endOf(place: number): number {
    const { bytes, ends } = this.#content;
    return (ends[place] ?? 0) - (ends.at(-1) ?? 0) + bytes.length;
  }

  #part(from: number, to: number): TopicBatch | undefined {
    if (from >= to) return undefined;
    const { topic, times, numbers, ends, bytes } = this.#content;
    return new TopicBatch({
      topic,
      times: times.subarray(from, to),
      numbers: numbers.subarray(from, to),
      ends: ends.subarray(from, to),
      bytes: bytes.subarray(from === 0 ? 0 : this.#endOf(from - 1), this.#endOf(to - 1)),
    });
  }
}

/** Makes batches: messages of a topic in order of time, then the batch of them, and so on. */
export class TopicBatchWriter {
  readonly #frames = new TopicFrames();
  #times: bigint[] = [];
  #numbers: bigint[] = [];
  #ends: number[] = [];

  /** Messages that no batch has yet. */
  get length(): number {
    return this.#times.length;
  }

  add(row: TopicMessageRow): void {
    this.#frames.add(row);
    this.#times.push(row.consensusTimestamp);
    this.#numbers.push(row.sequenceNumber);
    this.#ends.push(this.#frames.length);
  }

  /** The batch of what was added, of which there must be something. */
  take(topic: EntityId): TopicBatch {
    const batch = new TopicBatch({
      topic,
      times: BigInt64Array.from(this.#times),
      numbers: BigInt64Array.from(this.#numbers),
      ends: Uint32Array.from(this.#ends),
      bytes: this.#frames.take(),
    });
    this.#times = [];
    this.#numbers = [];
    this.#ends = [];
    return batch;
  }
}
