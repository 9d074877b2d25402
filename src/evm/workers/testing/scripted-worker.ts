/** A thread whose tasks say what it shall do, with a small state in place of a ledger: the number of commits it knows. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { KagamiError } from '../../../errors/kagami-error.ts';
import { serveTasks, type TaskBounds } from '../task-server.ts';

export type Script =
  /** Answer at once. */
  | { readonly do: 'answer' }
  /** Answer when the cell of `gates` with this index is set. */
  | { readonly do: 'wait'; readonly gate: number }
  /** Hold the thread until the cell is set. */
  | { readonly do: 'hold'; readonly gate: number }
  /** Work until the deadline, then end with the error that the engine ends with. */
  | { readonly do: 'respect-deadline' }
  /** Work until it is to make room, or until the cell is set. */
  | { readonly do: 'work'; readonly gate: number }
  /** Never answer, never yield. */
  | { readonly do: 'spin' }
  | { readonly do: 'throw'; readonly code: 'DATABASE_TIMEOUT' | undefined }
  | { readonly do: 'exit' }
  /** End by an error outside of the task, which waits for a cell that nobody sets. */
  | { readonly do: 'fail'; readonly gate: number };

export interface ScriptedAnswer {
  /** What the answer was made for. */
  readonly task: Script;
  /** How often the thread had been told to forget when the task began. */
  readonly commits: number;
}

const { gates, closed, startGate } = workerData as {
  readonly gates: Int32Array;
  readonly closed: Int32Array;
  /** The thread is started only when this cell of `gates` is set. */
  readonly startGate?: number;
};

let commits = 0;

const wait = async (gate: number): Promise<void> => {
  const waiting = Atomics.waitAsync(gates, gate, 0);
  if (waiting.async) await waiting.value;
};

const follow = async (task: Script, { deadlineMs, isInterrupted }: TaskBounds): Promise<void> => {
  switch (task.do) {
    case 'answer':
      return;
    case 'wait':
      return wait(task.gate);
    case 'hold':
      Atomics.wait(gates, task.gate, 0);
      return;
    case 'respect-deadline':
      while (performance.now() < deadlineMs);
      throw new KagamiError('SIMULATION_TIMEOUT', 'past the deadline', { details: { pc: 7, nested: {} } });
    case 'work':
      while (Atomics.load(gates, task.gate) === 0) {
        if (isInterrupted?.() === true) throw new KagamiError('SIMULATION_INTERRUPTED', 'made room');
      }
      return;
    case 'spin':
      for (;;);
    case 'throw':
      throw task.code === undefined ? new TypeError('a fault') : new KagamiError(task.code, 'too slow');
    case 'exit':
      process.exit(3);
      return;
    case 'fail':
      queueMicrotask(() => {
        throw new Error('nobody catches this');
      });
      return wait(task.gate);
  }
};

if (startGate !== undefined) Atomics.wait(gates, startGate, 0);

serveTasks<Script, ScriptedAnswer>(parentPort as MessagePort, {
  run: async (task, bounds) => {
    const known = commits;
    await follow(task, bounds);
    return { task, commits: known };
  },
  onBlockCommitted: () => {
    commits++;
  },
  close: async () => {
    Atomics.add(closed, 0, 1);
  },
});
