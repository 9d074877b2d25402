/** Fields that hold values of the EVM: addresses of entities, words, and bytes that are `0x` where there are none. */
import { derived, field } from '../../api/resource/field.ts';
import type { Field } from '../../api/resource/field-type.ts';
import type { JsonSchema } from '../../api/route.ts';
import { decodeEntityId } from '../../ledger/entity-id.ts';

export const evmAddressSchema: JsonSchema = {
  type: 'string',
  pattern: '^0x[0-9a-f]{40}$',
  description: 'EVM address; of an entity without one of its own, the one that holds its num.',
  examples: ['0x0000000000000000000000000000000000001f41'],
};

/** Digits of an EVM address. */
const ADDRESS_DIGITS = 40;

/** The address that holds the num of an entity. @param id digits of the encoded id */
export const longZeroJson = (id: string): string =>
  `"0x${decodeEntityId(BigInt(id)).num.toString(16).padStart(ADDRESS_DIGITS, '0')}"`;

/** The address of an entity: its own, else the one that holds its num. */
export const evmAddress = (own: string, id: string): Field =>
  derived({ own, id }, evmAddressSchema, (cells) =>
    cells.own.length > '\\x'.length ? `"0x${cells.own.slice(2)}"` : longZeroJson(cells.id),
  );

/** Hex with `0x`; no bytes and null are `"0x"`. */
export const evmBytes = (sql: string, description: string): Field =>
  field(sql, { type: 'string', pattern: '^0x([0-9a-f]{2})*$', description }, (bytes) => `"0x${bytes.slice(2)}"`);

/** Digits of a 32-byte word. */
export const WORD_DIGITS = 64;

export const wordSchema = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^0x[0-9a-f]{64,}$',
  description,
});

/** Zeros stand in front up to 32 bytes; longer values are as they are. No bytes at all are a zero word. */
export const wordJson = (bytes: string): string =>
  bytes === '' ? 'null' : `"0x${bytes.slice(2).padStart(WORD_DIGITS, '0')}"`;

export const word = (sql: string, description: string): Field => field(sql, wordSchema(description), wordJson);
