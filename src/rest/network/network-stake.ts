/** The staking figures of a period, as REST shows them. */
import { derived, field, int64 } from '../../api/resource/field.ts';
import type { Field } from '../../api/resource/field-type.ts';
import { resource } from '../../api/resource/resource.ts';
import { closedRange } from './schemas.ts';
import { stakingPeriodJson } from './staking-period.ts';

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

const fraction = (numerator: string, denominator: string, description: string): Field =>
  derived({ numerator, denominator }, { type: 'number', format: 'float', description }, (cells) =>
    fractionJson(cells.numerator, cells.denominator),
  );

/** Over a row of `network_stake`. */
export const networkStake = resource({
  name: 'NetworkStakeResponse',
  fields: {
    max_stake_rewarded: int64('p.max_stake_rewarded', 'Most tinybars staked that are rewarded at the full rate.'),
    max_staking_reward_rate_per_hbar: int64(
      'p.max_staking_reward_rate_per_hbar',
      'Most tinybars of reward for each hbar staked and a period.',
    ),
    max_total_reward: int64('p.max_total_reward', 'Most tinybars of rewards in a period.'),
    node_reward_fee_fraction: fraction(
      'p.node_reward_fee_numerator',
      'p.node_reward_fee_denominator',
      'Share of the fees that goes to the account of node rewards.',
    ),
    reserved_staking_rewards: int64('p.reserved_staking_rewards', 'Tinybars that are kept for rewards already earned.'),
    reward_balance_threshold: int64(
      'p.reward_balance_threshold',
      'Unreserved tinybars from which on rewards are paid at the full rate.',
    ),
    stake_total: int64('p.stake_total', 'Tinybars staked to all nodes.'),
    staking_period: field('p.staking_period', closedRange, stakingPeriodJson),
    staking_period_duration: int64('p.staking_period_duration', 'Minutes of a period.'),
    staking_periods_stored: int64('p.staking_periods_stored', 'How many periods back rewards can be collected.'),
    staking_reward_fee_fraction: fraction(
      'p.staking_reward_fee_numerator',
      'p.staking_reward_fee_denominator',
      'Share of the fees that goes to the account of staking rewards.',
    ),
    staking_reward_rate: int64('p.staking_reward_rate', 'Tinybars of rewards in a period, for all nodes together.'),
    staking_start_threshold: int64(
      'p.staking_start_threshold',
      'Tinybars that the account of staking rewards had to hold for rewards to begin.',
    ),
    unreserved_staking_reward_balance: int64(
      'p.unreserved_staking_reward_balance',
      'Tinybars of the account of staking rewards that are not kept for rewards already earned.',
    ),
  },
});
