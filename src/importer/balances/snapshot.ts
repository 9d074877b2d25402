/**
 * One snapshot of all balances: the SQL that copies them from the tables that follow every transfer into the tables that
 * keep them by time. Owns what belongs into a snapshot and when one is due; when it is asked is `snapshots.ts`.
 */
import type { Queryable } from '../../database/connection.ts';
import { type EntityId, encodeEntityId } from '../../ledger/entity-id.ts';
import { type Nanos, nanosToStreamName, startOfMonth } from '../../ledger/timestamp.ts';

export interface SnapshotNetwork {
  readonly shard: bigint;
  readonly realm: bigint;
}

export interface SnapshotTiming {
  /** Least consensus time between two snapshots, nanoseconds. */
  readonly minFrequency: bigint;
  /** Added to `minFrequency` for the first one of a database, nanoseconds. */
  readonly initialDelay: bigint;
}

export interface BalanceSnapshot {
  /** Consensus end of the newest block: all transfers up to it are in the balances, none after it. */
  readonly timestamp: Nanos;
  /** Holds every account; otherwise those that changed since the snapshot before. */
  readonly full: boolean;
  readonly accounts: bigint;
  readonly tokens: bigint;
}

const NANOS_PER_DAY = 86_400_000_000_000n;

/** How far back a full snapshot looks for the one before it. */
const LOOK_BACK = 30n * NANOS_PER_DAY;

/** The account whose row marks that there is a snapshot. */
const treasuryOf = ({ shard, realm }: SnapshotNetwork): EntityId => encodeEntityId(shard, realm, 2n);

/** The consensus time from which on a block makes a snapshot due; undefined before the first block. */
export const nextSnapshotDue = async (
  client: Queryable,
  { minFrequency, initialDelay }: SnapshotTiming,
): Promise<Nanos | undefined> => {
  const [row] = await client.query<{ newest: string | null; first: string | null }>(
    `select (select consensus_timestamp from account_balance_file order by consensus_timestamp desc limit 1) as newest,
       (select consensus_end from record_file order by consensus_end limit 1) as first`,
  );
  if (row?.newest != null) return BigInt(row.newest) + minFrequency;
  return row?.first == null ? undefined : BigInt(row.first) + initialDelay + minFrequency;
};

const newestBlock = async (client: Queryable): Promise<Nanos | undefined> => {
  const [row] = await client.query<{ consensus_end: string }>(
    'select consensus_end from record_file order by consensus_end desc limit 1',
  );
  return row === undefined ? undefined : BigInt(row.consensus_end);
};

/** The newest snapshot in `[from, to)`. */
const newestSnapshot = async (
  client: Queryable,
  treasury: EntityId,
  from: Nanos,
  to: Nanos,
): Promise<Nanos | undefined> => {
  const [row] = await client.query<{ consensus_timestamp: string }>(
    `select consensus_timestamp from account_balance
     where account_id = $1 and consensus_timestamp >= $2 and consensus_timestamp < $3
     order by consensus_timestamp desc limit 1`,
    [treasury, from, to],
  );
  return row === undefined ? undefined : BigInt(row.consensus_timestamp);
};

/** Accounts with a balance that live, and those that had one when the snapshot before was taken. */
const fullAccounts = 'deleted is not true or balance_timestamp > $2';
const fullTokens = 'associated or balance_timestamp > $2';
const changed = 'balance_timestamp > $2';

const copyAccounts = (condition: string): string => `
  with written as (
    insert into account_balance (consensus_timestamp, account_id, balance)
    select $1, id, coalesce(balance, 0) from entity
    where id = $3 or (balance is not null and (${condition}))
    returning 1
  ) select count(*) as rows from written`;

const copyTokens = (condition: string): string => `
  with written as (
    insert into token_balance (consensus_timestamp, account_id, token_id, balance)
    select $1, account_id, token_id, balance from token_account where ${condition}
    returning 1
  ) select count(*) as rows from written`;

const count = async (client: Queryable, text: string, values: readonly unknown[]): Promise<bigint> => {
  const [row] = await client.query<{ rows: string }>(text, values);
  return BigInt(row?.rows ?? 0);
};

export interface SnapshotRequest {
  readonly network: SnapshotNetwork;
  readonly timing: SnapshotTiming;
  readonly tokenBalances: boolean;
}

/**
 * Takes a snapshot of the state after the newest block, if that makes one due. The first one of each UTC month holds
 * every account, so that readers need not look further back; a month's later ones hold what has changed. Where several
 * were due since the last one, because many blocks came at once, only the newest state is there to be taken.
 * @param client in a transaction that sees one state throughout; the treasury must be there (`ensureTreasury`)
 */
export const takeSnapshotIfDue = async (
  client: Queryable,
  { network, timing, tokenBalances }: SnapshotRequest,
): Promise<BalanceSnapshot | undefined> => {
  const loadStart = Date.now();
  const timestamp = await newestBlock(client);
  const due = await nextSnapshotDue(client, timing);
  if (timestamp === undefined || due === undefined || timestamp < due) return undefined;
  const treasury = treasuryOf(network);
  const ofThisMonth = await newestSnapshot(client, treasury, startOfMonth(timestamp, 0), timestamp);
  const before = ofThisMonth ?? (await newestSnapshot(client, treasury, timestamp - LOOK_BACK, timestamp));
  // Without a snapshot before, nothing has changed since.
  const since = before ?? timestamp;
  const full = ofThisMonth === undefined;
  const accounts = await count(client, copyAccounts(full ? fullAccounts : changed), [timestamp, since, treasury]);
  const tokens = tokenBalances ? await count(client, copyTokens(full ? fullTokens : changed), [timestamp, since]) : 0n;
  await client.query(
    `insert into account_balance_file (consensus_timestamp, count, load_start, load_end, name, synthetic)
     values ($1, $2, $3, $4, $5, true)`,
    [timestamp, accounts, loadStart, Date.now(), `${nanosToStreamName(timestamp)}_Balances.csv`],
  );
  return { timestamp, full, accounts, tokens };
};

/** Tells readers to hide the account. */
const SYNTHETIC_TREASURY_MEMO = 'Mirror node created synthetic treasury account';

/**
 * Gives a ledger without treasury one that exists in the database alone, as the mark of its snapshots.
 * @returns whether there was none
 */
export const ensureTreasury = async (client: Queryable, network: SnapshotNetwork): Promise<boolean> => {
  const rows = await client.query(
    `insert into entity (id, num, realm, shard, type, memo, balance, created_timestamp, decline_reward, deleted,
       timestamp_range)
     values ($1, 2, $2, $3, 'ACCOUNT', $4, 0, 0, true, false, '[0,)')
     on conflict (id) do nothing returning id`,
    [treasuryOf(network), network.realm, network.shard, SYNTHETIC_TREASURY_MEMO],
  );
  return rows.length > 0;
};
