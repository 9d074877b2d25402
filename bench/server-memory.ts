/** Loaded into a server (`node --expose-gc --import`): at SIGUSR2 writes what its memory holds to the file SERVER_MEMORY. */
import { renameSync, writeFileSync } from 'node:fs';

/** MiB, after a collection of garbage. */
export interface MemoryFigures {
  readonly heap: number;
  readonly external: number;
  readonly resident: number;
}

const MIB = 2 ** 20;

process.on('SIGUSR2', () => {
  for (let times = 0; times < 3; times++) globalThis.gc?.();
  const { heapUsed, external, arrayBuffers, rss } = process.memoryUsage();
  const figures: MemoryFigures = {
    heap: heapUsed / MIB,
    external: Math.max(external, arrayBuffers) / MIB,
    resident: rss / MIB,
  };
  const path = process.env.SERVER_MEMORY ?? '';
  writeFileSync(`${path}.unfinished`, JSON.stringify(figures));
  renameSync(`${path}.unfinished`, path);
});
