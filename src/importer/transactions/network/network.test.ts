import { describe, expect, it } from 'vitest';
import { FreezeType } from '../../../protobuf/generated/services/freeze_type.ts';
import { bytes, handle, handleFailed, type ItemFields, itemOf, PAYER, T } from '../testing/handled.fixture.ts';

const DAY = 1_699_920_000_000_000_000n;
const HOUR = 3_600_000_000_000n;
const MINUTE = 60_000_000_000n;

describe('freeze', () => {
  const freeze = (body: object): ItemFields => ({ data: { $case: 'freeze', freeze: body } });
  const FREEZE = { consensus_timestamp: T, file_hash: bytes(''), file_id: null, payer_account_id: PAYER };

  it('keeps file, hash and start', () => {
    const fields = freeze({
      fileHash: bytes('0102'),
      freezeType: FreezeType.FREEZE_UPGRADE,
      startTime: { seconds: 7n, nanos: 8 },
      updateFile: { fileNum: 150n },
    });
    const handled = handle(itemOf(fields));
    expect(handled.entityId).toBe(150n);
    expect(handled.all).toEqual([
      {
        table: 'network_freeze',
        row: {
          ...FREEZE,
          end_time: null,
          file_hash: bytes('0102'),
          file_id: 150n,
          start_time: 7_000_000_008n,
          type: 3,
        },
      },
    ]);
    expect(handleFailed(fields)).toMatchObject({ entityId: 150n, all: [] });
  });

  it('reads times of the day, over midnight too', () => {
    const times = (startHour: number, startMin: number, endHour: number, endMin: number) => {
      const [row] = handle(itemOf(freeze({ startHour, startMin, endHour, endMin }))).rows('network_freeze');
      return [row?.start_time, row?.end_time];
    };
    expect(times(22, 15, 23, 5)).toEqual([DAY + 22n * HOUR + 15n * MINUTE, DAY + 23n * HOUR + 5n * MINUTE]);
    expect(times(23, 30, 1, 0)).toEqual([DAY + 23n * HOUR + 30n * MINUTE, DAY + 25n * HOUR]);
  });
});

describe('node stake update', () => {
  const node = (nodeId: bigint, stakeRewarded: bigint, stakeNotRewarded: bigint) => ({
    maxStake: 90n,
    minStake: 10n,
    nodeId,
    rewardRate: 6n,
    stake: 50n,
    stakeNotRewarded,
    stakeRewarded,
  });
  const update: ItemFields = {
    data: {
      $case: 'nodeStakeUpdate',
      nodeStakeUpdate: {
        endOfStakingPeriod: { seconds: 1_699_919_999n, nanos: 999_999_999 },
        maxStakeRewarded: 1n,
        maxStakingRewardRatePerHbar: 2n,
        maxTotalReward: 3n,
        nodeRewardFeeFraction: { numerator: 0n, denominator: 100n },
        nodeStake: [node(0n, 30n, 20n), node(1n, 7n, 0n)],
        reservedStakingRewards: 4n,
        rewardBalanceThreshold: 5n,
        stakingPeriod: 1_440n,
        stakingPeriodsStored: 365n,
        stakingRewardFeeFraction: { numerator: 1n, denominator: 1n },
        stakingRewardRate: 8n,
        stakingStartThreshold: 9n,
        unreservedStakingRewardBalance: 10n,
      },
    },
  };
  const period = { consensus_timestamp: T, epoch_day: 19_674n, staking_period: 1_699_919_999_999_999_999n };

  it('keeps the stakes of the network and of each node for the day before', () => {
    const handled = handle(itemOf(update));
    expect(handled.entityId).toBe(0n);
    expect(handled.rows('network_stake')).toEqual([
      {
        ...period,
        max_stake_rewarded: 1n,
        max_staking_reward_rate_per_hbar: 2n,
        max_total_reward: 3n,
        node_reward_fee_denominator: 100n,
        node_reward_fee_numerator: 0n,
        reserved_staking_rewards: 4n,
        reward_balance_threshold: 5n,
        stake_total: 57n,
        staking_period_duration: 1_440n,
        staking_periods_stored: 365n,
        staking_reward_fee_denominator: 1n,
        staking_reward_fee_numerator: 1n,
        staking_reward_rate: 8n,
        staking_start_threshold: 9n,
        unreserved_staking_reward_balance: 10n,
      },
    ]);
    const stake = { ...period, max_stake: 90n, min_stake: 10n, reward_rate: 6n, stake: 50n };
    expect(handled.rows('node_stake')).toEqual([
      { ...stake, node_id: 0n, stake_rewarded: 30n, stake_not_rewarded: 20n },
      { ...stake, node_id: 1n, stake_rewarded: 7n, stake_not_rewarded: 0n },
    ]);
    expect(handleFailed(update).all).toEqual([]);
  });

  it('has one row for a node that it lists twice, by its last entry', () => {
    const nodeStake = [node(0n, 30n, 20n), node(1n, 7n, 0n), node(0n, 31n, 0n)];
    const twice = { $case: 'nodeStakeUpdate' as const, nodeStakeUpdate: { nodeStake } };
    const handled = handle(itemOf({ data: twice }));
    expect(handled.rows('node_stake').map(({ node_id, stake_rewarded }) => [node_id, stake_rewarded])).toEqual([
      [0n, 31n],
      [1n, 7n],
    ]);
    expect(handled.problems).toEqual(['Several stakes of one node, of which the last counts']);
  });

  it('keeps a network without nodes and fractions', () => {
    const handled = handle(itemOf({ data: { $case: 'nodeStakeUpdate', nodeStakeUpdate: {} } }));
    expect(handled.rows('network_stake')).toMatchObject([
      { stake_total: 0n, node_reward_fee_denominator: 0n, staking_period: 0n },
    ]);
    expect(handled.rows('node_stake')).toEqual([]);
  });
});

