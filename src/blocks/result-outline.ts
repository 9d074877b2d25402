/** The TransactionResult message taken apart; what goes into a record unchanged is kept as raw slices. */
import { nanosOf } from '../ledger/timestamp.ts';
import { timestampNanos, WireReader } from '../streams/wire.ts';

export interface ResultOutline {
  readonly status: number;
  /** Nanoseconds. */
  readonly consensusTimestamp: bigint;
  /** The Timestamp message. */
  readonly consensusTimestampBytes: Uint8Array;
  readonly parentTimestamp: bigint | undefined;
  readonly parentTimestampBytes: Uint8Array | undefined;
  readonly scheduleRef: Uint8Array | undefined;
  /** Tinybars. */
  readonly fee: bigint;
  readonly transferList: Uint8Array | undefined;
  readonly tokenTransferLists: readonly Uint8Array[];
  readonly automaticAssociations: readonly Uint8Array[];
  readonly stakingRewards: readonly Uint8Array[];
  readonly assessedFees: readonly Uint8Array[];
  /** Unsigned 64-bit. */
  readonly congestionPricingMultiplier: bigint;
  readonly highVolumePricingMultiplier: bigint;
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

const NONE: readonly Uint8Array[] = [];
const NO_BYTES: Uint8Array = new Uint8Array(0);
const NO_TIME = nanosOf({ seconds: 0n, nanos: 0 });

/** @throws KagamiError STREAM_TRUNCATED, STREAM_MALFORMED naming `place` */
export const outlineResult = (result: Uint8Array, place: string): ResultOutline => {
  const outline: Mutable<ResultOutline> = {
    status: 0,
    consensusTimestamp: NO_TIME,
    consensusTimestampBytes: NO_BYTES,
    parentTimestamp: undefined,
    parentTimestampBytes: undefined,
    scheduleRef: undefined,
    fee: 0n,
    transferList: undefined,
    tokenTransferLists: NONE,
    automaticAssociations: NONE,
    stakingRewards: NONE,
    assessedFees: NONE,
    congestionPricingMultiplier: 0n,
    highVolumePricingMultiplier: 0n,
  };
  const fields = new WireReader(result, place);
  while (fields.next()) readField(fields, outline);
  if (outline.consensusTimestampBytes === NO_BYTES) fields.refuse('a transaction result has no consensus timestamp');
  return outline;
};

const readField = (fields: WireReader, outline: Mutable<ResultOutline>): void => {
  switch (fields.field) {
    case 1:
      outline.status = fields.int32();
      break;
    case 2:
      outline.consensusTimestamp = timestampNanos(fields);
      outline.consensusTimestampBytes = fields.slice();
      break;
    case 3:
      outline.parentTimestamp = timestampNanos(fields);
      outline.parentTimestampBytes = fields.slice();
      break;
    case 5:
      outline.scheduleRef = fields.slice();
      break;
    case 6:
      outline.fee = unsigned(fields);
      break;
    case 7:
      outline.transferList = fields.slice();
      break;
    case 8:
      outline.tokenTransferLists = [...outline.tokenTransferLists, fields.slice()];
      break;
    case 9:
      outline.automaticAssociations = [...outline.automaticAssociations, fields.slice()];
      break;
    case 10:
      outline.stakingRewards = [...outline.stakingRewards, fields.slice()];
      break;
    case 11:
      outline.congestionPricingMultiplier = unsigned(fields);
      break;
    case 12:
      outline.assessedFees = [...outline.assessedFees, fields.slice()];
      break;
    case 13:
      outline.highVolumePricingMultiplier = unsigned(fields);
  }
};

const unsigned = (fields: WireReader): bigint => {
  const small = fields.smallVarint();
  return small === undefined ? BigInt.asUintN(64, fields.int64()) : BigInt(small);
};
