/** From a transaction of a block to the serialized Transaction and TransactionRecord that a record file would hold. */
import { sha384 } from '../ledger/hash.ts';
import { TransactionType } from '../ledger/transaction-type.ts';
import { ContractFunctionResult } from '../protobuf/generated/services/contract_types.ts';
import { TransactionReceipt } from '../protobuf/generated/services/transaction_receipt.ts';
import { PendingAirdropRecord } from '../protobuf/generated/services/transaction_record.ts';
import { TransactionSidecarRecord } from '../protobuf/generated/streams/sidecar_file.ts';
import type { BlockFacts, RecordFileItem, UnknownPart } from '../streams/record-file-content.ts';
import type { SidecarRecord } from '../streams/sidecar-file.ts';
import type { BlockTransaction } from './block-transactions.ts';
import { addContractResult } from './families/contract-result.ts';
import { addContractSidecars } from './families/contract-sidecars.ts';
import { families } from './families/registry.ts';
import { RecordParts } from './record-parts.ts';
import type { RecordWriter } from './record-writer.ts';
import { signaturesOf } from './transaction-outline.ts';
import type { TransactionView } from './transaction-view.ts';

export interface RebuiltItem {
  readonly item: RecordFileItem;
  readonly sidecars: readonly SidecarRecord[];
}

/** Whether a record holds nothing but what stands in the transaction and its result. */
export const isPlain = ({ transaction, outputs, traces }: BlockTransaction): boolean =>
  outputs.length === 0 &&
  traces.length === 0 &&
  !families.has(transaction.type) &&
  transaction.type !== TransactionType.ETHEREUMTRANSACTION &&
  transaction.type !== TransactionType.CONTRACTCREATEINSTANCE;

/** `view` is left out for plain transactions. */
export const rebuildItem = (
  source: BlockTransaction,
  view: TransactionView | undefined,
  writer: RecordWriter,
): RebuiltItem => {
  const parts = view && partsOf(view);
  const transaction = writeTransaction(source, writer);
  const hashed = source.transaction.isHashedAsTransaction ? transaction : source.transaction.signed;
  const record = writeRecord(source, sha384(hashed), parts, writer);
  return { item: { transaction, record, ofBlock: factsOf(source, parts) }, sidecars: sidecarsOf(source, parts) };
};

const partsOf = (view: TransactionView): RecordParts => {
  const parts = new RecordParts(view);
  parts.attempt('contract result', () => {
    addContractResult(view, parts);
    addContractSidecars(view, parts);
  });
  const family = families.get(view.type);
  if (family !== undefined) parts.attempt(subjectOf(view.type), () => family(view, parts));
  return parts;
};

/** What the family of a type is there for. */
const SUBJECTS: ReadonlyMap<number, UnknownPart> = new Map([
  [TransactionType.CRYPTOCREATEACCOUNT, 'account id'],
  [TransactionType.CRYPTOUPDATEACCOUNT, 'account id'],
  [TransactionType.FILECREATE, 'file id'],
  [TransactionType.CONSENSUSCREATETOPIC, 'topic id'],
  [TransactionType.CONSENSUSSUBMITMESSAGE, 'running hash'],
  [TransactionType.TOKENCREATION, 'token id'],
  [TransactionType.TOKENMINT, 'token supply'],
  [TransactionType.TOKENBURN, 'token supply'],
  [TransactionType.TOKENWIPE, 'token supply'],
  [TransactionType.TOKENAIRDROP, 'pending airdrops'],
  [TransactionType.SCHEDULECREATE, 'schedule id'],
  [TransactionType.SCHEDULESIGN, 'schedule id'],
  [TransactionType.SCHEDULEDELETE, 'schedule id'],
  [TransactionType.UTILPRNG, 'random number'],
  [TransactionType.NODECREATE, 'node id'],
  [TransactionType.REGISTEREDNODECREATE, 'registered node id'],
]);

const subjectOf = (type: number): UnknownPart => SUBJECTS.get(type) ?? 'contract id';

/** Field numbers of Transaction. */
const TRANSACTION_SIGNATURES = 3;
const TRANSACTION_BODY_BYTES = 4;
const TRANSACTION_SIGNED_BYTES = 5;

