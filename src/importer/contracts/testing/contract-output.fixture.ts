/** What contracts leave of items made of a few fields, for tests. */
import type { RowOf, TableName } from '../../../database/table.ts';
import type { EntityId } from '../../../ledger/entity-id.ts';
import type { Nanos } from '../../../ledger/timestamp.ts';
import type { ContractFunctionResult } from '../../../protobuf/generated/services/contract_types.ts';
import type { LedgerBatch } from '../../ledger-batch.ts';
import type { RecordItem } from '../../record-item.ts';
import { transactionHandlers } from '../../transactions/registry.ts';
import {
  bytes,
  contextOf,
  contract,
  type ItemFields,
  itemOf,
  RecordingBatch,
} from '../../transactions/testing/handled.fixture.ts';
import { addContractOutput } from '../contract-output.ts';

type Options = NonNullable<Parameters<typeof contextOf>[1]>;

type ResultFields = Partial<{
  [Name in keyof ContractFunctionResult]: unknown;
}>;

export const CONTRACT: EntityId = 2001n;
export const HASH: Uint8Array = new Uint8Array(48).map((_, position) => position + 1);

/** The contract call result of a record; of contract 2001 unless told otherwise. */
export const callResult = (fields: ResultFields = {}): NonNullable<ItemFields['record']> => ({
  transactionHash: HASH,
  body: {
    $case: 'contractCallResult',
    contractCallResult: { contractID: contract(CONTRACT), ...fields } as Partial<ContractFunctionResult>,
  },
});

/** A call of contract 2001 with parameters `aa00`, 7 tinybars and 50,000 gas. */
export const CALL: ItemFields = {
  data: {
    $case: 'contractCall',
    contractCall: {
      contractID: contract(CONTRACT),
      gas: 50_000n,
      amount: 7n,
      functionParameters: bytes('aa00'),
    },
  },
  receipt: { contractID: contract(CONTRACT) },
  record: callResult({ gasUsed: 40_000n }),
};

export interface ContractOutput {
  readonly batch: LedgerBatch;
  readonly problems: readonly string[];
  /** Entities that the items touched. */
  readonly touched: ReadonlySet<EntityId>;
  readonly logs: readonly RowOf<'contract_log'>[];
  result(consensusTimestamp: Nanos): RowOf<'contract_result'> | undefined;
  /** Versions handed to a table of versions, as they were. */
  staged(table: TableName): readonly Readonly<Record<string, unknown>>[];
}

/** What contracts leave of the items of one block, without what their handlers do. */
export const contractOutput = (items: readonly RecordItem[], options: Options = {}): ContractOutput => {
  const batch = new RecordingBatch({ entityHistory: true });
  const problems: string[] = [];
  const touched = new Set<EntityId>();
  const context = { ...contextOf(batch, options, problems), touch: (id: EntityId) => touched.add(id) };
  for (const item of items) {
    context.evm.begin(item);
    addContractOutput(item, transactionHandlers.get(item.type)?.entityId(item, context) ?? 0n, context);
  }
  return {
    batch,
    problems,
    touched,
    logs: context.evm.logs,
    result: (consensusTimestamp) => context.evm.result(consensusTimestamp),
    staged: (table) => batch.handed.filter((handed) => handed.table === table).map(({ row }) => row),
  };
};

/** The `contract_result` of one item. */
export const resultOf = (fields: ItemFields, options: Options = {}): RowOf<'contract_result'> => {
  const item = itemOf(fields);
  const row = contractOutput([item], options).result(item.consensusTimestamp);
  if (row === undefined) throw new TypeError(`No result of the transaction of type ${item.type}`);
  return row;
};

/** Sidecar record of the storage of one contract: slot, value read and, if there is one, value written, as hex. */
export const stateChanges = (num: bigint, ...slots: readonly (readonly [string, string, string?])[]) => ({
  sidecarRecords: {
    $case: 'stateChanges' as const,
    stateChanges: {
      contractStateChanges: [
        {
          contractId: contract(num),
          storageChanges: slots.map(([slot, read, written]) => ({
            slot: bytes(slot),
            valueRead: bytes(read),
            ...(written === undefined ? {} : { valueWritten: bytes(written) }),
          })),
        },
      ],
    },
  },
});
