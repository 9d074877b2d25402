/** Hooks of accounts and contracts, and their storage ([HIP-1195](https://hips.hedera.com/hip/hip-1195)). */
import { beginOf, fill, isGiven } from '../state/merge-rules.ts';
import type { Ranged } from '../state/staged-table.ts';
import { inserted, merged } from './definition.ts';
import { kept, sweptByTime, sweptVersions } from './retention.ts';

/**
 * A hook's creation replaces the hook of that id, and what follows it in the batch has its creation time; any other
 * version builds on the existing row.
 */
const unlessCreated = (column: string, fallback: string): string =>
  'case when s.created_timestamp is not null ' +
  `then coalesce(s.${column}, ${fallback}) else coalesce(s.${column}, e.${column}, ${fallback}) end`;

const isCreation = (version: Ranged & { created_timestamp?: bigint | null | undefined }): boolean =>
  version.created_timestamp === beginOf(version);

export const hookTables = {
  hook: merged('hook', {
    key: ['owner_id', 'hook_id'],
    expressions: {
      admin_key: unlessCreated('admin_key', 'null'),
      contract_id: unlessCreated('contract_id', 'null'),
      deleted: unlessCreated('deleted', 'false'),
      extension_point: unlessCreated('extension_point', "'ACCOUNT_ALLOWANCE_HOOK'"),
      type: unlessCreated('type', "'EVM'"),
    },
    combination: {
      inherit: (next, previous) => {
        if (!isCreation(next)) fill(next, previous);
      },
      // Deleting and creating a hook of the same id within one transaction leaves a deleted version of one nanosecond.
      endOf: (previous, next) => {
        const begin = beginOf(next);
        if (beginOf(previous) !== begin) return begin;
        return previous.deleted === true && isCreation(next) ? begin + 1n : null;
      },
    },
    retention: kept,
    history: sweptVersions,
  }),
  hook_storage: merged('hook_storage', {
    key: ['owner_id', 'hook_id', 'key'],
    expressions: {
      created_timestamp:
        'case when e.created_timestamp is null or e.deleted or s.created_timestamp < 0 ' +
        'then abs(s.created_timestamp) else e.created_timestamp end',
    },
    combination: {
      // A negative creation time tells the merge that the slot was deleted and filled again within the batch.
      repeat: (slot, change) => {
        if (slot.deleted === true && isGiven(change.created_timestamp))
          slot.created_timestamp = -change.created_timestamp;
        slot.value = change.value;
        slot.modified_timestamp = change.modified_timestamp;
        slot.deleted = change.deleted;
      },
    },
    retention: kept,
  }),
  hook_storage_change: inserted('hook_storage_change', { retention: sweptByTime }),
};
