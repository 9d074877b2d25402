import { isKagamiError, type KagamiError } from '../errors/kagami-error.ts';

/** Milliseconds after which the next copy is asked for as well: reads take less, and time-outs much more. */
const SLOW_READ_MS = 1_000;

/**
 * The first good answer of candidates that are asked one after the other; one that is slow isn't waited for before the
 * next is asked too. Undefined when none gives a good one.
 */
export const firstGood = async <C, T>(
  candidates: readonly C[],
  ask: (candidate: C) => Promise<T | KagamiError>,
): Promise<T | undefined> => {
  const good: T[] = [];
  const { promise: found, resolve, reject } = Promise.withResolvers<void>();
  found.catch(() => undefined);
  const asked: Promise<void>[] = [];
  for (const candidate of candidates) {
    const asking = ask(candidate).then((answer) => {
      if (isKagamiError(answer)) return;
      good.push(answer);
      resolve();
    });
    asking.catch(reject);
    asked.push(asking);
    await untilSlow(Promise.race([asking, found]));
    if (good.length > 0) return good[0];
  }
  await Promise.race([Promise.all(asked), found]);
  return good[0];
};

/** Comes to its end with `work`, or when that takes long. */
export const untilSlow = async (work: Promise<unknown>): Promise<void> => {
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, SLOW_READ_MS);
  try {
    await Promise.race([work, slow]);
  } finally {
    clearTimeout(timer);
  }
};
