/** The thread's side: takes tasks, and makes sure that each sees the blocks announced before it was asked for. */
import type { MessagePort } from 'node:worker_threads';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { faultOf, type Order, type Reply } from './worker-messages.ts';

export interface TaskBounds {
  /** On this thread's `performance.now()`. */
  readonly deadlineMs: number;
  /** Whether the task is to make room for others: it then ends with SIMULATION_INTERRUPTED, and is asked for anew. */
  readonly isInterrupted?: () => boolean;
}

export interface TaskHandlers<Task, Answer> {
  run(task: Task, bounds: TaskBounds): Promise<Answer>;
  /** Forgets what a newer block may have changed. */
  onBlockCommitted(): void;
  close(): Promise<void>;
}

/** Processor time that every task may have, however late it is, so that a busy machine ends no short ones. */
const LEAST_CPU_MS = 25;
/** A task that waits for the database takes no processor time, but holds the thread. */
const MOST_MS = 1_000;

const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
};

export const serveTasks = <Task, Answer>(port: MessagePort, handlers: TaskHandlers<Task, Answer>): void => {
  let interruptions: Int32Array | undefined;
  let running = 0;
  let isOutdated = false;

  const forget = (): void => {
    isOutdated = false;
    handlers.onBlockCommitted();
  };

  const execute = async (order: Extract<Order<Task>, { readonly kind: 'task' }>): Promise<Reply<Answer>> => {
    const { id, task, deadline } = order;
    const startedMs = performance.now();
    const startedCpuMs = threadCpuMs();
    const cpuMs = (): number => threadCpuMs() - startedCpuMs;
    const isInterrupted = (): boolean =>
      interruptions !== undefined &&
      Atomics.load(interruptions, 0) === id &&
      (cpuMs() >= LEAST_CPU_MS || performance.now() - startedMs >= MOST_MS);
    running++;
    try {
      const answer = await handlers.run(task, { deadlineMs: deadline - performance.timeOrigin, isInterrupted });
      return { kind: 'answer', id, answer, cpuMs: cpuMs() };
    } catch (error) {
      if (isKagamiError(error, 'SIMULATION_INTERRUPTED')) return { kind: 'interrupted', id, cpuMs: cpuMs() };
      return { kind: 'fault', id, fault: faultOf(error), cpuMs: cpuMs() };
    } finally {
      running--;
      // Not before: what a task reads before the commit may be kept after it, and a task wants one state.
      if (running === 0 && isOutdated) forget();
    }
  };

  port.on('message', (order: Order<Task>) => {
    switch (order.kind) {
      case 'interruptions':
        interruptions = order.cell;
        return;
      case 'task':
        void execute(order).then((reply) => port.postMessage(reply));
        return;
      case 'block-committed':
        if (running > 0) isOutdated = true;
        else forget();
        return;
      case 'stop':
        void handlers.close().finally(() => port.close());
    }
  });
  port.postMessage({ kind: 'ready' } satisfies Reply<Answer>);
};
