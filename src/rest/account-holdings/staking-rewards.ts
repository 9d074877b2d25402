/** `/api/v1/accounts/{id}/rewards`: the staking rewards paid to an account. Reads `staking_reward_transfer`. */
import type { Bounds } from '../../api/bounds.ts';
import { lookupKnownAccountId } from '../../api/entity-lookup.ts';
import { nextLink, type Order, timestampPosition } from '../../api/page.ts';
import { badRequest } from '../../api/problem.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { limit, order, timestamps } from '../../api/resource/parameter.ts';
import type { ResourceRow } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import { statementBuilder, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { formatTimestamp, MAX_NANOS } from '../../ledger/timestamp.ts';
import { boundsConditions } from '../accounts/account-filters.ts';
import { accountPath } from '../accounts/account-parameters.ts';
import { stakingReward } from './staking-reward.ts';

interface Search {
  readonly accountId: EntityId;
  readonly timestamps: Bounds;
  readonly order: Order;
  readonly limit: number;
}

const readRewards = async (
  { accountId, timestamps, order, limit }: Search,
  db: RouteContext['db'],
): Promise<ResourceRow<'consensusTimestamp'>[]> => {
  const equal = timestamps.equal.filter((value) => value <= MAX_NANOS);
  if (equal.length === 0 && timestamps.equal.length > 0) return [];
  const builder = statementBuilder();
  const ofAccount = `account_id = ${builder.bind(accountId)}::bigint`;
  const conditions = boundsConditions(builder, 'consensus_timestamp', { ...timestamps, equal });
  if (conditions === undefined) return [];
  const page =
    `select account_id, amount, consensus_timestamp from staking_reward_transfer` +
    `${whereClause([ofAccount, ...conditions])} order by consensus_timestamp ${order} limit ${builder.bind(limit)}`;
  return stakingReward.read(db, stakingReward.statement(page, `p.consensus_timestamp ${order}`), builder.values);
};

export const stakingRewardList = endpoint({
  path: '/api/v1/accounts/{idOrAliasOrEvmAddress}/rewards',
  flavour: 'js',
  cacheSeconds: 60,
  operationId: 'getStakingRewards',
  summary: 'List the staking rewards of an account',
  description: 'The rewards that were paid to the account, newest first unless ordered otherwise.',
  tag: 'accounts',
  refusals: 'sorted',
  pathParameters: accountPath,
  parameters: { limit, order: order('desc'), timestamp: timestamps },
  answer: pageOf('rewards', stakingReward, 'One page of rewards.'),
  problems: [400, 404],

  resolve: ({ path }, context) => lookupKnownAccountId(path.idOrAliasOrEvmAddress, context),

  handle: async ({ request, subject: accountId, query, grouped }, context) => {
    const { timestamp, order, limit } = query;
    if (timestamp.unequal.length > 0) throw badRequest('Not equals (ne) operator is not supported for timestamp');
    const rows = await readRewards({ accountId, timestamps: timestamp, order, limit }, context.db);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < limit
        ? null
        : nextLink(request, grouped, order, [timestampPosition(formatTimestamp(last.consensusTimestamp))]);
    return pageAnswer('rewards', rows, stakingReward.put, link);
  },
});
