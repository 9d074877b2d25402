/** The thread's side: takes tasks, and makes sure that each sees the blocks announced before it was asked for. */
import type { MessagePort } from 'node:worker_threads';
import { faultOf, type Order, type Reply } from './worker-messages.ts';

export interface TaskHandlers<Task, Answer> {
  /** @param deadlineMs on this thread's `performance.now()` */
  run(task: Task, deadlineMs: number): Promise<Answer>;
  /** Forgets what a newer block may have changed. */
  onBlockCommitted(): void;
  close(): Promise<void>;
}

export const serveTasks = <Task, Answer>(port: MessagePort, handlers: TaskHandlers<Task, Answer>): void => {
  let running = 0;
  let isOutdated = false;

  const forget = (): void => {
    isOutdated = false;
    handlers.onBlockCommitted();
  };

  const execute = async (order: Extract<Order<Task>, { readonly kind: 'task' }>): Promise<Reply<Answer>> => {
    const { id, task, deadline } = order;
    running++;
    try {
      const answer = await handlers.run(task, deadline - performance.timeOrigin);
      return { kind: 'answer', id, answer };
    } catch (error) {
      return { kind: 'fault', id, fault: faultOf(error) };
    } finally {
      running--;
      // Not before: what a task reads before the commit may be kept after it, and a task wants one state.
      if (running === 0 && isOutdated) forget();
    }
  };

  port.on('message', (order: Order<Task>) => {
    switch (order.kind) {
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
