import { transferHbar } from './activity/accounts/hbar-transfer.ts';
import { endSchedules } from './activity/schedules.ts';
import type { BlockPlan, LedgerPlan } from './ledger-plan.ts';
import type { Mix } from './mix.ts';
import { updateExchangeRates } from './network/exchange-rate-updates.ts';
import { hourOf } from './network/exchange-rates.ts';
import { updateStakes } from './network/staking.ts';
import { writeFounding } from './opening/founding.ts';
import { writeGenesis } from './opening/genesis.ts';
import { introduce } from './opening/introduction.ts';
import { BlockBuilder, type BuilderSettings, MIN_SLOT_NANOS } from './records/block-builder.ts';
import type { ProducedBlock } from './records/draft.ts';
import type { LedgerState } from './state/ledger-state.ts';
import type { HandleSubmission, Submission } from './submissions.ts';

/**
 * Makes the next block of the ledger: genesis, then the founding block, then activity. The same state and plan always
 * give the same transactions, byte for byte.
 */
export const produceBlock = (
  state: LedgerState,
  ledger: LedgerPlan,
  plan: BlockPlan,
  mix: Mix,
  settings: BuilderSettings,
): ProducedBlock => {
  if (state.blockNumber === -1n) state.rateHour = hourOf(plan.start);
  const builder = new BlockBuilder(state, { ...settings, collectsFees: mix.collectsFees });
  if (state.blockNumber === -1n) writeGenesis(builder, ledger, plan.start);
  else if (state.blockNumber === 0n) writeFounding(builder, plan.start, ledger.users, ledger.supply);
  else {
    act(builder, plan, mix);
    admit(builder, plan.submissions ?? [], ledger.handleSubmission);
  }
  return builder.finish();
};

/** The network's own transactions come so long before one of a client that its children find room. */
const BEFORE_SUBMISSION_NANOS = 500n;

const admit = (
  builder: BlockBuilder,
  submissions: readonly Submission[],
  handle: HandleSubmission | undefined,
): void => {
  for (const submission of submissions) {
    if (handle === undefined) throw new Error('Nobody is there to handle what clients sent');
    builder.consensusTime = submission.at - BEFORE_SUBMISSION_NANOS;
    updateStakes(builder);
    updateExchangeRates(builder);
    builder.consensusTime = submission.at;
    handle(builder, submission);
  }
};

const act = (builder: BlockBuilder, plan: BlockPlan, mix: Mix): void => {
  const { random } = builder;
  if (plan.transactions === 0) return;
  const step = plan.interval / BigInt(plan.transactions);
  if (step < MIN_SLOT_NANOS) {
    throw new RangeError(`${plan.transactions} transactions do not fit into ${plan.interval} nanoseconds`);
  }
  // Slots keep to the first half of their step, and clear of its start, where a child or stake update may come before.
  const jitter = Number(step / 2n > 1_000_000_000n ? 1_000_000_000n : step / 2n) - 100;
  for (let i = 0; i < plan.transactions; i++) {
    builder.consensusTime = plan.start + step * BigInt(i) + BigInt(100 + random.below(jitter));
    endSchedules(builder);
    updateStakes(builder);
    updateExchangeRates(builder);
    if (mix.introduces && i % 2 === 0 && introduce(builder)) continue;
    const choice = random.next() / 4_294_967_296;
    const activity = mix.activities[mix.thresholds.findIndex((threshold) => choice < threshold)];
    if (activity?.(builder) !== true) transferHbar(builder);
  }
};
