import { isSuccessful } from '../../ledger/response-code.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import type { HookId } from '../../protobuf/generated/services/basic_types.ts';
import { TransactionBody } from '../../protobuf/generated/services/transaction.ts';
import { SignedTransaction } from '../../protobuf/generated/services/transaction_contents.ts';
import { HOOK_CONTRACT } from '../network/system-accounts.ts';
import type { RecordedItem, RecordObserver } from '../records/recorded-item.ts';
import { putAccounts } from './account-states.ts';
import { putBytecode } from './contract-states.ts';
import { putServices } from './service-states.ts';
import { FamilyChanges } from './state-change.ts';
import { putTokens } from './token-states.ts';
import { traceDataOf } from './trace-data.ts';
import { contractNum, contractResultOf, transactionOutputs } from './transaction-outputs.ts';
import { receiptEntry, signedTransactionOf, transactionResult } from './transaction-result.ts';

type Body = TransactionBody['data'];

/** A transaction as a block has it. */
export interface BlockTransaction {
  /** Consensus time, nanoseconds. */
  readonly at: bigint;
  /** Id of the node that submitted it, 0n for the network's own. */
  readonly nodeId: bigint;
  /** Whether it begins what one submitted transaction came to; children and what a schedule executes follow. */
  readonly begins: boolean;
  /** The SignedTransaction; undefined inside an atomic batch, whose body has it. */
  readonly signed: Uint8Array | undefined;
  readonly result: Uint8Array;
  readonly outputs: readonly Uint8Array[];
  readonly traces: readonly Uint8Array[];
  /** Of itself and its children; undefined for a child. */
  readonly changes: FamilyChanges | undefined;
  /** The TransactionReceiptEntry; undefined for what the network does by itself. */
  readonly receipt: Uint8Array | undefined;
}

/** What transactions with a parent are added to. */
interface Family {
  readonly changes: FamilyChanges;
  /** Hooks that still have to run, in order. */
  readonly hooks: HookId[];
}

const FIRST_NODE_ACCOUNT = 3n;

/** Turns the records of one block into transactions of a block stream as they are made. */
export class BlockRecorder implements RecordObserver {
  readonly transactions: BlockTransaction[] = [];
  readonly #families = new Map<bigint, Family>();
  #contracts: Set<bigint> | undefined;
  #followsPreceding = false;

  recorded(item: RecordedItem): void {
    const { draft, at, parentAt, nonce, status } = item;
    const parent = parentAt === undefined ? undefined : this.#families.get(parentAt);
    const body = bodyOf(item);
    const family = parent ?? { changes: new FamilyChanges(), hooks: hooksOf(body) };
    this.#families.set(at, family);
    const { changes } = family;
    const hook = runsHook(item) ? family.hooks.shift() : undefined;
    const signed = item.prepared?.signed ?? signedTransactionOf(item.item.transaction);
    // Of the transactions whose bytes were known before, those of clients have no parent.
    const inBatch = item.prepared !== undefined && parentAt !== undefined;
    const outputs = transactionOutputs(item, hook);
    const traces = traceDataOf(item, { hook, changes, sharesChanges: parent !== undefined });
    this.#contracts ??= contractsOf(item);
    putAccounts(item, changes, { contracts: this.#contracts, body });
    if (draft.record !== undefined || draft.receipt !== undefined || body !== undefined) {
      putBytecode(item, changes);
      putTokens(item, changes, body);
      putServices(item, changes, body, topicOf(item, body, signed));
    }
    const nodeId = item.node === undefined ? 0n : item.node.num - FIRST_NODE_ACCOUNT;
    this.transactions.push({
      at,
      nodeId,
      begins: parentAt === undefined && draft.scheduledSince === undefined && !this.#followsPreceding,
      signed: inBatch ? undefined : signed,
      result: transactionResult(item.item.record, status),
      outputs,
      traces,
      changes: parent === undefined ? changes : undefined,
      receipt: draft.synthetic === true ? undefined : receiptEntry(item.item.record, nodeId, status),
    });
    this.#followsPreceding = parentAt === undefined && nonce > 0;
  }
}

const contractsOf = ({ state }: RecordedItem): Set<bigint> =>
  new Set([...state.contracts, ...state.published].map(({ num }) => num));

/** The body's data; undefined for the two kinds that are written without codec: plain transfers and messages. */
const bodyOf = ({ draft: { data } }: RecordedItem): Body =>
  typeof data === 'function' ? undefined : TransactionBody.fromPartial({ data }).data;

/** Number of the topic that a message went to. */
const topicOf = ({ type, status }: RecordedItem, body: Body, signed: Uint8Array): bigint | undefined => {
  if (type !== TransactionType.CONSENSUSSUBMITMESSAGE || !isSuccessful(status)) return undefined;
  const data = body ?? TransactionBody.decode(SignedTransaction.decode(signed).bodyBytes).data;
  return data?.$case === 'consensusSubmitMessage' ? data.consensusSubmitMessage.topicID?.topicNum : undefined;
};

const runsHook = (item: RecordedItem): boolean =>
  item.type === TransactionType.CONTRACTCALL &&
  contractNum(contractResultOf(item)?.result.contractID) === HOOK_CONTRACT;

/** Hooks in the order in which a transfer runs them: all that come before it, then all that come after it. */
const hooksOf = (body: Body): HookId[] => {
  if (body?.$case !== 'cryptoTransfer') return [];
  const before: HookId[] = [];
  const after: HookId[] = [];
  for (const { accountID, hookCall } of body.cryptoTransfer.transfers?.accountAmounts ?? []) {
    if (hookCall === undefined) continue;
    const call =
      hookCall.$case === 'prePostTxAllowanceHook' ? hookCall.prePostTxAllowanceHook : hookCall.preTxAllowanceHook;
    if (call.id?.$case !== 'hookId' || accountID === undefined) continue;
    const hook: HookId = {
      entityId: { entityId: { $case: 'accountId', accountId: accountID } },
      hookId: call.id.hookId,
    };
    before.push(hook);
    if (hookCall.$case === 'prePostTxAllowanceHook') after.push(hook);
  }
  return [...before, ...after];
};
