/**
 * The transactions of a block: which result, outputs, trace data and state changes belong to which signed transaction,
 * in stream order. Transactions without a result, which nodes send each other, are left out. Inner transactions of an
 * atomic batch have no signed transaction of their own in the stream; theirs are in the body of the batch
 * ([HIP-551](https://hips.hedera.com/hip/hip-551)).
 *
 * Transactions, results, state changes and trace data are hashed in trees of their own, so the root hash does not tell how
 * they stand among each other: whoever hands a block on may move a result behind another transaction. Such a block is refused
 * where one is left without its result.
 */

import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';
import { TransactionType, transactionTypeName } from '../ledger/transaction-type.ts';
import { type Block, type BlockItem, BlockItemField } from '../streams/block/block.ts';
import { streamError } from '../streams/stream-error.ts';
import { timestampNanos, WireReader } from '../streams/wire.ts';
import { outlineResult, type ResultOutline } from './result-outline.ts';
import { outlineTransaction, type TransactionOutline } from './transaction-outline.ts';

/** One executed transaction with everything that the block says of it, not decoded. */
export interface BlockTransaction {
  /** Names block and item in errors. */
  readonly place: string;
  readonly transaction: TransactionOutline;
  readonly result: ResultOutline;
  /** TransactionOutput, TraceData and StateChanges messages in stream order; the changes are the transaction's own. */
  readonly outputs: readonly Uint8Array[];
  readonly traces: readonly Uint8Array[];
  readonly stateChanges: readonly Uint8Array[];
}

/**
 * @throws KagamiError STREAM_TRUNCATED, STREAM_MALFORMED naming block and item: a message is damaged, a result belongs to
 * no transaction, or a transaction that has a result in every block lacks it.
 */
export const transactionsOf = (block: Block): BlockTransaction[] => {
  const assembly = new Assembly(block);
  const at = (index: number, step: () => void): void => {
    try {
      step();
    } catch (error) {
      throw isKagamiError(error) ? placed(error, block, index) : error;
    }
  };
  block.items.forEach((item, index) => {
    at(index, () => assembly.add(item, index));
  });
  at(block.items.length, () => assembly.close());
  return assembly.transactions;
};

/** `error` with the block and the item where it occurred. */
const placed = (error: KagamiError, { name, number }: Block, item: number): KagamiError => {
  const rule = String(error.details.rule ?? error.message);
  return new KagamiError(error.code, `${name}: block ${number}, item ${item}: ${rule}`, {
    details: { ...error.details, block: number, item },
    cause: error.cause,
  });
};

/** Types of the transactions that nodes send each other. */
const NODE_TYPES: ReadonlySet<number> = new Set([65, 66, 67, 68, 69, 70, 71, 72, 76, 77, 81]);

/** Nothing is kept of most transactions, so that they share these. */
const NONE: readonly Uint8Array[] = [];

class OpenTransaction implements BlockTransaction {
  readonly transaction: TransactionOutline;
  readonly result: ResultOutline;
  readonly #block: Block;
  readonly #item: number;
  outputs: readonly Uint8Array[] = NONE;
  traces: readonly Uint8Array[] = NONE;
  stateChanges: readonly Uint8Array[] = NONE;

  constructor(block: Block, item: number, transaction: TransactionOutline, result: ResultOutline) {
    this.#block = block;
    this.#item = item;
    this.transaction = transaction;
    this.result = result;
  }

  get place(): string {
    return `block ${this.#block.number}, item ${this.#item}`;
  }
}

class Assembly {
  readonly transactions: OpenTransaction[] = [];
  readonly #block: Block;
  /** A signed transaction whose result has not come yet. */
  #signed: TransactionOutline | undefined;
  /** Inner transactions of the batch that is being executed, of which no result has come yet. */
  #inner: Uint8Array[] = [];
  /** What outputs, trace data and state changes belong to. */
  #current: OpenTransaction | undefined;

  constructor(block: Block) {
    this.#block = block;
  }

  add(item: BlockItem, index: number): void {
    switch (item.field) {
      case BlockItemField.signedTransaction:
        this.close();
        this.#signed = outlineTransaction(item.payload, this.#block.name);
        this.#current = undefined;
        break;
      case BlockItemField.transactionResult:
        this.#addResult(item.payload, index);
        break;
      case BlockItemField.transactionOutput:
        if (this.#current !== undefined) this.#current.outputs = [...this.#current.outputs, item.payload];
        break;
      case BlockItemField.traceData:
        if (this.#current !== undefined) this.#current.traces = [...this.#current.traces, item.payload];
        break;
      case BlockItemField.stateChanges:
        this.#addStateChanges(item.payload);
        break;
      default:
        this.close();
        this.#inner = [];
        this.#current = undefined;
    }
  }

  /** No result follows. Only what nodes send each other, and what is not known yet, has none. */
  close(): void {
    const type = this.#signed?.type;
    if (type !== undefined && transactionTypeName(type) !== 'UNKNOWN' && !NODE_TYPES.has(type)) {
      const rule = `a transaction of type ${transactionTypeName(type)} before this item has no result`;
      throw streamError('STREAM_MALFORMED', { file: this.#block.name, rule });
    }
    this.#signed = undefined;
  }

  #addResult(payload: Uint8Array, index: number): void {
    const { name } = this.#block;
    const inner = this.#signed === undefined ? this.#inner.shift() : undefined;
    const transaction = this.#signed ?? (inner && outlineTransaction(inner, name));
    if (transaction === undefined) {
      throw streamError('STREAM_MALFORMED', { file: name, rule: 'a transaction result belongs to no transaction' });
    }
    this.#signed = undefined;
    this.#current = new OpenTransaction(this.#block, index, transaction, outlineResult(payload, name));
    this.transactions.push(this.#current);
    if (transaction.type === TransactionType.ATOMICBATCH) this.#inner = innerTransactions(transaction.body, name);
  }

  /** Changes of another time are the ledger's, and none of the transaction's follow them. */
  #addStateChanges(payload: Uint8Array): void {
    const current = this.#current;
    if (current === undefined) return;
    if (timeOf(payload, this.#block.name) === current.result.consensusTimestamp) {
      current.stateChanges = [...current.stateChanges, payload];
    } else this.#current = undefined;
  }
}

const CHANGES_TIMESTAMP = 1;

const timeOf = (stateChanges: Uint8Array, place: string): bigint | undefined => {
  const fields = new WireReader(stateChanges, place);
  while (fields.next()) if (fields.field === CHANGES_TIMESTAMP) return timestampNanos(fields);
  return undefined;
};

/** Of AtomicBatchTransactionBody. */
const BATCH_TRANSACTIONS = 1;

const innerTransactions = (body: Uint8Array, place: string): Uint8Array[] => {
  const inner: Uint8Array[] = [];
  const fields = new WireReader(body, place);
  while (fields.next()) {
    if (fields.field !== TransactionType.ATOMICBATCH) continue;
    const batch = fields.message();
    while (batch.next()) if (batch.field === BATCH_TRANSACTIONS) inner.push(batch.slice());
  }
  return inner;
};
