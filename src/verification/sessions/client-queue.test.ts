import { describe, expect, it } from 'vitest';
import { ClientQueue } from './client-queue.ts';

/** Enters without waiting for the place, and notes when it came. */
const entering = (queue: ClientQueue, client: string, came: string[], name: string) => {
  const place = queue.enter(client);
  place.then(
    () => came.push(name),
    () => came.push(`${name} refused`),
  );
  return place;
};

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the queue of clients', () => {
  it('gives each client its places and lets the rest of its requests wait', async () => {
    const queue = new ClientQueue({ perClient: 1, waitingPerClient: 1, overall: 10 });
    const came: string[] = [];
    const first = entering(queue, 'a', came, 'a1');
    const second = entering(queue, 'a', came, 'a2');
    await expect(entering(queue, 'a', came, 'a3')).rejects.toMatchObject({ code: 'VERIFICATION_CLIENT_BUSY' });
    entering(queue, 'b', came, 'b1');
    await settle();
    expect(came.toSorted()).toEqual(['a1', 'a3 refused', 'b1']);
    (await first)();
    await second;
    expect(came.at(-1)).toBe('a2');
  });

  it('prefers the client with the fewest places', async () => {
    const queue = new ClientQueue({ perClient: 2, waitingPerClient: 5, overall: 2 });
    const came: string[] = [];
    const places = [entering(queue, 'a', came, 'a1'), entering(queue, 'a', came, 'a2')];
    entering(queue, 'a', came, 'a3');
    entering(queue, 'b', came, 'b1');
    await settle();
    expect(came).toEqual(['a1', 'a2']);
    (await places[0])?.();
    await settle();
    expect(came).toEqual(['a1', 'a2', 'b1']);
  });

  it('takes a place back once only', async () => {
    const queue = new ClientQueue({ perClient: 5, waitingPerClient: 5, overall: 1 });
    const came: string[] = [];
    const leave = await entering(queue, 'a', came, 'a1');
    entering(queue, 'b', came, 'b1');
    entering(queue, 'c', came, 'c1');
    leave();
    leave();
    await settle();
    expect(came).toEqual(['a1', 'b1']);
  });
});
