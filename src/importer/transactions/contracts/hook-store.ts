/** Writes into the storage of a hook by its owner ([HIP-1195](https://hips.hedera.com/hip/hip-1195)). */

import { EMPTY_ENTITY_ID } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import { defineHandler } from '../handler.ts';
import { hookOwner } from '../ids.ts';
import { writeHookStorage } from './hooks.ts';

export const hookStore = defineHandler(TransactionType.HOOKSTORE, 'hookStore', {
  entityId: (source) => hookOwner(source, source.body.hookId?.entityId),
  success(call) {
    const { hookId, storageUpdates } = call.body;
    if (call.entityId === EMPTY_ENTITY_ID || hookId === undefined) return;
    writeHookStorage(call, call.entityId, hookId.hookId, storageUpdates);
  },
});
