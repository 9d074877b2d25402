/** What a simulated transaction is on its way into a block: what it says and does, its bytes, its record. */
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import type { TransactionReceipt } from '../../protobuf/generated/services/transaction_receipt.ts';
import type { TransactionRecord } from '../../protobuf/generated/services/transaction_record.ts';
import type { TransactionSidecarRecord } from '../../protobuf/generated/streams/sidecar_file.ts';
import type { AccountKey } from '../keys/account-key.ts';
import type { Account } from '../state/ledger-entities.ts';
import type { WireWriter } from './wire-writer.ts';

type PartialOf<T extends { fromPartial(value: never): unknown }> = Parameters<T['fromPartial']>[0];
type BodyParts = PartialOf<typeof TransactionBody>;
export type BodyData = NonNullable<BodyParts['data']>;
export type RecordParts = PartialOf<typeof TransactionRecord>;
export type ReceiptParts = PartialOf<typeof TransactionReceipt>;

export interface HbarChange {
  readonly account: Account;
  /** Tinybars, negative for the sender. */
  readonly amount: bigint;
}

/** What a transaction says and does; the builder adds id, fee, hash, receipt, transfer list and bytes. */
export interface Draft {
  readonly payer: Account;
  /** The body's data, or a function that writes its field onto the wire. */
  readonly data: BodyData | ((writer: WireWriter) => void);
  /** Tinybars charged to the payer. */
  readonly fee: bigint;
  /** The node's part of the fee; left out: as the simulated schedule has it. */
  readonly nodeFee?: bigint;
  /** Receipt status; SUCCESS if left out. */
  readonly status?: number;
  /** Balance changes besides the fee; sum to zero. */
  readonly hbar?: readonly HbarChange[];
  readonly receipt?: ReceiptParts;
  readonly record?: RecordParts;
  readonly memo?: string;
  /** What the body says besides data, memo and the frame of every transaction. */
  readonly body?: Pick<BodyParts, 'batchKey' | 'maxCustomFees' | 'highVolume'>;
  /** Keys that sign beside the payer's. */
  readonly signers?: readonly (AccountKey | undefined)[];
  /** The node pays instead: the payer could not, and the node should have known. */
  readonly chargeNode?: boolean;
  /** Fee that the record states, when it isn't what is charged here. */
  readonly statedFee?: bigint;
  /** Children just before this transaction (account creations by alias). */
  readonly preceding?: readonly Draft[];
  /** Children just after it. */
  readonly following?: readonly Draft[];
  /** The transactions of an atomic batch, in order; its data is made of them (HIP-551). */
  readonly inner?: readonly Captured[];
  /** Set for the transaction that a schedule executes: valid start of its id. */
  readonly scheduledSince?: bigint;
  /** Who made the schedule: its id names that account, whoever pays. */
  readonly scheduledBy?: Account;
  readonly sidecars?: readonly SidecarContent[];
  /** Genesis alone makes hbar out of nothing. */
  readonly createsHbar?: boolean;
  /** System transactions of the network itself have no node and no signatures. */
  readonly synthetic?: boolean;
}

/** A transaction that somebody wants to submit, with the moment for which it was made. */
export interface Captured {
  readonly draft: Draft;
  readonly at: bigint;
  readonly validStart: bigint;
}

export type SidecarContent = NonNullable<TransactionSidecarRecord['sidecarRecords']>;

export interface BlockItem {
  readonly transaction: Uint8Array;
  readonly record: Uint8Array;
}

/** A block before it becomes files. */
export interface ProducedBlock {
  readonly number: bigint;
  readonly firstConsensus: bigint;
  readonly lastConsensus: bigint;
  readonly items: readonly BlockItem[];
  /** Running hash at the end of the block before. */
  readonly startHash: Uint8Array;
  readonly sidecars: readonly TransactionSidecarRecord[];
}

/** A transaction before it reaches consensus. */
export interface PreparedTransaction {
  /** The Transaction. */
  readonly bytes: Uint8Array;
  /** The SignedTransaction inside. */
  readonly signed: Uint8Array;
  /** Of the SignedTransaction, SHA-384. */
  readonly hash: Buffer;
  /** Type number. */
  readonly type: number;
}

/** A submission as it goes into a block: its own bytes, with the node that is paid for it. */
export interface PreparedSubmission {
  readonly prepared: PreparedTransaction;
  /** Nanoseconds. */
  readonly validStart: bigint;
  readonly node: Account;
}

/** A transaction whose turn has come. */
export interface RecordContext {
  readonly draft: Draft;
  readonly payer: Account;
  readonly at: bigint;
  readonly validStart: bigint;
  readonly nonce: number;
  /** Who submits it, and is paid for that. */
  readonly node: Account | undefined;
  readonly parentAt: bigint | undefined;
  /** Bytes of an inner transaction, which its batch contains as well. */
  readonly prepared?: PreparedTransaction;
}
