/** GET /api/v1/contracts/results/{transactionIdOrHash}/opcodes. */
import { MessageChannel } from 'node:worker_threads';
import { HttpProblem, reasonedProblem } from '../../api/problem.ts';
import type { RestAnswer, RestRequest, Route } from '../../api/route.ts';
import type { Web3Settings } from '../../config/settings/web3.ts';
import { TokenBucket } from '../call/token-bucket.ts';
import { takePieces } from '../workers/piece-stream.ts';
import { threadProblem } from '../workers/thread-problem.ts';
import type { TraceAnswer, TraceTask } from '../workers/trace-task.ts';
import type { TaskRunner } from '../workers/worker-pool.ts';
import { opcodeOperation } from './opcode-schema.ts';
import { readTraceParameters } from './trace-parameters.ts';

export interface TraceOptions {
  readonly settings: Web3Settings;
  readonly threads: TaskRunner<TraceTask, TraceAnswer>;
  /** Milliseconds of a clock that never goes back; left out: the system's. */
  readonly now?: () => number;
}

/** A trace waits for its reader: it gets this many times the time of a call. */
const PATIENCE = 6;

const tooMany = (): HttpProblem =>
  new HttpProblem(429, reasonedProblem(429, 'Requests per second rate limit exceeded').messages, {
    headers: { 'retry-after': '1' },
  });

const problemOf = (answer: TraceAnswer): HttpProblem | undefined => {
  if (answer.kind === 'not-found') return new HttpProblem(404, [{ message: 'Not Found', detail: answer.message }]);
  return answer.kind === 'not-executed' ? new HttpProblem(400, [{ message: answer.status }]) : undefined;
};

/** Not a generator, of which nothing runs, and so nothing ends, before somebody asks for its first element. */
const piecesFrom = (first: IteratorResult<string>, rest: AsyncGenerator<string>): AsyncIterable<string> => {
  let next: IteratorResult<string> | undefined = first;
  return {
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        const taken = next ?? (await rest.next());
        next = undefined;
        return taken;
      },
      return: () => rest.return(undefined),
    }),
  };
};

/** The route of whatever makes traces. */
export const opcodeRoute = (trace: Route['handle']): Route => ({
  method: 'GET',
  path: '/api/v1/contracts/results/{transactionIdOrHash}/opcodes',
  flavour: 'web3',
  isLive: () => true,
  operation: opcodeOperation,
  handle: trace,
});

export const opcodeRoutes = ({ settings, threads, now }: TraceOptions): readonly Route[] => {
  const { opcode, throttle, requestTimeout } = settings;
  const bucket = new TokenBucket(throttle.opcodeRequestsPerSecond, now ?? (() => performance.now()));

  const trace = async (request: RestRequest): Promise<RestAnswer> => {
    if (!opcode.tracer.enabled) throw new HttpProblem(404, [{ message: 'Not Found' }]);
    const parameters = readTraceParameters(request);
    if (!bucket.take(1)) throw tooMany();
    const { port1, port2 } = new MessageChannel();
    const pieces = takePieces(port1);
    const client = request.client?.() ?? '';
    const options = { client, isTrace: true, timeoutMs: requestTimeout * PATIENCE, transfer: [port2] };
    const running = threads.run({ ...parameters, port: port2 }, options);
    // What comes first decides on the status: the beginning of a trace, or that there is none.
    const ended = running.then(
      (answer) => {
        if (answer.kind === 'not-found') bucket.giveBack(1);
        return problemOf(answer);
      },
      (error) => threadProblem(error),
    );
    const first = pieces.next();
    const outcome = await Promise.race([
      ended,
      first.then(
        () => undefined,
        () => ended,
      ),
    ]);
    if (outcome !== undefined) {
      port1.close();
      throw outcome;
    }
    return { status: 200, body: '', parts: piecesFrom(await first, pieces), cacheSeconds: null };
  };

  return [opcodeRoute(trace)];
};