describe('prng', () => {
  const generate = (entropy: NonNullable<ItemFields['record']>['entropy']): ItemFields => ({
    data: { $case: 'utilPrng', utilPrng: { range: 10 } },
    record: { entropy } as NonNullable<ItemFields['record']>,
  });
  const PRNG = { consensus_timestamp: T, payer_account_id: PAYER, prng_bytes: null, prng_number: null, range: 10 };

  it('keeps the number or the bytes', () => {
    expect(handle(itemOf(generate({ $case: 'prngNumber', prngNumber: 0 }))).all).toEqual([
      { table: 'prng', row: { ...PRNG, prng_number: 0 } },
    ]);
    expect(handle(itemOf(generate({ $case: 'prngBytes', prngBytes: bytes('ff') }))).all).toEqual([
      { table: 'prng', row: { ...PRNG, prng_bytes: bytes('ff') } },
    ]);
    expect(handleFailed(generate({ $case: 'prngNumber', prngNumber: 0 })).all).toEqual([]);
  });

  it('notes a record without either', () => {
    const handled = handle(itemOf({ data: { $case: 'utilPrng', utilPrng: {} } }));
    expect(handled.all).toEqual([]);
    expect(handled.problems).toEqual(['Record without pseudo-random number or bytes']);
  });
});

describe('ledger id publication', () => {
  it('keeps the keys that prove blocks', () => {
    const fields: ItemFields = {
      data: {
        $case: 'ledgerIdPublication',
        ledgerIdPublication: {
          historyProofVerificationKey: bytes('0a'),
          ledgerId: bytes('0b'),
          nodeContributions: [{ nodeId: 3n, weight: 9_007_199_254_740_993n, historyProofKey: bytes('fbff') }],
        },
      },
    };
    expect(handle(itemOf(fields)).all).toEqual([
      {
        table: 'ledger',
        row: {
          consensus_timestamp: T,
          history_proof_verification_key: bytes('0a'),
          ledger_id: bytes('0b'),
          node_contributions: '[{"history_proof_key":"+/8=","node_id":3,"weight":9007199254740993}]',
        },
      },
    ]);
    expect(handleFailed(fields).all).toEqual([]);
  });
});

describe('types without rows of their own', () => {
  it('have no main entity', () => {
    const bodies: ItemFields['data'][] = [
      { $case: 'cryptoTransfer', cryptoTransfer: {} },
      { $case: 'uncheckedSubmit', uncheckedSubmit: {} },
      { $case: 'atomicBatch', atomicBatch: {} },
    ];
    for (const data of bodies) expect(handle(itemOf({ data }))).toMatchObject({ entityId: 0n, all: [], problems: [] });
  });
});
