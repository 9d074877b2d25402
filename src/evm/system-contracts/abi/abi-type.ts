/** Types of the contract ABI, read from the canonical notation of signatures: `address,(address,int64)[],bytes`. */
import { keccak256 } from '../../../ledger/hash.ts';
import type { AddressHex } from '../../state/records.ts';

/**
 * Values by type: `address` 40 hex digits, integers bigint, `bool` boolean, `bytes` and `bytesN` bytes, `string` text,
 * arrays and tuples arrays.
 */
export type AbiValue = bigint | boolean | string | Uint8Array | readonly AbiValue[];

export type AbiType = {
  readonly dynamic: boolean /** Words that the type takes in its head. */;
  readonly words: number;
} & (
  | { readonly kind: 'address' | 'bool' | 'bytes' | 'string' }
  | { readonly kind: 'uint' | 'int'; readonly bits: bigint }
  | { readonly kind: 'fixedBytes'; readonly length: number }
  | { readonly kind: 'array'; readonly of: AbiType }
  | { readonly kind: 'tuple'; readonly of: readonly AbiType[] }
);

export interface FunctionSignature {
  readonly name: string;
  readonly parameters: readonly AbiType[];
  /** First four bytes of the signature's hash, as a number. */
  readonly selector: number;
}

/** `(bool,address,bytes,bytes,address)`: who inherits, a contract, public keys, a delegatable contract. */
export type KeyValueTuple = readonly [
  inheritAccountKey: boolean,
  contractId: AddressHex,
  ed25519: Uint8Array,
  ecdsa: Uint8Array,
  delegatableContractId: AddressHex,
];

const HASH_BYTES_OF_SELECTOR = 4;

/** Parts between the commas that stand outside of parentheses. */
const splitTypes = (text: string): string[] => {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '(') depth++;
    else if (character === ')') depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  if (text.length > 0) parts.push(text.slice(start));
  return parts;
};

const parseType = (text: string): AbiType => {
  if (text.endsWith('[]')) return { kind: 'array', of: parseType(text.slice(0, -2)), dynamic: true, words: 1 };
  if (text.startsWith('(') && text.endsWith(')')) {
    const of = abiTypes(text.slice(1, -1));
    const dynamic = of.some((member) => member.dynamic);
    return { kind: 'tuple', of, dynamic, words: dynamic ? 1 : headWords(of) };
  }
  const match = /^(uint|int|bytes)(\d+)$/.exec(text);
  const size = Number(match?.[2]);
  if (match?.[1] === 'bytes') return { kind: 'fixedBytes', length: size, dynamic: false, words: 1 };
  if (match !== null) return { kind: match[1] as 'uint' | 'int', bits: BigInt(size), dynamic: false, words: 1 };
  if (text === 'address' || text === 'bool') return { kind: text, dynamic: false, words: 1 };
  if (text === 'bytes' || text === 'string') return { kind: text, dynamic: true, words: 1 };
  throw new Error(`Not an ABI type: ${text}`);
};

/** Words of the head of a sequence of values. */
export const headWords = (types: readonly AbiType[]): number => types.reduce((sum, { words }) => sum + words, 0);

/** Types of a comma-separated list in canonical notation (`uint256`, never `uint`). */
export const abiTypes = (list: string): readonly AbiType[] => splitTypes(list).map(parseType);

/** Reads `name(types)`. */
export const functionSignature = (text: string): FunctionSignature => {
  const open = text.indexOf('(');
  const hash = keccak256(new TextEncoder().encode(text));
  return {
    name: text.slice(0, open),
    parameters: abiTypes(text.slice(open + 1, -1)),
    selector: Buffer.from(hash.subarray(0, HASH_BYTES_OF_SELECTOR)).readUInt32BE(),
  };
};
