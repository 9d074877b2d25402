import { responseCodeName } from '../ledger/response-code.ts';
import { transactionTypeName } from '../ledger/transaction-type.ts';
import type { LedgerState, Token } from './ledger-state.ts';

export interface ExpectedToken {
  readonly nft: boolean;
  readonly deleted: boolean;
  readonly supply: bigint;
  /** By account number: every associated account, also those with nothing. */
  readonly balances: ReadonlyMap<bigint, bigint>;
  /** Owner's account number by live serial number. */
  readonly owners: ReadonlyMap<bigint, bigint>;
}

/** What every reader of the stream should find at its end. */
export interface ExpectedLedger {
  /** Blocks so far, genesis included. */
  readonly blocks: bigint;
  readonly lastBlockHash: Uint8Array;
  /** Nanoseconds. */
  readonly lastConsensusTimestamp: bigint;
  /** Records of all kinds. */
  readonly transactions: number;
  /** Entries of all transfer lists. */
  readonly hbarTransfers: number;
  /** By transaction type, as REST names them. */
  readonly countsByType: Readonly<Record<string, number>>;
  /** By result, as REST names them. */
  readonly countsByResult: Readonly<Record<string, number>>;
  /** Tinybars by account number, contracts and deleted accounts included. */
  readonly balances: ReadonlyMap<bigint, bigint>;
  readonly deletedAccounts: readonly bigint[];
  readonly tokens: ReadonlyMap<bigint, ExpectedToken>;
  /** Sequence number and running hash of the newest message by topic number, deleted topics included. */
  readonly topics: ReadonlyMap<bigint, { readonly sequence: bigint; readonly runningHash: Uint8Array }>;
  /** Value of slot 0 by contract number. */
  readonly contractCounts: ReadonlyMap<bigint, bigint>;
  /** Tinybars by owner and spender, `owner/spender`, where something is left. */
  readonly hbarAllowances: ReadonlyMap<string, bigint>;
}

export const expectedLedger = (state: LedgerState): ExpectedLedger => {
  const accounts = [...state.accounts.values()];
  return {
    blocks: state.blockNumber + 1n,
    lastBlockHash: state.runningHash,
    lastConsensusTimestamp: state.lastConsensus,
    transactions: [...state.countsByType.values()].reduce((sum, count) => sum + count, 0),
    hbarTransfers: state.hbarTransfers,
    countsByType: named(state.countsByType, transactionTypeName),
    countsByResult: named(state.countsByResult, responseCodeName),
    balances: new Map([
      ...accounts.map((account) => [account.num, account.balance] as const),
      ...state.deletedAccounts.map((num) => [num, 0n] as const),
    ]),
    deletedAccounts: [...state.deletedAccounts],
    tokens: new Map(
      [...state.fungible, ...state.nfts, ...state.deletedTokens].map((token) => [token.num, expectedToken(token)]),
    ),
    topics: new Map(
      [...state.topics, ...state.deletedTopics].map(({ num, sequence, runningHash }) => [
        num,
        { sequence, runningHash },
      ]),
    ),
    contractCounts: new Map(state.contracts.map(({ num, count }) => [num, count])),
    hbarAllowances: new Map(
      accounts.flatMap((owner) =>
        [...owner.hbarAllowances].map(([spender, amount]) => [`${owner.num}/${spender}`, amount] as const),
      ),
    ),
  };
};

const named = (counts: ReadonlyMap<number, number>, name: (number: number) => string): Record<string, number> =>
  Object.fromEntries([...counts].map(([number, count]) => [name(number), count]));

const expectedToken = (token: Token): ExpectedToken => ({
  nft: token.nft,
  deleted: token.deleted,
  supply: token.supply,
  balances: new Map(token.holders.map((account) => [account.num, account.holdings.get(token.num)?.balance ?? 0n])),
  owners: new Map([...token.owners].map(([serial, owner]) => [serial, owner.num])),
});
