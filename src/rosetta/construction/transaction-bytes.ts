/**
 * Transactions as texts of this interface: hex of the list that SDKs write, of a Transaction with
 * `signedTransactionBytes`, or of the older one with `bodyBytes`. What is made here is always the list.
 */
import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';
import { fromHex, toHex } from '../../ledger/bytes.ts';
import type { SignatureMap, SignaturePair } from '../../protobuf/generated/services/basic_types.ts';
import { Transaction, TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../../protobuf/generated/services/transaction_contents.ts';
import { rosettaError } from '../rosetta-error.ts';

export interface FrozenTransaction {
  /** What is signed. */
  readonly bodyBytes: Uint8Array;
  readonly body: TransactionBody;
  readonly signatures: readonly SignaturePair[];
  /** What is hashed, and what nodes take. */
  readonly signedTransactionBytes: Uint8Array;
}

/** Field 1 with bytes: of the list, its transaction; that number in a Transaction is a body that is not in use. */
const LIST_TAG = 10;

/** Transactions of a list, undefined when the bytes are another message. */
const transactionsOfList = (bytes: Uint8Array): Uint8Array[] | undefined => {
  const reader = new BinaryReader(bytes);
  const transactions: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    if (reader.uint32() !== LIST_TAG) return undefined;
    transactions.push(reader.bytes());
  }
  return transactions;
};

const NO_BYTES = new Uint8Array(0);

const signedBytesOf = (transaction: Transaction): Uint8Array => {
  if (transaction.signedTransactionBytes.length > 0) return transaction.signedTransactionBytes;
  const { bodyBytes, sigMap } = transaction;
  return SignedTransaction.encode(
    SignedTransaction.fromPartial({ bodyBytes, sigMap: sigMap ?? { sigPair: [] } }),
  ).finish();
};

const decode = (bytes: Uint8Array): FrozenTransaction => {
  const [first = NO_BYTES] = transactionsOfList(bytes) ?? [bytes];
  const signedTransactionBytes = signedBytesOf(Transaction.decode(first));
  const { bodyBytes, sigMap } = SignedTransaction.decode(signedTransactionBytes);
  if (bodyBytes.length === 0) throw new RangeError('The transaction has no body');
  const body = TransactionBody.decode(bodyBytes);
  if (body.data === undefined) throw new RangeError('The transaction has no data');
  return { bodyBytes, body, signatures: sigMap?.sigPair ?? [], signedTransactionBytes };
};

/** @throws RosettaError 115, 117, 121 */
export const parseTransaction = (text: string): FrozenTransaction => {
  const bytes = fromHex(text);
  if (bytes === undefined) throw rosettaError('transactionDecodeFailed');
  let frozen: FrozenTransaction;
  try {
    frozen = decode(bytes);
  } catch (cause) {
    throw rosettaError('transactionUnmarshallingFailed', { cause });
  }
  const kind = frozen.body.data?.$case;
  if (kind !== 'cryptoTransfer' && kind !== 'cryptoCreateAccount') throw rosettaError('transactionInvalidType');
  return frozen;
};

/** The text of a transaction with these signatures. */
export const formatTransaction = (bodyBytes: Uint8Array, signatures: readonly SignaturePair[]): string => {
  const sigMap: SignatureMap = { sigPair: [...signatures] };
  const signed = SignedTransaction.encode(SignedTransaction.fromPartial({ bodyBytes, sigMap })).finish();
  const transaction = Transaction.encode(Transaction.fromPartial({ signedTransactionBytes: signed })).finish();
  return `0x${toHex(new BinaryWriter().uint32(LIST_TAG).bytes(transaction).finish())}`;
};
