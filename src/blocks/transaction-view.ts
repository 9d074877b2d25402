/** A transaction of a block with its messages decoded as they are asked for, and the state that it can be looked up in. */
import { isSuccessful } from '../ledger/response-code.ts';
import { TransactionOutput } from '../protobuf/generated/block/stream/output/transaction_output.ts';
import type { SubmitMessageTraceData } from '../protobuf/generated/block/stream/trace/consensus_service.ts';
import type { EvmTraceData } from '../protobuf/generated/block/stream/trace/smart_contract_service.ts';
import { TraceData } from '../protobuf/generated/block/stream/trace/trace_data.ts';
import { TokenTransferList } from '../protobuf/generated/services/basic_types.ts';
import { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import type { BlockTransaction } from './block-transactions.ts';
import type { Execution } from './execution.ts';
import { type CreatedKind, type Scope, StateIndex } from './state-index.ts';

type Data = NonNullable<TransactionBody['data']>;
type DataNamed<Name extends Data['$case']> = Extract<Data, { $case: Name }>;
type Output = NonNullable<TransactionOutput['transaction']>;
type OutputNamed<Name extends Output['$case']> = Extract<Output, { $case: Name }>;

export class TransactionView {
  readonly source: BlockTransaction;
  readonly parent: TransactionView | undefined;
  /** What ran with it. */
  readonly execution: Execution;
  /** Numbers of contracts that it and its children created. */
  readonly createdContracts = new Set<bigint>();
  readonly #main: TransactionView | undefined;
  #body: TransactionBody | undefined;
  #outputs: readonly Output[] | undefined;
  #traces: readonly TraceData[] | undefined;
  #tokenTransfers: readonly TokenTransferList[] | undefined;
  #ownState: StateIndex | undefined;

  /** `main` is what set off a transaction that ran before it and names no parent. */
  constructor(
    source: BlockTransaction,
    execution: Execution,
    parent: TransactionView | undefined,
    main: TransactionView | undefined,
  ) {
    this.source = source;
    this.execution = execution;
    this.parent = parent;
    this.#main = main;
  }

  get type(): number {
    return this.source.transaction.type;
  }

  get status(): number {
    return this.source.result.status;
  }

  get isSuccessful(): boolean {
    return isSuccessful(this.status);
  }

  get body(): TransactionBody {
    this.#body ??= TransactionBody.decode(this.source.transaction.body);
    return this.#body;
  }

  get tokenTransfers(): readonly TokenTransferList[] {
    this.#tokenTransfers ??= this.source.result.tokenTransferLists.map((list) => TokenTransferList.decode(list));
    return this.#tokenTransfers;
  }

  get evmTrace(): EvmTraceData | undefined {
    for (const { data } of this.#decodedTraces()) if (data?.$case === 'evmTraceData') return data.evmTraceData;
    return undefined;
  }

  get messageTrace(): SubmitMessageTraceData | undefined {
    for (const { data } of this.#decodedTraces()) {
      if (data?.$case === 'submitMessageTraceData') return data.submitMessageTraceData;
    }
    return undefined;
  }

  /** The body of that name; undefined when the transaction has another one. */
  data<Name extends Data['$case']>(name: Name): DataNamed<Name> | undefined {
    const { data } = this.body;
    return data?.$case === name ? (data as DataNamed<Name>) : undefined;
  }

  /** The last output of that name. */
  output<Name extends Output['$case']>(name: Name): OutputNamed<Name> | undefined {
    this.#outputs ??= this.source.outputs
      .map((bytes) => TransactionOutput.decode(bytes).transaction)
      .filter((output) => output !== undefined);
    return this.#outputs.findLast((output) => output.$case === name) as OutputNamed<Name> | undefined;
  }

  /** What `find` gives for the transaction's own state changes, else for those of what set it off, and so on. */
  inState<T>(find: (state: StateIndex) => T | undefined): T | undefined {
    for (let view: TransactionView | undefined = this; view !== undefined; view = view.parent ?? view.#main) {
      const found = view.source.stateChanges.length === 0 ? undefined : find(view.#state());
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The same for the transaction's own state changes only. */
  inOwnState<T>(find: (state: StateIndex) => T | undefined): T | undefined {
    return this.source.stateChanges.length === 0 ? undefined : find(this.#state());
  }

  /** The number that the network gave to what the transaction created, with its shard and realm. */
  created(kind: CreatedKind): (Scope & { readonly number: bigint }) | undefined {
    return this.inState((state) => {
      const number = this.execution.takeGreatest(kind, state.numbers[kind].keys());
      const scope = number === undefined ? undefined : state.numbers[kind].get(number);
      return number === undefined || scope === undefined ? undefined : { ...scope, number };
    });
  }

  #state(): StateIndex {
    this.#ownState ??= new StateIndex(this.source.stateChanges);
    return this.#ownState;
  }

  #decodedTraces(): readonly TraceData[] {
    this.#traces ??= this.source.traces.map((bytes) => TraceData.decode(bytes));
    return this.#traces;
  }
}
