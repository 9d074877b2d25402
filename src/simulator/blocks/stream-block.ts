/**
 * Blocks of a block stream: rounds of events with their transactions
 * ([HIP-1056](https://hips.hedera.com/hip/hip-1056)).
 */
import { sha384 } from '../../ledger/hash.ts';
import { EventHeader } from '../../protobuf/generated/block/stream/input/event_metadata.ts';
import { RoundHeader } from '../../protobuf/generated/block/stream/input/round_header.ts';
import { BlockHeader } from '../../protobuf/generated/block/stream/output/block_header.ts';
import { StateIdentifier } from '../../protobuf/generated/block/stream/output/state_changes.ts';
import { BlockStreamInfo } from '../../protobuf/generated/services/state/blockstream/block_stream_info.ts';
import { Timestamp } from '../../protobuf/generated/services/timestamp.ts';
import { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../../protobuf/generated/services/transaction_contents.ts';
import { BlockItemField as Field } from '../../streams/block/block.ts';
import type { HapiVersion } from '../../streams/record-file-content.ts';
import type { ProducedBlock } from '../records/draft.ts';
import { accountId, timestampOf } from '../records/proto-ids.ts';
import type { BlockChainState, OpenBlock } from './block-chain.ts';
import type { BlockTransaction } from './block-recorder.ts';
import { blockItem, type EncodedItem, lengthDelimited } from './item-bytes.ts';

const ROUND_NANOS = 250_000_000n;
const MAX_EVENT_TRANSACTIONS = 64;
/** How long before its transactions reach consensus an event is made. */
const CONSENSUS_NANOS = 40_000_000n;
const FIRST_NODE_ACCOUNT = 3n;
/** Fields of StateChange, QueuePushChange and SingletonUpdateChange. */
const STATE_ID_TAG = 0x08;
const SINGLETON_UPDATE_FIELD = 4;
const QUEUE_PUSH_FIELD = 7;
const RECEIPTS_FIELD = 3;
const BLOCK_STREAM_INFO_FIELD = 11;

/** The header; wrapped record blocks don't state a software version. */
export const headerItem = (
  number: bigint,
  hapiVersion: HapiVersion,
  timestamp: bigint,
  softwareVersion?: HapiVersion,
): EncodedItem =>
  blockItem(
    Field.blockHeader,
    BlockHeader.encode(
      BlockHeader.fromPartial({
        hapiProtoVersion: hapiVersion,
        number,
        blockTimestamp: timestampOf(timestamp),
        ...(softwareVersion && { softwareVersion }),
      }),
    ).finish(),
  );

/** Writes the items of one block. */
class StreamWriter {
  readonly items: EncodedItem[] = [];
  readonly #nodeCount: number;
  round: bigint;
  #roundEnd = 0n;
  #eventNode = -1n;
  #eventTransactions = 0;
  /** Events of the block so far; events name their parents by number. */
  #events = 0;
  #lastAt = 0n;
  #receipts: Uint8Array[] = [];

  constructor(round: bigint, nodeCount: number) {
    this.round = round;
    this.#nodeCount = nodeCount;
  }

  add(transaction: BlockTransaction): void {
    const { at, begins, nodeId } = transaction;
    if (begins) {
      if (at >= this.#roundEnd) this.#startRound(at);
      if (nodeId !== this.#eventNode || this.#eventTransactions >= MAX_EVENT_TRANSACTIONS) this.#startEvent(nodeId, at);
      this.#eventTransactions++;
    }
    this.#lastAt = at;
    if (transaction.receipt !== undefined) this.#receipts.push(transaction.receipt);
    if (transaction.signed !== undefined) this.items.push(blockItem(Field.signedTransaction, transaction.signed));
    this.items.push(blockItem(Field.transactionResult, transaction.result));
    for (const output of transaction.outputs) this.items.push(blockItem(Field.transactionOutput, output));
    for (const trace of transaction.traces) this.items.push(blockItem(Field.traceData, trace));
    if (transaction.changes !== undefined) {
      this.items.push(blockItem(Field.stateChanges, transaction.changes.bytes(at)));
    }
  }

  /** What belongs to no transaction: a node's signature of the state, and the receipts that the state remembers. */
  endRound(): void {
    if (this.#roundEnd === 0n) return;
    const node = this.round % BigInt(this.#nodeCount);
    this.#startEvent(node, this.#lastAt);
    this.items.push(blockItem(Field.signedTransaction, stateSignature(this.round, node, this.#lastAt)));
    this.#changesOf(StateIdentifier.STATE_ID_TRANSACTION_RECEIPTS, QUEUE_PUSH_FIELD, [
      lengthDelimited(RECEIPTS_FIELD, Buffer.concat(this.#receipts.map((entry) => lengthDelimited(1, entry)))),
    ]);
    this.#receipts = [];
  }

  endBlock(number: bigint, timestamp: bigint): void {
    this.endRound();
    const info = BlockStreamInfo.fromPartial({
      blockNumber: number,
      blockTime: timestampOf(timestamp),
      blockEndTime: timestampOf(this.#lastAt),
      lastHandleTime: timestampOf(this.#lastAt),
    });
    this.#changesOf(StateIdentifier.STATE_ID_BLOCK_STREAM_INFO, SINGLETON_UPDATE_FIELD, [
      lengthDelimited(BLOCK_STREAM_INFO_FIELD, BlockStreamInfo.encode(info).finish()),
    ]);
  }

  #startRound(at: bigint): void {
    this.endRound();
    this.round++;
    this.#roundEnd = (at / ROUND_NANOS + 1n) * ROUND_NANOS;
    this.#eventNode = -1n;
    this.items.push(blockItem(Field.roundHeader, RoundHeader.encode({ roundNumber: this.round }).finish()));
  }

  #startEvent(node: bigint, at: bigint): void {
    this.#eventNode = node;
    this.#eventTransactions = 0;
    const header = EventHeader.fromPartial({
      eventCore: {
        creatorNodeId: node,
        birthRound: this.round,
        timeCreated: timestampOf(at - CONSENSUS_NANOS),
        coin: BigInt(this.#events % 5),
      },
      parents: this.#events === 0 ? [] : [{ parent: { $case: 'index', index: this.#events - 1 } }],
    });
    this.#events++;
    this.items.push(blockItem(Field.eventHeader, EventHeader.encode(header).finish()));
  }

  /** State changes of no transaction, with the time of the last one. */
  #changesOf(stateId: number, operation: number, value: readonly Uint8Array[]): void {
    const id = Buffer.of(STATE_ID_TAG, stateId);
    const change = Buffer.concat([id, lengthDelimited(operation, Buffer.concat(value))]);
    const time = lengthDelimited(1, Timestamp.encode(timestampOf(this.#lastAt)).finish());
    this.items.push(blockItem(Field.stateChanges, Buffer.concat([time, lengthDelimited(2, change)])));
  }
}

/** A transaction of a node's own, which blocks have without a result and records don't have at all. */
const stateSignature = (round: bigint, node: bigint, at: bigint): Uint8Array => {
  const account = accountId(FIRST_NODE_ACCOUNT + node);
  const hash = sha384(Buffer.from(`state after round ${round}`));
  const body = TransactionBody.fromPartial({
    transactionID: { transactionValidStart: timestampOf(at - CONSENSUS_NANOS), accountID: account },
    nodeAccountID: account,
    transactionValidDuration: { seconds: 120n },
    data: {
      $case: 'stateSignatureTransaction',
      stateSignatureTransaction: { round, signature: Buffer.concat([hash, hash]), hash },
    },
  });
  const signed = SignedTransaction.fromPartial({ bodyBytes: TransactionBody.encode(body).finish() });
  return SignedTransaction.encode(signed).finish();
};

/** A block of a block stream, but for footer and proof. */
export const streamBlock = (
  block: ProducedBlock,
  transactions: readonly BlockTransaction[],
  chain: BlockChainState,
  { hapiVersion, nodeCount }: { readonly hapiVersion: HapiVersion; readonly nodeCount: number },
): OpenBlock => {
  const { number, firstConsensus } = block;
  const writer = new StreamWriter(chain.round, nodeCount);
  writer.items.push(headerItem(number, hapiVersion, firstConsensus, hapiVersion));
  for (const transaction of transactions) writer.add(transaction);
  writer.endBlock(number, firstConsensus);
  return {
    number,
    hapiVersion,
    timestamp: firstConsensus,
    items: writer.items,
    // The simulator has no tree of its state; the records so far tell the state as well.
    ...(number === 0n ? {} : { startStateHash: sha384(block.startHash) }),
    wrapsRecordFile: false,
    lastRound: writer.round,
  };
};
