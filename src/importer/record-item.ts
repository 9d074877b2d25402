import type { EntityId } from '../ledger/entity-id.ts';
import type { Nanos } from '../ledger/timestamp.ts';
import { TransactionType } from '../ledger/transaction-type.ts';
import type { SignaturePair } from '../protobuf/generated/services/basic_types.ts';
import type { ContractFunctionResult } from '../protobuf/generated/services/contract_types.ts';
import type { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import type { TransactionRecord } from '../protobuf/generated/services/transaction_record.ts';
import type { TransactionSidecarRecord } from '../protobuf/generated/streams/sidecar_file.ts';
import type { BlockFacts, HapiVersion, UnknownPart } from '../streams/record-file-content.ts';
import type { EthereumContent } from './contracts/ethereum-content.ts';
import type { PlainTransferReader } from './plain-transfer.ts';

/** One transaction with its record, decoded, and its place in the block. */
export interface RecordItem {
  readonly consensusTimestamp: Nanos;
  /** 0-based position in the record file. */
  readonly index: number;
  /** Field number of the transaction body's data; a number without a known body is kept as it is. */
  readonly type: number;
  /** Receipt status. */
  readonly status: number;
  /** The status is a success and the parent, if there is one, was successful too. */
  readonly successful: boolean;
  readonly payer: EntityId;
  readonly body: TransactionBody;
  readonly record: TransactionRecord;
  /** `resultContractNum` of the item, which costs nothing from the second time on, even after a release. */
  readonly resultContract: bigint | undefined;
  /** What sidecar files say about the item, of the kinds that are read; none when they are not read. */
  readonly sidecarRecords: readonly TransactionSidecarRecord[];
  /** What an Ethereum transaction carries; undefined for other types. */
  readonly ethereum: EthereumContent | undefined;
  /** Memo of the body as it stands in the stream, which need not be UTF-8. */
  readonly memo: Uint8Array;
  /**
   * Serialized batch key of the body, if it has one: the transaction was part of an atomic batch
   * ([HIP-551](https://hips.hedera.com/hip/hip-551)).
   */
  readonly batchKey: Uint8Array | undefined;
  /** Serialized CustomFeeLimits of the body ([HIP-991](https://hips.hedera.com/hip/hip-991)). */
  readonly maxCustomFees: readonly Uint8Array[];
  /** What a ScheduleCreate schedules, as it stands in the stream; no bytes for other types. */
  readonly scheduledBody: Uint8Array;
  readonly signatures: readonly SignaturePair[];
  readonly transactionBytes: Uint8Array;
  readonly recordBytes: Uint8Array;
  /** Of the stream file that carried the item; 0.0.0 for record files v1 and v2, which have none. */
  readonly hapiVersion: HapiVersion;
  /** What only blocks of block streams tell; undefined for items of record files. */
  readonly ofBlock?: BlockFacts | undefined;
  readonly parent: RecordItem | undefined;
  readonly previous: RecordItem | undefined;
  /** Whether `plainTransfer` gives something. */
  readonly isPlainTransfer?: boolean;
  /** The item read as a plain transfer, if it is one; valid until another item of the file is read so. */
  plainTransfer?(): PlainTransferReader | undefined;
  /** Lets go of the decoded body, record and sidecar records; they are decoded again when asked for. */
  release?(): void;
}

/** Whether the block that carried the item does not tell that part of its record. */
export const lacks = ({ ofBlock }: RecordItem, part: UnknownPart): boolean =>
  ofBlock?.unknown.some((unknown) => unknown.part === part) ?? false;

/** Number of the contract that a result is of, 0n when it has none; undefined for an item without a result. */
export const resultContractNum = (item: RecordItem): bigint | undefined => {
  const result = contractResultOf(item);
  if (result === undefined) return undefined;
  const contract = result.contractID?.contract;
  return contract?.$case === 'contractNum' ? contract.contractNum : 0n;
};

/** What a contract call or creation returned; undefined when the record has no such result. */
export const contractResultOf = (item: RecordItem): ContractFunctionResult | undefined => {
  const result = item.record.body;
  if (result === undefined) return undefined;
  return result.$case === 'contractCallResult' ? result.contractCallResult : result.contractCreateResult;
};

const SYSTEM_FILE_UPDATE_PAYER = 50n;

/**
 * Whether the item's gas and bloom count for the block: it is no child of another transaction, or one that consensus
 * itself set off (scheduled, or an update of a system file).
 */
export const isTopLevel = (item: RecordItem): boolean => {
  const id = item.body.transactionID;
  const nonce = id?.nonce ?? 0;
  if (nonce === 0 || item.record.parentConsensusTimestamp === undefined) return true;
  if (nonce > 0 && id?.scheduled === true) return true;
  return (
    item.type === TransactionType.FILEUPDATE &&
    id?.accountID?.account?.$case === 'accountNum' &&
    id.accountID.account.accountNum === SYSTEM_FILE_UPDATE_PAYER
  );
};

/** Whether the item's HAPI version is at least `major.minor.patch`. */
export const atLeastHapi = (item: RecordItem, major: number, minor: number, patch = 0): boolean => {
  const version = item.hapiVersion;
  if (version.major !== major) return version.major > major;
  if (version.minor !== minor) return version.minor > minor;
  return version.patch >= patch;
};
