/** Contract calls and traces as part of the server: their routes, before and after there is a database to simulate on. */
import type { Registry } from 'prom-client';
import type { Route } from '../api/route.ts';
import type { Web3Settings } from '../config/settings/web3.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { createCallMetrics } from '../evm/call/call-metrics.ts';
import { callRoutes } from '../evm/call/call-route.ts';
import { type ContractCallLog, createContractCalls } from '../evm/call/contract-calls.ts';
import { opcodeRoutes } from '../evm/opcodes/opcode-routes.ts';
import type { SimulationThreads } from '../evm/workers/simulation-threads.ts';
import type { PoolFigures } from '../evm/workers/worker-pool.ts';

/** Threads that may still be waiting for a database. */
export type SimulationThreadsAccess = SimulationThreads | Promise<SimulationThreads>;

const noFigures: PoolFigures = { threads: 0, running: 0, waiting: 0, lost: 0 };

/** Refuses what comes before the threads are there, so that it is answered 503 instead of waiting. */
const whenOpen = (access: SimulationThreadsAccess) => {
  let threads: SimulationThreads | undefined;
  if (access instanceof Promise) {
    access.then(
      (opened) => {
        threads = opened;
      },
      () => undefined,
    );
  } else threads = access;
  const opened = (): SimulationThreads => {
    if (threads === undefined) throw new KagamiError('DATABASE_STARTING', 'The database is being started');
    return threads;
  };
  const calls: SimulationThreads['calls'] = { run: async (task, options) => opened().calls.run(task, options) };
  const traces: SimulationThreads['traces'] = { run: async (task, options) => opened().traces.run(task, options) };
  return { calls, traces, figures: () => threads?.figures ?? noFigures };
};

/** @throws KagamiError CONFIG_INVALID for throttle rules that can't be followed */
export const simulationRoutes = (
  access: SimulationThreadsAccess,
  settings: Web3Settings,
  registry: Registry,
  log: ContractCallLog,
): readonly Route[] => {
  const { calls, traces, figures } = whenOpen(access);
  const metrics = createCallMetrics(registry, figures);
  return [
    ...callRoutes(createContractCalls({ settings, threads: calls, metrics, log })),
    ...opcodeRoutes({ settings, threads: traces }),
  ];
};
