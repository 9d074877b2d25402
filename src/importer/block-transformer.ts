/**
 * Turns the transactions of one block into rows of a batch: the rows that every transaction has, in the order that the
 * merge of versions relies on, and between them what the handler of its type adds. Then the row of the block itself.
 * Owns neither where blocks come from nor how rows are written.
 */
import type { RowOf } from '../database/table.ts';
import { isKagamiError, KagamiError } from '../errors/kagami-error.ts';
import { EMPTY_ENTITY_ID, type EntityId, encodeEntityId } from '../ledger/entity-id.ts';
import { MAX_NANOS, type Nanos } from '../ledger/timestamp.ts';
import { TransactionType, transactionTypeName } from '../ledger/transaction-type.ts';
import { ResponseCodeEnum } from '../protobuf/generated/services/response_code.ts';
import { BlockGas, type BlockSource, blockRow, sidecarRows } from './block-rows.ts';
import { stageCryptoAllowanceDebits, stageTokenAllowanceDebits } from './common/allowance-debits.ts';
import { insertCryptoTransfers, insertStakingRewards, itemizedTransfer } from './common/crypto-transfers.ts';
import { entityTransactionsOf } from './common/entity-transactions.ts';
import { PlainTransferRows, plainRowsOf } from './common/plain-transfer-rows.ts';
import { insertSignatures } from './common/signatures.ts';
import { insertAssessedFees, insertTokenTransfers, stageAutomaticAssociations } from './common/token-transfers.ts';
import {
  appendInnerTransaction,
  hashedTypes,
  insertTransactionHash,
  transactionRow,
} from './common/transaction-row.ts';
import { addContractOutput } from './contracts/contract-output.ts';
import { ethereumTransactionOf, evmHashOf } from './contracts/ethereum-of.ts';
import { EvmBlock } from './contracts/evm-block.ts';
import { completeTransferLogs, unknownAddresses } from './contracts/synthetic-block.ts';
import type { ItemFilter } from './filter/item-filter.ts';
import { addGenesisState } from './genesis-state.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import type { EntityLookup, FileContents } from './lookups.ts';
import type { RecordItem } from './record-item.ts';
import type { HandlerContext, PersistSettings, TransactionHandler } from './transaction-handler.ts';

export interface BlockTransformerOptions {
  readonly handlers: ReadonlyMap<number, TransactionHandler>;
  readonly lookup: EntityLookup;
  readonly files: FileContents;
  readonly persist: PersistSettings;
  /** Shard and realm of the mirrored network. */
  readonly network: { readonly shard: bigint; readonly realm: bigint };
  /** Consensus times to store, both inclusive; items outside still count for the block's gas and bloom. */
  readonly period?: { readonly from?: Nanos | undefined; readonly to?: Nanos | undefined };
  /** Which items of that period to store; absent: all. The others still count for the block. */
  readonly filter?: ItemFilter | undefined;
}

/** Data that was odd but did not stop the import. */
export interface RecoverableError {
  readonly consensusTimestamp: Nanos;
  readonly message: string;
}

/** What a block held. */
export interface BlockStats {
  /** Transactions stored. */
  readonly transactions: number;
  /** Transactions stored, by type name. */
  readonly types: ReadonlyMap<string, number>;
  /** Of those, the ones that only left the rows of every transaction: their type has no handler. */
  readonly unhandledTypes: ReadonlyMap<string, number>;
  /** The first recoverable errors of the block. */
  readonly errors: readonly RecoverableError[];
  /** How many there were. */
  readonly errorCount: number;
}

/** More than this many of a block's recoverable errors are counted, but not kept. */
const MAX_ERRORS_KEPT = 1_000;

/** Results that tell by themselves that an id was invalid. */
const INVALID_ID_RESULTS: ReadonlySet<number> = new Set([
  ResponseCodeEnum.INVALID_ACCOUNT_ID,
  ResponseCodeEnum.INVALID_ALIAS_KEY,
  ResponseCodeEnum.INVALID_CONTRACT_ID,
  ResponseCodeEnum.INVALID_FILE_ID,
  ResponseCodeEnum.INVALID_NODE_ACCOUNT_ID,
  ResponseCodeEnum.INVALID_SCHEDULE_ID,
  ResponseCodeEnum.INVALID_TOKEN_ID,
  ResponseCodeEnum.INVALID_TOPIC_ID,
]);

class StatsCollector {
  readonly #types = new Map<number, number>();
  readonly #unhandled = new Map<number, number>();
  readonly #errors: RecoverableError[] = [];
  #errorCount = 0;
  #transactions = 0;

  count(type: number, isHandled: boolean): void {
    this.#transactions++;
    this.#types.set(type, (this.#types.get(type) ?? 0) + 1);
    if (!isHandled) this.#unhandled.set(type, (this.#unhandled.get(type) ?? 0) + 1);
  }

  error(item: RecordItem, message: string): void {
    this.errorAt(item.consensusTimestamp, message);
  }

