/** Raw record items made of a few fields, for tests that start from bytes. */
import type { AccountID } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { Transaction, TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../../protobuf/generated/services/transaction_contents.ts';
import { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import type { RecordFile, RecordFileItem } from '../../streams/record-file-content.ts';

export type BodyFields = Parameters<typeof TransactionBody.fromPartial>[0];
export type RecordFields = Parameters<typeof TransactionRecord.fromPartial>[0];

export interface RawItemFields {
  /** Nanoseconds after second 1,700,000,000. */
  readonly at?: number;
  readonly body?: BodyFields;
  readonly record?: RecordFields;
  readonly status?: number;
  readonly nonce?: number;
  /** Raw body in place of `body`. */
  readonly bodyBytes?: Uint8Array;
  readonly signatureMap?: Parameters<typeof SignedTransaction.fromPartial>[0]['sigMap'];
  /** How the Transaction message carries the body; the newest way unless given. */
  readonly generation?: 'embedded' | 'bodyBytes' | 'signed';
}

export const SECOND = 1_700_000_000n;
export const START = SECOND * 1_000_000_000n;

export const account = (num: bigint): AccountID => ({
  shardNum: 0n,
  realmNum: 0n,
  account: { $case: 'accountNum', accountNum: num },
});

/** `[account, tinybars]` pairs as a transfer list's entries. */
export const amounts = (
  ...pairs: readonly (readonly [bigint, bigint, boolean?])[]
): { accountID: AccountID; amount: bigint; isApproval: boolean }[] =>
  pairs.map(([num, amount, isApproval = false]) => ({ accountID: account(num), amount, isApproval }));

const PAYER = 1001n;

/** A transaction of account 1001, submitted to node 3, that succeeded unless told otherwise. */
export const rawItem = (fields: RawItemFields): RecordFileItem => {
  const nanos = fields.at ?? 0;
  const transactionID = {
    transactionValidStart: { seconds: SECOND - 10n, nanos },
    accountID: account(PAYER),
    nonce: fields.nonce ?? 0,
  };
  const bodyMessage = TransactionBody.fromPartial({
    transactionID,
    nodeAccountID: account(3n),
    transactionFee: 100_000_000n,
    transactionValidDuration: { seconds: 120n },
    ...fields.body,
  });
  const bodyBytes = fields.bodyBytes ?? TransactionBody.encode(bodyMessage).finish();
  const { sigMap } = SignedTransaction.fromPartial({ sigMap: fields.signatureMap });
  const transactionOf = {
    embedded: () => Transaction.fromPartial({ body: bodyMessage, sigMap }),
    bodyBytes: () => Transaction.fromPartial({ bodyBytes, sigMap }),
    signed: () =>
      Transaction.fromPartial({
        signedTransactionBytes: SignedTransaction.encode(SignedTransaction.fromPartial({ bodyBytes, sigMap })).finish(),
      }),
  };
  const record = TransactionRecord.fromPartial({
    transactionHash: new Uint8Array(48).fill(nanos + 1),
    consensusTimestamp: { seconds: SECOND, nanos },
    transactionID,
    ...fields.record,
    receipt: {
      ...fields.record?.receipt,
      status: (fields.status ?? ResponseCodeEnum.SUCCESS) as typeof ResponseCodeEnum.SUCCESS,
    },
  });
  return {
    transaction: Transaction.encode(transactionOf[fields.generation ?? 'signed']()).finish(),
    record: TransactionRecord.encode(record).finish(),
  };
};

/** A record file v6 with these items; number and hash tell files apart. */
export const recordFileOf = (items: readonly RecordFileItem[], number = 1): RecordFile => ({
  name: `2023-11-14T22_13_20.00000000${number}Z.rcd.gz`,
  version: 6,
  hapiVersion: { major: 0, minor: 60, patch: 1 },
  fileHash: new Uint8Array(48).fill(1),
  metadataHash: new Uint8Array(48).fill(2),
  hash: new Uint8Array(48).fill(3),
  previousHash: new Uint8Array(48).fill(4),
  blockNumber: BigInt(number),
  items,
  sidecars: [],
  consensusStart: START,
  consensusEnd: START + 999n,
  outOfOrder: false,
  size: 123,
  uncompressedSize: 456,
  compression: 'gzip',
});
