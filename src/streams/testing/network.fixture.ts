import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { nanosToStreamName } from '../../ledger/timestamp.ts';
import { NodeAddressBook } from '../../protobuf/generated/services/basic_types.ts';
import { Transaction } from '../../protobuf/generated/services/transaction.ts';
import { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import { TransactionSidecarRecord } from '../../protobuf/generated/streams/sidecar_file.ts';
import type { RecordFileItem } from '../record-file-content.ts';

/** A node of a test network; node ids count from 0, accounts from 0.0.3. */
export interface TestNode {
  readonly nodeId: bigint;
  readonly account: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

export const makeNodes = (count: number): TestNode[] =>
  Array.from({ length: count }, (_, i) => ({
    nodeId: BigInt(i),
    account: `0.0.${i + 3}`,
    ...generateKeyPairSync('rsa', { modulusLength: 2048 }),
  }));

export const addressBookBytes = (nodes: readonly TestNode[]): Uint8Array =>
  NodeAddressBook.encode(
    NodeAddressBook.fromPartial({
      nodeAddress: nodes.map(({ nodeId, publicKey }) => ({
        nodeId,
        nodeAccountId: { account: { $case: 'accountNum', accountNum: nodeId + 3n } },
        RSAPubKey: publicKey.export({ format: 'der', type: 'spki' }).toString('hex'),
      })),
    }),
  ).finish();

export const timestampOf = (nanos: bigint): { seconds: bigint; nanos: number } => ({
  seconds: nanos / 1_000_000_000n,
  nanos: Number(nanos % 1_000_000_000n),
});

/** An item at `nanos` whose two messages carry `payload` bytes of content. */
export const itemAt = (nanos: bigint, payload = 40): RecordFileItem => ({
  transaction: Transaction.encode(
    Transaction.fromPartial({ signedTransactionBytes: Buffer.alloc(payload, Number(nanos % 251n)) }),
  ).finish(),
  record: TransactionRecord.encode(
    TransactionRecord.fromPartial({
      transactionHash: Buffer.alloc(48, Number(nanos % 241n)),
      consensusTimestamp: timestampOf(nanos),
      memo: 'x'.repeat(payload),
    }),
  ).finish(),
});

/** `count` items in steps of a microsecond. */
export const itemsFrom = (start: bigint, count: number): RecordFileItem[] =>
  Array.from({ length: count }, (_, i) => itemAt(start + BigInt(i) * 1000n));

export const sidecarRecordAt = (nanos: bigint): Uint8Array =>
  TransactionSidecarRecord.encode(
    TransactionSidecarRecord.fromPartial({
      consensusTimestamp: timestampOf(nanos),
      sidecarRecords: { $case: 'bytecode', bytecode: { runtimeBytecode: Buffer.from('6001600155', 'hex') } },
    }),
  ).finish();

export const recordName = (nanos: bigint, extension = '.rcd'): string => nanosToStreamName(nanos) + extension;
