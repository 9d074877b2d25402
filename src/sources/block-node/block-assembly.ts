/**
 * Puts the answers of `subscribeBlockStream` together to blocks. A set of block items and a block have the same encoding
 * (items as field 1), so that a block's bytes are those of its sets, one after the other. Nothing but the header's number
 * is looked at: proof and decoding come later.
 */
import type { KagamiError } from '../../errors/kagami-error.ts';
import { streamError } from '../../streams/stream-error.ts';
import { WireReader } from '../../streams/wire.ts';

export interface AssemblyLimits {
  /** Most items of a block. */
  readonly maxBlockItems: number;
  /** Most bytes of a block. */
  readonly maxBlockBytes: number;
}

export type AssemblyEvent =
  | { readonly kind: 'block'; readonly number: bigint; readonly bytes: Uint8Array }
  | { readonly kind: 'status'; readonly status: number };

/** A node that sends nothing but blocks that are known already is left after so many. */
const MAX_REPEATED_BLOCKS = 1_000;

const RESPONSE_STATUS = 1;
const RESPONSE_ITEMS = 2;
const RESPONSE_END = 3;
const SET_ITEM = 1;
const ITEM_HEADER = 1;
const HEADER_NUMBER = 3;
const END_NUMBER = 1;

interface PendingBlock {
  readonly number: bigint;
  parts: Uint8Array[];
  bytes: number;
  items: number;
}

export class BlockAssembly {
  readonly #node: string;
  readonly #limits: AssemblyLimits;
  /** The block that comes next. */
  #expected: bigint;
  #pending: PendingBlock | undefined;
  #repeated = 0;

  /** @param node for messages */
  constructor(node: string, expected: bigint, limits: AssemblyLimits) {
    this.#node = node;
    this.#expected = expected;
    this.#limits = limits;
  }

  /** Number of the block that is whole next. */
  get expected(): bigint {
    return this.#expected;
  }

  /** Whether a part of a block is there. */
  get isInBlock(): boolean {
    return this.#pending !== undefined;
  }

  /**
   * Takes one serialized SubscribeStreamResponse. Gives what it completes, if it does.
   * @throws KagamiError STREAM_MALFORMED, STREAM_TRUNCATED for bytes that are no such message, STREAM_OVERSIZED,
   * SOURCE_NODE_MISBEHAVED for blocks out of order.
   */
  add(response: Uint8Array): AssemblyEvent | undefined {
    const fields = new WireReader(response, this.#node);
    let event: AssemblyEvent | undefined;
    while (fields.next()) {
      // Of a oneof the last one counts; a node never writes several.
      if (event !== undefined) this.#refuse('an answer that is several at once');
      if (fields.field === RESPONSE_STATUS) event = { kind: 'status', status: fields.int32() };
      else if (fields.field === RESPONSE_ITEMS) this.#addItems(fields.slice());
      else if (fields.field === RESPONSE_END) event = this.#end(endNumberOf(fields.message()));
    }
    return event;
  }

  #addItems(set: Uint8Array): void {
    const items = new WireReader(set, this.#node);
    let count = 0;
    while (items.next()) {
      if (items.field !== SET_ITEM) continue;
      const header = headerNumberOf(items.message());
      if (header !== undefined) {
        if (count > 0) this.#refuse(`block ${header} begins within a set of items`);
        this.#begin(header);
      } else if (count === 0 && this.#pending === undefined) {
        this.#refuse(`items without the header of a block, where block ${this.#expected} begins`);
      }
      count++;
    }
    // A set without items says nothing.
    const pending = this.#pending;
    if (count === 0 || pending === undefined) return;
    pending.items += count;
    pending.bytes += set.length;
    const { maxBlockItems, maxBlockBytes } = this.#limits;
    if (pending.items > maxBlockItems) this.#oversized(pending, `more than ${maxBlockItems} items`);
    if (pending.bytes > maxBlockBytes) this.#oversized(pending, `more than ${maxBlockBytes} bytes`);
    // Blocks that were handed on already are counted, not kept.
    if (pending.number >= this.#expected) pending.parts.push(set);
  }

  /** A header while a block of the same number is pending begins it anew: a publisher has sent it again. */
  #begin(number: bigint): void {
    if (number > this.#expected) this.#refuse(`block ${number} comes where block ${this.#expected} belongs`);
    if (this.#pending !== undefined && this.#pending.number !== number) {
      this.#refuse(`block ${number} begins before the end of block ${this.#pending.number}`);
    }
    this.#pending = { number, parts: [], bytes: 0, items: 0 };
  }

  #end(number: bigint): AssemblyEvent | undefined {
    const pending = this.#pending;
    if (pending === undefined) return undefined;
    if (number !== pending.number) this.#refuse(`the end of block ${number} comes within block ${pending.number}`);
    this.#pending = undefined;
    if (number < this.#expected) {
      if (++this.#repeated > MAX_REPEATED_BLOCKS) this.#refuse('it sends nothing but blocks that it has sent before');
      return undefined;
    }
    this.#repeated = 0;
    this.#expected = number + 1n;
    return { kind: 'block', number, bytes: joined(pending) };
  }

  #oversized({ number }: PendingBlock, rule: string): never {
    throw streamError('STREAM_OVERSIZED', { file: `${this.#node}, block ${number}`, rule, block: number });
  }

  #refuse(rule: string): never {
    throw misbehaviour(this.#node, rule);
  }
}

export const misbehaviour = (node: string, rule: string): KagamiError =>
  streamError('SOURCE_NODE_MISBEHAVED', { file: `block node ${node}`, rule });

const joined = ({ parts, bytes }: PendingBlock): Uint8Array => {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const block = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    block.set(part, at);
    at += part.length;
  }
  return block;
};

/** The block number of an item that is a header; undefined for others. */
const headerNumberOf = (item: WireReader): bigint | undefined => {
  if (!item.next() || item.field !== ITEM_HEADER) return undefined;
  const header = item.message();
  let number = 0n;
  while (header.next()) if (header.field === HEADER_NUMBER) number = BigInt.asUintN(64, header.int64());
  return number;
};

const endNumberOf = (end: WireReader): bigint => {
  let number = 0n;
  while (end.next()) if (end.field === END_NUMBER) number = BigInt.asUintN(64, end.int64());
  return number;
};
