import type { SettingsOf } from '../config/setting.ts';
import type { persistSettings } from '../config/settings/importer.ts';
import type { RowOf } from '../database/table.ts';
import type { EntityId } from '../ledger/entity-id.ts';
import type { EvmBlock } from './contracts/evm-block.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import type { EntityLookup, FileContents } from './lookups.ts';
import type { RecordItem } from './record-item.ts';

/** What a handler may use. */
export interface HandlerContext {
  readonly batch: LedgerBatch;
  readonly lookup: EntityLookup;
  readonly files: FileContents;
  readonly persist: PersistSettings;
  /** Shard and realm of the mirrored network. */
  readonly network: { readonly shard: bigint; readonly realm: bigint };
  /** What the EVM has done in the item's block so far. */
  readonly evm: EvmBlock;
  /** Notes that the current item touches an entity besides its main one, its payer and its node (`entity_transaction`). */
  touch(id: EntityId): void;
  /** Notes a recoverable error: data that is odd but does not stop the import. */
  problem(item: RecordItem, message: string): void;
}

/** The `persist.*` switches, by the reference's names. */
export type PersistSettings = SettingsOf<typeof persistSettings>;

/** What one transaction type does to the tables, besides the rows that every transaction has. */
export interface TransactionHandler {
  readonly type: number;
  /** Main entity of the transaction (`transaction.entity_id`); 0n when it has none. */
  entityId(item: RecordItem, context: HandlerContext): EntityId;
  /** Rows of a successful transaction. */
  applySuccess?(item: RecordItem, entityId: EntityId, context: HandlerContext): void;
  /** Rows and transaction columns that are written whatever the result; runs before `applySuccess`. */
  applyAlways?(item: RecordItem, entityId: EntityId, transaction: RowOf<'transaction'>, context: HandlerContext): void;
}
