/**
 * What contract simulation knows of the ledger, one record per row it reads. Records are immutable: a change puts a new
 * record in place of the old one (world.ts). Ids are encoded entity ids, amounts tinybars or a token's smallest unit,
 * times nanoseconds unless a name says seconds. Addresses are 40 lower-case hex digits without prefix, storage slots and
 * values 64.
 */
import type { EntityId } from '../../ledger/entity-id.ts';

/** 40 lower-case hex digits, no prefix. */
export type AddressHex = string;

/** 64 lower-case hex digits, no prefix. */
export type WordHex = string;

export type EntityType = 'ACCOUNT' | 'CONTRACT' | 'FILE' | 'SCHEDULE' | 'TOKEN' | 'TOPIC' | 'UNKNOWN';

/** An entity that is not deleted at the time of the state. */
export interface EntityRecord {
  readonly id: EntityId;
  readonly type: EntityType;
  /** The 20-byte alias by which the EVM knows the entity: `evm_address`, or `alias` when that has 20 bytes. */
  readonly evmAddress: AddressHex | undefined;
  /** Alias as stored (a serialized key or 20 bytes). */
  readonly alias: Uint8Array | undefined;
  /** What the ledger really holds, in tinybars; how it is shown to a run is up to the engine. */
  readonly balance: bigint;
  readonly nonce: bigint;
  /** The nonce may be one of a later time: `World.withNonce` knows that of the moment. */
  readonly nonceMayBeLater?: boolean;
  /** Serialized HAPI key; absent for contracts without one and for hollow accounts. */
  readonly key: Uint8Array | undefined;
  readonly memo: string;
  readonly createdTimestamp: bigint;
  /** Effective expiry: `expiration_timestamp`, or creation plus the auto-renew period. */
  readonly expirySeconds: bigint;
  readonly autoRenewPeriodSeconds: bigint;
  readonly autoRenewAccountId: EntityId | undefined;
  readonly receiverSigRequired: boolean;
  /** -1: no limit. */
  readonly maxAutomaticAssociations: number;
  /** Slots used within this simulation; stored state starts at 0. */
  readonly usedAutomaticAssociations: number;
  /** Address that code delegation points to ([HIP-1340](https://hips.hedera.com/hip/hip-1340)). */
  readonly delegationAddress: AddressHex | undefined;
}

export type TokenKeyName = 'admin' | 'kyc' | 'freeze' | 'wipe' | 'supply' | 'feeSchedule' | 'pause' | 'metadata';

export interface FixedFee {
  readonly amount: bigint;
  /** Absent: tinybars. */
  readonly denominatingTokenId: EntityId | undefined;
  readonly collectorId: EntityId;
  readonly allCollectorsAreExempt: boolean;
}

export interface FractionalFee {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly minimum: bigint;
  /** 0: no maximum. */
  readonly maximum: bigint;
  readonly netOfTransfers: boolean;
  readonly collectorId: EntityId;
  readonly allCollectorsAreExempt: boolean;
}

export interface RoyaltyFee {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly fallback: { readonly amount: bigint; readonly denominatingTokenId: EntityId | undefined } | undefined;
  readonly collectorId: EntityId;
  readonly allCollectorsAreExempt: boolean;
}

export interface CustomFees {
  readonly fixed: readonly FixedFee[];
  readonly fractional: readonly FractionalFee[];
  readonly royalty: readonly RoyaltyFee[];
}

/** A token; its entity (admin key, memo, expiry, auto-renewal) comes with it. */
export interface TokenRecord {
  readonly id: EntityId;
  readonly type: 'FUNGIBLE_COMMON' | 'NON_FUNGIBLE_UNIQUE';
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly totalSupply: bigint;
  readonly supplyType: 'INFINITE' | 'FINITE';
  readonly maxSupply: bigint;
  readonly treasuryId: EntityId | undefined;
  readonly deleted: boolean;
  readonly paused: boolean;
  /** Whether new relations start frozen. */
  readonly freezeDefault: boolean;
  /** What a token info shows as default KYC status. */
  readonly kycDefault: boolean;
  /** Serialized HAPI keys. */
  readonly keys: Readonly<Partial<Record<TokenKeyName, Uint8Array>>>;
  readonly memo: string;
  readonly metadata: Uint8Array;
  readonly createdTimestamp: bigint;
  readonly expirySeconds: bigint;
  readonly autoRenewPeriodSeconds: bigint;
  readonly autoRenewAccountId: EntityId | undefined;
  readonly customFees: CustomFees;
}

/** An account's relation with a token; a dissociated one has no record. */
export interface TokenRelationRecord {
  readonly accountId: EntityId;
  readonly tokenId: EntityId;
  /** Of a non-fungible token: how many serials. */
  readonly balance: bigint;
  readonly frozen: boolean;
  readonly kycGranted: boolean;
  readonly automaticAssociation: boolean;
}

/** A serial that is not burned or wiped. */
export interface NftRecord {
  readonly tokenId: EntityId;
  readonly serialNumber: bigint;
  /** Also set when the treasury is the owner. */
  readonly ownerId: EntityId;
  readonly spenderId: EntityId | undefined;
  readonly delegatingSpenderId: EntityId | undefined;
  readonly createdTimestamp: bigint;
  readonly metadata: Uint8Array;
}

export interface PendingAirdropKey {
  readonly senderId: EntityId;
  readonly receiverId: EntityId;
  readonly tokenId: EntityId;
  /** 0n for a fungible token. */
  readonly serialNumber: bigint;
}

export interface PendingAirdropRecord extends PendingAirdropKey {
  /** 0n for a serial. */
  readonly amount: bigint;
}

export interface ScheduleRecord {
  readonly id: EntityId;
  readonly creatorId: EntityId;
  readonly payerId: EntityId;
  /** Serialized SchedulableTransactionBody. */
  readonly transactionBody: Uint8Array;
  /** Raw public keys (32 bytes ED25519, 33 bytes ECDSA) that have signed. */
  readonly signatories: readonly Uint8Array[];
  readonly executed: boolean;
  readonly deleted: boolean;
  readonly adminKey: Uint8Array | undefined;
  readonly memo: string;
  readonly expirationSeconds: bigint | undefined;
  readonly waitForExpiry: boolean;
  readonly consensusTimestamp: bigint;
}

/** Counts that the ledger keeps per account. */
export interface AccountCounts {
  readonly associations: number;
  readonly positiveBalances: number;
}

/** One tinycent amount buys hbarEquiv / centEquiv tinybars. */
export interface ExchangeRate {
  readonly hbarEquiv: bigint;
  readonly centEquiv: bigint;
}
