/**
 * Before HAPI 0.37 records named the payer as owner of an allowance that a contract granted. The owner is the sender of
 * the contract's call.
 */
import type { DatabaseClient } from '../../database/connection.ts';
import type { Repair, RepairSettings } from './repair.ts';

interface AllowanceTable {
  readonly table: 'token_allowance' | 'nft_allowance';
  /** Columns besides key, payer and range. */
  readonly columns: string;
}

/** End of the last block before HAPI 0.37. */
const LAST_BLOCK = `
select consensus_end from record_file
where hapi_version_major = 0 and hapi_version_minor < 37
order by consensus_end desc limit 1`;

/** What the option syntheticContractResults adds is of contract 0; no contract granted anything there. */
const grantedByContract = ({ table }: AllowanceTable): string => `
with version as (
  select owner, spender, token_id, timestamp_range from ${table}
  union all
  select owner, spender, token_id, timestamp_range from ${table}_history
)
insert into kagami_grant
select v.owner, v.spender, v.token_id, v.timestamp_range, r.sender_id
from version v
join contract_result r on r.consensus_timestamp = lower(v.timestamp_range)
where r.consensus_timestamp <= $1 and r.contract_id <> 0 and r.sender_id <> 0 and r.sender_id <> v.owner`;

/** All versions of every allowance that loses or gains some, each under its owner. */
const collectVersions = ({ table, columns }: AllowanceTable): string => `
with touched as (
  select owner, spender, token_id from kagami_grant
  union
  select sender, spender, token_id from kagami_grant
), present as (
  delete from ${table} a using touched t
  where (a.owner, a.spender, a.token_id) = (t.owner, t.spender, t.token_id) returning a.*
), past as (
  delete from ${table}_history a using touched t
  where (a.owner, a.spender, a.token_id) = (t.owner, t.spender, t.token_id) returning a.*
), version as (
  select owner, spender, token_id, payer_account_id, timestamp_range, ${columns} from present
  union all
  select owner, spender, token_id, payer_account_id, timestamp_range, ${columns} from past
)
insert into kagami_version (owner, spender, token_id, payer_account_id, timestamp_range, ${columns})
select coalesce(g.sender, v.owner), v.spender, v.token_id, v.payer_account_id, v.timestamp_range, ${columns}
from version v left join kagami_grant g using (owner, spender, token_id, timestamp_range)`;

/** Each version lasts until the next of its owner; of two that began at once one is left. */
const insertVersions = ({ table, columns }: AllowanceTable): string => `
with version as (
  select owner, spender, token_id, payer_account_id, ${columns}, int8range(lower(timestamp_range),
    lead(lower(timestamp_range)) over (partition by owner, spender, token_id order by lower(timestamp_range))
  ) as timestamp_range
  from kagami_version
), past as (
  insert into ${table}_history (owner, spender, token_id, payer_account_id, timestamp_range, ${columns})
  select owner, spender, token_id, payer_account_id, timestamp_range, ${columns} from version
  where not upper_inf(timestamp_range) and not isempty(timestamp_range)
)
insert into ${table} (owner, spender, token_id, payer_account_id, timestamp_range, ${columns})
select owner, spender, token_id, payer_account_id, timestamp_range, ${columns} from version
where upper_inf(timestamp_range)`;

const rewriteOwners = async (client: DatabaseClient, allowance: AllowanceTable): Promise<number> => {
  const [last] = await client.query<{ consensus_end: string }>(LAST_BLOCK);
  if (last === undefined) return 0;
  await client.query(
    `create temporary table kagami_grant
       (owner bigint, spender bigint, token_id bigint, timestamp_range int8range, sender bigint) on commit drop;
     create temporary table kagami_version (like ${allowance.table}) on commit drop`,
  );
  await client.query(grantedByContract(allowance), [last.consensus_end]);
  await client.query(collectVersions(allowance));
  await client.query(insertVersions(allowance));
  const [granted] = await client.query<{ count: number }>('select count(*)::integer as count from kagami_grant');
  return granted?.count ?? 0;
};

const ownersOf = (name: string, setting: keyof RepairSettings, allowance: AllowanceTable): Repair => ({
  name,
  setting,
  isDue: ({ newest }) => {
    const version = newest?.hapiVersion ?? undefined;
    return version !== undefined && (version.major > 0 || version.minor >= 37);
  },
  run: (client) => rewriteOwners(client, allowance),
});

export const tokenAllowanceOwners = ownersOf('token-allowance-owners', 'syntheticTokenAllowanceOwnerMigration', {
  table: 'token_allowance',
  columns: 'amount, amount_granted',
});

export const nftAllowanceOwners = ownersOf('nft-allowance-owners', 'syntheticNftAllowanceOwnerMigration', {
  table: 'nft_allowance',
  columns: 'approved_for_all',
});
