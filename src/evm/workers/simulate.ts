/** One simulated call: the state of its block, what it brings itself, one run, or several for an estimate. */
import { gasPriceOf } from '../engine/payer.ts';
import type { Execute, Payment, RunEnvironment, RunOutcome } from '../engine/run.ts';
import type { Status } from '../hapi/operation.ts';
import type { BlockRecord } from '../state/state-source.ts';
import { World } from '../state/world.ts';
import { searchGasLimit } from './estimate.ts';
import { runAndForget } from './forgotten-run.ts';
import { type EnvironmentOptions, runEnvironment } from './run-environment.ts';
import type { SimulationSettings } from './simulation-settings.ts';
import type { CallAnswer, CallTask } from './simulation-task.ts';
import { applyStateOverrides } from './state-overrides.ts';
import type { TaskBounds } from './task-server.ts';

export interface SimulatorOptions extends EnvironmentOptions {
  readonly execute: Execute;
}

/** @throws KagamiError SIMULATION_TIMEOUT past the deadline, SIMULATION_INTERRUPTED, and what the database throws */
export type Simulate = (task: CallTask, bounds: TaskBounds) => Promise<CallAnswer>;

const ZERO_ADDRESS = '0'.repeat(40);

const paysForItself = ({ from, gasPrice, value }: CallTask): boolean =>
  from !== undefined && from !== ZERO_ADDRESS && (gasPrice > 0n || value > 0n);

/** A limit that nobody asked for need not be paid for: what is, is known when the call has been run. */
const paymentOf = (task: CallTask, environment: RunEnvironment): Payment => ({
  gas: task.isGasGiven ? task.gas : 0n,
  gasPrice: task.gasPrice > 0n ? task.gasPrice : gasPriceOf(environment),
});

const environmentOf = async (
  task: CallTask,
  block: BlockRecord,
  world: World,
  { deadlineMs, isInterrupted }: TaskBounds,
  options: SimulatorOptions,
): Promise<RunEnvironment> => {
  const isLatest = task.block.kind === 'latest';
  const environment: RunEnvironment = {
    ...(await runEnvironment(block, isLatest, world, deadlineMs, options)),
    mostData: options.settings.mostData,
    ...(isInterrupted === undefined ? {} : { isInterrupted }),
  };
  return options.settings.validatePayerBalance && paysForItself(task)
    ? { ...environment, payment: paymentOf(task, environment) }
    : environment;
};

const canPayFor = (
  gas: bigint,
  { value }: CallTask,
  { payment }: RunEnvironment,
  { payerBalance }: RunOutcome,
): boolean => payment === undefined || payerBalance === undefined || payerBalance >= value + gas * payment.gasPrice;

/** As of a call that never ran. */
const refusal = (status: Status) =>
  ({ kind: 'failure', status, output: new Uint8Array(), executed: false, childStatuses: [] }) as const;

/** What is left of a limit is given back, up to a share of the limit. */
export const chargedGas = (
  used: bigint,
  limit: bigint,
  { maxGasRefundPercentage }: Pick<SimulationSettings, 'maxGasRefundPercentage'>,
): bigint => {
  const least = limit - (limit * maxGasRefundPercentage) / 100n;
  return used > least ? used : least;
};

export const createSimulate = (options: SimulatorOptions): Simulate => {
  const { execute, source, settings } = options;
  return async (task, bounds) => {
    const { from, to, value, gas, data } = task;
    const block = await source.block(task.block);
    if (block === undefined) return { kind: 'unknown-block' };
    const isLatest = task.block.kind === 'latest';
    const blockTime = isLatest ? undefined : block.consensusEnd;
    const world = new World(isLatest ? source.latest() : source.at(block.consensusEnd), settings);
    await applyStateOverrides(world, task.stateOverrides);
    const environment = await environmentOf(task, block, world, bounds, options);
    if (settings.maxGas !== undefined && gas > settings.maxGas) {
      return { ...refusal('MAX_GAS_LIMIT_EXCEEDED'), gasUsed: 0n, runs: 0, blockTime };
    }
    const run = async (limit: bigint): Promise<RunOutcome> => {
      const outcome = await runAndForget(execute, { from, to, value, gas: limit, data }, environment);
      return outcome.executed ? { ...outcome, gasUsed: chargedGas(outcome.gasUsed, limit, settings) } : outcome;
    };

    const first = await run(gas);
    const { status, executed, childStatuses, gasUsed } = first;
    const measured = { gasUsed, runs: 1, blockTime };
    // A part of a larger buffer would travel with all of it.
    const output = first.output.slice();
    if (status !== 'SUCCESS') return { kind: 'failure', status, output, executed, childStatuses, ...measured };
    const estimate = task.estimate ? await searchGasLimit(gasUsed, gas, run, settings.estimate) : undefined;
    const runs = 1 + (estimate?.rounds ?? 0);
    const paid = task.isGasGiven ? gas : (estimate?.gas ?? gasUsed);
    if (!canPayFor(paid, task, environment, first)) {
      return { ...refusal('INSUFFICIENT_PAYER_BALANCE'), ...measured, runs };
    }
    if (estimate === undefined) return { kind: 'result', output, ...measured };
    return { kind: 'estimate', gas: estimate.gas, ...measured, runs };
  };
};
