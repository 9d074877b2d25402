/** `/api/v1/tokens/{tokenId}`: one token, now or as it was. */
import {
  base64Json,
  booleanJson,
  digitsJson,
  entityIdJson,
  integerJson,
  keyObjectJson,
  plainJson,
  textJson,
  timestampJson,
} from '../../api/json.ts';
import { isTimestampText, MAX_INT8 } from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import { acceptInOrder, type Filter, groupQuery, lastOf, type ParameterCheck } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND, type Nanos, parseTimestamp } from '../../ledger/timestamp.ts';
import { fixedFeesJson, fractionalFeesJson, royaltyFeesJson } from './custom-fee-json.ts';
import { readTokenId } from './token-reference.ts';

const untilOnly: ParameterCheck = (operator, value) =>
  (operator === 'eq' || operator === 'lt' || operator === 'lte') && isTimestampText(value);

interface TokenRow {
  readonly auto_renew_account_id: string | null;
  readonly auto_renew_period: string | null;
  readonly created_timestamp: string;
  readonly decimals: string;
  readonly deleted: boolean | null;
  readonly expiration_timestamp: string | null;
  readonly fee_schedule_key: Buffer | null;
  readonly fees_timestamp: string | null;
  readonly fixed_fees: string | null;
  readonly fractional_fees: string | null;
  readonly freeze_default: boolean;
  readonly freeze_key: Buffer | null;
  readonly initial_supply: string;
  readonly key: Buffer | null;
  readonly kyc_key: Buffer | null;
  readonly max_supply: string;
  readonly memo: string;
  /** Empty for tokens from before there was metadata. */
  readonly metadata: Buffer;
  readonly metadata_key: Buffer | null;
  readonly modified_timestamp: string;
  readonly name: string;
  readonly pause_key: Buffer | null;
  readonly pause_status: string;
  readonly royalty_fees: string | null;
  readonly supply_key: Buffer | null;
  readonly supply_type: string;
  readonly symbol: string;
  readonly token_id: string;
  readonly total_supply: string;
  readonly treasury_account_id: string;
  readonly type: string;
  readonly wipe_key: Buffer | null;
}

const tokenColumns = `token_id, created_timestamp, decimals, fee_schedule_key, freeze_default, freeze_key, initial_supply,
  kyc_key, max_supply, metadata, metadata_key, name, pause_key, pause_status, supply_key, supply_type, symbol,
  total_supply, treasury_account_id, type, wipe_key, timestamp_range`;
const entityColumns = `id, auto_renew_account_id, auto_renew_period, deleted, expiration_timestamp, key, memo,
  timestamp_range`;
const feeColumns = 'entity_id, fixed_fees, fractional_fees, royalty_fees, timestamp_range';

const columns = `t.token_id, t.created_timestamp, t.decimals, t.fee_schedule_key, t.freeze_default, t.freeze_key,
  t.initial_supply, t.kyc_key, t.max_supply, coalesce(t.metadata, '') as metadata, t.metadata_key, t.name, t.pause_key,
  t.pause_status, t.supply_key, t.supply_type, t.symbol, t.total_supply, t.treasury_account_id, t.type, t.wipe_key,
  e.auto_renew_account_id, e.auto_renew_period, e.deleted, e.expiration_timestamp, e.key, e.memo,
  greatest(lower(t.timestamp_range), lower(e.timestamp_range)) as modified_timestamp,
  lower(f.timestamp_range) as fees_timestamp, f.fixed_fees::text as fixed_fees,
  f.fractional_fees::text as fractional_fees, f.royalty_fees::text as royalty_fees`;

const currentStatement = `select ${columns} from token t join entity e on e.id = t.token_id
  join custom_fee f on f.entity_id = t.token_id where t.token_id = $1`;

/** The newest version of a row that began by $2, from the table or its history. */
const newest = (table: string, id: string, selected: string): string => {
  const version = (from: string): string =>
    `(select ${selected} from ${from} where ${id} = $1 and lower(timestamp_range) <= $2
      order by lower(timestamp_range) desc limit 1)`;
  return `(select * from (${version(table)} union all ${version(`${table}_history`)}) versions
    order by lower(timestamp_range) desc limit 1)`;
};

