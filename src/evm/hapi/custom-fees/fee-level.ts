/**
 * One level of custom fee assessment: transfers that were given, how fees revise them, and the transfers that fees cause
 * in turn, which the next level assesses. Fees in a token itself revise the given transfers, so that they cause nothing.
 */
import type { EntityId } from '../../../ledger/entity-id.ts';
import { MIN_INT64 } from '../../../ledger/int64.ts';
import { MAX_TOKEN_AMOUNT } from '../limits.ts';
import { refuse } from '../operation.ts';
import type { Adjustment, AssessedFee, Denomination, Transfers } from '../transfers/transfers.ts';

/** Changes of balances in the order in which accounts were first named. */
export type Changes = Map<EntityId, bigint>;

export const addChange = (changes: Changes, accountId: EntityId, amount: bigint): void => {
  const sum = (changes.get(accountId) ?? 0n) + amount;
  if (sum > MAX_TOKEN_AMOUNT || sum < MIN_INT64) {
    refuse('INSUFFICIENT_SENDER_ACCOUNT_BALANCE_FOR_CUSTOM_FEE');
  }
  changes.set(accountId, sum);
};

const changesOf = (adjustments: readonly Adjustment[]): Changes =>
  new Map(adjustments.map(({ party, amount }) => [party, amount]));

const adjustmentsOf = (changes: Iterable<readonly [EntityId, bigint]>): Adjustment[] =>
  [...changes].map(([party, amount]) => ({ party, amount, isApproval: false }));

/** Given adjustments with their new amounts, and after them what fees added. */
const revise = (given: readonly Adjustment[], changes: Changes): Adjustment[] => {
  const added = new Map(changes);
  const kept = given.map((adjustment) => {
    added.delete(adjustment.party);
    return { ...adjustment, amount: changes.get(adjustment.party) ?? adjustment.amount };
  });
  return [...kept, ...adjustmentsOf(added)];
};

export class FeeLevel {
  readonly given: ReadonlyMap<Denomination, ReadonlyMap<EntityId, bigint>>;
  readonly assessed: AssessedFee[] = [];
  readonly #transfers: Transfers;
  readonly #revised = new Map<Denomination, Changes>();
  readonly #caused = new Map<Denomination, Changes>();
  readonly #royaltiesPaid = new Set<string>();

  constructor(transfers: Transfers) {
    this.#transfers = transfers;
    const given = new Map<Denomination, Changes>([[undefined, changesOf(transfers.hbar)]]);
    for (const { tokenId, adjustments } of transfers.tokens) {
      if (adjustments.length > 0) given.set(tokenId, changesOf(adjustments));
    }
    this.given = given;
  }

  /** Changes of the given transfers, to be changed further. */
  revised(denomination: Denomination): Changes {
    let changes = this.#revised.get(denomination);
    if (changes === undefined) {
      changes = new Map(this.given.get(denomination));
      this.#revised.set(denomination, changes);
    }
    return changes;
  }

  /** Changes that the next level assesses. */
  caused(denomination: Denomination): Changes {
    let changes = this.#caused.get(denomination);
    if (changes === undefined) {
      changes = new Map();
      this.#caused.set(denomination, changes);
    }
    return changes;
  }

  causedDebits(): readonly (readonly [denomination: Denomination, accountId: EntityId])[] {
    return [...this.#caused].flatMap(([denomination, changes]) =>
      [...changes].filter(([, amount]) => amount < 0n).map(([accountId]) => [denomination, accountId] as const),
    );
  }

  /** Whether royalties of the token are settled for the account. */
  hasPaidRoyalty(accountId: EntityId, tokenId: EntityId): boolean {
    return this.#royaltiesPaid.has(`${accountId} ${tokenId}`);
  }

  markRoyaltyPaid(accountId: EntityId, tokenId: EntityId): void {
    this.#royaltiesPaid.add(`${accountId} ${tokenId}`);
  }

  revisedTransfers(): Transfers {
    const { hbar, tokens } = this.#transfers;
    return {
      hbar: revise(hbar, this.revised(undefined)),
      tokens: tokens.map((list) => ({ ...list, adjustments: revise(list.adjustments, this.revised(list.tokenId)) })),
    };
  }

  causedTransfers(): Transfers {
    const tokens = [...this.#caused].flatMap(([tokenId, changes]) =>
      tokenId === undefined ? [] : [{ tokenId, adjustments: adjustmentsOf(changes), serials: [] }],
    );
    return { hbar: adjustmentsOf(this.#caused.get(undefined) ?? []), tokens };
  }
}
