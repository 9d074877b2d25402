/** Transactions for tests, as a client would send them. */
import type { Key } from '../../protobuf/generated/services/basic_types.ts';
import { Transaction, TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../../protobuf/generated/services/transaction_contents.ts';

export type BodyParts = Parameters<typeof TransactionBody.fromPartial>[0];

export const bodyBytesOf = (body: BodyParts): Uint8Array =>
  TransactionBody.encode(TransactionBody.fromPartial(body)).finish();

/** A signed Transaction with so many signatures of 64 bytes. */
export const transactionBytes = (body: BodyParts, signatures = 0): Uint8Array => {
  const signed = SignedTransaction.encode(
    SignedTransaction.fromPartial({
      bodyBytes: bodyBytesOf(body),
      sigMap: {
        sigPair: Array.from({ length: signatures }, (_, index) => ({
          pubKeyPrefix: Uint8Array.of(index),
          signature: { $case: 'ed25519' as const, ed25519: new Uint8Array(64) },
        })),
      },
    }),
  ).finish();
  return Transaction.encode(Transaction.fromPartial({ signedTransactionBytes: signed })).finish();
};

export const ed25519 = (): Key => ({ key: { $case: 'ed25519', ed25519: new Uint8Array(32).fill(7) } });

export const account = (num: bigint) => ({
  shardNum: 0n,
  realmNum: 0n,
  account: { $case: 'accountNum' as const, accountNum: num },
});

export const token = (num: bigint) => ({ shardNum: 0n, realmNum: 0n, tokenNum: num });
