/**
 * The proof that the tables of a ledger add up, from themselves alone: hbars, token supplies and NFTs, seen in one
 * transaction. Where history does not say enough, it says so instead of guessing.
 */
import type { Database, Queryable } from '../../database/connection.ts';
import { formatTimestamp, type Nanos } from '../../ledger/timestamp.ts';
import {
  BALANCES_AGAINST_TRANSFERS,
  COUNT_TOKENS,
  HISTORY,
  type HistoryRow,
  NFTS_AGAINST_HOLDINGS,
  STORED,
  SUM_OF_BALANCES,
  SUPPLY_AGAINST_HOLDINGS,
  SUPPLY_AGAINST_NFTS,
  TAKEN_OVER,
  UNBALANCED_TRANSACTIONS,
} from './ledger-proof-sql.ts';
import { type Difference, type DifferenceRow, differenceOf, WHOLE_SUPPLY } from './reconciliation-sql.ts';

export type ProofSubject =
  | 'history'
  | 'transactions'
  | 'supply'
  | 'balances'
  | 'token-supplies'
  | 'nft-supplies'
  | 'nft-holdings';

export interface ProofResult {
  readonly subject: ProofSubject;
  readonly outcome: 'proven' | 'different' | 'not-provable';
  /** What was compared, and why something could not be. */
  readonly note: string;
  /** Up to the limit. For `transactions` the account is the consensus time in nanoseconds. */
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
}

export interface LedgerProof {
  /** Where balances are counted from. */
  readonly base: 'genesis' | 'balance-file' | 'unknown';
  readonly results: readonly ProofResult[];
}

export interface ProofOptions {
  /** Most differences that are told of each subject. */
  readonly limit: number;
  readonly onResult?: (result: ProofResult) => void;
}

/** What history says of itself. */
interface Facts {
  readonly start: Nanos;
  readonly base: LedgerProof['base'];
  /** Transfers after this time count from the base. */
  readonly baseHoldsTo: Nanos;
  /** Time of the balance file that is the base; -1 for genesis. */
  readonly baseFile: Nanos;
  /** End of the first block, if that one made all hbars. */
  readonly genesisEnd: Nanos;
  /** Why transactions are not all there; undefined when they are. */
  readonly incomplete: string | undefined;
  readonly transfers: bigint;
  readonly tracked: boolean;
  readonly result: ProofResult;
}

/** Proves what can be proven. Reads only, in one repeatable-read transaction; an importer may go on beside it. */
export const proveLedger = (database: Database, options: ProofOptions): Promise<LedgerProof> =>
  database.transaction(
    async (client) => {
      const facts = await readFacts(client);
      if (facts === undefined) {
        const empty = notProvable('history', 'there are no blocks');
        options.onResult?.(empty);
        return { base: 'unknown', results: [empty] };
      }
      const results: ProofResult[] = [];
      const tell = (result: ProofResult): void => {
        results.push(result);
        options.onResult?.(result);
      };
      tell(facts.result);
      tell(await proveTransactions(client, facts, options));
      tell(await proveSupply(client, facts));
      tell(await proveBalances(client, facts, options));
      tell(await proveTokens(client, facts, options, 'token-supplies', 'FUNGIBLE_COMMON', SUPPLY_AGAINST_HOLDINGS));
      tell(await proveTokens(client, facts, options, 'nft-supplies', 'NON_FUNGIBLE_UNIQUE', SUPPLY_AGAINST_NFTS));
      tell(await proveTokens(client, facts, options, 'nft-holdings', 'NON_FUNGIBLE_UNIQUE', NFTS_AGAINST_HOLDINGS));
      return { base: facts.base, results };
    },
    { isolation: 'repeatable read', readOnly: true },
  );

const readFacts = async (client: Queryable): Promise<Facts | undefined> => {
  const [history] = await client.query<HistoryRow>(HISTORY);
  if (history === undefined) return undefined;
  const [stored] = await client.query<{
    transactions: string;
    transfers: string;
    first_credit: string;
    tracked: boolean;
  }>(STORED, [history.genesis_end]);
  if (stored === undefined) throw new TypeError('a query without a table gives one row');
  const incomplete = gapIn(history, stored.transactions);
  const takenOver = await readTakenOver(client);
  const fromGenesis = history.first_index === '0' && stored.first_credit !== '0';
  const base = incomplete !== undefined ? 'unknown' : fromGenesis ? 'genesis' : takenOver ? 'balance-file' : 'unknown';
  const span = `blocks ${history.first_index} to ${history.last_index}, ${stored.transactions} transactions`;
  const begin = {
    genesis: 'history begins with the network',
    'balance-file': `balances count from the balance file of ${formatTimestamp(takenOver?.consensus_timestamp ?? '0')}`,
    unknown: 'what accounts had before the first block is not known',
  }[base];
  return {
    start: BigInt(history.first_start),
    base,
    baseHoldsTo: base === 'balance-file' ? BigInt(takenOver?.holds_to ?? 0) : -1n,
    baseFile: base === 'balance-file' ? BigInt(takenOver?.consensus_timestamp ?? -1) : -1n,
    genesisEnd: fromGenesis ? BigInt(history.genesis_end) : -1n,
    incomplete,
    transfers: BigInt(stored.transfers),
    tracked: stored.tracked,
    result:
      incomplete === undefined
        ? proven('history', `${span}; ${begin}`)
        : notProvable('history', `${span}: ${incomplete}`),
  };
};

