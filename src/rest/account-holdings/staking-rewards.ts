/** `/api/v1/accounts/{id}/rewards`: the staking rewards paid to an account. Reads `staking_reward_transfer`. */
import type { Bounds } from '../../api/bounds.ts';
import { lookupKnownAccountId } from '../../api/entity-lookup.ts';
import { entityIdJson, linksJson, timestampJson } from '../../api/json.ts';
import { limitOf, nextLink, type Order, orderOf, timestampPosition } from '../../api/page.ts';
import { limitParameter, orderParameter, timestampParameter } from '../../api/parameter-checks.ts';
import { badRequest } from '../../api/problem.ts';
import { acceptSorted, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import { timestampBounds } from '../../api/timestamp-filter.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, MAX_NANOS } from '../../ledger/timestamp.ts';
import { boundsConditions } from '../accounts/account-filters.ts';

const parameters = { limit: limitParameter, order: orderParameter, timestamp: timestampParameter };

interface RewardRow {
  readonly account_id: string;
  /** Tinybars. */
  readonly amount: string;
  readonly consensus_timestamp: string;
}

const rewardJson = (row: RewardRow): string =>
  `{"account_id":${entityIdJson(row.account_id)},"amount":${row.amount},` +
  `"timestamp":${timestampJson(row.consensus_timestamp)}}`;

interface Search {
  readonly accountId: EntityId;
  readonly timestamps: Bounds;
  readonly order: Order;
  readonly limit: number;
}

const readRewards = async (search: Search, db: RouteContext['db']): Promise<RewardRow[]> => {
  const { accountId, timestamps, order, limit } = search;
  const equal = timestamps.equal.filter((value) => value <= MAX_NANOS);
  if (equal.length === 0 && timestamps.equal.length > 0) return [];
  const builder = statementBuilder();
  const ofAccount = `account_id = ${builder.bind(accountId)}::bigint`;
  const conditions = boundsConditions(builder, 'consensus_timestamp', { ...timestamps, equal });
  if (conditions === undefined) return [];
  const text =
    `select account_id, amount, consensus_timestamp from staking_reward_transfer` +
    `${whereClause([ofAccount, ...conditions])} order by consensus_timestamp ${order} limit ${builder.bind(limit)}`;
  return db.query<RewardRow>(text, builder.values, statementName(text));
};

export const listStakingRewards = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const accountId = await lookupKnownAccountId(request.pathParameters.idOrAliasOrEvmAddress ?? '', context);
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, parameters, context.settings.query);
  const timestamps = timestampBounds(filters);
  if (timestamps.unequal.length > 0) throw badRequest('Not equals (ne) operator is not supported for timestamp');
  const order = orderOf(filters, 'desc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const rows = await readRewards({ accountId, timestamps, order, limit }, context.db);
  const last = rows.at(-1);
  const next =
    last === undefined || rows.length < limit
      ? null
      : nextLink(request, query, order, [timestampPosition(formatTimestamp(last.consensus_timestamp))]);
  return {
    status: 200,
    body: `{"rewards":[${rows.map(rewardJson).join(',')}],"links":${linksJson(next)}}`,
    link: next,
  };
};
