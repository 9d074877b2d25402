import { responseCodeName } from '../../ledger/response-code.ts';
import { transactionTypeName } from '../../ledger/transaction-type.ts';
import type { Account, NetworkNode, RegisteredNode } from '../state/ledger-entities.ts';
import { type LedgerState, RESULTS } from '../state/ledger-state.ts';
import {
  type ExpectedContract,
  type ExpectedEvm,
  expectedContracts,
  expectedEvm,
  expectedHooks,
} from './expected-contracts.ts';
import { type ExpectedEntity, expectedEntities } from './expected-entities.ts';
import { type ExpectedToken, expectedTokens } from './expected-tokens.ts';

export interface ExpectedTopic {
  readonly sequence: bigint;
  readonly runningHash: Uint8Array;
  /** Tinybars per message and account number of who gets them. */
  readonly fee: { readonly amount: bigint; readonly collector: bigint } | undefined;
}

export interface ExpectedSchedule {
  readonly creator: bigint;
  readonly payer: bigint;
  /** Nanoseconds. */
  readonly executed: bigint | undefined;
  /** Nanoseconds, if the schedule names it. */
  readonly expiration: bigint | undefined;
  readonly waitForExpiry: boolean;
  readonly deleted: boolean;
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
  /** By numbers of type and result, `14/22`. */
  readonly counts: ReadonlyMap<string, number>;
  /** Tinybars by account number, contracts and deleted accounts included. */
  readonly balances: ReadonlyMap<bigint, bigint>;
  readonly deletedAccounts: readonly bigint[];
  /** Everything that users made, by number. */
  readonly entities: ReadonlyMap<bigint, ExpectedEntity>;
  readonly tokens: ReadonlyMap<bigint, ExpectedToken>;
  /** By topic number, deleted topics included. */
  readonly topics: ReadonlyMap<bigint, ExpectedTopic>;
  readonly schedules: ReadonlyMap<bigint, ExpectedSchedule>;
  /** `PENDING 5`, state and amount, by `token/sender/receiver/serial number`. */
  readonly airdrops: ReadonlyMap<string, string>;
  readonly contracts: ReadonlyMap<bigint, ExpectedContract>;
  readonly evm: ExpectedEvm;
  /** Number of the contract, or undefined when deleted, by `owner/hook id`. */
  readonly hooks: ReadonlyMap<string, bigint | undefined>;
  /** Hex values without leading zeros, empty when deleted, by `owner/hook id/slot`. */
  readonly hookStorage: ReadonlyMap<string, string>;
  /** Tinybars by owner and spender, `owner/spender`, where something is left. */
  readonly hbarAllowances: ReadonlyMap<string, bigint>;
  /** Units by `owner/token/spender`, where something is left. */
  readonly tokenAllowances: ReadonlyMap<string, bigint>;
  /** `owner/token/spender` of everybody who may move all NFTs of an owner. */
  readonly approvedForAll: ReadonlySet<string>;
  readonly nodes: readonly Readonly<NetworkNode>[];
  readonly registeredNodes: readonly Readonly<RegisteredNode>[];
  readonly ledgerId: Uint8Array | undefined;
}

export const expectedLedger = (state: LedgerState): ExpectedLedger => {
  const accounts = [...state.accounts.values()];
  const counts = [...state.counts];
  return {
    blocks: state.blockNumber + 1n,
    lastBlockHash: state.runningHash,
    lastConsensusTimestamp: state.lastConsensus,
    transactions: counts.reduce((sum, [, count]) => sum + count, 0),
    hbarTransfers: state.hbarTransfers,
    countsByType: summed(counts, (key) => transactionTypeName(Math.floor(key / RESULTS))),
    countsByResult: summed(counts, (key) => responseCodeName(key % RESULTS)),
    counts: new Map(counts.map(([key, count]) => [`${Math.floor(key / RESULTS)}/${key % RESULTS}`, count])),
    balances: new Map([
      ...accounts.map((account) => [account.num, account.balance] as const),
      ...state.deletedAccounts.map(({ num }) => [num, 0n] as const),
      ...state.deletedContracts.map(({ num }) => [num, 0n] as const),
    ]),
    deletedAccounts: state.deletedAccounts.map(({ num }) => num),
    entities: expectedEntities(state),
    tokens: expectedTokens(state),
    topics: expectedTopics(state),
    schedules: expectedSchedules(state),
    airdrops: expectedAirdrops(state),
    contracts: expectedContracts(state),
    evm: expectedEvm(state),
    ...expectedHooks(state),
    ...allowances(accounts),
    nodes: state.nodes.map((node) => ({ ...node })),
    registeredNodes: state.registeredNodes.map((node) => ({ ...node })),
    ledgerId: state.ledgerId,
  };
};

const summed = (
  counts: readonly (readonly [number, number])[],
  name: (key: number) => string,
): Record<string, number> => {
  const sums: Record<string, number> = {};
  for (const [key, count] of counts) sums[name(key)] = (sums[name(key)] ?? 0) + count;
  return sums;
};

const expectedTopics = ({ topics, deletedTopics, submitted }: LedgerState): Map<bigint, ExpectedTopic> =>
  new Map(
    [...topics, ...deletedTopics, ...submitted.topics.values()].map(({ num, sequence, runningHash, fee }) => [
      num,
      { sequence, runningHash, fee: fee && { amount: fee.amount, collector: fee.collector.num } },
    ]),
  );

const expectedSchedules = ({ schedules, closedSchedules }: LedgerState): Map<bigint, ExpectedSchedule> =>
  new Map(
    [...closedSchedules, ...schedules].map((schedule) => [
      schedule.num,
      {
        creator: schedule.creator.num,
        payer: schedule.payer.num,
        executed: schedule.executed,
        expiration: schedule.longTerm ? schedule.expiry : undefined,
        waitForExpiry: schedule.waitForExpiry,
        deleted: schedule.deleted,
      },
    ]),
  );

const expectedAirdrops = ({ airdrops, closedAirdrops }: LedgerState): Map<string, string> =>
  new Map(
    [...closedAirdrops, ...airdrops].map(({ token, sender, receiver, serial, amount, state }) => [
      `${token.num}/${sender.num}/${receiver.num}/${serial}`,
      `${state} ${amount}`,
    ]),
  );

const allowances = (accounts: readonly Account[]) => ({
  hbarAllowances: new Map(
    accounts.flatMap(({ num, hbarAllowances }) =>
      [...hbarAllowances].map(([spender, amount]) => [`${num}/${spender}`, amount] as const),
    ),
  ),
  tokenAllowances: new Map(
    accounts.flatMap(({ num, tokenAllowances }) =>
      [...tokenAllowances].map(([key, amount]) => [`${num}/${key}`, amount] as const),
    ),
  ),
  approvedForAll: new Set(
    accounts.flatMap(({ num, approvedForAll }) => [...approvedForAll].map((key) => `${num}/${key}`)),
  ),
});
