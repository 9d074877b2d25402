/** Messages of topics. */

import { EMPTY_ENTITY_ID } from '../../../ledger/entity-id.ts';
import { MAX_NANOS, type Nanos } from '../../../ledger/timestamp.ts';
import { TransactionType } from '../../../ledger/transaction-type.ts';
import { TransactionID } from '../../../protobuf/generated/services/basic_types.ts';
import type { ConsensusMessageChunkInfo } from '../../../protobuf/generated/services/consensus_submit_message.ts';
import { lacks } from '../../record-item.ts';
import { ifGiven, int64 } from '../column-values.ts';
import { type Call, defineHandler, persists, receiptOf } from '../handler.ts';
import { topicNumber } from '../ids.ts';

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

/**
 * Name of the month's partition, as the other monthly tables have it. The table of messages is not partitioned here:
 * the months only keep the spans of the lookup short.
 */
const monthOf = (timestamp: Nanos): string =>
  `topic_message_p${new Date(Number(timestamp / NANOS_PER_MILLISECOND)).toISOString().slice(0, 7).replace('-', '_')}`;

const NANOS_PER_MILLISECOND = 1_000_000n;

/** Widens the spans of sequence numbers and of time that the topic has in the month; the end of time has no end. */
const stageLookup = (call: Call, sequenceNumber: bigint): void => {
  if (call.timestamp >= MAX_NANOS || sequenceNumber >= MAX_NANOS) return;
  call.context.batch.stage('topic_message_lookup', {
    topic_id: call.entityId,
    partition: monthOf(call.timestamp),
    sequence_number_range: { lower: sequenceNumber, upper: sequenceNumber + 1n },
    timestamp_range: { lower: call.timestamp, upper: call.timestamp + 1n },
  });
};

export const submitMessage = defineHandler(TransactionType.CONSENSUSSUBMITMESSAGE, 'consensusSubmitMessage', {
  entityId: (source) => topicNumber(source, source.body.topicID),
  success(call) {
    const receipt = receiptOf(call);
    if (call.entityId === EMPTY_ENTITY_ID || receipt === undefined || !persists(call, 'topics')) return;
    if (lacks(call.item, 'running hash')) return;
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
    if (persists(call, 'topicMessageLookups')) stageLookup(call, int64(receipt.topicSequenceNumber));
  },
});
