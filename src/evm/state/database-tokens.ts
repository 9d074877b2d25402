/** Tokens, with their entities and custom fees. A deleted token is not there, as for the reference. */
import { statementName } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type CustomFeeRow, customFeesOf } from './custom-fees.ts';
import { bytesOf, idOrNone, type LifetimeRow, lifetimeOf } from './entity-row.ts';
import { type Moment, type Past, versionAt, withinSnapshot } from './moment.ts';
import type { TokenKeyName, TokenRecord } from './records.ts';

interface TokenRow extends CustomFeeRow, LifetimeRow {
  readonly decimals: string;
  readonly fee_schedule_key: Buffer | null;
  readonly freeze_default: boolean;
  readonly freeze_key: Buffer | null;
  readonly key: Buffer | null;
  readonly kyc_key: Buffer | null;
  readonly kyc_status: number;
  readonly max_supply: string;
  readonly memo: string;
  readonly metadata: Buffer | null;
  readonly metadata_key: Buffer | null;
  readonly name: string;
  readonly pause_key: Buffer | null;
  readonly pause_status: string;
  readonly supply_key: Buffer | null;
  readonly supply_type: TokenRecord['supplyType'];
  readonly symbol: string;
  readonly token_id: string;
  readonly total_supply: string;
  readonly treasury_account_id: string;
  readonly type: TokenRecord['type'];
  readonly wipe_key: Buffer | null;
}

const KYC_GRANTED = 1;

const tokenColumns = `token_id, created_timestamp, decimals, fee_schedule_key, freeze_default, freeze_key, kyc_key,
  kyc_status, max_supply, metadata, metadata_key, name, pause_key, pause_status, supply_key, supply_type, symbol,
  total_supply, treasury_account_id, type, wipe_key`;
const entityColumns = 'auto_renew_account_id, auto_renew_period, deleted, expiration_timestamp, id, key, memo';
const feeColumns = 'entity_id, fixed_fees, fractional_fees, royalty_fees';

const selected = (totalSupply: string): string => `
  ${tokenColumns
    .split(/,\s+/)
    .map((column) => (column === 'total_supply' ? `${totalSupply} as total_supply` : `t.${column}`))
    .join(', ')},
  e.auto_renew_account_id, e.auto_renew_period, e.expiration_timestamp, e.key, e.memo,
  f.fixed_fees::text as fixed_fees, f.fractional_fees::text as fractional_fees, f.royalty_fees::text as royalty_fees`;

const latestStatement = `
  select ${selected('t.total_supply')} from token t
  join entity e on e.id = t.token_id and e.deleted is not true
  left join custom_fee f on f.entity_id = t.token_id
  where t.token_id = any ($1::bigint[])`;

/** Up to this long ago, what came since is less to read than all balances. */
const RECENT = 1_800_000_000_000n;

const isRecent = `(select consensus_end from record_file order by consensus_end desc limit 1) - $2 < ${RECENT}`;

/** Minted and burned amounts are transfers: what the supply is now, without what came since. */
const supplyBackwards = `
  (select total_supply from token where token_id = asked.id) - coalesce((
    select sum(amount) from token_transfer where token_id = asked.id and consensus_timestamp > $2
  ), 0)`;

/** The sum of all balances at the snapshot and of what was transferred since. */
const supplyForwards = (within: string): string => `
  coalesce((
    select sum(balance) from (
      select distinct on (account_id) balance from token_balance where token_id = asked.id and ${within}
      order by account_id, consensus_timestamp desc
    ) held
  ), 0) + coalesce((
    select sum(amount) from token_transfer
    where token_id = asked.id and consensus_timestamp > coalesce($3::bigint, 0) and consensus_timestamp <= $2
  ), 0)`;

const serialSupply = `(
  select count(*) from nft
  where token_id = asked.id and created_timestamp <= $2 and (deleted is not true or lower(timestamp_range) > $2))`;

const pastStatement = (within: string): string => `
  select ${selected(`case when t.type = 'NON_FUNGIBLE_UNIQUE' then ${serialSupply}
    when ${isRecent} then ${supplyBackwards}
    else ${supplyForwards(within)} end`)}
  from unnest($1::bigint[]) as asked(id)
  cross join lateral ${versionAt('token', tokenColumns, 'token_id = asked.id', '$2::bigint')} t
  cross join lateral ${versionAt('entity', entityColumns, 'id = asked.id', '$2::bigint')} e
  left join lateral ${versionAt('custom_fee', feeColumns, 'entity_id = asked.id', '$2::bigint')} f on true
  where e.deleted is not true`;

const readPast = async (moment: Past, ids: readonly EntityId[]): Promise<TokenRow[]> => {
  const snapshot = await moment.snapshot();
  const text = pastStatement(withinSnapshot(snapshot, '$3::bigint'));
  return moment.db.query<TokenRow>(text, [ids, moment.at, snapshot ?? null], statementName(text));
};

const keysOf = (row: TokenRow): TokenRecord['keys'] => {
  const stored: Readonly<Record<TokenKeyName, Buffer | null>> = {
    admin: row.key,
    kyc: row.kyc_key,
    freeze: row.freeze_key,
    wipe: row.wipe_key,
    supply: row.supply_key,
    feeSchedule: row.fee_schedule_key,
    pause: row.pause_key,
    metadata: row.metadata_key,
  };
  const keys: Partial<Record<TokenKeyName, Uint8Array>> = {};
  for (const [name, value] of Object.entries(stored)) {
    const key = bytesOf(value);
    if (key !== undefined) keys[name as TokenKeyName] = key;
  }
  return keys;
};

const tokenRecordOf = (row: TokenRow): TokenRecord => ({
  id: BigInt(row.token_id),
  type: row.type,
  name: row.name,
  symbol: row.symbol,
  decimals: Number(row.decimals),
  totalSupply: BigInt(row.total_supply),
  supplyType: row.supply_type,
  maxSupply: BigInt(row.max_supply),
  treasuryId: idOrNone(row.treasury_account_id),
  deleted: false,
  paused: row.pause_status === 'PAUSED',
  freezeDefault: row.freeze_default,
  kycDefault: row.kyc_status === KYC_GRANTED,
  keys: keysOf(row),
  memo: row.memo,
  metadata: bytesOf(row.metadata) ?? new Uint8Array(),
  ...lifetimeOf(row),
  customFees: customFeesOf(row),
});

export const loadTokens = async (moment: Moment, ids: readonly EntityId[]): Promise<(TokenRecord | undefined)[]> => {
  const rows =
    moment.at === undefined
      ? await moment.db.query<TokenRow>(latestStatement, [ids], 'evm-tokens')
      : await readPast(moment, ids);
  const records = new Map(rows.map((row) => [BigInt(row.token_id), tokenRecordOf(row)]));
  return ids.map((id) => records.get(id));
};