const gapIn = (history: HistoryRow, transactions: string): string | undefined => {
  if (history.breaks !== '0') return `files are missing before ${history.breaks} of the blocks`;
  const blocks = BigInt(history.last_index) - BigInt(history.first_index) + 1n;
  if (blocks !== BigInt(history.blocks)) return `only ${history.blocks} of ${blocks} blocks are there`;
  if (history.counted !== transactions) {
    return `blocks hold ${history.counted} transactions; filters or retention kept others out`;
  }
  return undefined;
};

const readTakenOver = async (
  client: Queryable,
): Promise<{ consensus_timestamp: string; holds_to: string } | undefined> => {
  // A database of the reference mirror node that was not adopted has no such table.
  const [known] = await client.query<{ there: boolean }>(
    "select to_regclass('kagami.initial_balances') is not null as there",
  );
  if (known?.there !== true) return undefined;
  const [row] = await client.query<{ consensus_timestamp: string; holds_to: string }>(TAKEN_OVER);
  return row;
};

const proveTransactions = async (client: Queryable, facts: Facts, { limit }: ProofOptions): Promise<ProofResult> => {
  if (facts.transfers === 0n) return notProvable('transactions', 'no transfers are kept');
  const rows = await client.query<DifferenceRow>(UNBALANCED_TRANSACTIONS, [facts.genesisEnd, limit]);
  return judged('transactions', `${facts.transfers} transfers`, rows);
};

/** Why balances can't be compared with anything; undefined when they can. */
const balancesUnknown = ({ incomplete, base, transfers, tracked }: Facts): string | undefined => {
  if (incomplete !== undefined) return 'transactions are missing';
  if (base === 'unknown') return 'history does not begin with the network, and no balance file was taken over';
  if (transfers === 0n) return 'no transfers are kept';
  return tracked ? undefined : 'balances are not tracked';
};

const proveSupply = async (client: Queryable, facts: Facts): Promise<ProofResult> => {
  const unknown = balancesUnknown(facts);
  if (unknown !== undefined) return notProvable('supply', unknown);
  const [row] = await client.query<{ sum: string; entities: string }>(SUM_OF_BALANCES);
  const actual = BigInt(row?.sum ?? 0);
  const note = `${row?.entities ?? 0} balances`;
  if (actual === WHOLE_SUPPLY) return proven('supply', note);
  const difference = { account: null, token: null, expected: WHOLE_SUPPLY, actual };
  return { subject: 'supply', outcome: 'different', note, differences: [difference], differenceCount: 1 };
};

const proveBalances = async (client: Queryable, facts: Facts, { limit }: ProofOptions): Promise<ProofResult> => {
  const unknown = balancesUnknown(facts);
  if (unknown !== undefined) return notProvable('balances', unknown);
  const parameters = [facts.baseHoldsTo, facts.baseFile, limit];
  const rows = await client.query<DifferenceRow>(BALANCES_AGAINST_TRANSFERS, parameters);
  return judged('balances', `${facts.transfers} transfers`, rows);
};

const proveTokens = async (
  client: Queryable,
  facts: Facts,
  { limit }: ProofOptions,
  subject: ProofSubject,
  type: 'FUNGIBLE_COMMON' | 'NON_FUNGIBLE_UNIQUE',
  sql: string,
): Promise<ProofResult> => {
  const [count] = await client.query<{ known: string; tokens: string }>(COUNT_TOKENS, [facts.start, type]);
  const left = BigInt(count?.tokens ?? 0) - BigInt(count?.known ?? 0);
  const note = `${count?.known ?? 0} tokens${left === 0n ? '' : `; ${left} deleted or older than the history are left out`}`;
  if (facts.incomplete !== undefined) return notProvable(subject, 'transactions are missing');
  if (count?.known !== '0' && !facts.tracked) return notProvable(subject, 'balances are not tracked');
  return judged(subject, note, await client.query<DifferenceRow>(sql, [facts.start, type, limit]));
};

const proven = (subject: ProofSubject, note: string): ProofResult => ({
  subject,
  outcome: 'proven',
  note,
  differences: [],
  differenceCount: 0,
});

const notProvable = (subject: ProofSubject, note: string): ProofResult => ({
  ...proven(subject, note),
  outcome: 'not-provable',
});

const judged = (subject: ProofSubject, note: string, rows: readonly DifferenceRow[]): ProofResult =>
  rows.length === 0
    ? proven(subject, note)
    : {
        subject,
        outcome: 'different',
        note,
        differences: rows.map(differenceOf),
        differenceCount: rows[0]?.count ?? rows.length,
      };