const writeTransaction = (source: BlockTransaction, writer: RecordWriter): Uint8Array => {
  const { transaction } = source;
  if (transaction.isHashedAsTransaction) {
    writer.bytes(TRANSACTION_SIGNATURES, signaturesOf(transaction.signed, source.place));
    writer.bytes(TRANSACTION_BODY_BYTES, transaction.body);
  } else writer.bytes(TRANSACTION_SIGNED_BYTES, transaction.signed);
  return writer.take();
};

const RECEIPT_STATUS = 1;

/** Fields in ascending order, as nodes write them. */
const writeRecord = (
  { transaction, result }: BlockTransaction,
  hash: Uint8Array,
  parts: RecordParts | undefined,
  writer: RecordWriter,
): Uint8Array => {
  const receipt = parts === undefined ? NO_BYTES : receiptBytes(parts);
  writer.uint64(RECEIPT_STATUS, BigInt(result.status));
  const status = writer.take();
  writer.joined(1, status, receipt);
  writer.bytes(2, hash);
  writer.bytes(3, result.consensusTimestampBytes);
  if (transaction.id !== undefined) writer.bytes(4, transaction.id);
  if (transaction.memo.length > 0) writer.bytes(5, transaction.memo);
  writer.uint64(6, result.fee);
  if (parts?.functionResult !== undefined) {
    const { isCreation, result: functionResult } = parts.functionResult;
    const message = ContractFunctionResult.fromPartial(functionResult);
    writer.bytes(isCreation ? 8 : 7, ContractFunctionResult.encode(message).finish());
  }
  if (result.transferList !== undefined) writer.bytes(10, result.transferList);
  for (const list of result.tokenTransferLists) writer.bytes(11, list);
  if (result.scheduleRef !== undefined) writer.bytes(12, result.scheduleRef);
  for (const fee of result.assessedFees) writer.bytes(13, fee);
  for (const association of result.automaticAssociations) writer.bytes(14, association);
  if (result.parentTimestampBytes !== undefined) writer.bytes(15, result.parentTimestampBytes);
  if (parts?.ethereumHash !== undefined) writer.bytes(17, parts.ethereumHash);
  for (const reward of result.stakingRewards) writer.bytes(18, reward);
  if (parts !== undefined) writeEntropy(parts, writer);
  if (parts?.evmAddress !== undefined) writer.bytes(21, parts.evmAddress);
  for (const airdrop of parts?.airdrops ?? []) writer.bytes(22, PendingAirdropRecord.encode(airdrop).finish());
  writer.uint64(23, result.highVolumePricingMultiplier);
  return writer.take();
};

const NO_BYTES: Uint8Array = new Uint8Array(0);

const receiptBytes = ({ receipt }: RecordParts): Uint8Array =>
  TransactionReceipt.encode(TransactionReceipt.fromPartial(receipt)).finish();

const writeEntropy = ({ prng }: RecordParts, writer: RecordWriter): void => {
  if (prng?.$case === 'prngBytes') writer.bytes(19, prng.prngBytes);
  // As in every oneof, a number of 0 is written.
  else if (prng !== undefined) writer.presentUint64(20, BigInt.asUintN(64, BigInt(prng.prngNumber)));
};

const NOTHING_UNKNOWN: BlockFacts['unknown'] = [];

const factsOf = ({ result }: BlockTransaction, parts: RecordParts | undefined): BlockFacts => ({
  congestionPricingMultiplier: result.congestionPricingMultiplier,
  ethereumNonce: parts?.ethereumNonce,
  unknown: parts?.unknown ?? NOTHING_UNKNOWN,
});

const NO_SIDECARS: readonly SidecarRecord[] = [];

const sidecarsOf = ({ result }: BlockTransaction, parts: RecordParts | undefined): readonly SidecarRecord[] => {
  if (parts === undefined || parts.sidecars.length === 0) return NO_SIDECARS;
  const { consensusTimestamp } = result;
  const seconds = consensusTimestamp / 1_000_000_000n;
  const timestamp = { seconds, nanos: Number(consensusTimestamp % 1_000_000_000n) };
  return parts.sidecars.map((sidecarRecords) => {
    const message = TransactionSidecarRecord.fromPartial({ consensusTimestamp: timestamp, sidecarRecords });
    return { consensusTimestamp, bytes: TransactionSidecarRecord.encode(message).finish() };
  });
};
