import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectRegularly } from './regular-collection.ts';

const isCollected = async (reference: WeakRef<object>): Promise<boolean> => {
  for (let i = 0; i < 200 && reference.deref() !== undefined; i++) await pause(10);
  return reference.deref() === undefined;
};

it('collects what nothing refers to any more, until it is ended', async () => {
  const end = collectRegularly(20);
  try {
    expect(await isCollected(new WeakRef({ kept: false }))).toBe(true);
  } finally {
    end();
  }
});

it('collects no longer when it is ended', async () => {
  let collections = 0;
  const end = collectRegularly(5, async () => void collections++);
  await expect.poll(() => collections).toBeGreaterThan(1);
  end();
  const before = collections;
  await pause(50);
  expect(collections).toBe(before);
});

it('leaves no function behind that programs could call', () => {
  collectRegularly()();
  expect('gc' in globalThis).toBe(false);
});
