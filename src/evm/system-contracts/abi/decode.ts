/**
 * Strict ABI decoding: values out of their type's range are refused, as are offsets and lengths beyond the data. Bytes
 * after the last value are ignored.
 */
import { toHex } from '../../../ledger/bytes.ts';
import type { AbiType, AbiValue } from './abi-type.ts';

/** The data is not what the types say. */
export class AbiError extends Error {}

const WORD = 32;
const ADDRESS_START = 12;

/** Words that may be read besides those of the data, for empty data and small values. */
const READ_ALLOWANCE = 16;

class Reader {
  readonly #data: Uint8Array;
  readonly #view: DataView;
  // Overlapping offsets would let nested arrays multiply small data into endless values.
  #wordsLeft: number;

  constructor(data: Uint8Array) {
    this.#data = data;
    this.#view = new DataView(data.buffer, data.byteOffset, data.byteLength);
    this.#wordsLeft = Math.ceil(data.length / WORD) + READ_ALLOWANCE;
  }

  word(at: number): bigint {
    this.#claim(at, WORD);
    const high = (this.#view.getBigUint64(at) << 64n) | this.#view.getBigUint64(at + 8);
    const low = (this.#view.getBigUint64(at + 16) << 64n) | this.#view.getBigUint64(at + 24);
    return (high << 128n) | low;
  }

  /** An offset or length. */
  size(at: number): number {
    const value = this.word(at);
    if (value > BigInt(this.#data.length)) throw new AbiError('An offset or length exceeds the data');
    return Number(value);
  }

  bytes(at: number, length: number): Uint8Array {
    this.#claim(at, length);
    return this.#data.subarray(at, at + length);
  }

  address(at: number): string {
    const bytes = this.bytes(at, WORD);
    for (let i = 0; i < ADDRESS_START; i++) if (bytes[i] !== 0) throw new AbiError('An address has 20 bytes');
    return toHex(bytes.subarray(ADDRESS_START));
  }

  #claim(at: number, length: number): void {
    if (at + length > this.#data.length) throw new AbiError('A value lies beyond the data');
    this.#wordsLeft -= Math.ceil(length / WORD);
    if (this.#wordsLeft < 0) throw new AbiError('Values overlap');
  }
}

const decodeInteger = (reader: Reader, type: AbiType & { kind: 'uint' | 'int' }, at: number): bigint => {
  const word = reader.word(at);
  const value = type.kind === 'int' ? BigInt.asIntN(256, word) : word;
  const inRange =
    type.kind === 'int' ? BigInt.asIntN(Number(type.bits), value) : BigInt.asUintN(Number(type.bits), value);
  if (inRange !== value) throw new AbiError(`A value does not fit ${type.kind}${type.bits}`);
  return value;
};

const decodeBool = (reader: Reader, at: number): boolean => {
  const word = reader.word(at);
  if (word > 1n) throw new AbiError('A bool is 0 or 1');
  return word === 1n;
};

/** Reads a value whose own data, not an offset to it, starts `at`. */
const decodeValue = (reader: Reader, type: AbiType, at: number): AbiValue => {
  switch (type.kind) {
    case 'address':
      return reader.address(at);
    case 'bool':
      return decodeBool(reader, at);
    case 'uint':
    case 'int':
      return decodeInteger(reader, type, at);
    case 'fixedBytes':
      return reader.bytes(at, WORD).subarray(0, type.length);
    case 'bytes':
      return reader.bytes(at + WORD, reader.size(at));
    case 'string':
      return Buffer.from(reader.bytes(at + WORD, reader.size(at))).toString();
    case 'array': {
      const { of } = type;
      return decodeSequence(
        reader,
        Array.from({ length: reader.size(at) }, () => of),
        at + WORD,
      );
    }
    case 'tuple':
      return decodeSequence(reader, type.of, at);
  }
};

const decodeSequence = (reader: Reader, types: readonly AbiType[], start: number): AbiValue[] => {
  const values: AbiValue[] = [];
  let at = start;
  for (const type of types) {
    values.push(decodeValue(reader, type, type.dynamic ? start + reader.size(at) : at));
    at += type.words * WORD;
  }
  return values;
};

/** @throws AbiError when the data does not hold values of these types. */
export const decodeAbi = (types: readonly AbiType[], data: Uint8Array): readonly AbiValue[] =>
  types.length === 0 ? [] : decodeSequence(new Reader(data), types, 0);
