import { WireReader } from '../../streams/wire.ts';
import { WireWriter } from '../records/wire-writer.ts';

/**
 * Fields of TransactionResult by the field of TransactionRecord that holds the same message: consensus time, parent's
 * time, schedule, fee, hbar transfers, token transfers, associations, rewards, custom fees, multiplier of high volume.
 */
const RESULT_FIELDS: Readonly<Record<number, number>> = {
  3: 2,
  15: 3,
  12: 5,
  6: 6,
  10: 7,
  11: 8,
  14: 9,
  18: 10,
  13: 12,
  23: 13,
};
const LAST_RESULT_FIELD = 13;
const STATUS_TAG = 0x08;
const LONGEST_STATUS = 6;
const LONGEST_ENTRY = 32;
const NO_BYTES = new Uint8Array();

/**
 * The TransactionResult message of a record. What both have is taken over byte for byte, in the order of the result's
 * fields; id, memo, hash, receipt and everything that outputs, traces and state tell stay behind.
 */
export const transactionResult = (record: Uint8Array, status: number): Uint8Array => {
  const parts: { readonly field: number; readonly wireType: number; readonly from: number; readonly to: number }[] = [];
  const fields = new WireReader(record, 'record');
  while (fields.next()) {
    const field = RESULT_FIELDS[fields.field];
    if (field !== undefined) parts.push({ field, wireType: fields.wireType, from: fields.start, to: fields.end });
  }
  const writer = new WireWriter(record.length + LONGEST_STATUS);
  if (status !== 0) {
    writer.byte(STATUS_TAG);
    writer.varint(status);
  }
  for (let wanted = 1; wanted <= LAST_RESULT_FIELD; wanted++) {
    for (const { field, wireType, from, to } of parts) {
      if (field !== wanted) continue;
      writer.byte(field * 8 + wireType);
      if (wireType === 2) writer.varint(to - from);
      writer.raw(record.subarray(from, to));
    }
  }
  return writer.bytes.subarray(0, writer.position);
};

const RECORD_ID_FIELD = 4;

/** The TransactionReceiptEntry { 1: node, 2: id, 3: status } by which the state remembers a transaction. */
export const receiptEntry = (record: Uint8Array, nodeId: bigint, status: number): Uint8Array => {
  const fields = new WireReader(record, 'record');
  let id: Uint8Array = NO_BYTES;
  while (id === NO_BYTES && fields.next()) if (fields.field === RECORD_ID_FIELD) id = fields.slice();
  const writer = new WireWriter(id.length + LONGEST_ENTRY);
  if (nodeId !== 0n) {
    writer.byte(0x08);
    writer.bigVarint(nodeId);
  }
  writer.field(0x12, id);
  writer.byte(0x18);
  writer.varint(status);
  return writer.bytes.subarray(0, writer.position);
};

/** The SignedTransaction inside a Transaction { 5: SignedTransaction }. */
export const signedTransactionOf = (transaction: Uint8Array): Uint8Array => {
  const fields = new WireReader(transaction, 'transaction');
  while (fields.next()) if (fields.field === 5) return fields.slice();
  throw new Error('A simulated transaction has no SignedTransaction');
};
