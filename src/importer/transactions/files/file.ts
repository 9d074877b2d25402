/** Files: create, append, update, delete. What system files say is none of this file's business: rows are only stored. */

import { decodeEntityId, EMPTY_ENTITY_ID } from '../../../ledger/entity-id.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import { KeyList } from '../../../protobuf/generated/services/basic_types.ts';
import { commonColumns, createEntity, deleteEntity, updateEntity } from '../entity-versions.ts';
import { type Call, defineHandler, persists, receiptOf } from '../handler.ts';
import { fileNumber } from '../ids.ts';
import type { KeyColumns } from '../keys.ts';

const ADDRESS_BOOKS: ReadonlySet<bigint> = new Set([101n, 102n]);
const LAST_SYSTEM_FILE = 999n;

/** Address books are always kept: the nodes that sign later blocks follow from them. */
const keepsContents = (call: Call): boolean => {
  const { num } = decodeEntityId(call.entityId);
  if (ADDRESS_BOOKS.has(num) || persists(call, 'files')) return true;
  return num <= LAST_SYSTEM_FILE && persists(call, 'systemFiles');
};

const storeContents = (call: Call<{ readonly contents: Uint8Array }>): void => {
  if (call.entityId === EMPTY_ENTITY_ID || !keepsContents(call)) return;
  call.context.batch.insert('file_data', {
    consensus_timestamp: call.timestamp,
    entity_id: call.entityId,
    file_data: call.body.contents,
    transaction_type: call.item.type,
  });
};

/** The keys of a file are stored as a bare list, which has no one public key. */
const listColumns = (keys: KeyList | undefined): KeyColumns =>
  keys === undefined ? {} : { key: KeyList.encode(keys).finish(), public_key: '' };

export const fileCreate = defineHandler(TransactionType.FILECREATE, 'fileCreate', {
  entityId: (source) => fileNumber(source, receiptOf(source)?.fileID),
  success(call) {
    createEntity(call, 'FILE', { ...commonColumns(call.body), ...listColumns(call.body.keys) });
    storeContents(call);
  },
});

export const fileAppend = defineHandler(TransactionType.FILEAPPEND, 'fileAppend', {
  entityId: (source) => fileNumber(source, source.body.fileID),
  success: storeContents,
});

export const fileUpdate = defineHandler(TransactionType.FILEUPDATE, 'fileUpdate', {
  entityId: (source) => fileNumber(source, source.body.fileID),
  success(call) {
    updateEntity(call, 'FILE', { ...commonColumns(call.body), ...listColumns(call.body.keys) });
    storeContents(call);
  },
});

export const fileDelete = defineHandler(TransactionType.FILEDELETE, 'fileDelete', {
  entityId: (source) => fileNumber(source, source.body.fileID),
  success: (call) => deleteEntity(call, 'FILE'),
});
