import { sha384 } from '../../ledger/hash.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { TransactionReceipt } from '../../protobuf/generated/services/transaction_receipt.ts';
import { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import { publicKeyOf } from '../keys/account-key.ts';
import type { Signer } from '../keys/signer.ts';
import type { Account } from '../state/ledger-entities.ts';
import type { BlockItem, Draft, HbarChange, PreparedTransaction, ReceiptParts } from './draft.ts';
import { accountId, timestampOf } from './proto-ids.ts';
import type { TransferBook } from './transfer-book.ts';
import { WireWriter } from './wire-writer.ts';

/** A draft with what the transaction itself says. */
interface TransactionContext {
  readonly draft: Draft;
  readonly payer: Account;
  readonly validStart: bigint;
  readonly nonce: number;
  /** Account of the node that it is sent to. */
  readonly nodeNum: bigint | undefined;
  readonly sign: boolean;
}

/** A draft with everything that the builder decided. */
interface ItemContext extends TransactionContext {
  readonly at: bigint;
  readonly parentAt: bigint | undefined;
  readonly status: number;
  readonly transfers: TransferBook;
  readonly rewards: readonly HbarChange[];
  /** The transaction's bytes if they are known already. */
  readonly prepared?: PreparedTransaction;
}

const CHUNK_BYTES = 4 * 1024 * 1024;
/** Room that every item is granted; bodies with more than this must not exist (HAPI allows 6 KiB and few exceptions). */
const MAX_ITEM_BYTES = 256 * 1024;
const DEFAULT_MAX_FEE = 200_000_000n;
const VALID_DURATION = Uint8Array.of(0x22, 0x02, 0x08, 0x78);

const NO_BYTES = new Uint8Array();
const CONTRACT_RESULT_CASES: ReadonlySet<string | undefined> = new Set(['contractCallResult', 'contractCreateResult']);

/**
 * Writes transactions and records straight onto the wire. The frame that all items share (ids, fee, signatures, receipt,
 * hash, transfer list) is written by hand, which is most of the bytes of a plain transfer and what makes bulk ledgers
 * fast; the parts that differ come from the generated codecs.
 */
export class ItemEncoder {
  /** Type number of the item that was encoded last. */
  type = 0;
  readonly #signer: Signer;
  #writer = new WireWriter(CHUNK_BYTES);
  readonly #receipts = new Map<number, Uint8Array>();
  readonly #rates: ReceiptParts['exchangeRate'];

  constructor(signer: Signer, rates: ReceiptParts['exchangeRate']) {
    this.#signer = signer;
    this.#rates = rates;
  }

  encode(item: ItemContext): BlockItem {
    const writer = this.#roomyWriter();
    const { bytes: transaction, hash, type } = item.prepared ?? this.#writeTransaction(writer, item);
    this.type = type;
    const start = writer.position;
    this.#writeRecord(writer, item, hash);
    return { transaction, record: writer.bytes.subarray(start, writer.position) };
  }

  /** A transaction that others contain. */
  prepare(item: TransactionContext): PreparedTransaction {
    return this.#writeTransaction(this.#roomyWriter(), item);
  }

  #roomyWriter(): WireWriter {
    if (this.#writer.bytes.length - this.#writer.position < MAX_ITEM_BYTES) this.#writer = new WireWriter(CHUNK_BYTES);
    return this.#writer;
  }

  /** Transaction { 5: SignedTransaction { 1: body, 2: signatures } }. */
  #writeTransaction(writer: WireWriter, item: TransactionContext): PreparedTransaction {
    const start = writer.position;
    writer.byte(0x2a);
    const outer = writer.open(2);
    writer.byte(0x0a);
    const body = writer.open(2);
    const type = writeBody(writer, item);
    const bodyStart = writer.close(body, 2);
    if (item.sign) this.#writeSignatures(writer, item, writer.bytes.subarray(bodyStart, writer.position));
    const signed = writer.bytes.subarray(writer.close(outer, 2), writer.position);
    return { bytes: writer.bytes.subarray(start, writer.position), signed, hash: sha384(signed), type };
  }

  #writeSignatures(writer: WireWriter, item: TransactionContext, body: Uint8Array): void {
    writer.byte(0x12);
    const map = writer.open(1);
    const { key } = item.payer;
    if (key !== undefined) this.#writeSignature(writer, key, body);
    for (const signer of item.draft.signers ?? []) {
      if (signer !== undefined && signer !== key) this.#writeSignature(writer, signer, body);
    }
    writer.close(map, 1);
  }

  #writeSignature(writer: WireWriter, key: NonNullable<Account['key']>, body: Uint8Array): void {
    writer.byte(0x0a);
    const pair = writer.open(1);
    writer.field(0x0a, publicKeyOf(key));
    writer.field(key.kind === 'ed25519' ? 0x1a : 0x32, this.#signer.sign(key, body));
    writer.close(pair, 1);
  }

  #writeRecord(writer: WireWriter, item: ItemContext, transactionHash: Uint8Array): void {
    const { draft, transfers } = item;
    writer.field(0x0a, this.#receipt(item));
    writer.field(0x12, transactionHash);
    writer.byte(0x1a);
    writeTimestamp(writer, item.at);
    writer.byte(0x22);
    writeTransactionId(writer, item);
    if (draft.memo !== undefined) writer.field(0x2a, Buffer.from(draft.memo));
    const fee = draft.statedFee ?? draft.fee;
    if (fee > 0n) {
      writer.byte(0x30);
      writer.bigVarint(fee);
    }
    const parts = draft.record;
    const contractResult = CONTRACT_RESULT_CASES.has(parts?.body?.$case) ? parts?.body : undefined;
    if (contractResult !== undefined) {
      writer.raw(TransactionRecord.encode(TransactionRecord.fromPartial({ body: contractResult })).finish());
    }
    writer.byte(0x52);
    const list = writer.open(1);
    for (let i = 0; i < transfers.length; i++) {
      writeAccountAmount(writer, transfers.accountAt(i).num, transfers.amountAt(i), false);
    }
    writer.close(list, 1);
    writer.raw(extraRecordBytes(item));
  }

  #receipt(item: ItemContext): Uint8Array {
    const { draft, status } = item;
    const parts = status === ResponseCodeEnum.SUCCESS || draft.status !== undefined ? draft.receipt : undefined;
    if (parts !== undefined) return receiptBytes(status, parts, this.#rates);
    const known = this.#receipts.get(status);
    if (known !== undefined) return known;
    const bytes = receiptBytes(status, {}, this.#rates);
    this.#receipts.set(status, bytes);
    return bytes;
  }
}

