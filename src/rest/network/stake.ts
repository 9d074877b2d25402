/** GET /api/v1/network/stake: the staking figures of the newest period. */
import { reasonedProblem } from '../../api/problem.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { closedObject, closedRange, int64, ref } from './schemas.ts';
import { stakingPeriodJson } from './staking-period.ts';

type StakeRow = Readonly<
  Record<
    | 'max_stake_rewarded'
    | 'max_staking_reward_rate_per_hbar'
    | 'max_total_reward'
    | 'node_reward_fee_denominator'
    | 'node_reward_fee_numerator'
    | 'reserved_staking_rewards'
    | 'reward_balance_threshold'
    | 'stake_total'
    | 'staking_period'
    | 'staking_period_duration'
    | 'staking_periods_stored'
    | 'staking_reward_fee_denominator'
    | 'staking_reward_fee_numerator'
    | 'staking_reward_rate'
    | 'staking_start_threshold'
    | 'unreserved_staking_reward_balance',
    string
  >
>;

const stakeSql = `
  select max_stake_rewarded, max_staking_reward_rate_per_hbar, max_total_reward, node_reward_fee_denominator,
    node_reward_fee_numerator, reserved_staking_rewards, reward_balance_threshold, stake_total, staking_period,
    staking_period_duration, staking_periods_stored, staking_reward_fee_denominator, staking_reward_fee_numerator,
    staking_reward_rate, staking_start_threshold, unreserved_staking_reward_balance
  from network_stake order by consensus_timestamp desc limit 1`;

const billion = 1_000_000_000n;

/** The shortest decimal that reads back as the same 32-bit float. */
const shortestFloat = (value: number): string => {
  const float = Math.fround(value);
  for (let digits = 1; digits < 9; digits++) {
    const text = float.toPrecision(digits);
    if (Math.fround(Number(text)) === float) return String(Number(text));
  }
  return String(Number(float.toPrecision(9)));
};

/**
 * A fraction as JSON number: rounded half up to nine decimals, then to 32-bit floating point, as clients know it
 * (1/3 is 0.33333334). A denominator of 0 gives 0.
 */
export const fractionJson = (numerator: string, denominator: string): string => {
  const divisor = BigInt(denominator);
  if (divisor === 0n) return '0';
  const billionths = (2n * BigInt(numerator) * billion + divisor) / (2n * divisor);
  return shortestFloat(Number(billionths) / 1e9);
};

const handle = async (_request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const [row] = await context.db.query<StakeRow>(stakeSql, [], 'network_stake');
  if (row === undefined) throw reasonedProblem(404, 'No network stake data found');
  const body =
    `{"max_stake_rewarded":${row.max_stake_rewarded},` +
    `"max_staking_reward_rate_per_hbar":${row.max_staking_reward_rate_per_hbar},` +
    `"max_total_reward":${row.max_total_reward},` +
    `"node_reward_fee_fraction":${fractionJson(row.node_reward_fee_numerator, row.node_reward_fee_denominator)},` +
    `"reserved_staking_rewards":${row.reserved_staking_rewards},` +
    `"reward_balance_threshold":${row.reward_balance_threshold},"stake_total":${row.stake_total},` +
    `"staking_period":${stakingPeriodJson(row.staking_period)},` +
    `"staking_period_duration":${row.staking_period_duration},` +
    `"staking_periods_stored":${row.staking_periods_stored},` +
    `"staking_reward_fee_fraction":` +
    `${fractionJson(row.staking_reward_fee_numerator, row.staking_reward_fee_denominator)},` +
    `"staking_reward_rate":${row.staking_reward_rate},"staking_start_threshold":${row.staking_start_threshold},` +
    `"unreserved_staking_reward_balance":${row.unreserved_staking_reward_balance}}`;
  return { status: 200, body };
};

const fraction = { type: 'number', format: 'float' };

export const stakeRoute: Route = {
  method: 'GET',
  path: '/api/v1/network/stake',
  flavour: 'java',
  cacheSeconds: 60,
  handle,
  operation: {
    operationId: 'getNetworkStake',
    summary: 'Get the staking figures',
    description: 'Rates, thresholds and totals of staking in the newest staking period, in tinybars.',
    tags: ['network'],
    parameters: [],
    answer: { description: 'The figures.', schema: ref('NetworkStakeResponse') },
    problems: [404],
    schemas: {
      NetworkStakeResponse: closedObject({
        max_stake_rewarded: int64,
        max_staking_reward_rate_per_hbar: int64,
        max_total_reward: int64,
        node_reward_fee_fraction: fraction,
        reserved_staking_rewards: int64,
        reward_balance_threshold: int64,
        stake_total: int64,
        staking_period: closedRange,
        staking_period_duration: int64,
        staking_periods_stored: int64,
        staking_reward_fee_fraction: fraction,
        staking_reward_rate: int64,
        staking_start_threshold: int64,
        unreserved_staking_reward_balance: int64,
      }),
    },
  },
};
