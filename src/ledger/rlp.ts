/** Recursive Length Prefix, Ethereum's encoding of nested lists of byte strings; reading only. */
import { KagamiError } from '../errors/kagami-error.ts';

/** A byte string or a list. */
export type RlpItem = Uint8Array | readonly RlpItem[];

/** Nothing that Ethereum signs nests deeper than an access list: transaction, list, entry, storage keys. */
const MAX_DEPTH = 8;

const STRING = 0x80;
const LONG_STRING = 0xb7;
const LIST = 0xc0;
const LONG_LIST = 0xf7;
/** Payloads up to this length have it in their first byte. */
const MAX_SHORT_LENGTH = 55;

const malformed = (reason: string): KagamiError =>
  new KagamiError('RLP_MALFORMED', `Malformed RLP: ${reason}`, { details: { reason } });

class RlpReader {
  readonly #bytes: Uint8Array;
  #position: number;

  constructor(bytes: Uint8Array, position: number) {
    this.#bytes = bytes;
    this.#position = position;
  }

  get position(): number {
    return this.#position;
  }

  /** The item at the current position, which must end before `end`. */
  item(end: number, depth: number): RlpItem {
    if (this.#position >= end) throw malformed('an item is missing');
    const first = this.#bytes[this.#position] as number;
    if (first < STRING) return this.#take(1, end);
    this.#position++;
    if (first < LIST) return this.#string(first, end);
    const length = first <= LONG_LIST ? first - LIST : this.#longLength(first - LONG_LIST, end);
    return this.#list(length, end, depth);
  }

  #string(first: number, end: number): Uint8Array {
    if (first > LONG_STRING) return this.#take(this.#longLength(first - LONG_STRING, end), end);
    const value = this.#take(first - STRING, end);
    if (value.length === 1 && (value[0] as number) < STRING) throw malformed('a small byte has a length of its own');
    return value;
  }

  #list(length: number, end: number, depth: number): readonly RlpItem[] {
    if (depth >= MAX_DEPTH) throw malformed(`lists are nested more than ${MAX_DEPTH} deep`);
    const listEnd = this.#position + length;
    if (listEnd > end) throw malformed('a list is longer than what holds it');
    const items: RlpItem[] = [];
    while (this.#position < listEnd) items.push(this.item(listEnd, depth + 1));
    return items;
  }

  #longLength(lengthOfLength: number, end: number): number {
    const digits = this.#take(lengthOfLength, end);
    if (digits[0] === 0) throw malformed('a length begins with zeros');
    let length = 0;
    for (const digit of digits) length = length * 256 + digit;
    if (length <= MAX_SHORT_LENGTH) throw malformed('a short length is written in the long form');
    return length;
  }

  #take(length: number, end: number): Uint8Array {
    const start = this.#position;
    if (start + length > end) throw malformed('a byte string is longer than what holds it');
    this.#position = start + length;
    return this.#bytes.subarray(start, this.#position);
  }
}

/**
 * Reads the one item that `bytes` from `start` on consist of. Strict: every length in its shortest form, nothing behind
 * the item. Byte strings are views of `bytes`, not copies, and depth is limited: transactions of 128 KiB that are nothing
 * but nested lists cost as little as any other.
 * @throws KagamiError RLP_MALFORMED
 */
export const decodeRlp = (bytes: Uint8Array, start = 0): RlpItem => {
  const reader = new RlpReader(bytes, start);
  const item = reader.item(bytes.length, 0);
  if (reader.position !== bytes.length) throw malformed('bytes follow the item');
  return item;
};
