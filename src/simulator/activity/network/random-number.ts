import { fees } from '../../network/fee-schedule.ts';
import { type Activity, chooseUser } from '../choose.ts';

const HBAR = 100_000_000n;
const SEED_BYTES = 48;

/** Asks the network for a random number, or for 384 random bits ([HIP-351](https://hips.hedera.com/hip/hip-351)). */
export const requestRandom: Activity = (builder) => {
  const { random } = builder;
  const payer = chooseUser(builder, HBAR);
  if (payer === undefined) return false;
  const range = random.chance(0.5) ? random.between(2, 1_000) : 0;
  builder.submit({
    payer,
    fee: fees.prng,
    data: { $case: 'utilPrng', utilPrng: { range } },
    record: {
      entropy:
        range > 0
          ? { $case: 'prngNumber', prngNumber: random.below(range) }
          : { $case: 'prngBytes', prngBytes: random.bytes(SEED_BYTES) },
    },
  });
  return true;
};
