/**
 * Reconciliation: each balance file must be the one before it plus what moved between the two. Jobs are kept in
 * `reconciliation_job`; the next one goes on after the last file that the one before got to.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Database, Queryable } from '../../database/connection.ts';
import { formatTimestamp, type Nanos } from '../../ledger/timestamp.ts';
import {
  COMPARE_ACCOUNTS,
  COMPARE_TOKENS,
  type ComparedFile,
  type Difference,
  type DifferenceRow,
  differenceOf,
  FILE_AFTER,
  WHOLE_SUPPLY,
} from './reconciliation-sql.ts';

/** `reconciliation_job.status` */
export const reconciliationStatus = {
  running: 1,
  success: 2,
  accountsDiffer: 3,
  supplyDiffers: 4,
  tokensDiffer: 5,
  failed: 6,
} as const;

export type ReconciliationStatus = (typeof reconciliationStatus)[keyof typeof reconciliationStatus];

/** After a difference: stop, go on with the file's balances, or go on with the computed ones. */
export type RemediationStrategy = 'FAIL' | 'RESET' | 'ACCUMULATE';

export interface ReconciliationOptions {
  readonly database: Database;
  readonly strategy: RemediationStrategy;
  /** Compares token balances too. */
  readonly tokens: boolean;
  /** First and last balance file to compare, inclusive; nanoseconds. */
  readonly from?: Nanos | undefined;
  readonly to?: Nanos | undefined;
  /** Milliseconds between two files. */
  readonly delayMs: number;
  /** Most differences that are told of each file. */
  readonly limit: number;
  readonly signal?: AbortSignal;
  readonly onFile?: (file: ReconciledFile) => void;
}

export interface ReconciledFile {
  readonly consensusTimestamp: Nanos;
  readonly status: ReconciliationStatus;
  /** Up to the limit. */
  readonly differences: readonly Difference[];
  readonly differenceCount: number;
}

export interface ReconciliationReport {
  readonly status: ReconciliationStatus;
  /** Files that were compared with the one before them. */
  readonly files: number;
  /** Time of the last file that was got to; 0 when none was. */
  readonly last: Nanos;
  readonly error: string;
}

interface Carried {
  readonly accounts: readonly Difference[];
  readonly tokens: readonly Difference[];
}

const NOTHING_CARRIED: Carried = { accounts: [], tokens: [] };

/**
 * Compares all balance files that are there, from where the last job ended, as far as blocks are imported.
 * @returns undefined when there are no balance files to begin with (snapshots made from transfers are none)
 */
export const reconcileBalanceFiles = async (
  options: ReconciliationOptions,
): Promise<ReconciliationReport | undefined> => {
  const { database } = options;
  const resumed = await lastReconciled(database);
  const first = await nextFile(options, resumed === undefined ? undefined : resumed - 1n);
  if (first === undefined) return undefined;
  const job = await startJob(database, first.consensusTimestamp === resumed ? resumed : 0n);
  try {
    const report = await compareFrom(first, resumed, options, job);
    await endJob(database, job, report.status, report.error);
    return report;
  } catch (fault) {
    await endJob(database, job, reconciliationStatus.failed, (fault as Error).message).catch(() => undefined);
    throw fault;
  }
};

