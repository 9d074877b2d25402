/**
 * What can be read of serialized transactions and records without decoding them: which kind of body a transaction of any
 * generation has, the fields whose exact bytes matter, and what orders and relates records.
 */
import type { Nanos } from '../ledger/timestamp.ts';
import { transactionTypeName } from '../ledger/transaction-type.ts';
import { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { timestampNanos, WireReader } from '../streams/wire.ts';

const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Field numbers of Transaction and SignedTransaction. */
const TRANSACTION_BODY = 1;
const TRANSACTION_SIGNATURE_MAP = 3;
const TRANSACTION_BODY_BYTES = 4;
const TRANSACTION_SIGNED_BYTES = 5;
const SIGNED_BODY_BYTES = 1;
const SIGNED_SIGNATURE_MAP = 2;

/** The serialized body inside a Transaction message of any generation: signed bytes, body bytes, or embedded. */
export const bodyOf = (transaction: Uint8Array, file: string): Uint8Array => {
  let embedded: Uint8Array | undefined;
  let bodyBytes: Uint8Array | undefined;
  const fields = new WireReader(transaction, file);
  while (fields.next()) {
    if (fields.wireType !== 2 || fields.start === fields.end) continue;
    if (fields.field === TRANSACTION_SIGNED_BYTES) return lastField(fields.message(), SIGNED_BODY_BYTES);
    if (fields.field === TRANSACTION_BODY_BYTES) bodyBytes = fields.slice();
    else if (fields.field === TRANSACTION_BODY) embedded = fields.slice();
  }
  const body = bodyBytes ?? embedded;
  if (body === undefined) throw new TypeError('the transaction has no body');
  return body;
};

/** The serialized SignatureMap of a Transaction message; no bytes when it has none. */
export const signatureMapOf = (transaction: Uint8Array, file: string): Uint8Array => {
  let signatureMap = NO_BYTES;
  const fields = new WireReader(transaction, file);
  while (fields.next()) {
    if (fields.wireType !== 2 || fields.start === fields.end) continue;
    if (fields.field === TRANSACTION_SIGNED_BYTES) return lastField(fields.message(), SIGNED_SIGNATURE_MAP);
    if (fields.field === TRANSACTION_SIGNATURE_MAP) signatureMap = fields.slice();
  }
  return signatureMap;
};

const lastField = (fields: WireReader, field: number): Uint8Array => {
  let value = NO_BYTES;
  while (fields.next()) if (fields.field === field && fields.wireType === 2) value = fields.slice();
  return value;
};

/** Field numbers of TransactionBody that are not its type-specific part. */
const MEMO = 6;
const BATCH_KEY = 73;
const MAX_CUSTOM_FEES = 1001;
const HIGH_VOLUME = 1002;
const isCommonField = (field: number): boolean =>
  field <= MEMO || field === BATCH_KEY || field === MAX_CUSTOM_FEES || field === HIGH_VOLUME;

/** HookDispatch, which consensus nodes use among themselves, is a part of the body, but has no type name. */
const HOOK_DISPATCH = 76;

const isTypeField = (field: number): boolean => field === HOOK_DISPATCH || transactionTypeName(field) !== 'UNKNOWN';

/** Which type-specific part a body has. */
export interface BodyType {
  /**
   * Field number of the last part of a known type, as in every oneof; without one, the number of the only unknown field;
   * else 0.
   */
  readonly type: number;
  /** How many unknown fields there are. */
  readonly unknownFields: number;
}

export const typeOfBody = (body: Uint8Array, file: string): BodyType => {
  let known = 0;
  let unknown = 0;
  let unknownFields = 0;
  const fields = new WireReader(body, file);
  while (fields.next()) {
    const { field } = fields;
    if (isCommonField(field)) continue;
    if (isTypeField(field)) known = field;
    else if (field !== unknown) {
      unknown = field;
      unknownFields++;
    }
  }
  return { type: known === 0 && unknownFields === 1 ? unknown : known, unknownFields };
};

/** Fields of a body whose exact bytes matter. */
export interface RawFields {
  memo: Uint8Array;
  batchKey: Uint8Array | undefined;
  maxCustomFees: readonly Uint8Array[];
}

const NO_FEES: readonly Uint8Array[] = [];

export const rawFieldsOf = (body: Uint8Array, file: string): RawFields => {
  const raw: RawFields = { memo: NO_BYTES, batchKey: undefined, maxCustomFees: NO_FEES };
  const fields = new WireReader(body, file);
  while (fields.next()) {
    if (fields.wireType !== 2) continue;
    if (fields.field === MEMO) raw.memo = fields.slice();
    else if (fields.field === BATCH_KEY) raw.batchKey = fields.slice();
    else if (fields.field === MAX_CUSTOM_FEES) raw.maxCustomFees = [...raw.maxCustomFees, fields.slice()];
  }
  return raw;
};

/** Of TransactionBody the creation of a schedule, and of that the transaction to be scheduled. */
const SCHEDULE_CREATE = 42;
const SCHEDULED_BODY = 1;

/** The serialized SchedulableTransactionBody that a body asks to schedule; no bytes when it has none. */
export const scheduledBodyOf = (body: Uint8Array, file: string): Uint8Array => {
  const creation = lastField(new WireReader(body, file), SCHEDULE_CREATE);
  return lastField(new WireReader(creation, file), SCHEDULED_BODY);
};

/** The body without its type-specific part. */
export const decodeCommonFields = (body: Uint8Array, file: string): TransactionBody => {
  const kept: Uint8Array[] = [];
  const fields = new WireReader(body, file);
  while (fields.next()) if (isCommonField(fields.field)) kept.push(body.subarray(fields.tagStart, fields.end));
  return TransactionBody.decode(new Uint8Array(Buffer.concat(kept)));
};

/** Field numbers of TransactionRecord and TransactionReceipt. */
const RECORD_RECEIPT = 1;
const RECORD_CONSENSUS_TIMESTAMP = 3;
const RECORD_PARENT_TIMESTAMP = 15;
const RECEIPT_STATUS = 1;

/** What orders and relates records. */
interface RecordOutline {
  consensusTimestamp: Nanos;
  parentTimestamp: Nanos | undefined;
  status: number;
}

export const outlineRecord = (record: Uint8Array, file: string): RecordOutline => {
  const outline: RecordOutline = { consensusTimestamp: 0n, parentTimestamp: undefined, status: 0 };
  const fields = new WireReader(record, file);
  while (fields.next()) {
    if (fields.wireType !== 2) continue;
    if (fields.field === RECORD_RECEIPT) {
      const receipt = fields.message();
      while (receipt.next()) {
        if (receipt.field === RECEIPT_STATUS && receipt.wireType === 0) outline.status = receipt.int32();
      }
    } else if (fields.field === RECORD_CONSENSUS_TIMESTAMP) outline.consensusTimestamp = timestampNanos(fields);
    else if (fields.field === RECORD_PARENT_TIMESTAMP) outline.parentTimestamp = timestampNanos(fields);
  }
  return outline;
};
