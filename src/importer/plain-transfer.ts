/**
 * The shortest way from bytes to what the rows need, for what ledgers hold most of: a CryptoTransfer that only moves
 * tinybars between numbered accounts, and belongs to no contract, schedule or batch. It leaves the rows that every
 * transaction leaves and no others, so that its messages need not be decoded. Whatever is in any way more than that is
 * left to the ordinary way, which gives the same rows for these, only slower (plain-transfer.test.ts).
 */
import { NANOS_PER_SECOND, type Nanos } from '../ledger/timestamp.ts';

const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Tags of the fields that may occur: field number * 8 + wire type. */
const VARINT = 0;
const BYTES = 2;
const tag = (field: number, wireType: number): number => field * 8 + wireType;

const TRANSACTION_BODY_BYTES = tag(4, BYTES);
const TRANSACTION_SIGNATURES = tag(3, BYTES);
const TRANSACTION_SIGNED_BYTES = tag(5, BYTES);
const SIGNED_BODY_BYTES = tag(1, BYTES);
const SIGNED_SIGNATURES = tag(2, BYTES);

const BODY_ID = tag(1, BYTES);
const BODY_NODE = tag(2, BYTES);
const BODY_FEE = tag(3, VARINT);
const BODY_DURATION = tag(4, BYTES);
const BODY_GENERATE_RECORD = tag(5, VARINT);
const BODY_MEMO = tag(6, BYTES);
const BODY_CRYPTO_TRANSFER = tag(14, BYTES);

const ID_VALID_START = tag(1, BYTES);
const ID_ACCOUNT = tag(2, BYTES);

const RECORD_RECEIPT = tag(1, BYTES);
const RECORD_HASH = tag(2, BYTES);
const RECORD_TIMESTAMP = tag(3, BYTES);
const RECORD_ID = tag(4, BYTES);
const RECORD_MEMO = tag(5, BYTES);
const RECORD_FEE = tag(6, VARINT);
const RECORD_TRANSFERS = tag(10, BYTES);

const RECEIPT_STATUS = tag(1, VARINT);
const RECEIPT_EXCHANGE_RATE = tag(5, BYTES);

const TRANSFER_ENTRY = tag(1, BYTES);
const ENTRY_ACCOUNT = tag(1, BYTES);
const ENTRY_AMOUNT = tag(2, VARINT);
const ACCOUNT_NUM = tag(3, VARINT);
const FIRST_VARINT = tag(1, VARINT);
const SECOND_VARINT = tag(2, VARINT);

const bitOf = (fieldTag: number): number => 1 << (fieldTag >>> 3);
const PLAIN_BODY = bitOf(BODY_ID) | bitOf(BODY_CRYPTO_TRANSFER);
const PLAIN_RECORD = bitOf(RECORD_RECEIPT) | bitOf(RECORD_HASH) | bitOf(RECORD_TIMESTAMP);
/** Tags of fields from 16 on take two bytes: none of theirs is plain. */
const MAX_TAG = 127;

/** Entity numbers have 38 bits. */
const MAX_NUM = 2 ** 38 - 1;
/** Seconds of a timestamp whose nanoseconds fit 64 bits whatever they are. */
const MAX_SECONDS = 9_223_372_035;

/** Receipt statuses are 32-bit integers. */
const MAX_STATUS = 2 ** 31 - 1;

/**
 * Reads plain transfers, one after the other: after `read` said true, the fields hold what it found until the next call.
 * Amounts are tinybars. All values are numbers, which hold them exactly and cost no memory of their own; ids are of
 * shard 0 and realm 0, so that they are the entity's number.
 */
export class PlainTransferReader {
  payer = 0;
  /** 0 when not given. */
  node = 0;
  /** Seconds; undefined when not given. */
  validDuration: number | undefined;
  maxFee = 0;
  chargedFee = 0;
  status = 0;
  memo: Uint8Array = NO_BYTES;
  transactionHash: Uint8Array = NO_BYTES;
  /** The entries of the record's transfer list; the first `entries` of both arrays count. */
  readonly accounts: number[] = [];
  readonly amounts: number[] = [];
  entries = 0;

  #validSeconds = 0;
  #validNanos = 0;
  #consensusSeconds = 0;
  #consensusNanos = 0;
  #bytes: Uint8Array = NO_BYTES;
  #at = 0;
  /** The varint read last. */
  #value = 0;
  /** The timestamp read last. */
  #seconds = 0;
  #nanos = 0;

