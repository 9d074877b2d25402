/** What a balance file says of one account, and the messages that its layouts share. */
import { type EntityId, encodeEntityId } from '../ledger/entity-id.ts';
import type { WireReader } from './wire.ts';

export interface TokenHolding {
  readonly tokenId: EntityId;
  /** Units of the smallest denomination, or number of NFTs. */
  readonly balance: bigint;
}

export interface AccountHoldings {
  readonly accountId: EntityId;
  /** Tinybars. */
  readonly balance: bigint;
  /** At most one for each token. */
  readonly tokens: readonly TokenHolding[];
}

const NO_TOKENS: readonly TokenHolding[] = [];

/** The holdings of one account while its message is read: of two entries for one token the first counts. */
export class HoldingsOfAccount {
  duplicates = 0;
  #tokens: TokenHolding[] | undefined;
  #seen: Set<EntityId> | undefined;

  get tokens(): readonly TokenHolding[] {
    return this.#tokens ?? NO_TOKENS;
  }

  add(holding: TokenHolding): void {
    this.#tokens ??= [];
    this.#seen ??= new Set();
    if (this.#seen.has(holding.tokenId)) {
      this.duplicates += 1;
      return;
    }
    this.#seen.add(holding.tokenId);
    this.#tokens.push(holding);
  }
}

/** The message {1 token id, 2 uint64 balance} that `fields` stands on: TokenUnitBalance, and TokenBalance of the CSV. */
export const readTokenHolding = (fields: WireReader): TokenHolding => {
  const message = fields.message();
  let tokenId: EntityId | undefined;
  let balance = 0n;
  while (message.next()) {
    if (message.field === 1) tokenId = readEntityId(message, 'token');
    else if (message.field === 2) balance = readBalance(message);
  }
  if (tokenId === undefined) fields.refuse('a token balance names no token');
  return { tokenId, balance };
};

/** The message {1 shard, 2 realm, 3 num} that `fields` stands on. An account may also be named by alias, which is refused. */
export const readEntityId = (fields: WireReader, what: string): EntityId => {
  const message = fields.message();
  let shard = 0n;
  let realm = 0n;
  let num = 0n;
  while (message.next()) {
    if (message.field === 1) shard = message.int64();
    else if (message.field === 2) realm = message.int64();
    else if (message.field === 3) num = message.int64();
    else if (message.field === 4) fields.refuse(`the ${what} is named by alias, must be named by number`);
  }
  return entityIdOf(shard, realm, num, (rule) => fields.refuse(rule));
};

/** Tinybars or token units as uint64, of which only int64 fits a ledger. */
export const readBalance = (fields: WireReader): bigint => {
  const balance = fields.int64();
  if (balance < 0n) fields.refuse('a balance is 2^63 or more');
  return balance;
};

/** @param refuse called with the rule that the parts break */
export const entityIdOf = (shard: bigint, realm: bigint, num: bigint, refuse: (rule: string) => never): EntityId => {
  try {
    return encodeEntityId(shard, realm, num);
  } catch {
    return refuse(`${shard}.${realm}.${num} is not an entity id`);
  }
};
