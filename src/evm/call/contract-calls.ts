/**
 * One contract call from body to answer: read, throttle, simulate, tell. The threads know no HTTP, this knows no EVM.
 */
import { reasonedProblem } from '../../api/problem.ts';
import type { RestAnswer, RestRequest } from '../../api/route.ts';
import type { Web3Settings } from '../../config/settings/web3.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { consensusPropertiesOf } from '../workers/consensus-properties.ts';
import type { CallAnswer, CallTask } from '../workers/simulation-task.ts';
import { threadProblem } from '../workers/thread-problem.ts';
import type { TaskRunner } from '../workers/worker-pool.ts';
import { callAnswerJson } from './call-answer.ts';
import { type CallRequest, callTaskOf, parseCallBody } from './call-body.ts';
import type { CallMetrics } from './call-metrics.ts';
import { LONGEST_DOCUMENT, longestDocument } from './json-document.ts';
import { CallThrottle, type GasTicket } from './throttle.ts';

export interface ContractCalls {
  /** Of a body, in characters. */
  readonly longestDocument: number;
  /** @throws HttpProblem, and KagamiError DATABASE_... */
  call(request: RestRequest): Promise<RestAnswer>;
}

export interface ContractCallLog {
  info(details: object, message: string): void;
}

export interface ContractCallOptions {
  readonly settings: Web3Settings;
  readonly threads: TaskRunner<CallTask, CallAnswer>;
  readonly metrics: CallMetrics;
  readonly log: ContractCallLog;
  /** Milliseconds of a clock that never goes back; left out: the system's. */
  readonly now?: () => number;
  /** Left out: Math.random. */
  readonly random?: () => number;
}

const shortened = ({ texts, estimate, gas, gasPrice, value }: CallRequest, length: number): string =>
  JSON.stringify({ ...texts, estimate, gas: String(gas), gasPrice: String(gasPrice), value: String(value) }).slice(
    0,
    length,
  );

const SELECTOR_BYTES = 4;

/** Calls of one function take about as long each time, and creations as long as other creations. */
const likenessOf = ({ to, data, estimate }: CallTask): string => {
  const called = to === undefined ? '' : Buffer.from(data.subarray(0, SELECTOR_BYTES)).toString('hex');
  return `${estimate ? 'estimate' : 'call'} ${to ?? 'creation'} ${called}`;
};

/** @throws KagamiError CONFIG_INVALID for throttle rules and consensus properties that cannot be followed */
export const createContractCalls = (options: ContractCallOptions): ContractCalls => {
  const { settings, threads, metrics, log } = options;
  const throttle = new CallThrottle({
    settings: settings.throttle,
    now: options.now ?? (() => performance.now()),
    random: options.random ?? Math.random,
    events: {
      onLogged: (request) =>
        log.info({ request: shortened(request, settings.maxPayloadLogSize) }, 'contract call chosen by a filter'),
      onRefused: metrics.refused,
    },
  });

  const simulate = async (task: CallTask, client: string, ticket: GasTicket): Promise<CallAnswer> => {
    try {
      return await threads.run(task, { client, likeness: likenessOf(task), gas: Number(task.gas) });
    } catch (error) {
      if (isKagamiError(error, 'SIMULATION_CLIENT_BUSY')) metrics.refused('client');
      ticket.settle(undefined);
      throw threadProblem(error);
    }
  };

  const { mostCallData, mostInitCode } = consensusPropertiesOf(settings.evm.properties);
  const longest = Math.max(LONGEST_DOCUMENT, longestDocument(Math.max(mostCallData, mostInitCode)));
  const bodySettings = { skipInitCodeCheck: settings.evm.skipInitCodeCheck, longestDocument: longest };

  return {
    longestDocument: longest,
    call: async ({ body, path, client = () => '' }) => {
      const request = parseCallBody(body, bodySettings);
      if (request.stateOverrides.length > 0 && !settings.enableStateOverrides) {
        throw reasonedProblem(400, '400 BAD_REQUEST "State overrides are not supported."');
      }
      const ticket = throttle.admit(request, path);
      try {
        const task = callTaskOf(request, settings.evm.maxGasLimit);
        const answer = await simulate(task, client(), ticket);
        if (answer.kind !== 'unknown-block') ticket.settle(answer.gasUsed);
        metrics.answered(answer, task);
        return { status: 200, body: callAnswerJson(answer), cacheSeconds: null };
      } catch (error) {
        ticket.cancel();
        throw error;
      }
    },
  };
};
