/** Entry of a thread that runs handlers of REST routes: connections of its own, no listener, no cache. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { CommitWaits } from '../../api/commit-waits.ts';
import { defaultHeadersOf } from '../../api/http/answer.ts';
import { handle } from '../../api/http/handling.ts';
import { createInt64Writer } from '../../api/http/int64-text.ts';
import type { Route, RouteContext } from '../../api/route.ts';
import { searchTurns } from '../../api/search-turns.ts';
import { openDatabase } from '../../database/connection.ts';
import { restRoutes } from '../rest-routes.ts';
import { faultOf } from './rest-fault.ts';
import type { RestOrder, RestOutcome, RestReport, RestTask, RestWorkerData } from './rest-task.ts';

const { database, rest, restJava, shard, realm } = workerData as RestWorkerData;
const port = parentPort as MessagePort;

const db = openDatabase(database);
const int64Writer = createInt64Writer();
const defaultHeaders = defaultHeadersOf(rest, restJava);
const shared: RouteContext = {
  db,
  settings: rest,
  javaSettings: restJava,
  shard,
  realm,
  clock: () => BigInt(Date.now()) * 1_000_000n,
  // Requests that wait are the listeners' thread's own.
  waits: new CommitWaits(0),
  searches: searchTurns(rest),
};
const neverAborted = new AbortController().signal;

let outcomes: RestOutcome[] = [];

/** Outcomes of one turn of the event loop go together. */
const report = (outcome: RestOutcome): void => {
  if (outcomes.push(outcome) > 1) return;
  setImmediate(() => {
    const sent = outcomes;
    outcomes = [];
    const buffers = sent.flatMap((one) => ('made' in one && ownsMemory(one.made.body) ? [one.made.body.buffer] : []));
    port.postMessage({ kind: 'outcomes', outcomes: sent } satisfies RestReport, buffers as ArrayBuffer[]);
  });
};

/** Small buffers are parts of a pool, which can't be handed over. */
const ownsMemory = ({ buffer, byteLength }: Uint8Array): boolean => buffer.byteLength === byteLength;

const run = async (task: RestTask): Promise<void> => {
  const { id } = task;
  try {
    const route = restRoutes[task.route] as Route;
    const { answer, keepMs } = await handle(
      route,
      { ...task, client: () => task.client, clientSignal: () => neverAborted },
      shared,
      defaultHeaders[route.flavour],
      { isLive: false, int64Writer: task.int64Texts ? int64Writer : undefined },
    );
    const { status, headers, entityTag, body } = answer;
    report({ id, made: { status, headers, entityTag, body, keepMs } });
  } catch (error) {
    report({ id, fault: faultOf(error) });
  }
};

port.on('message', (order: RestOrder) => {
  if (order.kind === 'tasks') for (const task of order.tasks) void run(task);
  else if (order.kind === 'ping') port.postMessage({ kind: 'pong' } satisfies RestReport);
  else void db.close().finally(() => port.close());
});
port.postMessage({ kind: 'ready' } satisfies RestReport);
