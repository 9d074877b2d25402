import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import { serveTasks } from './task-server.ts';
import type { Order, Reply } from './worker-messages.ts';

/** A server whose tasks are promises that the test settles, by name. */
const served = () => {
  const { port1, port2 } = new MessageChannel();
  const tasks = new Map<string, PromiseWithResolvers<string>>();
  const seen: string[] = [];
  serveTasks<string, string>(port1, {
    run: (task, { deadlineMs }) => {
      seen.push(`${task} until ${Math.round(deadlineMs)}`);
      const pending = Promise.withResolvers<string>();
      tasks.set(task, pending);
      if (task.startsWith('quick')) pending.resolve('done');
      return pending.promise;
    },
    onBlockCommitted: () => seen.push('forgot'),
    close: async () => {
      seen.push('closed');
    },
  });
  const send = (order: Order<string>): void => port2.postMessage(order);
  const task = (id: number, name: string): void =>
    send({ kind: 'task', id, task: name, deadline: performance.timeOrigin + 5000 });
  const reply = async (): Promise<Reply<string>> => {
    const [next] = (await once(port2, 'message')) as [Reply<string>];
    return next.kind === 'ready' ? reply() : next;
  };
  return { send, task, reply, tasks, seen, port: port2 };
};

describe('a thread', () => {
  it('answers tasks, with the deadline on its own clock', async () => {
    const { send, task, reply, seen, port } = served();
    task(1, 'quick');
    expect(await reply()).toEqual({ kind: 'answer', id: 1, answer: 'done', cpuMs: expect.any(Number) });
    send({ kind: 'stop' });
    await once(port, 'close');
    expect(seen).toEqual(['quick until 5000', 'closed']);
  });

  it('forgets at once when it is free, and after the last task otherwise', async () => {
    const { send, task, reply, tasks, seen, port } = served();
    send({ kind: 'block-committed' });
    task(1, 'slow');
    send({ kind: 'block-committed' });
    send({ kind: 'block-committed' });
    task(2, 'quick');
    expect(await reply()).toMatchObject({ id: 2 });
    expect(seen).toEqual(['forgot', 'slow until 5000', 'quick until 5000']);
    tasks.get('slow')?.resolve('done at last');
    expect(await reply()).toEqual({ kind: 'answer', id: 1, answer: 'done at last', cpuMs: expect.any(Number) });
    expect(seen.slice(3)).toEqual(['forgot']);
    task(3, 'quick again');
    await reply();
    expect(seen.slice(4)).toEqual(['quick again until 5000']);
    port.close();
  });

  it('tells faults by what can travel', async () => {
    const { task, reply, tasks, port } = served();
    const fail = async (id: number, error: unknown) => {
      const name = `slow ${id}`;
      task(id, name);
      task(100 + id, 'quick');
      await reply();
      tasks.get(name)?.reject(error);
      return reply();
    };
    const details = { table: 'entity', rows: 5n, circular: new Map() };
    expect(await fail(1, new KagamiError('DATABASE_TIMEOUT', 'too slow', { details }))).toEqual({
      kind: 'fault',
      id: 1,
      cpuMs: expect.any(Number),
      fault: { code: 'DATABASE_TIMEOUT', message: 'too slow', details: { table: 'entity', rows: 5n } },
    });
    expect(await fail(2, 'a text')).toEqual({
      kind: 'fault',
      id: 2,
      cpuMs: expect.any(Number),
      fault: { code: undefined, message: 'a text', details: {} },
    });
    port.close();
  });
});
