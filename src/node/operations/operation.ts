/** How one type of transaction is checked and done. The files of this folder hold one operation each. */
import type { TransferEffects } from '../../fees/receivers.ts';
import type { Key } from '../../protobuf/generated/services/basic_types.ts';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import type { BlockBuilder } from '../../simulator/records/block-builder.ts';
import type { Draft } from '../../simulator/records/draft.ts';
import type { Account } from '../../simulator/state/ledger-entities.ts';
import type { LedgerState } from '../../simulator/state/ledger-state.ts';
import type { AccountDirectory } from '../transactions/account-directory.ts';
import { demand } from '../transactions/refusal.ts';
import type { SentTransaction } from '../transactions/sent-transaction.ts';
import type { Signatures } from '../transactions/signatures.ts';

type Data = NonNullable<TransactionBody['data']>;
export type TransactionKind = Data['$case'];
type DataOf<K extends TransactionKind> = Extract<Data, { readonly $case: K }>;
export type MessageOf<K extends TransactionKind> = NonNullable<DataOf<K>[K & keyof DataOf<K>]>;

export interface LedgerView {
  readonly state: LedgerState;
  readonly directory: AccountDirectory;
}

/** What a transaction has to do with when it reaches consensus. */
export interface Performance extends LedgerView {
  readonly builder: BlockBuilder;
  readonly sent: SentTransaction;
  readonly payer: Account;
  readonly signatures: Signatures;
  /** What the payer is charged, tinybars; not yet taken. */
  readonly fee: bigint;
  /** Accounts that get the key that their owner signed with. */
  readonly completed: Map<Account, Key>;
}

/** What a transaction did. */
export type Effect = Pick<Draft, 'hbar' | 'receipt' | 'record' | 'preceding'>;

export interface Operation {
  readonly kind: TransactionKind;
  /** Number of the body's field. */
  readonly type: number;
  /** What can be told without looking at the ledger. @throws Refusal */
  check(body: TransactionBody): void;
  /** Tinybars that the payer must have beside fees. */
  spends(body: TransactionBody, payer: Account, view: LedgerView): bigint;
  /** What comes about beside the transaction itself, and costs. */
  effects(body: TransactionBody, view: LedgerView): TransferEffects;
  /** Changes the ledger, all or nothing. @throws Refusal, having changed nothing */
  perform(performance: Performance): Effect;
}

interface OperationParts<K extends TransactionKind> {
  readonly kind: K;
  readonly type: number;
  /**
   * Whether the payer may say what it pays beside the network's fee at most
   * ([HIP-991](https://hips.hedera.com/hip/hip-991)).
   */
  readonly takesFeeLimits?: boolean;
  readonly check: (message: MessageOf<K>, body: TransactionBody) => void;
  readonly spends?: (message: MessageOf<K>, payer: Account, view: LedgerView) => bigint;
  readonly effects?: (message: MessageOf<K>, view: LedgerView) => TransferEffects;
  readonly perform: (message: MessageOf<K>, performance: Performance) => Effect;
}

const noEffects: TransferEffects = { keyedAccounts: 0, hollowAccounts: 0, associations: 0 };

export const operation = <K extends TransactionKind>(parts: OperationParts<K>): Operation => {
  const messageOf = ({ data }: TransactionBody): MessageOf<K> =>
    (data as unknown as Readonly<Record<K, unknown>>)[parts.kind] as MessageOf<K>;
  return {
    kind: parts.kind,
    type: parts.type,
    check: (body) => {
      const hasFeeLimits = body.maxCustomFees.length > 0;
      demand(!hasFeeLimits || parts.takesFeeLimits === true, ResponseCodeEnum.MAX_CUSTOM_FEES_IS_NOT_SUPPORTED);
      parts.check(messageOf(body), body);
    },
    spends: (body, payer, view) => parts.spends?.(messageOf(body), payer, view) ?? 0n,
    effects: (body, view) => parts.effects?.(messageOf(body), view) ?? noEffects,
    perform: (performance) => parts.perform(messageOf(performance.sent.body), performance),
  };
};
