/** ABI encoding of return values; single words have functions of their own, because most answers are one or two. */
import type { AddressHex } from '../../state/records.ts';
import { type AbiType, type AbiValue, headWords } from './abi-type.ts';

const WORD = 32;
const ADDRESS_START = 12;

export const EMPTY_OUTPUT = new Uint8Array(0);

/** Any integer that fits 256 bits, two's complement when negative. */
export const integerWord = (value: bigint): Uint8Array => {
  const word = new Uint8Array(WORD);
  const view = new DataView(word.buffer);
  view.setBigUint64(24, BigInt.asUintN(64, value));
  if (value < 0n || value >> 64n !== 0n) {
    const bits = BigInt.asUintN(256, value);
    view.setBigUint64(16, BigInt.asUintN(64, bits >> 64n));
    view.setBigUint64(8, BigInt.asUintN(64, bits >> 128n));
    view.setBigUint64(0, bits >> 192n);
  }
  return word;
};

export const boolWord = (value: boolean): Uint8Array => integerWord(value ? 1n : 0n);

export const addressWord = (address: AddressHex): Uint8Array => {
  const word = new Uint8Array(WORD);
  word.set(Buffer.from(address, 'hex'), ADDRESS_START);
  return word;
};

export const concatBytes = (...parts: readonly Uint8Array[]): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
};

const padded = (length: number): number => Math.ceil(length / WORD) * WORD;

/** Bytes of a value without the offset that points to a dynamic one. */
const sizeOf = (type: AbiType, value: AbiValue): number => {
  switch (type.kind) {
    case 'bytes':
      return WORD + padded((value as Uint8Array).length);
    case 'string':
      return WORD + padded(Buffer.byteLength(value as string));
    case 'array':
      return (value as readonly AbiValue[]).reduce<number>((sum, item) => sum + memberSize(type.of, item), WORD);
    case 'tuple':
      return sequenceSize(type.of, value as readonly AbiValue[]);
    default:
      return WORD;
  }
};

const memberSize = (type: AbiType, value: AbiValue): number =>
  type.words * WORD + (type.dynamic ? sizeOf(type, value) : 0);

const sequenceSize = (types: readonly AbiType[], values: readonly AbiValue[]): number =>
  types.reduce((sum, type, i) => sum + memberSize(type, values[i] as AbiValue), 0);

/** Writes into one zeroed buffer of the final size. */
class Writer {
  readonly bytes: Uint8Array;
  readonly #buffer: Buffer;
  readonly #view: DataView;

  constructor(size: number) {
    this.bytes = new Uint8Array(size);
    this.#buffer = Buffer.from(this.bytes.buffer);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Values one after the other with their offsets first; answers where they end. */
  sequence(types: readonly AbiType[], values: readonly AbiValue[], start: number): number {
    let head = start;
    let tail = start + headWords(types) * WORD;
    for (let i = 0; i < types.length; i++) {
      const type = types[i] as AbiType;
      tail = this.#member(type, values[i] as AbiValue, start, head, tail);
      head += type.words * WORD;
    }
    return tail;
  }

  #array(type: AbiType, items: readonly AbiValue[], at: number): number {
    this.#view.setUint32(at + 28, items.length);
    const start = at + WORD;
    let tail = start + items.length * type.words * WORD;
    items.forEach((item, i) => {
      tail = this.#member(type, item, start, start + i * type.words * WORD, tail);
    });
    return tail;
  }

  #member(type: AbiType, value: AbiValue, start: number, head: number, tail: number): number {
    if (!type.dynamic) {
      this.#value(type, value, head);
      return tail;
    }
    this.#view.setUint32(head + 28, tail - start);
    return this.#value(type, value, tail);
  }

  #value(type: AbiType, value: AbiValue, at: number): number {
    switch (type.kind) {
      case 'address':
        this.#buffer.write(value as AddressHex, at + ADDRESS_START, 'hex');
        break;
      case 'bool':
        this.bytes[at + 31] = value === true ? 1 : 0;
        break;
      case 'uint':
      case 'int':
        this.#integer(type, value as bigint, at);
        break;
      case 'fixedBytes':
        this.bytes.set(value as Uint8Array, at);
        break;
      case 'bytes':
        this.bytes.set(value as Uint8Array, at + WORD);
        return this.#lengthBefore((value as Uint8Array).length, at);
      case 'string':
        return this.#lengthBefore(this.#buffer.write(value as string, at + WORD), at);
      case 'array':
        return this.#array(type.of, value as readonly AbiValue[], at);
      case 'tuple':
        return this.sequence(type.of, value as readonly AbiValue[], at);
    }
    return at + WORD;
  }

  #lengthBefore(length: number, at: number): number {
    this.#view.setUint32(at + 28, length);
    return at + WORD + padded(length);
  }

  #integer({ kind, bits }: { readonly kind: 'uint' | 'int'; readonly bits: bigint }, value: bigint, at: number): void {
    const size = Number(bits);
    if ((kind === 'int' ? BigInt.asIntN(size, value) : BigInt.asUintN(size, value)) !== value) {
      throw new RangeError(`${value} does not fit ${kind}${bits}`);
    }
    if (value >= 0n && value >> 64n === 0n) this.#view.setBigUint64(at + 24, value);
    else this.bytes.set(integerWord(value), at);
  }
}

/**
 * Encodes values as a function returns them.
 * @throws RangeError when an integer does not fit its type.
 */
export const encodeAbi = (types: readonly AbiType[], values: readonly AbiValue[]): Uint8Array => {
  const writer = new Writer(sequenceSize(types, values));
  writer.sequence(types, values, 0);
  return writer.bytes;
};
