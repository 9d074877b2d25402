/**
 * Entities as clients write them: `num`, `realm.num`, `shard.realm.num`, EVM addresses, base32 aliases. Reads them; asks
 * no database (entity-lookup.ts does).
 */
import { decodeAlias } from '../ledger/alias.ts';
import { type EntityId, encodeEntityId, MAX_ENTITY_NUM, parseEntityId } from '../ledger/entity-id.ts';
import { LONG_ZERO_PREFIX } from '../ledger/evm-address.ts';
import { type Bounds, boundsOf } from './bounds.ts';
import { badRequest } from './problem.ts';
import { type Filter, invalidParameters, type Operator } from './query.ts';

/** The network's own shard and realm, which fill in what an id leaves out. */
export interface HomeRealm {
  readonly shard: bigint;
  readonly realm: bigint;
}

/**
 * `any`: bare (0x optional) or behind shard and realm; `bare`: no shard and realm; `prefixed`: 0x not allowed, shard and
 * realm optional; `longZero`: any form, but only 12 zero bytes and a num.
 */
export type EvmAddressForm = 'any' | 'bare' | 'prefixed' | 'longZero';

const bareNumber = /^-?\d{1,19}$/;
const dottedId = /^(?:\d{1,4}\.)?\d{1,5}\.\d{1,12}$/;
const longNum = /\d{11,}$/;
const bareEvmAddress = /^(?:0x)?[A-Fa-f0-9]{40}$/;
const prefixedEvmAddress = /^(?:\d{1,4}\.)?(?:\d{1,5}\.)?[A-Fa-f0-9]{40}$/;
const aliasText = /^(?:(?:(\d{1,5})\.)?(\d{1,5})\.)?([A-Z2-7]+)$/;

/** Whether the text has the form of an entity id; its parts may still be out of bounds. */
export const isEntityIdText = (text: string): boolean => bareNumber.test(text) || dottedId.test(text);

/**
 * As `isEntityIdText` for ids in paths, whose num has at most ten digits by the specification. A num that no id can carry
 * is left to the readers, which refuse it in their own words.
 */
export const isPathEntityIdText = (text: string): boolean => {
  if (!isEntityIdText(text)) return false;
  const num = longNum.exec(text)?.[0];
  return num === undefined || BigInt(num) > MAX_ENTITY_NUM;
};

const longZeroNum = (hex40: string): bigint | undefined => {
  if (!hex40.startsWith(LONG_ZERO_PREFIX)) return undefined;
  const num = BigInt(`0x${hex40}`);
  return num <= MAX_ENTITY_NUM ? num : undefined;
};

export const isEvmAddressText = (text: string, form: EvmAddressForm): boolean => {
  switch (form) {
    case 'bare':
      return bareEvmAddress.test(text);
    case 'prefixed':
      return prefixedEvmAddress.test(text);
    case 'any':
      return bareEvmAddress.test(text) || prefixedEvmAddress.test(text);
    case 'longZero':
      return isEvmAddressText(text, 'any') && longZeroNum(text.slice(-40)) !== undefined;
  }
};

/** What a text names: an id, or an EVM address (20 bytes) that only the database can resolve. */
export type EntityReference = { readonly id: EntityId } | { readonly evmAddress: Buffer };

const invalidEntityId = (text: string) => badRequest(`Invalid entity ID "${text}"`);

const readEvmAddress = (text: string, home: HomeRealm): EntityReference => {
  const parts = text.split('.');
  const hex = text.slice(-40);
  const realm = parts.length > 1 ? BigInt(parts[parts.length - 2] as string) : home.realm;
  const shard = parts.length > 2 ? BigInt(parts[0] as string) : home.shard;
  if (shard !== home.shard || realm !== home.realm) throw invalidEntityId(text);
  const num = longZeroNum(hex);
  return num === undefined
    ? { evmAddress: Buffer.from(hex, 'hex') }
    : { id: encodeEntityId(home.shard, home.realm, num) };
};

/**
 * Reads an id or EVM address whose form has been accepted. A long-zero address is the id of its num.
 * @throws HttpProblem 400 `Invalid entity ID "..."` when a part is out of bounds, or the address has a foreign realm
 */
export const readEntityReference = (text: string, home: HomeRealm): EntityReference => {
  if (isEvmAddressText(text, 'any')) return readEvmAddress(text.startsWith('0x') ? text.slice(2) : text, home);
  const parts = text.split('.');
  const full = [...[home.shard, home.realm].slice(0, 3 - parts.length), ...parts].join('.');
  const id = dottedId.test(full) ? parseEntityId(full, home) : undefined;
  if (id === undefined) throw invalidEntityId(full);
  return { id };
};

/**
 * Reads a path parameter that takes ids only, no addresses.
 * @throws HttpProblem 400
 */
export const readPathEntityId = (text: string, name: string, home: HomeRealm): EntityId => {
  if (!isPathEntityIdText(text)) throw invalidParameters(name);
  return (readEntityReference(text, home) as { id: EntityId }).id;
};

/** What the path parameter of an account names. */
export type AccountReference = EntityReference | { readonly alias: Uint8Array };

/**
 * Reads an id, EVM address or alias of an account.
 * @param name of the parameter, for the refusal
 * @throws HttpProblem 400 `Invalid parameter: <name>`
 */
export const readAccountReference = (text: string, name: string, home: HomeRealm): AccountReference => {
  if (isEntityIdText(text) || isEvmAddressText(text, 'any')) {
    try {
      return readEntityReference(text, home);
    } catch {
      throw invalidParameters(name);
    }
  }
  const match = aliasText.exec(text);
  const alias = match === null ? undefined : decodeAlias(match[3] as string);
  if (match === null || alias === undefined) throw invalidParameters(name);
  const shard = match[1] === undefined ? home.shard : BigInt(match[1]);
  const realm = match[2] === undefined ? home.realm : BigInt(match[2]);
  if (shard !== home.shard || realm !== home.realm) throw invalidParameters(name);
  return { alias };
};

/**
 * As `readAccountReference` for an account, contract or token in a path.
 * @throws HttpProblem 400 `Invalid parameter: <name>`
 */
export const readPathReference = (text: string, name: string, home: HomeRealm): AccountReference => {
  if (isEntityIdText(text) && !isPathEntityIdText(text)) throw invalidParameters(name);
  return readAccountReference(text, name, home);
};

export interface EntityIdFilter {
  readonly operator: Operator;
  /** Undefined for an EVM address that is no id: as an id it matches nothing. */
  readonly value: EntityId | undefined;
}

/** The filters of an id parameter, read. @throws HttpProblem 400 */
export const entityIdFilters = (filters: readonly Filter[], home: HomeRealm): EntityIdFilter[] =>
  filters.map(({ operator, value }) => {
    const reference = readEntityReference(value, home);
    return { operator, value: 'id' in reference ? reference.id : undefined };
  });

/**
 * The filters of an id parameter merged. Undefined when a bound or inequality refers to an EVM address that is no id, so
 * that nothing can match; equalities of that kind are left out unless they are the only ones.
 */
export const entityIdBounds = (filters: readonly EntityIdFilter[]): Bounds | undefined => {
  const known: { readonly operator: Operator; readonly value: EntityId }[] = [];
  let unresolved = 0;
  for (const { operator, value } of filters) {
    if (value !== undefined) known.push({ operator, value });
    else if (operator !== 'eq') return undefined;
    else unresolved++;
  }
  const bounds = boundsOf(known);
  return unresolved > 0 && bounds.equal.length === 0 ? undefined : bounds;
};