  get validStart(): Nanos {
    return BigInt(this.#validSeconds) * NANOS_PER_SECOND + BigInt(this.#validNanos);
  }

  get consensusTimestamp(): Nanos {
    return BigInt(this.#consensusSeconds) * NANOS_PER_SECOND + BigInt(this.#consensusNanos);
  }

  /** Whether the serialized Transaction and TransactionRecord are a plain transfer. */
  read(transaction: Uint8Array, record: Uint8Array): boolean {
    return this.#readTransaction(transaction) && this.#readRecord(record);
  }

  #readTransaction(bytes: Uint8Array): boolean {
    this.#bytes = bytes;
    this.#at = 0;
    const end = bytes.length;
    let bodyAt = -1;
    let bodyEnd = -1;
    while (this.#at < end) {
      if (!this.#varint(end)) return false;
      const field = this.#value;
      const valueEnd = this.#open(end);
      if (valueEnd < 0) return false;
      if (field === TRANSACTION_SIGNED_BYTES) return this.#readSigned(valueEnd) && this.#at === end;
      if (field === TRANSACTION_BODY_BYTES && bodyAt < 0) {
        bodyAt = this.#at;
        bodyEnd = valueEnd;
      } else if (field !== TRANSACTION_SIGNATURES) return false;
      this.#at = valueEnd;
    }
    if (bodyAt < 0) return false;
    this.#at = bodyAt;
    return this.#readBody(bodyEnd);
  }

  #readSigned(end: number): boolean {
    let bodyAt = -1;
    let bodyEnd = -1;
    while (this.#at < end) {
      if (!this.#varint(end)) return false;
      const field = this.#value;
      const valueEnd = this.#open(end);
      if (valueEnd < 0) return false;
      if (field === SIGNED_BODY_BYTES && bodyAt < 0) {
        bodyAt = this.#at;
        bodyEnd = valueEnd;
      } else if (field !== SIGNED_SIGNATURES) return false;
      this.#at = valueEnd;
    }
    if (bodyAt < 0) return false;
    this.#at = bodyAt;
    if (!this.#readBody(bodyEnd)) return false;
    this.#at = end;
    return true;
  }

  #readBody(end: number): boolean {
    this.node = 0;
    this.validDuration = undefined;
    this.maxFee = 0;
    this.memo = NO_BYTES;
    let seen = 0;
    while (this.#at < end) {
      if (!this.#varint(end)) return false;
      const field = this.#value;
      if (field > MAX_TAG || (seen & bitOf(field)) !== 0) return false;
      seen |= bitOf(field);
      if (field === BODY_FEE || field === BODY_GENERATE_RECORD) {
        if (!this.#varint(end)) return false;
        if (field === BODY_FEE) this.maxFee = this.#value;
        continue;
      }
      const valueEnd = this.#open(end);
      if (valueEnd < 0 || !this.#readBodyField(field, valueEnd)) return false;
      this.#at = valueEnd;
    }
    return (seen & PLAIN_BODY) === PLAIN_BODY;
  }

  #readBodyField(field: number, end: number): boolean {
    switch (field) {
      case BODY_ID:
        return this.#readId(end);
      case BODY_NODE:
        if (!this.#readAccount(end)) return false;
        this.node = this.#value;
        return true;
      case BODY_DURATION:
        if (!this.#readOnly(FIRST_VARINT, end)) return false;
        this.validDuration = this.#value;
        return true;
      case BODY_MEMO:
        this.memo = this.#slice(end);
        return true;
      case BODY_CRYPTO_TRANSFER:
        return this.#isPlainTransferBody(end);
      default:
        return false;
    }
  }

  #readId(end: number): boolean {
    let seen = 0;
    while (this.#at < end) {
      if (!this.#varint(end)) return false;
      const field = this.#value;
      const valueEnd = this.#open(end);
      if (valueEnd < 0) return false;
      if (field === ID_VALID_START && (seen & 1) === 0) {
        seen |= 1;
        if (!this.#readTimestamp(valueEnd)) return false;
        this.#validSeconds = this.#seconds;
        this.#validNanos = this.#nanos;
      } else if (field === ID_ACCOUNT && (seen & 2) === 0) {
        seen |= 2;
        if (!this.#readAccount(valueEnd)) return false;
        this.payer = this.#value;
      } else return false;
      this.#at = valueEnd;
    }
    return seen === 3;
  }

  #readTimestamp(end: number): boolean {
    let seconds = 0;
    let nanos = 0;
    let last = 0;
    while (this.#at < end) {
      if (!this.#varint(end)) return false;
      const field = this.#value;
      if (field <= last || !this.#varint(end)) return false;
      last = field;
      if (field === FIRST_VARINT) seconds = this.#value;
      else if (field === SECOND_VARINT) nanos = this.#value;
      else return false;
    }
    if (seconds > MAX_SECONDS || nanos >= 1_000_000_000) return false;
    this.#seconds = seconds;
    this.#nanos = nanos;
    return true;
  }

  /** Transfers without approvals and hooks: what the payer asked for then shows in no row. */
  #isPlainTransferBody(end: number): boolean {
    if (this.#at === end) return true;
    if (!this.#varint(end) || this.#value !== TRANSFER_ENTRY) return false;
    if (this.#open(end) !== end) return false;
    while (this.#at < end) {
      if (!this.#varint(end) || this.#value !== TRANSFER_ENTRY) return false;
      const entryEnd = this.#open(end);
      if (entryEnd < 0) return false;
      while (this.#at < entryEnd) {
        if (!this.#varint(entryEnd)) return false;
        if (this.#value === ENTRY_ACCOUNT) {
          const accountEnd = this.#open(entryEnd);
          if (accountEnd < 0) return false;
          this.#at = accountEnd;
        } else if (this.#value !== ENTRY_AMOUNT || !this.#skipVarint(entryEnd)) return false;
      }
    }
    return true;
  }

  #readRecord(bytes: Uint8Array): boolean {
    this.#bytes = bytes;
    this.#at = 0;
    this.chargedFee = 0;
    this.status = 0;
    this.transactionHash = NO_BYTES;
    this.entries = 0;
    const end = bytes.length;
    let seen = 0;
    while (this.#at < end) {
      if (!this.#varint(end)) return false;
      const field = this.#value;
      if (field > MAX_TAG || (seen & bitOf(field)) !== 0) return false;
      seen |= bitOf(field);
      if (field === RECORD_FEE) {
        if (!this.#varint(end)) return false;
        this.chargedFee = this.#value;
        continue;
      }
      const valueEnd = this.#open(end);
      if (valueEnd < 0 || !this.#readRecordField(field, valueEnd)) return false;
      this.#at = valueEnd;
    }
    return (seen & PLAIN_RECORD) === PLAIN_RECORD;
  }

  #readRecordField(field: number, end: number): boolean {
    switch (field) {
      case RECORD_RECEIPT:
        return this.#readReceipt(end);
      case RECORD_HASH:
        this.transactionHash = this.#slice(end);
        return true;
      case RECORD_TRANSFERS:
        return this.#readTransfers(end);
      case RECORD_TIMESTAMP:
        if (!this.#readTimestamp(end)) return false;
        this.#consensusSeconds = this.#seconds;
        this.#consensusNanos = this.#nanos;
        return true;
      case RECORD_ID:
      case RECORD_MEMO:
        return true;
      default:
        return false;
    }
  }

  #readReceipt(end: number): boolean {
    while (this.#at < end) {
      if (!this.#varint(end)) return false;
      if (this.#value === RECEIPT_STATUS) {
        if (!this.#varint(end) || this.#value > MAX_STATUS) return false;
        this.status = this.#value;
      } else if (this.#value === RECEIPT_EXCHANGE_RATE) {
        const rateEnd = this.#open(end);
        if (rateEnd < 0) return false;
        this.#at = rateEnd;
      } else return false;
    }
    return true;
  }

  #readTransfers(end: number): boolean {
    while (this.#at < end) {
      if (!this.#varint(end) || this.#value !== TRANSFER_ENTRY) return false;
      const entryEnd = this.#open(end);
      if (entryEnd < 0 || !this.#varint(entryEnd) || this.#value !== ENTRY_ACCOUNT) return false;
      const accountEnd = this.#open(entryEnd);
      if (accountEnd < 0 || !this.#readAccount(accountEnd)) return false;
      const account = this.#value;
      let amount = 0;
      if (this.#at < entryEnd) {
        if (!this.#readOnly(ENTRY_AMOUNT, entryEnd)) return false;
        // sint64: the lowest bit is the sign.
        amount = this.#value % 2 === 0 ? this.#value / 2 : -1 - (this.#value - 1) / 2;
      }
      this.accounts[this.entries] = account;
      this.amounts[this.entries++] = amount;
    }
    return true;
  }

  /** An AccountID that is nothing but a number other than 0. */
  #readAccount(end: number): boolean {
    return this.#readOnly(ACCOUNT_NUM, end) && this.#value > 0 && this.#value <= MAX_NUM;
  }

  /** One varint field that ends its message. */
  #readOnly(field: number, end: number): boolean {
    return this.#varint(end) && this.#value === field && this.#varint(end) && this.#at === end;
  }

  /** Reads a length; gives where the value that begins now ends, or -1 when that is beyond `limit`. */
  #open(limit: number): number {
    if (!this.#varint(limit)) return -1;
    const end = this.#at + this.#value;
    return end > limit ? -1 : end;
  }

  #slice(end: number): Uint8Array {
    const { buffer, byteOffset } = this.#bytes;
    return this.#at === end ? NO_BYTES : new Uint8Array(buffer, byteOffset + this.#at, end - this.#at);
  }

  /** Reads a varint that a number holds exactly. */
  #varint(limit: number): boolean {
    const bytes = this.#bytes;
    let at = this.#at;
    if (at >= limit) return false;
    let byte = bytes[at++] as number;
    let value = byte & 0x7f;
    let factor = 128;
    while (byte >= 128) {
      if (at >= limit || factor > 2 ** 49) return false;
      byte = bytes[at++] as number;
      value += (byte & 0x7f) * factor;
      factor *= 128;
    }
    this.#at = at;
    this.#value = value;
    return value <= Number.MAX_SAFE_INTEGER;
  }

  #skipVarint(limit: number): boolean {
    const last = Math.min(limit, this.#at + 10);
    while (this.#at < last) if ((this.#bytes[this.#at++] as number) < 128) return true;
    return false;
  }
}
