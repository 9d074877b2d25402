import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';

export interface GroupLimits {
  /** Most files that one database transaction takes. */
  readonly maxFiles: number;
  /** Most transactions that one database transaction takes; a single larger file still goes alone. */
  readonly maxItems: number;
}

const NOTHING_YET = Symbol('nothing yet');

/**
 * Groups consecutive files for one database transaction: while the writer is busy, whatever arrives within the limits;
 * when it is idle, only what is there already. So a live ledger is written file by file, and a backlog in bulk.
 * @param writerIdle resolves when the writer could take the next group
 */
export async function* groupFiles(
  files: AsyncIterator<VerifiedRecordFile>,
  limits: GroupLimits,
  writerIdle: () => Promise<void>,
): AsyncGenerator<readonly VerifiedRecordFile[]> {
  let upcoming = files.next();
  // A rejection surfaces where it is awaited, also when the consumer leaves before that.
  upcoming.catch(() => undefined);
  for (;;) {
    const first = await upcoming;
    if (first.done) return;
    const group = [first.value];
    let items = first.value.recordFile.items.length;
    upcoming = files.next();
    upcoming.catch(() => undefined);
    const idle = writerIdle().then(afterPendingWork);
    // A group that is full doesn't wait for the writer, whose failure is then seen where the next one is written.
    idle.catch(() => undefined);
    while (group.length < limits.maxFiles) {
      // What ends the stream surfaces after the group before it.
      const next = await Promise.race([upcoming.catch(nothingYet), idle]);
      if (next === NOTHING_YET || next.done) break;
      const nextItems = next.value.recordFile.items.length;
      // The first file that states its block number corrects all blocks before it, so these must be written already.
      if (next.value.recordFile.version !== first.value.recordFile.version) break;
      if (items + nextItems > limits.maxItems) break;
      group.push(next.value);
      items += nextItems;
      upcoming = files.next();
      upcoming.catch(() => undefined);
    }
    yield group;
  }
}

const nothingYet = (): typeof NOTHING_YET => NOTHING_YET;

/** Lets files that are proven already be taken before the group is closed. */
const afterPendingWork = (): Promise<typeof NOTHING_YET> =>
  new Promise((resolve) => setImmediate(() => resolve(NOTHING_YET)));
