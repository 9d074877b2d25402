import type { Execute, RunEnvironment, RunOutcome, RunTransaction } from '../engine/run.ts';

/** A run whose changes are gone when it has ended; what it read stays known. */
export const runAndForget = async (
  execute: Execute,
  transaction: RunTransaction,
  environment: RunEnvironment,
): Promise<RunOutcome> => {
  const { world } = environment;
  const { depth } = world;
  world.checkpoint();
  try {
    return await execute(transaction, environment);
  } finally {
    while (world.depth > depth) world.revert();
  }
};
