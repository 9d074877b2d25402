import type { SettingsOf } from '../config/setting.ts';
import type { persistSettings } from '../config/settings/importer.ts';
import type { RowOf } from '../database/table.ts';
import type { EntityId } from '../ledger/entity-id.ts';
import type { AccountID, ContractID, FileID } from '../protobuf/generated/services/basic_types.ts';
import type { EvmBlock } from './contracts/evm-block.ts';
import type { LedgerBatch } from './ledger-batch.ts';
import type { RecordItem } from './record-item.ts';

/**
 * Resolves ids that may be given by alias or EVM address (importer rule: number directly, otherwise alias, then EVM
 * address, never a deleted entity). Synchronous: a block's aliases and addresses are fetched before its transactions are
 * handled, and entities that the block itself creates are known at once.
 */
export interface EntityLookup {
  /** 0n for an id that is unset (so that "clear" works); undefined when the alias or address is unknown. */
  account(id: AccountID | undefined): EntityId | undefined;
  contract(id: ContractID | undefined): EntityId | undefined;
  /** EVM address of an entity; null when it is known to have none, undefined when nothing is known of it. */
  evmAddress(id: EntityId): Uint8Array | null | undefined;
  /** Whether the account is associated with the token, by what the batch holds or else the database. */
  isAssociated(accountId: EntityId, tokenId: EntityId): boolean;
}

/**
 * Contents of the files that a block's transactions need, up to the transaction being handled. Synchronous: what the
 * database holds is fetched before the block's transactions are handled.
 */
export interface FileContents {
  /** Undefined for a file whose contents are not known from their beginning. */
  contents(id: FileID): Uint8Array | undefined;
  /** The bytes that the file's text of hex digits (optional `0x`) says; undefined also when it says something else. */
  hexContents(id: FileID): Uint8Array | undefined;
}

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
