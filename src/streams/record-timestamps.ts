import { streamError } from './stream-error.ts';
import type { StreamFileName } from './stream-file-name.ts';
import { timestampNanos, WireReader } from './wire.ts';

const CONSENSUS_TIMESTAMP_FIELD = 3;

/**
 * Consensus time in nanoseconds of the TransactionRecord `record`, a slice of `content`, without decoding the rest of it.
 * @throws KagamiError STREAM_TRUNCATED, STREAM_MALFORMED.
 */
export const consensusTimestampOf = (record: Uint8Array, content: Uint8Array, file: string): bigint => {
  const start = record.byteOffset - content.byteOffset;
  const fields = new WireReader(content, file, start, start + record.length);
  while (fields.next()) if (fields.field === CONSENSUS_TIMESTAMP_FIELD) return timestampNanos(fields);
  throw streamError('STREAM_MALFORMED', { file, offset: start, rule: 'a record has no consensus timestamp' });
};

/**
 * A file's name states the time of its first transaction. Records that the network puts in front of that transaction
 * carry times a few nanoseconds earlier, and single records carry nonsense; so some record must lie within a second of
 * the name.
 */
const NAME_TOLERANCE_NANOS = 1_000_000_000n;

/** Collects the consensus times of a file's items in stream order, and holds the file's name against them. */
export class ConsensusSpan {
  count = 0;
  outOfOrder = false;
  readonly #name: StreamFileName;
  #nameFits = false;
  #first = 0n;
  #last = 0n;
  #least = 0n;
  #greatest = 0n;

  constructor(name: StreamFileName) {
    this.#name = name;
  }

  add(nanos: bigint): void {
    if (this.count === 0) {
      this.#first = nanos;
      this.#least = nanos;
      this.#greatest = nanos;
    } else {
      if (nanos <= this.#last) this.outOfOrder = true;
      if (nanos < this.#least) this.#least = nanos;
      if (nanos > this.#greatest) this.#greatest = nanos;
    }
    if (!this.#nameFits) {
      const distance = nanos - this.#name.nanos;
      this.#nameFits = distance <= NAME_TOLERANCE_NANOS && distance >= -NAME_TOLERANCE_NANOS;
    }
    this.#last = nanos;
    this.count++;
  }

  /** First and last item, as files up to v5 state their span; the time of the name for both without items. */
  firstToLast(): { consensusStart: bigint; consensusEnd: bigint } {
    return this.#between(this.#first, this.#last);
  }

  /** Least and greatest item, as v6 files state their span; the time of the name for both without items. */
  leastToGreatest(): { consensusStart: bigint; consensusEnd: bigint } {
    return this.#between(this.#least, this.#greatest);
  }

  /** @throws KagamiError STREAM_WRONG_NAME. */
  #between(consensusStart: bigint, consensusEnd: bigint): { consensusStart: bigint; consensusEnd: bigint } {
    const { name, nanos } = this.#name;
    if (this.count === 0) return { consensusStart: nanos, consensusEnd: nanos };
    if (!this.#nameFits) {
      const rule = `the name states ${nanos} ns, the first transaction is at ${this.#first} ns`;
      throw streamError('STREAM_WRONG_NAME', { file: name, rule });
    }
    return { consensusStart, consensusEnd };
  }
}
