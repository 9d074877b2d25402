/** Figures of simulated calls, under the names that dashboards of mirror nodes use where they have such. */
import { Counter, Gauge, type Registry } from 'prom-client';
import type { CallAnswer } from '../workers/simulation-task.ts';
import type { PoolFigures } from '../workers/worker-pool.ts';
import type { ThrottleReason } from './throttle.ts';

export interface CallMetrics {
  answered(answer: CallAnswer, request: { readonly gas: bigint; readonly estimate: boolean }): void;
  refused(reason: ThrottleReason): void;
}

/** Year and month of a past block, so that a label has few values. */
const blockLabel = (blockTime: bigint | undefined): string =>
  blockTime === undefined ? 'latest' : new Date(Number(blockTime / 1_000_000n)).toISOString().slice(0, 7);

const prefix = 'hiero_mirror_web3_';

/** @param figures read when the metrics are */
export const createCallMetrics = (registry: Registry, figures: () => PoolFigures): CallMetrics => {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> =>
    new Counter({ name: `${prefix}${name}`, help, labelNames, registers });
  const gauge = (name: string, help: string, read: (figures: PoolFigures) => number): Gauge =>
    new Gauge({
      name: `${prefix}${name}`,
      help,
      registers,
      collect() {
        this.set(read(figures()));
      },
    });
  const labels = ['block', 'type', 'status'] as const;
  const invocations = counter('evm_invocation_total', 'Simulated calls.', labels);
  const runs = counter('evm_runs_total', 'Executions, of which an estimate takes several.', labels);
  const gasUsed = counter('evm_gas_used_total', 'Gas that calls used with their own limit.', labels);
  const gasLimit = counter('evm_gas_limit_total', 'Gas limits of calls.', labels);
  const refusals = counter('throttled_total', 'Calls that were refused or sent elsewhere.', ['reason']);
  gauge('threads', 'Threads that execute contracts.', ({ threads }) => threads);
  gauge('threads_busy', 'Threads that execute a call.', ({ running }) => running);
  gauge('queue', 'Calls that wait for a thread.', ({ waiting }) => waiting);
  gauge('threads_lost', 'Threads that ended unexpectedly or were ended.', ({ lost }) => lost);
  return {
    answered: (answer, request) => {
      if (answer.kind === 'unknown-block') return;
      const of = {
        block: blockLabel(answer.blockTime),
        type: request.estimate ? 'ETH_ESTIMATE_GAS' : 'ETH_CALL',
        status: answer.kind === 'failure' ? answer.status : 'SUCCESS',
      };
      invocations.inc(of);
      runs.inc(of, answer.runs);
      gasUsed.inc(of, Number(answer.gasUsed));
      gasLimit.inc(of, Number(request.gas));
    },
    refused: (reason) => refusals.inc({ reason }),
  };
};
