import { TREASURY } from '../network/system-accounts.ts';
import type { BlockBuilder } from '../records/block-builder.ts';
import { accountOf, usableHolding } from '../state/account-book.ts';
import type { Account, Holding, Token } from '../state/ledger-entities.ts';

/**
 * One kind of transaction: chooses who and what from the ledger, submits one top-level transaction and changes the
 * state. False, with nothing changed but the generator, when the ledger has no suitable candidates now.
 */
export type Activity = (builder: BlockBuilder) => boolean;

const TRIES = 8;
/** Accounts that may be associated with one token. */
export const MAX_HOLDERS = 100;

/** What a payer within a batch must be able to spare, because others of the batch may cost it something as well. */
const BATCH_RESERVE = 5_000_000_000n;

/** A user with at least `minimum` tinybars. */
export const chooseUser = (builder: BlockBuilder, minimum: bigint): Account | undefined => {
  const needed = builder.capturing ? minimum + BATCH_RESERVE : minimum;
  for (let i = 0; i < TRIES; i++) {
    const user = builder.random.pick(builder.state.users);
    if (user !== undefined && user.balance >= needed) return user;
  }
  return undefined;
};

/** A user other than `other`. */
export const chooseOther = (builder: BlockBuilder, other: Account): Account | undefined => {
  for (let i = 0; i < TRIES; i++) {
    const user = builder.random.pick(builder.state.users);
    if (user !== undefined && user !== other) return user;
  }
  return undefined;
};

export const treasury = (builder: BlockBuilder): Account => accountOf(builder.state, TREASURY);

/** A token that isn't paused; fungible and non-fungible ones alike unless `from` says otherwise. */
export const chooseToken = (
  builder: BlockBuilder,
  from: readonly Token[] = builder.random.chance(0.6) ? builder.state.fungible : builder.state.nfts,
): Token | undefined => {
  const token = builder.random.pick(from);
  return token?.paused === true ? undefined : token;
};

/** An account that holds some of the token and may move it, with `minimum` tinybars for the fee. */
export const chooseSender = (builder: BlockBuilder, token: Token, minimum: bigint): Account | undefined => {
  for (let i = 0; i < TRIES; i++) {
    const account = builder.random.pick(token.holders);
    if (account === undefined || account.balance < minimum || account.userIndex < 0) continue;
    if ((usableHolding(account, token)?.balance ?? 0n) > 0n) return account;
  }
  return undefined;
};

/** An account other than `sender` that is associated with the token and may receive it. */
export const chooseReceiver = (builder: BlockBuilder, token: Token, sender: Account): Account | undefined => {
  for (let i = 0; i < TRIES; i++) {
    const account = builder.random.pick(token.holders);
    if (
      account !== undefined &&
      account !== sender &&
      !account.deleted &&
      usableHolding(account, token) !== undefined
    ) {
      return account;
    }
  }
  return undefined;
};

/** A user with a free automatic association who has never met the token. */
export const chooseAutomatic = (builder: BlockBuilder, token: Token): Account | undefined => {
  if (token.hasKycKey || token.frozenAtFirst || token.holders.length >= MAX_HOLDERS) return undefined;
  const user = builder.random.pick(builder.state.users);
  return user !== undefined && user.autoAssociations !== 0 && !user.holdings.has(token.num) ? user : undefined;
};

/** Whether everybody who is associated with the token may receive it for nothing. */
export const isOpen = ({ paused, hasKycKey, frozenAtFirst, fees }: Token): boolean =>
  !paused && !hasKycKey && !frozenAtFirst && !fees.some((fee) => fee.kind === 'royalty' && fee.fallback !== undefined);

/** An account other than the treasury that is associated with the token. */
export const chooseHolder = (
  builder: BlockBuilder,
  token: Token,
  suits: (holding: Holding) => boolean,
): Account | undefined => {
  for (let i = 0; i < TRIES; i++) {
    const account = builder.random.pick(token.holders);
    const holding = account?.holdings.get(token.num);
    if (account !== undefined && account !== token.treasury && holding !== undefined && suits(holding)) return account;
  }
  return undefined;
};

/** A live serial number of the token whose owner suits. */
export const chooseSerial = (
  builder: BlockBuilder,
  token: Token,
  suits: (owner: Account) => boolean,
): { readonly serial: bigint; readonly owner: Account } | undefined => {
  if (token.nextSerial === 1n) return undefined;
  for (let i = 0; i < TRIES; i++) {
    const serial = 1n + builder.random.bigBelow(token.nextSerial - 1n);
    const owner = token.owners.get(serial);
    if (owner !== undefined && suits(owner)) return { serial, owner };
  }
  return undefined;
};

/** Whether somebody can pay a fee in units of the token, which must not bring fees of its own. */
export const canPayIn = (token: Token, payer: Account, collector: Account, amount: bigint): boolean =>
  !token.paused &&
  !token.deleted &&
  token.fees.length === 0 &&
  (usableHolding(payer, token)?.balance ?? 0n) >= amount &&
  usableHolding(collector, token) !== undefined;

/** Whether the owner can move one of its NFTs and pay for it. */
export const canMove =
  (token: Token, minimum: bigint) =>
  (owner: Account): boolean =>
    owner.balance >= minimum && owner.userIndex >= 0 && (usableHolding(owner, token)?.balance ?? 0n) > 0n;
