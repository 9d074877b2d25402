/** The request body: a Transaction of the network, as a client would send it to a node. */
import { reasonedProblem } from '../api/problem.ts';
import { Transaction, TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../protobuf/generated/services/transaction_contents.ts';
import { unparsable } from './problems.ts';
import { type Decoder, decodeWhole } from './whole-message.ts';

/** What an estimate needs of a transaction. Signatures are counted, not verified. */
export interface SubmittedTransaction {
  readonly body: TransactionBody;
  readonly signatures: bigint;
  /** Bytes of the Transaction, written again from the fields it is known to have. */
  readonly size: bigint;
}

const decode = <T>(codec: Decoder<T>, bytes: Uint8Array): T => {
  try {
    return decodeWhole(codec, bytes);
  } catch {
    // What is wrong with the bytes is nothing that the client could use.
    throw unparsable();
  }
};

/** Takes the fields that the message type does not have out of a decoded message. */
const withoutUnknownFields = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutUnknownFields);
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => name !== '_unknownFields')
      .map(([name, member]) => [name, withoutUnknownFields(member)]),
  );
};

const sizeOf = (transaction: Transaction): bigint =>
  BigInt(Transaction.encode(withoutUnknownFields(transaction) as Transaction).finish().length);

/**
 * Reads both generations of transactions: signed bytes, or the older body bytes with a signature map beside them. Signed
 * bytes count where there are both. The oldest form, a body that is no bytes but a message, is not taken.
 * @throws HttpProblem 400
 */
export const parseTransaction = (bytes: Uint8Array): SubmittedTransaction => {
  const transaction = decode(Transaction, bytes);
  const size = sizeOf(transaction);
  if (transaction.signedTransactionBytes.length > 0) {
    const signed = decode(SignedTransaction, transaction.signedTransactionBytes);
    return {
      body: decode(TransactionBody, signed.bodyBytes),
      signatures: BigInt(signed.sigMap?.sigPair.length ?? 0),
      size,
    };
  }
  if (transaction.bodyBytes.length === 0) {
    throw reasonedProblem(400, 'Transaction must contain body bytes or signed transaction bytes');
  }
  return {
    body: decode(TransactionBody, transaction.bodyBytes),
    signatures: BigInt(transaction.sigMap?.sigPair.length ?? 0),
    size,
  };
};
