import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordName } from '../streams/testing/network.fixture.ts';
import { FolderIndex } from './folder-index.ts';
import { FIRST_FILE, temporaryFolder } from './testing/stream-folder.fixture.ts';

let root: string;
let remove: () => void;
let index: FolderIndex;
beforeEach(() => {
  ({ path: root, remove } = temporaryFolder());
});
afterEach(() => {
  index.close();
  remove();
});

const timeOf = (i: number): bigint => FIRST_FILE + BigInt(i) * 100_000_000n;
const nameAt = (i: number): string => recordName(timeOf(i), '.rcd');
const write = (name: string): void => writeFileSync(join(root, name), '');
const open = (): FolderIndex => {
  index = new FolderIndex(root, true, () => undefined);
  return index;
};

const namesAfter = async (after: bigint): Promise<(string | undefined)[]> => {
  const { files } = await index.list(after, 1_000);
  return files.map(({ recordNames }) => recordNames[0]);
};

describe('an index of a watched folder', () => {
  it('keeps names that arrive while it scans, in 200 trials', { timeout: 300_000 }, async () => {
    for (let i = 0; i < 12_000; i++) write(`other-${i}`);
    open();
    await index.list(-1n, 1_000);
    let lost = 0;
    for (let trial = 0; trial < 200; trial++) {
      const after = timeOf(3 * trial) - 1n;
      // A cursor that goes back has the folder scanned again.
      await index.list(after, 1_000);
      const scanning = index.list(after - 1n, 1_000);
      await setImmediate();
      for (let i = 0; i < 3; i++) {
        write(nameAt(3 * trial + i));
        await setImmediate();
      }
      await scanning;
      // Long enough for events, far below the interval of scans that make good for lost ones.
      await pause(5);
      const found = await namesAfter(after);
      if (found.length !== 3) lost++;
    }
    expect(lost).toBe(0);
  });

  it('joins calls that come while it scans', async () => {
    for (let i = 0; i < 12_000; i++) write(`other-${i}`);
    for (let i = 0; i < 10; i++) write(nameAt(i));
    open();
    const [all, later] = await Promise.all([namesAfter(-1n), namesAfter(timeOf(7))]);
    expect(all).toHaveLength(10);
    expect(later).toEqual([nameAt(8), nameAt(9)]);
  });

  it('looks again where the folder has changed and no event has told of it', async () => {
    open();
    expect(await namesAfter(-1n)).toEqual([]);
    // A folder in the place of the one that is watched, as after a mount.
    renameSync(root, `${root}-away`);
    mkdirSync(root);
    write(nameAt(0));
    await expect.poll(() => namesAfter(-1n), { timeout: 20_000 }).toEqual([nameAt(0)]);
    rmSync(`${root}-away`, { recursive: true });
    write(nameAt(1));
    await expect.poll(() => namesAfter(-1n), { timeout: 20_000 }).toEqual([nameAt(0), nameAt(1)]);
  });

  it('scans again after a scan that failed', async () => {
    open();
    await index.list(-1n, 1);
    renameSync(root, `${root}-away`);
    await expect.poll(() => index.list(-2n, 1).catch(({ code }) => code)).toBe('SOURCE_UNREADABLE');
    renameSync(`${root}-away`, root);
    write(nameAt(0));
    expect(await namesAfter(-2n)).toEqual([nameAt(0)]);
  });
});
