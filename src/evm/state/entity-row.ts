/** What the columns of `entity` say to contract simulation. */
import { toHex } from '../../ledger/bytes.ts';
import { MAX_NANOS, NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import type { EntityRecord, EntityType } from './records.ts';

export interface EntityRow {
  readonly alias: Buffer | null;
  readonly auto_renew_account_id: string | null;
  readonly auto_renew_period: string | null;
  readonly balance: string | null;
  readonly created_timestamp: string | null;
  readonly delegation_address: Buffer | null;
  readonly ethereum_nonce: string | null;
  readonly evm_address: Buffer | null;
  readonly expiration_timestamp: string | null;
  readonly id: string;
  readonly key: Buffer | null;
  readonly max_automatic_token_associations: number | null;
  readonly memo: string;
  readonly receiver_sig_required: boolean | null;
  readonly type: EntityType;
}

/** Columns that say how long an entity lives. */
export type LifetimeRow = Pick<
  EntityRow,
  'auto_renew_account_id' | 'auto_renew_period' | 'created_timestamp' | 'expiration_timestamp'
>;

const DEFAULT_AUTO_RENEW_SECONDS = 7_776_000n;
const ADDRESS_LENGTH = 20;

/** 0 stands for no entity. */
export const idOrNone = (digits: string | null): bigint | undefined =>
  digits === null || digits === '0' ? undefined : BigInt(digits);

/** The driver cuts small values from a large buffer; what is kept must not hold on to it. */
export const bytesOf = (value: Buffer | null): Uint8Array | undefined =>
  value === null || value.length === 0 ? undefined : new Uint8Array(value);

/** What was set; else the end of the first renewal period; an entity of which neither is known doesn't expire. */
const expirySecondsOf = (row: LifetimeRow): bigint => {
  if (row.expiration_timestamp !== null) return BigInt(row.expiration_timestamp) / NANOS_PER_SECOND;
  if (row.created_timestamp === null || row.auto_renew_period === null) return MAX_NANOS / NANOS_PER_SECOND;
  return BigInt(row.created_timestamp) / NANOS_PER_SECOND + BigInt(row.auto_renew_period);
};

export const lifetimeOf = (row: LifetimeRow) => ({
  createdTimestamp: BigInt(row.created_timestamp ?? 0),
  expirySeconds: expirySecondsOf(row),
  autoRenewPeriodSeconds: row.auto_renew_period === null ? DEFAULT_AUTO_RENEW_SECONDS : BigInt(row.auto_renew_period),
  autoRenewAccountId: idOrNone(row.auto_renew_account_id),
});

const addressHex = (bytes: Buffer | null): string | undefined =>
  bytes?.length === ADDRESS_LENGTH ? toHex(bytes) : undefined;

/** A delegation is taken back by delegating to the zero address. */
const delegationOf = (address: Buffer | null): string | undefined =>
  address?.some((byte) => byte !== 0) === true ? addressHex(address) : undefined;

export const entityRecordOf = (row: EntityRow): EntityRecord => ({
  id: BigInt(row.id),
  type: row.type,
  evmAddress: addressHex(row.evm_address) ?? addressHex(row.alias),
  alias: bytesOf(row.alias),
  balance: BigInt(row.balance ?? 0),
  nonce: BigInt(row.ethereum_nonce ?? 0),
  key: bytesOf(row.key),
  memo: row.memo,
  ...lifetimeOf(row),
  receiverSigRequired: row.receiver_sig_required === true,
  maxAutomaticAssociations: row.max_automatic_token_associations ?? 0,
  usedAutomaticAssociations: 0,
  delegationAddress: delegationOf(row.delegation_address),
});
