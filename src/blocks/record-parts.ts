/** What a record holds besides the parts that stand in the transaction and its result word for word. */
import type { ContractFunctionResult } from '../protobuf/generated/services/contract_types.ts';
import type { TransactionReceipt } from '../protobuf/generated/services/transaction_receipt.ts';
import type { PendingAirdropRecord } from '../protobuf/generated/services/transaction_record.ts';
import type { TransactionSidecarRecord } from '../protobuf/generated/streams/sidecar_file.ts';
import type { UnknownPart } from '../streams/record-file-content.ts';
import type { TransactionView } from './transaction-view.ts';

type SidecarContent = NonNullable<TransactionSidecarRecord['sidecarRecords']>;

export interface FunctionResult {
  readonly isCreation: boolean;
  readonly result: Partial<ContractFunctionResult>;
}

export class RecordParts {
  /** Everything but the status. */
  receipt: Partial<TransactionReceipt> = {};
  functionResult: FunctionResult | undefined;
  ethereumHash: Uint8Array | undefined;
  evmAddress: Uint8Array | undefined;
  prng:
    | { readonly $case: 'prngBytes'; readonly prngBytes: Uint8Array }
    | { readonly $case: 'prngNumber'; readonly prngNumber: number }
    | undefined;
  airdrops: PendingAirdropRecord[] = [];
  readonly sidecars: SidecarContent[] = [];
  /**
   * Nonce of the account that the transaction made or changed, where it delegates its code
   * ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)).
   */
  ethereumNonce: bigint | undefined;
  readonly unknown: { readonly part: UnknownPart; readonly message: string }[] = [];
  readonly #place: string;

  constructor({ source }: TransactionView) {
    this.#place = source.place;
  }

  /** Notes that the block does not tell a part of the record; the rest of it stands. */
  lacks(part: UnknownPart, reason: string): void {
    const message = `the ${part} is unknown: ${reason}`;
    this.unknown.push({ part, message });
  }

  /** The same for messages that cannot be decoded. Faults of the program pass through. */
  attempt(part: UnknownPart, action: () => void): void {
    try {
      action();
    } catch (fault) {
      if (fault instanceof TypeError || fault instanceof ReferenceError) throw fault;
      this.lacks(part, `${this.#place}: ${fault instanceof Error ? fault.message : String(fault)}`);
    }
  }
}

/** Adds what transactions of one type leave in their records. */
export type Family = (view: TransactionView, parts: RecordParts) => void;
