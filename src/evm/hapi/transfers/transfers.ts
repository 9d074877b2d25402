/** What a transfer moves: in a request among parties, after aliases are resolved among accounts. */
import type { EntityId } from '../../../ledger/entity-id.ts';
import type { AddressHex } from '../../state/records.ts';

/** An account by id, or an address that no account has yet. */
export type Party = EntityId | AddressHex;

/** Tinybars, or units of a fungible token; negative for who gives. */
export interface Adjustment<P = EntityId> {
  readonly party: P;
  readonly amount: bigint;
  /** Whether the caller moves it as a spender. */
  readonly isApproval: boolean;
}

export interface SerialTransfer<P = EntityId> {
  readonly sender: P;
  readonly receiver: P;
  readonly serialNumber: bigint;
  readonly isApproval: boolean;
}

export interface TokenTransfers<P = EntityId> {
  readonly tokenId: EntityId;
  readonly adjustments: readonly Adjustment<P>[];
  readonly serials: readonly SerialTransfer<P>[];
}

export interface Transfers<P = EntityId> {
  readonly hbar: readonly Adjustment<P>[];
  readonly tokens: readonly TokenTransfers<P>[];
}

/** Tinybars (undefined) or a token. */
export type Denomination = EntityId | undefined;

/** A custom fee that a transfer led to. */
export interface AssessedFee {
  readonly denomination: Denomination;
  readonly amount: bigint;
  readonly collectorId: EntityId;
  /** Who is poorer for it. */
  readonly payerIds: readonly EntityId[];
}
