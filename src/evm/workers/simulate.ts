/** One simulated call: the state of its block, what it brings itself, one run, or several for an estimate. */
import type { Execute, RunEnvironment } from '../engine/run.ts';
import type { BlockRecord } from '../state/state-source.ts';
import { World } from '../state/world.ts';
import { searchGasLimit } from './estimate.ts';
import { runAndForget } from './forgotten-run.ts';
import { type EnvironmentOptions, runEnvironment } from './run-environment.ts';
import type { CallAnswer, CallTask } from './simulation-task.ts';
import { applyStateOverrides } from './state-overrides.ts';

export interface SimulatorOptions extends EnvironmentOptions {
  readonly execute: Execute;
}

/** @throws KagamiError SIMULATION_TIMEOUT past the deadline, and what the database throws */
export type Simulate = (task: CallTask, deadlineMs: number) => Promise<CallAnswer>;

const ZERO_ADDRESS = '0'.repeat(40);

const paysForItself = ({ from, gasPrice, value }: CallTask): boolean =>
  from !== undefined && from !== ZERO_ADDRESS && (gasPrice > 0n || value > 0n);

const environmentOf = async (
  task: CallTask,
  block: BlockRecord,
  world: World,
  deadlineMs: number,
  options: SimulatorOptions,
): Promise<RunEnvironment> => {
  const environment = await runEnvironment(block, task.block.kind === 'latest', world, deadlineMs, options);
  return options.settings.validatePayerBalance && paysForItself(task)
    ? { ...environment, validatePayerBalance: true }
    : environment;
};

export const createSimulate = (options: SimulatorOptions): Simulate => {
  const { execute, source, settings } = options;
  return async (task, deadlineMs) => {
    const { from, to, value, gas, data } = task;
    const block = await source.block(task.block);
    if (block === undefined) return { kind: 'unknown-block' };
    const isLatest = task.block.kind === 'latest';
    const blockTime = isLatest ? undefined : block.consensusEnd;
    const world = new World(isLatest ? source.latest() : source.at(block.consensusEnd), settings);
    await applyStateOverrides(world, task.stateOverrides);
    const environment = await environmentOf(task, block, world, deadlineMs, options);
    const run = (limit: bigint) => runAndForget(execute, { from, to, value, gas: limit, data }, environment);

    const first = await run(gas);
    const { status, executed, childStatuses, gasUsed } = first;
    const measured = { gasUsed, runs: 1, blockTime };
    // A part of a larger buffer would travel with all of it.
    const output = first.output.slice();
    if (status !== 'SUCCESS') return { kind: 'failure', status, output, executed, childStatuses, ...measured };
    if (!task.estimate) return { kind: 'result', output, ...measured };
    const estimate = await searchGasLimit(gasUsed, gas, run, settings.estimate);
    return { kind: 'estimate', gas: estimate.gas, ...measured, runs: 1 + estimate.rounds };
  };
};
