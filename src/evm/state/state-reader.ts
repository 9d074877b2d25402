/**
 * Reads stored state as of one moment: the newest committed block, or the end of a past one. One reader serves one run;
 * answers may come from caches that live until the next commit.
 */
import type { EntityId } from '../../ledger/entity-id.ts';
import type {
  AccountCounts,
  AddressHex,
  EntityRecord,
  NftRecord,
  PendingAirdropKey,
  PendingAirdropRecord,
  ScheduleRecord,
  TokenRecord,
  TokenRelationRecord,
  WordHex,
} from './records.ts';

/** @throws KagamiError DATABASE_TIMEOUT, DATABASE_UNAVAILABLE, ... from every method. */
export interface StateReader {
  /** Undefined for what does not exist or is deleted. */
  entity(id: EntityId): Promise<EntityRecord | undefined>;
  /** The nonce that an entity of this moment has, where its record may carry a later one. */
  nonce(entity: EntityRecord): Promise<bigint>;
  /** Id of the entity with this `evm_address` or 20-byte `alias`; long-zero addresses are not looked up here. */
  idByEvmAddress(address: AddressHex): Promise<EntityId | undefined>;
  /** Runtime bytecode; undefined without any. */
  code(contractId: EntityId): Promise<Uint8Array | undefined>;
  /** All zeros for a slot that was never written. */
  slot(contractId: EntityId, slot: WordHex): Promise<WordHex>;
  token(id: EntityId): Promise<TokenRecord | undefined>;
  tokenRelation(accountId: EntityId, tokenId: EntityId): Promise<TokenRelationRecord | undefined>;
  nft(tokenId: EntityId, serialNumber: bigint): Promise<NftRecord | undefined>;
  /** Largest serial ever minted; 0n before the first. */
  lastSerialNumber(tokenId: EntityId): Promise<bigint>;
  /** Tinybars that the spender may still move; 0n without an allowance. */
  hbarAllowance(ownerId: EntityId, spenderId: EntityId): Promise<bigint>;
  tokenAllowance(ownerId: EntityId, spenderId: EntityId, tokenId: EntityId): Promise<bigint>;
  approvedForAll(ownerId: EntityId, spenderId: EntityId, tokenId: EntityId): Promise<boolean>;
  /** Spenders that an owner has approved: each of tinybars, of a token's units, or of all of a token's serials. */
  allowanceCount(ownerId: EntityId): Promise<number>;
  pendingAirdrop(key: PendingAirdropKey): Promise<PendingAirdropRecord | undefined>;
  schedule(id: EntityId): Promise<ScheduleRecord | undefined>;
  accountCounts(accountId: EntityId): Promise<AccountCounts>;
  /** Largest entity id there is. */
  lastEntityId(): Promise<EntityId>;
}
