import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createExecute } from './execute.ts';
import { createStockCommon, runOurs, runStock } from './testing/program-runs.fixture.ts';
import { randomProgram } from './testing/random-program.fixture.ts';

/** `EVM_DIFFERENTIAL_RUNS=10000` compares more, `EVM_DIFFERENTIAL_SEED` others. */
const numRuns = Number(process.env.EVM_DIFFERENTIAL_RUNS ?? 400);
const seed = Number(process.env.EVM_DIFFERENTIAL_SEED ?? 20_261_122);

it('does what the stock interpreter does', { timeout: 3_600_000 }, async () => {
  const execute = await createExecute({ systemContracts: new Map(), feeSelectors: new Set() });
  const common = createStockCommon();
  const outcomes = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(randomProgram, async (program) => {
      const ours = await runOurs(execute, program);
      outcomes.set(ours.outcome, (outcomes.get(ours.outcome) ?? 0) + 1);
      // The ledger ends runs with more than 50 creations.
      fc.pre(ours.outcome !== 'too many creations');
      expect(ours).toEqual(await runStock(common, program));
    }),
    { numRuns, seed },
  );
  // Programs that all fail at once would compare nothing.
  for (const outcome of ['success', 'revert', 'halt']) expect(outcomes.get(outcome)).toBeGreaterThan(numRuns / 20);
});
