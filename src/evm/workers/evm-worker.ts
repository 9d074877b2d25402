/** Entry of a thread that executes contracts: connections, state, system contracts and engine of its own. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '../../database/connection.ts';
import { collectRegularly } from '../../runtime/regular-collection.ts';
import { createExecute } from '../engine/execute.ts';
import { openStateSource } from '../state/database-state-source.ts';
import { createSystemContracts, feeSelectors } from '../system-contracts/system-contracts.ts';
import { isFunctionOff } from './consensus-properties.ts';
import { createSimulate } from './simulate.ts';
import type { CallAnswer, CallTask } from './simulation-task.ts';
import type { EvmWorkerData } from './simulation-threads.ts';
import { serveTasks } from './task-server.ts';
import { createTrace } from './trace.ts';
import type { TraceAnswer, TraceTask } from './trace-task.ts';

const { database, maxFileAttempts, settings } = workerData as EvmWorkerData;
const { shard, realm } = settings;

const db = openDatabase(database);
const source = openStateSource(db, { shard, realm, maxFileAttempts });
const systemContracts = createSystemContracts((number, entry) => isFunctionOff(settings.functionsOff, number, entry));
const execute = await createExecute({ systemContracts, feeSelectors });
const clock = (): bigint => BigInt(Date.now()) * 1_000_000n;
const simulate = createSimulate({ execute, source, settings, clock });
const trace = createTrace({ execute, source, settings, clock, db });

collectRegularly();
serveTasks<CallTask | TraceTask, CallAnswer | TraceAnswer>(parentPort as MessagePort, {
  run: (task, bounds) => ('reference' in task ? trace(task, bounds.deadlineMs) : simulate(task, bounds)),
  onBlockCommitted: () => source.onBlockCommitted(),
  close: () => db.close(),
});