/** Returns the type number. */
const writeBody = (writer: WireWriter, item: TransactionContext): number => {
  const { draft } = item;
  writer.byte(0x0a);
  writeTransactionId(writer, item);
  if (item.nodeNum !== undefined) writer.account(0x12, item.nodeNum);
  writer.byte(0x18);
  writer.bigVarint(draft.fee > DEFAULT_MAX_FEE ? draft.fee + draft.fee / 10n : DEFAULT_MAX_FEE);
  writer.raw(VALID_DURATION);
  if (draft.memo !== undefined) writer.field(0x32, Buffer.from(draft.memo));
  const dataStart = writer.position;
  if (typeof draft.data === 'function') draft.data(writer);
  else writer.raw(TransactionBody.encode(TransactionBody.fromPartial({ data: draft.data })).finish());
  if (draft.body !== undefined) writer.raw(TransactionBody.encode(TransactionBody.fromPartial(draft.body)).finish());
  return fieldNumberAt(writer.bytes, dataStart);
};

const receiptBytes = (status: number, parts: ReceiptParts, exchangeRate: ReceiptParts['exchangeRate']): Uint8Array =>
  TransactionReceipt.encode(
    TransactionReceipt.fromPartial({ ...parts, status: status as never, exchangeRate }),
  ).finish();

/** Everything of the record behind the transfer list. */
const extraRecordBytes = (item: ItemContext): Uint8Array => {
  const { draft, rewards, parentAt } = item;
  if (draft.record === undefined && rewards.length === 0 && parentAt === undefined) return NO_BYTES;
  const { body: _body, ...parts } = draft.record ?? {};
  return TransactionRecord.encode(
    TransactionRecord.fromPartial({
      ...parts,
      ...(parentAt === undefined ? {} : { parentConsensusTimestamp: timestampOf(parentAt) }),
      paidStakingRewards: rewards.map(({ account, amount }) => ({ accountID: accountId(account.num), amount })),
    }),
  ).finish();
};

const fieldNumberAt = (bytes: Uint8Array, offset: number): number => {
  const first = bytes[offset] as number;
  const tag = first < 0x80 ? first : (first & 0x7f) | ((bytes[offset + 1] as number) << 7);
  return tag >>> 3;
};

const writeTimestamp = (writer: WireWriter, nanos: bigint): void => {
  const start = writer.open(1);
  writer.byte(0x08);
  writer.bigVarint(nanos / NANOS_PER_SECOND);
  const fraction = Number(nanos % NANOS_PER_SECOND);
  if (fraction !== 0) {
    writer.byte(0x10);
    writer.varint(fraction);
  }
  writer.close(start, 1);
};

const writeTransactionId = (writer: WireWriter, item: TransactionContext): void => {
  const start = writer.open(1);
  writer.byte(0x0a);
  writeTimestamp(writer, item.validStart);
  writer.account(0x12, item.payer.num);
  if (item.draft.scheduledSince !== undefined) {
    writer.byte(0x18);
    writer.byte(1);
  }
  if (item.nonce !== 0) {
    writer.byte(0x20);
    writer.varint(item.nonce);
  }
  writer.close(start, 1);
};

/** An element of a transfer list: 1 { 1: account, 2: amount, 3: approval }. */
const writeAccountAmount = (writer: WireWriter, num: bigint, amount: bigint, isApproval: boolean): void => {
  writer.byte(0x0a);
  const start = writer.open(1);
  writer.account(0x0a, num);
  writer.byte(0x10);
  writer.zigzag(amount);
  if (isApproval) {
    writer.byte(0x18);
    writer.byte(1);
  }
  writer.close(start, 1);
};

/** The data field of a body that only moves hbar: 14 { 1 { transfer list } }. */
export const cryptoTransferData =
  (changes: readonly HbarChange[], approvedSender?: Account) =>
  (writer: WireWriter): void => {
    writer.byte(0x72);
    const data = writer.open(1);
    writer.byte(0x0a);
    const list = writer.open(1);
    for (const { account, amount } of changes) {
      writeAccountAmount(writer, account.num, amount, account === approvedSender && amount < 0n);
    }
    writer.close(list, 1);
    writer.close(data, 1);
  };

/** The data field of a body that submits a message: 27 { 1: topic, 2: message }. */
export const submitMessageData =
  (topicIdBytes: Uint8Array, message: Uint8Array) =>
  (writer: WireWriter): void => {
    writer.byte(0xda);
    writer.byte(0x01);
    const data = writer.open(1);
    writer.field(0x0a, topicIdBytes);
    writer.field(0x12, message);
    writer.close(data, 1);
  };
