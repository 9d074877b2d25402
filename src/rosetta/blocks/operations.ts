/**
 * Operations of a transaction: what its payer asked for, fees, staking rewards. Whatever the parts, an account's amounts of
 * successful operations sum to what its transfers in the record sum to.
 */
import { isSuccessful } from '../../ledger/response-code.ts';
import type { Amount } from '../amount.ts';
import { CRYPTOTRANSFER, FEE, operationStatusOf, operationTypeOf, SUCCESS } from '../operation-names.ts';

export interface Transfer {
  /** Entity id, decimal digits. */
  readonly account: string;
  /** Tinybars. */
  readonly amount: bigint;
}

/** One row of the ledger; several of them, with one hash, are a transaction of this interface. */
export interface TransactionRow {
  readonly type: number;
  readonly result: number;
  /** Entity id, decimal digits. */
  readonly payer: string;
  readonly entity: string | null;
  readonly memo: string;
  /** What the record lists, ordered by account. */
  readonly transfers: readonly Transfer[];
  /** What the body lists. */
  readonly itemized: readonly Transfer[];
  /** Ordered by account. */
  readonly rewards: readonly Transfer[];
}

/** An operation whose account has not got its address yet. */
export interface Movement {
  readonly account: string;
  readonly amount: bigint;
  readonly type: string;
  readonly status: string;
}

export interface Operation {
  readonly operation_identifier: { readonly index: number };
  readonly type: string;
  readonly status?: string;
  readonly account: { readonly address: string };
  readonly amount?: Amount;
  readonly metadata?: object;
}

type Sums = Map<string, bigint>;

const add = (sums: Sums, { account, amount }: Transfer): void => {
  sums.set(account, (sums.get(account) ?? 0n) + amount);
};

const byAccount = ([left]: readonly [string, bigint], [right]: readonly [string, bigint]): number => {
  const difference = BigInt(left) - BigInt(right);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
};

/**
 * @param rewardAccount the account that pays staking rewards, decimal digits
 * @param type of the operations that the payer asked for
 */
const movementsOf = (row: TransactionRow, type: string, rewardAccount: string): Movement[] => {
  const { transfers, rewards } = row;
  const paid = rewards.reduce((sum, { amount }) => sum + amount, 0n);
  const moved = new Set(transfers.map(({ account }) => account));
  if (rewards.length > 0) moved.add(rewardAccount);
  // What a failed transaction asked for did not happen, and must not count against what it paid.
  const asked = isSuccessful(row.result) ? row.itemized.filter(({ account }) => moved.has(account)) : [];

  const rest: Sums = new Map();
  for (const transfer of transfers) add(rest, transfer);
  for (const { account, amount } of [...asked, ...rewards]) add(rest, { account, amount: -amount });
  add(rest, { account: rewardAccount, amount: paid });

  const status = operationStatusOf(row.result);
  const fees = [...rest].filter(([, amount]) => amount !== 0n).sort(byAccount);
  return [
    ...asked.map((transfer) => ({ ...transfer, type, status })),
    ...fees.map(([account, amount]) => ({ account, amount, type: FEE, status: SUCCESS })),
    ...rewards.map((transfer) => ({ ...transfer, type: CRYPTOTRANSFER, status: SUCCESS })),
    ...(paid === 0n ? [] : [{ account: rewardAccount, amount: -paid, type: CRYPTOTRANSFER, status: SUCCESS }]),
  ];
};

/** Rows of one hash, put together in the order of their consensus. */
export class GroupedTransaction {
  readonly hash: string;
  readonly movements: Movement[] = [];
  readonly #first: TransactionRow;
  readonly #type: string;
  #entity: string | null = null;
  #succeeded = false;

  constructor(hash: string, first: TransactionRow) {
    this.hash = hash;
    this.#first = first;
    this.#type = operationTypeOf(first.type);
  }

  add(row: TransactionRow, rewardAccount: string): void {
    this.movements.push(...movementsOf(row, this.#type, rewardAccount));
    if (!isSuccessful(row.result)) return;
    this.#succeeded = true;
    this.#entity = row.entity;
  }

  /** To be called after the last row. */
  finish(): void {
    if (this.#succeeded) return;
    const { payer, result } = this.#first;
    this.movements.push({ account: payer, amount: 0n, type: this.#type, status: operationStatusOf(result) });
  }

  /** @param entityText how an entity id is shown */
  metadata(entityText: (id: string) => string): { readonly entity_id?: string; readonly memo?: string } | undefined {
    const { memo } = this.#first;
    const metadata = {
      ...(this.#entity === null || this.#entity === '0' ? {} : { entity_id: entityText(this.#entity) }),
      ...(memo === '' ? {} : { memo }),
    };
    return Object.keys(metadata).length === 0 ? undefined : metadata;
  }
}
