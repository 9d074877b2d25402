/** Import of history in bulk: into tables without their secondary indexes, which are built afterwards. */
import type { Database } from '../../database/connection.ts';
import type { WriterLease } from '../../database/fencing.ts';
import { deferIndexes, type IndexProgress, restoreIndexes } from './deferred-indexes.ts';

export interface BulkOptions {
  readonly database: Database;
  readonly lease: WriterLease;
  /** Without it, indexes that an interrupted bulk import left out are built before the work begins. */
  readonly bulk: boolean;
  readonly onIndex?: (progress: IndexProgress) => void;
  readonly signal?: AbortSignal;
}

/** Runs an import. A bulk import that is cut off leaves its indexes to the next import, in bulk or not. */
export const importWithIndexes = async (options: BulkOptions, work: () => Promise<void>): Promise<void> => {
  const { database, lease, bulk, onIndex, signal } = options;
  const restore = (): Promise<void> =>
    restoreIndexes(database, lease, {
      ...(onIndex === undefined ? {} : { onProgress: onIndex }),
      ...(signal === undefined ? {} : { signal }),
    });
  if (!bulk) {
    await restore();
    if (signal?.aborted) return;
    return work();
  }
  await deferIndexes(database, lease);
  await work();
  if (!signal?.aborted) await restore();
};
