/**
 * From the raw items of a record file to decoded transactions with their records. Owns the three generations of the
 * Transaction message and the relation between parents and children; knows nothing of rows.
 */
import { KagamiError } from '../errors/kagami-error.ts';
import { EMPTY_ENTITY_ID, type EntityId, encodeEntityId } from '../ledger/entity-id.ts';
import { isSuccessful } from '../ledger/response-code.ts';
import { MAX_NANOS, type Nanos } from '../ledger/timestamp.ts';
import { transactionTypeName } from '../ledger/transaction-type.ts';
import { SignatureMap, type SignaturePair } from '../protobuf/generated/services/basic_types.ts';
import { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { TransactionRecord } from '../protobuf/generated/services/transaction_record.ts';
import type { HapiVersion, RecordFile, RecordFileItem } from '../streams/record-file.ts';
import { timestampNanos, WireReader } from '../streams/wire.ts';
import type { RecordItem } from './record-item.ts';

export type RecordItemsFile = Pick<RecordFile, 'name' | 'hapiVersion' | 'items'>;

/** Told about odd data that does not stop the import. */
export type ProblemSink = (item: RecordItem, message: string) => void;

const NO_BYTES: Uint8Array = new Uint8Array(0);
const NO_HAPI_VERSION: HapiVersion = { major: 0, minor: 0, patch: 0 };

/**
 * All items of a record file, in order. What orders and relates them is read at once; bodies and records are decoded when
 * they are asked for, and `release` lets go of them: the decoded messages of a large block are far too many objects to
 * keep alive together.
 * @throws KagamiError RECORD_ITEM_UNDECODABLE naming file and index, here or when an item is used: a transaction has no
 * body, or its record or the common fields of its body cannot be decoded. A body of which only the type-specific part
 * cannot be decoded is given without it, and `onProblem` is told.
 */
export const decodeRecordItems = (file: RecordItemsFile, onProblem: ProblemSink): RecordItem[] => {
  const origin: Origin = { file: file.name, hapiVersion: file.hapiVersion ?? NO_HAPI_VERSION, onProblem };
  const items: RecordItem[] = new Array(file.items.length);
  const saturated: StreamRecordItem[] = [];
  let previous: StreamRecordItem | undefined;
  for (let index = 0; index < file.items.length; index++) {
    previous = new StreamRecordItem(file.items[index] as RecordFileItem, index, previous, origin);
    items[index] = previous;
    if (previous.consensusTimestamp === MAX_NANOS) saturated.push(previous);
  }
  spreadSaturated(saturated);
  return items;
};

/**
 * Times that no 64-bit integer of nanoseconds can hold (a node of 2019 wrote milliseconds for seconds) all become the
 * greatest one. Since the time identifies a transaction, those before the last step back one nanosecond each.
 */
const spreadSaturated = (items: readonly StreamRecordItem[]): void => {
  items.forEach((item, position) => {
    item.consensusTimestamp = MAX_NANOS - BigInt(items.length - 1 - position);
  });
};

/** What all items of a file share. */
interface Origin {
  readonly file: string;
  readonly hapiVersion: HapiVersion;
  readonly onProblem: ProblemSink;
}

/** Field numbers of Transaction and SignedTransaction. */
const TRANSACTION_BODY = 1;
const TRANSACTION_SIGNATURE_MAP = 3;
const TRANSACTION_BODY_BYTES = 4;
const TRANSACTION_SIGNED_BYTES = 5;
const SIGNED_BODY_BYTES = 1;
const SIGNED_SIGNATURE_MAP = 2;

/** The serialized body inside a Transaction message of any generation: signed bytes, body bytes, or embedded. */
const bodyOf = (transaction: Uint8Array, file: string): Uint8Array => {
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
const signatureMapOf = (transaction: Uint8Array, file: string): Uint8Array => {
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
interface BodyType {
  /**
   * Field number of the last part of a known type, as in every oneof; without one, the number of the only unknown field;
   * else 0.
   */
  readonly type: number;
  /** How many unknown fields there are. */
  readonly unknownFields: number;
}

const typeOfBody = (body: Uint8Array, file: string): BodyType => {
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
interface RawFields {
  memo: Uint8Array;
  batchKey: Uint8Array | undefined;
  maxCustomFees: readonly Uint8Array[];
}

const NO_FEES: readonly Uint8Array[] = [];

const rawFieldsOf = (body: Uint8Array, file: string): RawFields => {
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

/** The body without its type-specific part. */
const decodeCommonFields = (body: Uint8Array, file: string): TransactionBody => {
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

const outlineRecord = (record: Uint8Array, file: string): RecordOutline => {
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

/** Finds the item that a child belongs to: the one before, or that one's parent, or its parent's parent. */
const parentOf = (
  parentTimestamp: Nanos | undefined,
  previous: StreamRecordItem | undefined,
): StreamRecordItem | undefined => {
  if (parentTimestamp === undefined || previous === undefined) return undefined;
  if (previous.consensusTimestamp === parentTimestamp) return previous;
  const { parent } = previous;
  if (parent === undefined) return undefined;
  if (parent.consensusTimestamp === parentTimestamp) return parent;
  return parent.parentTimestamp === parentTimestamp ? parent.parent : undefined;
};

/** Names file and index of what cannot be decoded. */
const undecodable = (file: string, index: number, cause: unknown): KagamiError =>
  new KagamiError('RECORD_ITEM_UNDECODABLE', `Transaction ${index} of ${file} cannot be decoded: ${messageOf(cause)}`, {
    details: { file, index },
    cause,
  });

class StreamRecordItem implements RecordItem {
  consensusTimestamp: Nanos;
  readonly index: number;
  readonly type: number;
  readonly status: number;
  readonly successful: boolean;
  readonly transactionBytes: Uint8Array;
  readonly recordBytes: Uint8Array;
  readonly parent: StreamRecordItem | undefined;
  readonly parentTimestamp: Nanos | undefined;
  readonly previous: RecordItem | undefined;
  readonly #origin: Origin;
  #payer: EntityId | undefined;
  #bodyBytes: Uint8Array | undefined;
  #body: TransactionBody | undefined;
  #record: TransactionRecord | undefined;
  #rawFields: RawFields | undefined;
  #isChecked = false;

  constructor(raw: RecordFileItem, index: number, previous: StreamRecordItem | undefined, origin: Origin) {
    this.index = index;
    this.transactionBytes = raw.transaction;
    this.recordBytes = raw.record;
    this.previous = previous;
    this.#origin = origin;
    try {
      const record = outlineRecord(raw.record, origin.file);
      this.consensusTimestamp = record.consensusTimestamp;
      this.parentTimestamp = record.parentTimestamp;
      this.status = record.status;
      this.type = typeOfBody(bodyOf(raw.transaction, origin.file), origin.file).type;
    } catch (cause) {
      throw undecodable(origin.file, index, cause);
    }
    this.parent = parentOf(this.parentTimestamp, previous);
    this.successful = isSuccessful(this.status) && (this.parent === undefined || this.parent.successful);
  }

  get hapiVersion(): HapiVersion {
    return this.#origin.hapiVersion;
  }

  get body(): TransactionBody {
    this.#body ??= this.#decodeBody();
    return this.#body;
  }

  get record(): TransactionRecord {
    this.#record ??= this.#decodeRecord();
    return this.#record;
  }

  get payer(): EntityId {
    this.#payer ??= this.#readPayer();
    return this.#payer;
  }

  get memo(): Uint8Array {
    return this.#raw.memo;
  }

  get batchKey(): Uint8Array | undefined {
    return this.#raw.batchKey;
  }

  get maxCustomFees(): readonly Uint8Array[] {
    return this.#raw.maxCustomFees;
  }

  get signatures(): readonly SignaturePair[] {
    const signatureMap = signatureMapOf(this.transactionBytes, this.#origin.file);
    return signatureMap.length === 0 ? [] : SignatureMap.decode(signatureMap).sigPair;
  }

  release(): void {
    this.#bodyBytes = undefined;
    this.#body = undefined;
    this.#record = undefined;
    this.#rawFields = undefined;
  }

  get #serializedBody(): Uint8Array {
    this.#bodyBytes ??= bodyOf(this.transactionBytes, this.#origin.file);
    return this.#bodyBytes;
  }

  get #raw(): RawFields {
    this.#rawFields ??= rawFieldsOf(this.#serializedBody, this.#origin.file);
    return this.#rawFields;
  }

  #decodeRecord(): TransactionRecord {
    try {
      return TransactionRecord.decode(this.recordBytes);
    } catch (cause) {
      throw undecodable(this.#origin.file, this.index, cause);
    }
  }

  #decodeBody(): TransactionBody {
    const { file } = this.#origin;
    const bytes = this.#serializedBody;
    let body: TransactionBody;
    let fault: unknown;
    try {
      body = TransactionBody.decode(bytes);
    } catch (cause) {
      fault = cause;
      try {
        body = decodeCommonFields(bytes, file);
      } catch {
        throw undecodable(file, this.index, cause);
      }
    }
    if (!this.#isChecked) this.#check(typeOfBody(bytes, file), fault);
    return body;
  }

  /** Tells once what is odd about the body. */
  #check({ type, unknownFields }: BodyType, fault: unknown): void {
    this.#isChecked = true;
    const { onProblem } = this.#origin;
    if (fault !== undefined)
      onProblem(this, `the part of the body for type ${type} cannot be decoded: ${messageOf(fault)}`);
    if (type === 0) {
      onProblem(
        this,
        unknownFields === 0 ? 'the body has no type' : `the body has ${unknownFields} unknown fields and no type`,
      );
    }
  }

  /** Empty when the transaction names an alias or an impossible number. */
  #readPayer(): EntityId {
    const id = this.body.transactionID?.accountID;
    if (id?.account?.$case !== 'accountNum') return EMPTY_ENTITY_ID;
    try {
      return encodeEntityId(id.shardNum, id.realmNum, id.account.accountNum);
    } catch (fault) {
      this.#origin.onProblem(this, `payer: ${messageOf(fault)}`);
      return EMPTY_ENTITY_ID;
    }
  }
}

const messageOf = (fault: unknown): string => (fault instanceof Error ? fault.message : String(fault));
