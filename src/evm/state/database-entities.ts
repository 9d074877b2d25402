/** Entities, by id and by address. */
import { statementName } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type EntityRow, entityRecordOf } from './entity-row.ts';
import { type Moment, type Past, versionAt, withinSnapshot } from './moment.ts';
import type { AddressHex, EntityRecord, EntityType } from './records.ts';

const columns = `alias, auto_renew_account_id, auto_renew_period, balance, created_timestamp, deleted,
  delegation_address, ethereum_nonce, evm_address, expiration_timestamp, id, key, max_automatic_token_associations,
  memo, receiver_sig_required, type`;

const latestStatement = `select ${columns} from entity where id = any ($1::bigint[]) and deleted is not true`;

/**
 * Whether an entity is there at a time. One whose row is older than its creation was only mentioned before, as accounts
 * are that a transfer named.
 */
const isThere = (at: string): string => `e.deleted is not true and coalesce(e.created_timestamp, 0) <= ${at}`;

/**
 * The balance at a time: of the snapshot, and what was transferred since. Transfers of 0.0.98, to which nearly every
 * transaction pays, have no index: its balance stays that of the snapshot.
 */
const balanceAt = (within: string): string => `
  select coalesce(b.balance, 0) + coalesce((
    select sum(t.amount) from crypto_transfer t
    where t.entity_id = e.id and t.entity_id <> 98
      and t.consensus_timestamp > coalesce(b.consensus_timestamp, $3::bigint, 0) and t.consensus_timestamp <= $2
      and (t.errata is null or t.errata <> 'DELETE')
  ), 0) as balance
  from (select) one left join lateral (
    select balance, consensus_timestamp from account_balance where account_id = e.id and ${within}
    order by consensus_timestamp desc limit 1
  ) b on true`;

/**
 * A new nonce alone begins no version, and one of the block in which a version ended is missing from that: the newest
 * nonce is what all earlier ones are sought below.
 */
const NEWEST_NONCE = '(select ethereum_nonce from entity where id = asked.id) as ethereum_nonce';

const PAST_COLUMNS: Readonly<Record<string, string>> = { balance: 'held.balance', ethereum_nonce: NEWEST_NONCE };

const pastStatement = (within: string): string => `
  select ${columns
    .split(/,\s+/)
    .map((column) => PAST_COLUMNS[column] ?? `e.${column}`)
    .join(', ')}
  from unnest($1::bigint[]) as asked(id)
  cross join lateral ${versionAt('entity', columns, 'id = asked.id', '$2::bigint')} e
  cross join lateral (${balanceAt(within)}) held
  where ${isThere('$2::bigint')}`;

const readPast = async (moment: Past, ids: readonly EntityId[]): Promise<EntityRow[]> => {
  const snapshot = await moment.snapshot();
  const text = pastStatement(withinSnapshot(snapshot, '$3::bigint'));
  return moment.db.query<EntityRow>(text, [ids, moment.at, snapshot ?? null], statementName(text));
};

const LEAST_NONCE: Readonly<Partial<Record<EntityType, bigint>>> = { CONTRACT: 1n };

const pastRecordOf = (row: EntityRow): EntityRecord => {
  const record = entityRecordOf(row);
  return record.nonce > (LEAST_NONCE[record.type] ?? 0n) ? { ...record, nonceMayBeLater: true } : record;
};

/** Entities that exist and are not deleted; undefined for the others. */
export const loadEntities = async (moment: Moment, ids: readonly EntityId[]): Promise<(EntityRecord | undefined)[]> => {
  const rows =
    moment.at === undefined
      ? await moment.db.query<EntityRow>(latestStatement, [ids], 'evm-entities')
      : await readPast(moment, ids);
  const recordOf = moment.at === undefined ? entityRecordOf : pastRecordOf;
  const records = new Map(rows.map((row) => [BigInt(row.id), recordOf(row)]));
  return ids.map((id) => records.get(id));
};

interface AddressRow {
  readonly address: Buffer;
  readonly id: string;
}

const latestAddresses = `
  select asked.address, found.id from unnest($1::bytea[]) as asked(address) cross join lateral (
    select id from (
      select id, created_timestamp from entity where evm_address = asked.address and deleted is not true
      union all
      select id, created_timestamp from entity where alias = asked.address and deleted is not true
    ) named order by created_timestamp desc nulls last limit 1
  ) found`;

const named = ['entity', 'entity_history']
  .flatMap((table) =>
    ['evm_address', 'alias'].map(
      (column) => `select id, created_timestamp from ${table} where ${column} = asked.address`,
    ),
  )
  .join(' union ');

/** An address may go to another entity after the first one's end. */
const pastAddresses = `
  select asked.address, found.id from unnest($1::bytea[]) as asked(address) cross join lateral (
    select named.id from (${named}) named
    cross join lateral ${versionAt('entity', 'created_timestamp, deleted', 'id = named.id', '$2::bigint')} e
    where ${isThere('$2::bigint')} order by named.created_timestamp desc nulls last limit 1
  ) found`;

/** Ids of entities by `evm_address` or 20-byte alias. */
export const loadIds = async (moment: Moment, addresses: readonly AddressHex[]): Promise<(EntityId | undefined)[]> => {
  const asked = addresses.map((address) => Buffer.from(address, 'hex'));
  const rows =
    moment.at === undefined
      ? await moment.db.query<AddressRow>(latestAddresses, [asked], 'evm-addresses')
      : await moment.db.query<AddressRow>(pastAddresses, [asked, moment.at], 'evm-past-addresses');
  const ids = new Map(rows.map(({ address, id }) => [address.toString('hex'), BigInt(id)]));
  return addresses.map((address) => ids.get(address));
};

/** The largest id of the ledger: also for past moments the newest one, so that new numbers never meet given ones. */
export const readLastEntityId = async ({ db }: Moment): Promise<EntityId> => {
  const [row] = await db.query<{ readonly id: string }>(
    'select id from entity order by id desc limit 1',
    [],
    'evm-last-entity',
  );
  return BigInt(row?.id ?? 0);
};
