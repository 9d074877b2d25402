/** Transfer logs of fungible tokens: who gave to whom follows from amounts that only add up to zero as a whole. */
import { EMPTY_ENTITY_ID, type EntityId } from '../../ledger/entity-id.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { AccountAmount } from '../../protobuf/generated/services/basic_types.ts';
import { accountIdOf } from '../common/ids.ts';
import type { SyntheticLogs } from './synthetic-logs.ts';

/** These make or destroy units, so that each entry is a transfer from or to no one. */
const SUPPLY_TYPES: ReadonlySet<number> = new Set([
  TransactionType.TOKENCREATION,
  TransactionType.TOKENMINT,
  TransactionType.TOKENBURN,
  TransactionType.TOKENWIPE,
]);

const smaller = (left: bigint, right: bigint): bigint => {
  if (left < right) return left;
  return right;
};

const magnitude = (amount: bigint): bigint => (amount < 0n ? -amount : amount);

interface Party {
  readonly id: EntityId;
  remaining: bigint;
}

/** The largest amount first; among equals by shard, realm and num, which is the order of unsigned ids. */
const byAmountThenId = (left: Party, right: Party): number => {
  if (left.remaining !== right.remaining) return left.remaining > right.remaining ? -1 : 1;
  if (left.id === right.id) return 0;
  return BigInt.asUintN(64, left.id) < BigInt.asUintN(64, right.id) ? -1 : 1;
};

type OnMatch = (sender: EntityId, receiver: EntityId, amount: bigint) => void;

const matchTwo = (left: AccountAmount, right: AccountAmount, onMatch: OnMatch): void => {
  const leftSends = left.amount <= 0n;
  if (leftSends === right.amount <= 0n) return;
  const [sender, receiver] = leftSends ? [left, right] : [right, left];
  onMatch(accountIdOf(sender.accountID), accountIdOf(receiver.accountID), smaller(-sender.amount, receiver.amount));
};

/**
 * Matches the senders (amount up to 0) of a token's transfer list with its receivers, the largest amounts first, each
 * match as large as both sides allow.
 */
export const matchTransfers = (entries: readonly AccountAmount[], onMatch: OnMatch): void => {
  const [first, second] = entries;
  if (first === undefined || second === undefined) return;
  if (entries.length === 2) {
    matchTwo(first, second, onMatch);
    return;
  }
  const senders: Party[] = [];
  const receivers: Party[] = [];
  for (const { accountID, amount } of entries) {
    (amount > 0n ? receivers : senders).push({ id: accountIdOf(accountID), remaining: magnitude(amount) });
  }
  senders.sort(byAmountThenId);
  receivers.sort(byAmountThenId);
  for (let s = 0, r = 0; ; ) {
    const sender = senders[s];
    const receiver = receivers[r];
    if (sender === undefined || receiver === undefined) return;
    const amount = smaller(sender.remaining, receiver.remaining);
    onMatch(sender.id, receiver.id, amount);
    sender.remaining -= amount;
    receiver.remaining -= amount;
    if (sender.remaining === 0n) s++;
    if (receiver.remaining === 0n) r++;
  }
};

/** Logs what the record of a transaction of this type says about a token's units. */
export const logTransfers = (
  logs: SyntheticLogs,
  type: number,
  tokenId: EntityId,
  entries: readonly AccountAmount[],
): void => {
  if (SUPPLY_TYPES.has(type)) {
    for (const { accountID, amount } of entries) {
      const id = accountIdOf(accountID);
      const sender = amount < 0n ? id : EMPTY_ENTITY_ID;
      const receiver = amount > 0n ? id : EMPTY_ENTITY_ID;
      logs.transfer(tokenId, sender, receiver, magnitude(amount));
    }
  }
  matchTransfers(entries, (sender, receiver, amount) => logs.transfer(tokenId, sender, receiver, amount));
};
