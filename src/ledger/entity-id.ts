import { KagamiError } from '../errors/kagami-error.ts';

/**
 * An entity id as the database keeps it: a signed 64-bit integer holding shard (10 bits), realm (16 bits) and
 * num (38 bits). 0n is the empty id. In shard 0, realm 0 the value is the num itself; shards from 512 on are negative.
 */
export type EntityId = bigint;

export interface EntityIdParts {
  readonly shard: bigint;
  readonly realm: bigint;
  readonly num: bigint;
}

const NUM_BITS = 38n;
const REALM_BITS = 16n;
const SHARD_BITS = 10n;
const MAX_NUM = (1n << NUM_BITS) - 1n;
const MAX_REALM = (1n << REALM_BITS) - 1n;
const MAX_SHARD = (1n << SHARD_BITS) - 1n;

export const EMPTY_ENTITY_ID: EntityId = 0n;

/** Largest num that an entity id can carry: 2^38 - 1. */
export const MAX_ENTITY_NUM = MAX_NUM;

const withinBounds = (shard: bigint, realm: bigint, num: bigint): boolean =>
  shard >= 0n && shard <= MAX_SHARD && realm >= 0n && realm <= MAX_REALM && num >= 0n && num <= MAX_NUM;

const pack = (shard: bigint, realm: bigint, num: bigint): EntityId =>
  BigInt.asIntN(64, (shard << (REALM_BITS + NUM_BITS)) | (realm << NUM_BITS) | num);

/** @throws KagamiError INVALID_ENTITY_ID when a part is negative or too large. */
export const encodeEntityId = (shard: bigint, realm: bigint, num: bigint): EntityId => {
  if (shard === 0n && realm === 0n && num >= 0n && num <= MAX_NUM) return num;
  if (!withinBounds(shard, realm, num)) {
    throw new KagamiError('INVALID_ENTITY_ID', `Invalid entity id ${shard}.${realm}.${num}`, {
      details: { shard, realm, num },
    });
  }
  return pack(shard, realm, num);
};

export const decodeEntityId = (id: EntityId): EntityIdParts => {
  const bits = BigInt.asUintN(64, id);
  return {
    shard: bits >> (REALM_BITS + NUM_BITS),
    realm: (bits >> NUM_BITS) & MAX_REALM,
    num: bits & MAX_NUM,
  };
};

// 2^38 - 1 has 12 digits, so anything shorter lies in shard 0, realm 0.
const CERTAINLY_PLAIN_DIGITS = 11;

/** Text form `shard.realm.num` of an encoded id given as bigint or as its decimal digits. */
export const formatEntityId = (id: EntityId | string): string => {
  if (typeof id === 'string') {
    if (id.length <= CERTAINLY_PLAIN_DIGITS && id.charCodeAt(0) !== 45) return `0.0.${id}`;
    return formatEntityId(BigInt(id));
  }
  if (id >= 0n && id <= MAX_NUM) return `0.0.${id}`;
  const { shard, realm, num } = decodeEntityId(id);
  return `${shard}.${realm}.${num}`;
};

const ENTITY_ID_TEXT = /^(?:(?:(\d{1,19})\.)?(\d{1,19})\.)?(\d{1,19})$/;

/**
 * Reads `num`, `realm.num` or `shard.realm.num`; the missing parts come from `defaults`.
 * Undefined when the text has another form or a part is out of bounds.
 */
export const parseEntityId = (
  text: string,
  defaults: { readonly shard: bigint; readonly realm: bigint } = { shard: 0n, realm: 0n },
): EntityId | undefined => {
  const match = ENTITY_ID_TEXT.exec(text);
  if (match === null) return undefined;
  const shard = match[1] === undefined ? defaults.shard : BigInt(match[1]);
  const realm = match[2] === undefined ? defaults.realm : BigInt(match[2]);
  const num = BigInt(match[3] as string);
  return withinBounds(shard, realm, num) ? pack(shard, realm, num) : undefined;
};
