/** Messages of topics. */

import { EMPTY_ENTITY_ID } from '../../ledger/entity-id.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { TransactionID } from '../../protobuf/generated/services/basic_types.ts';
import type { ConsensusMessageChunkInfo } from '../../protobuf/generated/services/consensus_submit_message.ts';
import { ifGiven, int64 } from './column-values.ts';
import { defineHandler, persists, receiptOf } from './handler.ts';
import { topicNumber } from './ids.ts';

/** Today's version of the running hash; it is left out, as it is on almost every message. */
const CURRENT_HASH_VERSION = 3n;
const FIRST_HASH_VERSION = 1n;

const hashVersion = (version: bigint): number | null => {
  if (version === CURRENT_HASH_VERSION) return null;
  return Number(version === 0n ? FIRST_HASH_VERSION : BigInt.asIntN(16, version));
};

const chunkColumns = (chunk: ConsensusMessageChunkInfo | undefined) => ({
  chunk_num: chunk?.number ?? null,
  chunk_total: chunk?.total ?? null,
  initial_transaction_id: ifGiven(chunk?.initialTransactionID, (id) => TransactionID.encode(id).finish()) ?? null,
});

export const submitMessage = defineHandler(TransactionType.CONSENSUSSUBMITMESSAGE, 'consensusSubmitMessage', {
  entityId: (source) => topicNumber(source, source.body.topicID),
  success(call) {
    const receipt = receiptOf(call);
    if (call.entityId === EMPTY_ENTITY_ID || receipt === undefined || !persists(call, 'topics')) return;
    call.context.batch.insert('topic_message', {
      ...chunkColumns(call.body.chunkInfo),
      consensus_timestamp: call.timestamp,
      message: call.body.message,
      payer_account_id: call.item.payer,
      running_hash: receipt.topicRunningHash,
      running_hash_version: hashVersion(receipt.topicRunningHashVersion),
      sequence_number: int64(receipt.topicSequenceNumber),
      topic_id: call.entityId,
      valid_start_timestamp: null,
    });
  },
});