const historicalStatement = `select ${columns} from ${newest('token', 'token_id', tokenColumns)} t
  cross join ${newest('entity', 'id', entityColumns)} e
  cross join ${newest('custom_fee', 'entity_id', feeColumns)} f`;

/** The last moment that a filter takes in; `eq` asks for the state as of that time. */
const lastMoment = ({ operator, value }: Filter): Nanos => {
  const nanos = parseTimestamp(value) as Nanos;
  const last = operator === 'lt' ? nanos - 1n : nanos;
  return last > MAX_INT8 ? MAX_INT8 : last;
};

const readToken = async (
  tokenId: EntityId,
  until: Filter | undefined,
  { db }: RouteContext,
): Promise<TokenRow | undefined> => {
  const rows =
    until === undefined
      ? await db.query<TokenRow>(currentStatement, [tokenId], 'token-by-id')
      : await db.query<TokenRow>(historicalStatement, [tokenId, lastMoment(until)], 'token-by-id-and-time');
  return rows[0];
};

/** What was set; else the end of the first renewal period. Nanoseconds. */
const expiryOf = ({ expiration_timestamp, created_timestamp, auto_renew_period }: TokenRow): string | null => {
  if (expiration_timestamp !== null || auto_renew_period === null) return expiration_timestamp;
  return (BigInt(created_timestamp) + BigInt(auto_renew_period) * NANOS_PER_SECOND).toString();
};

/** Fungible tokens have fractional fees, NFTs royalties. */
const customFeesJson = (row: TokenRow): string => {
  const others =
    row.type === 'FUNGIBLE_COMMON'
      ? `"fractional_fees":${fractionalFeesJson(row.fractional_fees, row.token_id)}`
      : `"royalty_fees":${royaltyFeesJson(row.royalty_fees)}`;
  return (
    `{"created_timestamp":${timestampJson(row.fees_timestamp)},"fixed_fees":${fixedFeesJson(row.fixed_fees)},` +
    `${others}}`
  );
};

const tokenInfoJson = (row: TokenRow): string =>
  `{"admin_key":${keyObjectJson(row.key)},"auto_renew_account":${entityIdJson(row.auto_renew_account_id)},` +
  `"auto_renew_period":${integerJson(row.auto_renew_period)},` +
  `"created_timestamp":${timestampJson(row.created_timestamp)},"custom_fees":${customFeesJson(row)},` +
  `"decimals":${digitsJson(row.decimals)},"deleted":${booleanJson(row.deleted)},` +
  `"expiry_timestamp":${integerJson(expiryOf(row))},"fee_schedule_key":${keyObjectJson(row.fee_schedule_key)},` +
  `"freeze_default":${booleanJson(row.freeze_default)},"freeze_key":${keyObjectJson(row.freeze_key)},` +
  `"initial_supply":${digitsJson(row.initial_supply)},"kyc_key":${keyObjectJson(row.kyc_key)},` +
  `"max_supply":${digitsJson(row.max_supply)},"memo":${textJson(row.memo)},` +
  `"metadata":${base64Json(row.metadata)},"metadata_key":${keyObjectJson(row.metadata_key)},` +
  `"modified_timestamp":${timestampJson(row.modified_timestamp)},"name":${textJson(row.name)},` +
  `"pause_key":${keyObjectJson(row.pause_key)},"pause_status":${plainJson(row.pause_status)},` +
  `"supply_key":${keyObjectJson(row.supply_key)},"supply_type":${plainJson(row.supply_type)},` +
  `"symbol":${textJson(row.symbol)},"token_id":${entityIdJson(row.token_id)},` +
  `"total_supply":${digitsJson(row.total_supply)},` +
  `"treasury_account_id":${entityIdJson(row.treasury_account_id)},"type":${plainJson(row.type)},` +
  `"wipe_key":${keyObjectJson(row.wipe_key)}}`;

export const getToken = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const tokenId = readTokenId(request, context);
  const filters = acceptInOrder(groupQuery(request.query), { timestamp: untilOnly }, context.settings.query);
  const row = await readToken(tokenId, lastOf(filters, 'timestamp'), context);
  if (row === undefined) throw notFound();
  return { status: 200, body: tokenInfoJson(row) };
};