  errorAt(consensusTimestamp: Nanos, message: string): void {
    this.#errorCount++;
    if (this.#errors.length < MAX_ERRORS_KEPT) this.#errors.push({ consensusTimestamp, message });
  }

  stats(): BlockStats {
    return {
      transactions: this.#transactions,
      types: byName(this.#types),
      unhandledTypes: byName(this.#unhandled),
      errors: this.#errors,
      errorCount: this.#errorCount,
    };
  }
}

const byName = (counts: ReadonlyMap<number, number>): Map<string, number> => {
  const named = new Map<string, number>();
  for (const [type, count] of counts) {
    const known = transactionTypeName(type);
    const name = known === 'UNKNOWN' ? `UNKNOWN(${type})` : known;
    named.set(name, (named.get(name) ?? 0) + count);
  }
  return named;
};

/** The id of the main entity; empty when the transaction names an impossible one. */
const mainEntity = (item: RecordItem, handler: TransactionHandler, context: HandlerContext): EntityId => {
  try {
    return handler.entityId(item, context);
  } catch (fault) {
    if (!isKagamiError(fault, 'INVALID_ENTITY_ID')) throw fault;
    if (!INVALID_ID_RESULTS.has(item.status)) context.problem(item, fault.message);
    return EMPTY_ENTITY_ID;
  }
};

/**
 * A transaction that a schedule set off marks the schedule as executed, whatever the result
 * ([HIP-423](https://hips.hedera.com/hip/hip-423)).
 */
const stageScheduleExecution = (item: RecordItem, context: HandlerContext): void => {
  const schedule = item.record.scheduleRef;
  if (schedule === undefined) return;
  context.batch.stage('schedule', {
    schedule_id: encodeEntityId(schedule.shardNum, schedule.realmNum, schedule.scheduleNum),
    executed_timestamp: item.consensusTimestamp,
  });
};

/** What decoding found odd about an item. */
export interface DecodeProblem {
  readonly item: RecordItem;
  readonly message: string;
}

/** Where a transformation stands between two of its steps: with items left, or in want of what only the database knows. */
export type TransformStep =
  | { readonly kind: 'items-left' }
  | { readonly kind: 'addresses-wanted'; readonly entities: readonly EntityId[] };

const ITEMS_LEFT: TransformStep = { kind: 'items-left' };

const ITEMS_PER_STEP = 256;

const touchNothing = (): void => {};

export class BlockTransformer {
  readonly #options: BlockTransformerOptions;
  readonly #isHashed: (type: number) => boolean;
  readonly #signedTypes: ReadonlySet<number>;
  readonly #plainRows: PlainTransferRows | undefined;
  readonly #entityTransactions: ReturnType<typeof entityTransactionsOf>;

  constructor(options: BlockTransformerOptions) {
    this.#options = options;
    this.#isHashed = hashedTypes(options.persist);
    this.#signedTypes = new Set(options.persist.transactionSignatures);
    const plain = options.filter === undefined ? plainRowsOf(options.persist) : undefined;
    this.#plainRows = plain && new PlainTransferRows(plain);
    this.#entityTransactions = entityTransactionsOf(options.persist, options.network);
  }

  /**
   * Adds all rows of a block to the batch. `items` are the block's decoded items (record-items.ts), whose aliases the
   * lookup has been asked to fetch; `decodeProblems` what decoding had to say about them. EVM addresses that the lookup
   * doesn't know by itself stay long-zero in transfer logs; `steps` asks for them.
   * @throws KagamiError RECORD_ITEM_UNDECODABLE; TRANSACTION_UNTRANSFORMABLE naming file and index, for a fault in the
   * code of a handler.
   */
  transform(
    block: BlockSource,
    items: readonly RecordItem[],
    batch: LedgerBatch,
    decodeProblems: readonly DecodeProblem[] = [],
  ): BlockStats {
    const steps = this.steps(block, items, batch, decodeProblems);
    for (;;) {
      const { done, value } = steps.next();
      if (done) return value;
    }
  }

  /**
   * `transform` in steps of a few milliseconds, between which a caller may do other work. When all items are handled, it
   * may want EVM addresses of entities to be fetched into the lookup.
   */
  *steps(
    block: BlockSource,
    items: readonly RecordItem[],
    batch: LedgerBatch,
    decodeProblems: readonly DecodeProblem[],
  ): Generator<TransformStep, BlockStats> {
    batch.beginBlock();
    const collector = new StatsCollector();
    const { handlers, lookup, files, persist, network, period } = this.#options;
    const evm = new EvmBlock();
    const context: HandlerContext = {
      batch,
      evm,
      touch: this.#entityTransactions?.touch ?? touchNothing,
      lookup,
      files,
      persist,
      network,
      problem: (item, message) => collector.error(item, message),
    };
    const from = period?.from;
    const to = period?.to;
    if (block.genesis !== undefined) addGenesisState(block.genesis, context);
    const gas = new BlockGas();
    const plainRows = this.#plainRows;
    const lastPlausible = MAX_NANOS - BigInt(items.length);
    let inPeriod = 0;
    for (const item of items) {
      const { consensusTimestamp } = item;
      const plain = plainRows && item.plainTransfer?.();
      if (plain === undefined) gas.add(item);
      if (consensusTimestamp > lastPlausible)
        collector.error(item, 'the consensus time does not fit 64 bits of nanoseconds');
      if ((from === undefined || consensusTimestamp >= from) && (to === undefined || consensusTimestamp <= to)) {
        inPeriod++;
        const handler = handlers.get(item.type);
        let isStored = true;
        try {
          if (plain === undefined) isStored = this.#addItem(item, handler, context);
          else plainRows?.insert(batch, item, plain);
        } catch (cause) {
          throw this.#untransformable(block, item, cause);
        }
        if (isStored) collector.count(item.type, handler !== undefined);
      }
      item.release?.();
      if (item.index % ITEMS_PER_STEP === ITEMS_PER_STEP - 1) yield ITEMS_LEFT;
    }
    // Decoding goes along with handling, so that its problems are complete only now.
    for (const { item, message } of decodeProblems) collector.error(item, message);
    if (block.file.outOfOrder) collector.errorAt(block.file.consensusStart, 'items do not ascend in consensus time');
    const unknown = unknownAddresses(context);
    if (unknown.length > 0) yield { kind: 'addresses-wanted', entities: unknown };
    completeTransferLogs(context, (bloom) => gas.addBloom(bloom));
    evm.flush(batch);
    batch.insert('record_file', blockRow(block, gas, inPeriod));
    for (const row of sidecarRows(block)) batch.insert('sidecar_file', row);
    return collector.stats();
  }

  /** False when the filter leaves the item out. */
  #addItem(item: RecordItem, handler: TransactionHandler | undefined, context: HandlerContext): boolean {
    const { batch, persist } = context;
    const { successful } = item;
    context.evm.begin(item);
    const entityId = handler === undefined ? EMPTY_ENTITY_ID : mainEntity(item, handler, context);
    if (this.#options.filter !== undefined && !this.#options.filter(item, entityId)) return false;
    const transaction = transactionRow(item, entityId, persist);
    if (item.type === TransactionType.ATOMICBATCH) batch.registerBatchTransaction(transaction);
    handler?.applyAlways?.(item, entityId, transaction, context);
    if (successful) handler?.applySuccess?.(item, entityId, context);

    if (persist.cryptoTransferAmounts) insertCryptoTransfers(batch, item, persist);
    insertStakingRewards(batch, item);
    if (persist.schedules) stageScheduleExecution(item, context);
    if (successful) {
      if (this.#signedTypes.has(item.type)) insertSignatures(item, entityId, context);
      if (persist.itemizedTransfers) transaction.itemized_transfer = itemizedTransfer(item, context);
      if (persist.trackAllowance) stageCryptoAllowanceDebits(item, context);
    }
    if (persist.tokens && (successful || item.status === ResponseCodeEnum.FAIL_INVALID)) {
      stageAutomaticAssociations(batch, item);
      if (persist.trackAllowance) stageTokenAllowanceDebits(item, context);
      insertTokenTransfers(item, transaction, context);
      insertAssessedFees(batch, item);
    }
    addContractOutput(item, entityId, context);
    this.#entityTransactions?.insert(item, entityId, context);
    this.#addTransaction(item, transaction, context);
    return true;
  }

  #addTransaction(item: RecordItem, transaction: RowOf<'transaction'>, context: HandlerContext): void {
    const { batch } = context;
    if (item.batchKey !== undefined && transaction.nonce === 0 && !appendInnerTransaction(batch, transaction)) {
      context.problem(item, 'the atomic batch of an inner transaction is not in the same batch of rows');
    }
    batch.insert('transaction', transaction);
    if (!this.#isHashed(item.type) && !this.#isLoggedMessage(item, context)) return;
    insertTransactionHash(batch, item, item.record.transactionHash);
    if (context.persist.ethereumTransactions && ethereumTransactionOf(item) !== undefined) {
      insertTransactionHash(batch, item, evmHashOf(item, context));
    }
  }

  /**
   * A consensus message whose custom fees ([HIP-991](https://hips.hedera.com/hip/hip-991)) made it a transaction of the
   * EVM is found by hash like these.
   */
  #isLoggedMessage(item: RecordItem, { evm, persist }: HandlerContext): boolean {
    return (
      item.type === TransactionType.CONSENSUSSUBMITMESSAGE &&
      persist.transactionHash &&
      evm.logs.at(-1)?.consensus_timestamp === item.consensusTimestamp
    );
  }

  #untransformable(block: BlockSource, item: RecordItem, cause: unknown): KagamiError {
    if (isKagamiError(cause, 'RECORD_ITEM_UNDECODABLE')) return cause;
    const file = block.file.name;
    return new KagamiError(
      'TRANSACTION_UNTRANSFORMABLE',
      `Transaction ${item.index} of ${file} (${transactionTypeName(item.type)} at ${item.consensusTimestamp}) cannot be ` +
        `turned into rows: ${cause instanceof Error ? cause.message : cause}`,
      { details: { file, index: item.index, consensusTimestamp: item.consensusTimestamp, type: item.type }, cause },
    );
  }
}
