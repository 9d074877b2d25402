/**
 * Where history does not begin with the network, transfers alone say nothing of what accounts had before. The first
 * balance file within the imported history supplies that: from its time on, balances add up.
 */
import type { Database, DatabaseClient } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import type { Nanos } from '../../ledger/timestamp.ts';

export interface InitialBalances {
  /** Time of the balance file, nanoseconds. */
  readonly consensusTimestamp: Nanos;
  readonly accounts: number;
  readonly tokenAccounts: number;
}

interface Candidate {
  readonly consensus_timestamp: string;
  readonly holds_to: string;
  readonly last: string;
}

/** The earliest balance file that lies between the first and the last imported block, unless one was taken before. */
const FIND_FILE = `
select f.consensus_timestamp, f.consensus_timestamp + f.time_offset as holds_to, history.last
from account_balance_file f,
  (select min(consensus_start) as first, max(consensus_end) as last from record_file) history
where not f.synthetic and f.consensus_timestamp between history.first and history.last
  and not exists (select from kagami.initial_balances)
order by f.consensus_timestamp
limit 1`;

const SHARD = '(id >> 54) & 1023';
const REALM = '(id >> 38) & 65535';
const NUM = 'id & 274877906943';

/** $1 time of the file, $2 time of the last transaction it holds, $3 end of the last block. */
const INITIALIZE_ENTITIES = `
with listed as (
  select account_id as id, balance from account_balance where consensus_timestamp = $1
), moved as (
  select entity_id as id, sum(amount) as amount
  from crypto_transfer
  where consensus_timestamp > $2 and consensus_timestamp <= $3 and errata is distinct from 'DELETE' and entity_id <> 0
  group by entity_id
), known as (
  select id, coalesce(balance, 0) + coalesce(amount, 0) as balance, balance is not null as listed
  from listed full join moved using (id)
), written as (
  insert into entity (id, shard, realm, num, type, deleted, balance, balance_timestamp, timestamp_range)
  select id, ${SHARD}, ${REALM}, ${NUM}, 'ACCOUNT', case when listed then false end, balance, $3, '[0,)'
  from known
  on conflict (id) do update set balance = excluded.balance,
    balance_timestamp = coalesce(entity.balance_timestamp, excluded.balance_timestamp)
  returning 1
)
select count(*)::integer as count from written`;

/** $1 time of the file, $2 time of the last transaction it holds, $3 end of the last block. */
const INITIALIZE_TOKEN_ACCOUNTS = `
with listed as (
  select account_id, token_id, balance from token_balance where consensus_timestamp = $1
), transfers as (
  select account_id::bigint, token_id::bigint, amount::bigint, consensus_timestamp
  from token_transfer where consensus_timestamp > $2 and consensus_timestamp <= $3
  union all
  select side.account_id, n.token_id, side.amount, t.consensus_timestamp
  from transaction t
  cross join jsonb_to_recordset(t.nft_transfer)
    as n(token_id bigint, sender_account_id bigint, receiver_account_id bigint, serial_number bigint)
  cross join lateral (values (n.sender_account_id, -1::bigint), (n.receiver_account_id, 1)) as side(account_id, amount)
  where t.consensus_timestamp > $2 and t.consensus_timestamp <= $3
    and t.nft_transfer is not null and side.account_id is not null and n.serial_number > 0
), moved as (
  select account_id, token_id, sum(amount) as amount
  from transfers group by account_id, token_id
), known as (
  select account_id, token_id, coalesce(balance, 0) + coalesce(amount, 0) as balance
  from listed full join moved using (account_id, token_id)
), written as (
  insert into token_account
    (account_id, token_id, associated, balance, balance_timestamp, created_timestamp, timestamp_range)
  select account_id, token_id, true, balance, $3, 0, '[0,)'
  from known
  on conflict (account_id, token_id)
    do update set balance = excluded.balance, balance_timestamp = excluded.balance_timestamp
  returning 1
)
select count(*)::integer as count from written`;

/**
 * Gives accounts and token relationships the balances of the first balance file within the imported history, plus what
 * moved since. Does nothing when that was done before, or there is no such file yet. No block is committed meanwhile.
 * @returns what was done, if anything
 * @throws KagamiError WRITER_FENCED
 */
export const initializeBalances = async (
  database: Database,
  lease: WriterLease,
): Promise<InitialBalances | undefined> => {
  // Looking needs no lock; whether it is still so is seen again under the lock.
  if ((await findFile(database)) === undefined) return undefined;
  return database.transaction(async (client) => {
    // Blocks take a share of this row; balances that they add to must not change under them.
    await client.query('select from kagami.writer for update');
    await lease.check(client);
    const file = await findFile(client);
    return file === undefined ? undefined : initializeFrom(client, file);
  });
};

const findFile = async (database: Pick<Database, 'query'>): Promise<Candidate | undefined> =>
  (await database.query<Candidate>(FIND_FILE))[0];

const initializeFrom = async (client: DatabaseClient, file: Candidate): Promise<InitialBalances> => {
  const times = [file.consensus_timestamp, file.holds_to, file.last];
  const [entities] = await client.query<{ count: number }>(INITIALIZE_ENTITIES, times);
  const [tokenAccounts] = await client.query<{ count: number }>(INITIALIZE_TOKEN_ACCOUNTS, times);
  await client.query('insert into kagami.initial_balances (consensus_timestamp) values ($1)', [
    file.consensus_timestamp,
  ]);
  return {
    consensusTimestamp: BigInt(file.consensus_timestamp),
    accounts: entities?.count ?? 0,
    tokenAccounts: tokenAccounts?.count ?? 0,
  };
};
