import { expect, it } from 'vitest';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import { groupFiles } from './file-groups.ts';

const fileOf = (items: number): VerifiedRecordFile =>
  ({ recordFile: { version: 6, items: Array.from({ length: items }) } }) as unknown as VerifiedRecordFile;

async function* files(...items: readonly number[]): AsyncGenerator<VerifiedRecordFile> {
  for (const count of items) yield fileOf(count);
}

const sizes = (group: readonly VerifiedRecordFile[]): number[] =>
  group.map(({ recordFile }) => recordFile.items.length);

it('gathers files within the limits while the writer is busy', async () => {
  const busy = new Promise<void>(() => undefined);
  const groups: number[][] = [];
  for await (const group of groupFiles(files(1, 2, 3, 50, 4), { maxFiles: 2, maxItems: 10 }, () => busy)) {
    groups.push(sizes(group));
  }
  expect(groups).toEqual([[1, 2], [3], [50], [4]]);
});

it('leaves the failure of a write to those who wait for the write', async () => {
  const unheard: unknown[] = [];
  const hear = (fault: unknown): void => void unheard.push(fault);
  process.on('unhandledRejection', hear);
  try {
    const writing = Promise.withResolvers<void>();
    // Full groups are closed without a look at the writer.
    const groups = groupFiles(files(1, 1), { maxFiles: 1, maxItems: 10 }, () => writing.promise);
    expect(sizes((await groups.next()).value ?? [])).toEqual([1]);
    writing.promise.catch(() => undefined);
    writing.reject(new Error('the connection broke'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(unheard).toEqual([]);
  } finally {
    process.off('unhandledRejection', hear);
  }
});
