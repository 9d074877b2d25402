/**
 * From the raw items of a record file to decoded transactions with their records. Owns the relation between parents and
 * children; knows nothing of rows.
 */
import { KagamiError } from '../errors/kagami-error.ts';
import { EMPTY_ENTITY_ID, type EntityId, encodeEntityId } from '../ledger/entity-id.ts';
import { isSuccessful } from '../ledger/response-code.ts';
import { MAX_NANOS, type Nanos } from '../ledger/timestamp.ts';
import { TransactionType } from '../ledger/transaction-type.ts';
import { SignatureMap, type SignaturePair } from '../protobuf/generated/services/basic_types.ts';
import { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { TransactionRecord } from '../protobuf/generated/services/transaction_record.ts';
import type { TransactionSidecarRecord } from '../protobuf/generated/streams/sidecar_file.ts';
import type { BlockFacts, HapiVersion, RecordFile, RecordFileItem } from '../streams/record-file-content.ts';
import { type EthereumContent, ethereumContentOf } from './contracts/ethereum-content.ts';
import { NO_SIDECARS, type SidecarRecords } from './contracts/sidecar-records.ts';
import { PlainTransferReader } from './plain-transfer.ts';
import { type RecordItem, resultContractNum } from './record-item.ts';
import {
  type BodyType,
  bodyOf,
  decodeCommonFields,
  outlineRecord,
  type RawFields,
  rawFieldsOf,
  scheduledBodyOf,
  signatureMapOf,
  typeOfBody,
} from './serialized-items.ts';

export type RecordItemsFile = Pick<RecordFile, 'name' | 'hapiVersion' | 'items'>;

/** Told about odd data that does not stop the import. */
export type ProblemSink = (item: RecordItem, message: string) => void;

const NO_HAPI_VERSION: HapiVersion = { major: 0, minor: 0, patch: 0 };

/**
 * All items of a record file, in order. What orders and relates them is read at once; bodies and records are decoded when
 * they are asked for, and `release` lets go of them: the decoded messages of a large block are far too many objects to
 * keep alive together.
 * @throws KagamiError RECORD_ITEM_UNDECODABLE naming file and index, here or when an item is used: a transaction has no
 * body, or its record, a sidecar record or the common fields of its body cannot be decoded. A body of which only the type-specific part
 * cannot be decoded is given without it, and `onProblem` is told.
 */
export const decodeRecordItems = (
  file: RecordItemsFile,
  onProblem: ProblemSink,
  sidecars: SidecarRecords = NO_SIDECARS,
): RecordItem[] => {
  const origin: Origin = {
    file: file.name,
    hapiVersion: file.hapiVersion ?? NO_HAPI_VERSION,
    sidecars,
    onProblem,
    plainTransfers: new PlainTransferReader(),
  };
  const items: RecordItem[] = new Array(file.items.length);
  const saturated: StreamRecordItem[] = [];
  let previous: StreamRecordItem | undefined;
  for (let index = 0; index < file.items.length; index++) {
    previous = new StreamRecordItem(file.items[index] as RecordFileItem, index, previous, origin);
    items[index] = previous;
    for (const { message } of previous.ofBlock?.unknown ?? []) onProblem(previous, message);
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
  readonly sidecars: SidecarRecords;
  readonly onProblem: ProblemSink;
  readonly plainTransfers: PlainTransferReader;
}

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
  readonly parent: StreamRecordItem | undefined = undefined;
  readonly parentTimestamp: Nanos | undefined = undefined;
  readonly previous: RecordItem | undefined;
  readonly isPlainTransfer: boolean;
  readonly #origin: Origin;
  readonly #rawItem: RecordFileItem;
  #payer: EntityId | undefined;
  #bodyBytes: Uint8Array | undefined;
  #body: TransactionBody | undefined;
  #record: TransactionRecord | undefined;
  /** null before it is read. */
  #resultContract: bigint | undefined | null = null;
  #sidecarRecords: readonly TransactionSidecarRecord[] | undefined;
  #ethereum: EthereumContent | undefined;
  #rawFields: RawFields | undefined;
  #isChecked = false;

  constructor(raw: RecordFileItem, index: number, previous: StreamRecordItem | undefined, origin: Origin) {
    this.index = index;
    this.#rawItem = raw;
    this.previous = previous;
    this.#origin = origin;
    const { plainTransfers } = origin;
    const isPlain = plainTransfers.read(raw.transaction, raw.record);
    if (isPlain) {
      this.consensusTimestamp = plainTransfers.consensusTimestamp;
      this.status = plainTransfers.status;
      this.type = TransactionType.CRYPTOTRANSFER;
    } else {
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
    }
    this.successful = isSuccessful(this.status) && (this.parent === undefined || this.parent.successful);
    this.isPlainTransfer = isPlain && this.successful && this.#decodeSidecars().length === 0;
  }

  get transactionBytes(): Uint8Array {
    return this.#rawItem.transaction;
  }

  get ofBlock(): BlockFacts | undefined {
    return this.#rawItem.ofBlock;
  }

  get recordBytes(): Uint8Array {
    return this.#rawItem.record;
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

  get resultContract(): bigint | undefined {
    if (this.#resultContract !== null) return this.#resultContract;
    const isReleased = this.#record === undefined;
    this.#resultContract = resultContractNum(this);
    if (isReleased) this.#record = undefined;
    return this.#resultContract;
  }

  get sidecarRecords(): readonly TransactionSidecarRecord[] {
    this.#sidecarRecords ??= this.#decodeSidecars();
    return this.#sidecarRecords;
  }

  get ethereum(): EthereumContent | undefined {
    if (this.type !== TransactionType.ETHEREUMTRANSACTION) return undefined;
    this.#ethereum ??= ethereumContentOf(this.body);
    return this.#ethereum;
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

  get scheduledBody(): Uint8Array {
    return scheduledBodyOf(this.#serializedBody, this.#origin.file);
  }

  get signatures(): readonly SignaturePair[] {
    const signatureMap = signatureMapOf(this.transactionBytes, this.#origin.file);
    return signatureMap.length === 0 ? [] : SignatureMap.decode(signatureMap).sigPair;
  }

  plainTransfer(): PlainTransferReader | undefined {
    if (!this.isPlainTransfer) return undefined;
    const { plainTransfers } = this.#origin;
    return plainTransfers.read(this.transactionBytes, this.recordBytes) ? plainTransfers : undefined;
  }

  release(): void {
    this.#bodyBytes = undefined;
    this.#body = undefined;
    this.#record = undefined;
    this.#sidecarRecords = undefined;
    this.#ethereum = undefined;
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

  #decodeSidecars(): readonly TransactionSidecarRecord[] {
    try {
      return this.#origin.sidecars.of(this.consensusTimestamp);
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
