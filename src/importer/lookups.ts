/** What transactions are handled with besides themselves: entities and files that the ledger knows. */
import type { EntityId } from '../ledger/entity-id.ts';
import type { AccountID, ContractID, FileID } from '../protobuf/generated/services/basic_types.ts';

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