const compareFrom = async (
  first: ComparedFile,
  resumed: Nanos | undefined,
  options: ReconciliationOptions,
  job: string,
): Promise<ReconciliationReport> => {
  const { database, strategy, delayMs, signal } = options;
  let status: ReconciliationStatus = reconciliationStatus.success;
  let error = '';
  let files = 0;
  let last = 0n;
  let carried = NOTHING_CARRIED;
  const took = async (file: ReconciledFile): Promise<void> => {
    options.onFile?.(file);
    if (file.status !== reconciliationStatus.success) {
      status = file.status;
      error ||= describe(file);
      if (strategy === 'FAIL') return;
    }
    last = file.consensusTimestamp;
    await database.query(
      'update reconciliation_job set consensus_timestamp = $2, count = $3 where timestamp_start = $1',
      [job, last, files],
    );
  };
  const goesOn = (): boolean => !signal?.aborted && (strategy !== 'FAIL' || status === reconciliationStatus.success);

  if (first.consensusTimestamp === resumed) last = resumed;
  else await took(await compareSupply(database, first));
  for (let previous = first; goesOn(); ) {
    const current = await nextFile(options, previous.consensusTimestamp);
    if (current === undefined) break;
    const compared = await compareFiles(previous, current, carried, options);
    files++;
    await took(compared.file);
    if (strategy === 'ACCUMULATE') carried = compared.carried;
    previous = current;
    if (goesOn()) await pause(delayMs, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  }
  return { status, files, last, error };
};

const compareSupply = async (database: Queryable, { consensusTimestamp }: ComparedFile): Promise<ReconciledFile> => {
  const [row] = await database.query<{ sum: string }>(
    'select coalesce(sum(balance), 0) as sum from account_balance where consensus_timestamp = $1',
    [consensusTimestamp],
  );
  const actual = BigInt(row?.sum ?? 0);
  const differs = actual !== WHOLE_SUPPLY;
  return {
    consensusTimestamp,
    status: differs ? reconciliationStatus.supplyDiffers : reconciliationStatus.success,
    differences: differs ? [{ account: null, token: null, expected: WHOLE_SUPPLY, actual }] : [],
    differenceCount: differs ? 1 : 0,
  };
};

const compareFiles = async (
  previous: ComparedFile,
  current: ComparedFile,
  carried: Carried,
  { database, strategy, tokens, limit }: ReconciliationOptions,
): Promise<{ readonly file: ReconciledFile; readonly carried: Carried }> => {
  const supply = await compareSupply(database, current);
  const compare = async (sql: string, before: readonly Difference[]): Promise<DifferenceRow[]> =>
    database.query<DifferenceRow>(sql, [
      previous.consensusTimestamp,
      current.consensusTimestamp,
      previous.holdsTo,
      current.holdsTo,
      before.map(({ account }) => account),
      before.map(({ token }) => token ?? 0n),
      before.map(({ expected, actual }) => expected - actual),
      // What is carried on must be whole.
      strategy === 'ACCUMULATE' ? null : limit,
    ]);
  const accountRows = await compare(COMPARE_ACCOUNTS, carried.accounts);
  const tokenRows = tokens ? await compare(COMPARE_TOKENS, carried.tokens) : [];
  const next = { accounts: accountRows.map(differenceOf), tokens: tokenRows.map(differenceOf) };
  const status =
    supply.differenceCount > 0
      ? supply.status
      : accountRows.length > 0
        ? reconciliationStatus.accountsDiffer
        : tokenRows.length > 0
          ? reconciliationStatus.tokensDiffer
          : reconciliationStatus.success;
  const file = {
    consensusTimestamp: current.consensusTimestamp,
    status,
    differences: [...supply.differences, ...next.accounts, ...next.tokens].slice(0, limit),
    differenceCount: supply.differenceCount + countOf(accountRows) + countOf(tokenRows),
  };
  return { file, carried: next };
};

const countOf = ([row]: readonly DifferenceRow[]): number => row?.count ?? 0;

const describe = ({ consensusTimestamp, differences, differenceCount }: ReconciledFile): string => {
  const [first] = differences;
  const place = first?.account == null ? 'the sum of all balances' : `account ${first.account}`;
  const token = first?.token == null ? '' : ` with token ${first.token}`;
  const more = differenceCount > 1 ? `, and ${differenceCount - 1} more` : '';
  return (
    `Balance file of ${formatTimestamp(consensusTimestamp)}: ${place}${token} is ${first?.actual}, ` +
    `should be ${first?.expected}${more}`
  );
};

/** Time of the last file that any job got to. */
const lastReconciled = async (database: Queryable): Promise<Nanos | undefined> => {
  const [row] = await database.query<{ consensus_timestamp: string }>(
    'select consensus_timestamp from reconciliation_job order by timestamp_start desc limit 1',
  );
  return row === undefined || row.consensus_timestamp === '0' ? undefined : BigInt(row.consensus_timestamp);
};

/** The first file after a time, or of all, that lies within the imported blocks and the wanted period. */
const nextFile = async (
  { database, from, to }: ReconciliationOptions,
  after: Nanos | undefined,
): Promise<ComparedFile | undefined> => {
  const [row] = await database.query<{ consensus_timestamp: string; holds_to: string }>(FILE_AFTER, [
    after ?? -1n,
    from ?? 0n,
    to ?? null,
  ]);
  if (row === undefined) return undefined;
  return { consensusTimestamp: BigInt(row.consensus_timestamp), holdsTo: BigInt(row.holds_to) };
};

/** Jobs are known by their start; as text it keeps its microseconds. */
const startJob = async (database: Queryable, last: Nanos): Promise<string> => {
  const [row] = await database.query<{ start: string }>(
    `insert into reconciliation_job (consensus_timestamp, count, timestamp_start, status)
     values ($1, 0, clock_timestamp(), $2) returning timestamp_start::text as start`,
    [last, reconciliationStatus.running],
  );
  return row?.start ?? '';
};

const endJob = async (database: Queryable, job: string, status: ReconciliationStatus, error: string): Promise<void> => {
  await database.query(
    'update reconciliation_job set status = $2, error = $3, timestamp_end = clock_timestamp() where timestamp_start = $1',
    [job, status, error],
  );
};
