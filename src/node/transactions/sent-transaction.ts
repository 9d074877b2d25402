/** A transaction as it came, read as strictly as nodes do. */
import { decodeWhole } from '../../fees/whole-message.ts';
import { sha384 } from '../../ledger/hash.ts';
import type { SignaturePair } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { Transaction, TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../../protobuf/generated/services/transaction_contents.ts';
import { demand, Refusal } from './refusal.ts';

export interface SentTransaction {
  /** The serialized Transaction. */
  readonly bytes: Uint8Array;
  /** What the transaction's hash is made of: the SignedTransaction, or in the older form the Transaction. */
  readonly signed: Uint8Array;
  /** SHA-384 of `signed`. */
  readonly hash: Buffer;
  /** What was signed. */
  readonly bodyBytes: Uint8Array;
  readonly body: TransactionBody;
  readonly pairs: readonly SignaturePair[];
}

type Decoder<T> = Parameters<typeof decodeWhole<T>>[0];

const decode = <T>(codec: Decoder<T>, bytes: Uint8Array, fault: number): T => {
  try {
    return decodeWhole(codec, bytes);
  } catch {
    throw new Refusal(fault);
  }
};

/** Whether a decoded message, or one inside it, has fields that its type does not know. */
const hasUnknownFields = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return false;
  if (Array.isArray(value)) return value.some(hasUnknownFields);
  return Object.entries(value).some(([name, member]) =>
    name === '_unknownFields' ? Object.keys(member ?? {}).length > 0 : hasUnknownFields(member),
  );
};

const { INVALID_TRANSACTION, INVALID_TRANSACTION_BODY, TRANSACTION_HAS_UNKNOWN_FIELDS } = ResponseCodeEnum;

/** @throws Refusal INVALID_TRANSACTION, INVALID_TRANSACTION_BODY, TRANSACTION_HAS_UNKNOWN_FIELDS */
export const parseSent = (bytes: Uint8Array): SentTransaction => {
  const transaction = decode<Transaction>(Transaction, bytes, INVALID_TRANSACTION);
  const { signedTransactionBytes, bodyBytes, sigMap } = transaction;
  demand(!hasUnknownFields(transaction), TRANSACTION_HAS_UNKNOWN_FIELDS);
  const isSigned = signedTransactionBytes.length > 0;
  demand(!isSigned || (bodyBytes.length === 0 && sigMap === undefined), INVALID_TRANSACTION);
  const contents = isSigned
    ? decode<SignedTransaction>(SignedTransaction, signedTransactionBytes, INVALID_TRANSACTION)
    : { bodyBytes, sigMap };
  demand(!hasUnknownFields(contents), TRANSACTION_HAS_UNKNOWN_FIELDS);
  demand(contents.bodyBytes.length > 0 && contents.sigMap !== undefined, INVALID_TRANSACTION_BODY);
  const body = decode<TransactionBody>(TransactionBody, contents.bodyBytes, INVALID_TRANSACTION_BODY);
  demand(!hasUnknownFields(body), TRANSACTION_HAS_UNKNOWN_FIELDS);
  demand(body.data !== undefined, INVALID_TRANSACTION_BODY);
  const signed = isSigned ? signedTransactionBytes : bytes;
  return {
    bytes,
    signed,
    hash: sha384(signed),
    bodyBytes: contents.bodyBytes,
    body,
    pairs: contents.sigMap.sigPair,
  };
};
