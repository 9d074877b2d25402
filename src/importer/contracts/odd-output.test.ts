import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tableNamed } from '../../database/table.ts';
import { toHex } from '../../ledger/bytes.ts';
import { insertTables } from '../tables/registry.ts';
import { unwritableColumns } from '../transactions/testing/column-check.fixture.ts';
import { type ItemFields, itemOf } from '../transactions/testing/handled.fixture.ts';
import { CALL, callResult, contractOutput } from './testing/contract-output.fixture.ts';

const int64 = fc.constantFrom(0n, 1n, 5n, -1n, 1n << 38n, (1n << 63n) - 1n, -(1n << 63n));
const num = fc.constantFrom(0n, 3n, 4n, 365n, -1n, 1n << 40n);
const bytes = fc
  .constantFrom('', '00', '01', '0001', 'ff'.repeat(33))
  .map((hex) => new Uint8Array(Buffer.from(hex, 'hex')));
const text = fc.constantFrom('', 'a\0b', '\u{1F600}');

const contractId = fc.option(
  fc.record({
    shardNum: fc.constantFrom(0n, -1n, 1n << 20n),
    contract: fc.oneof(
      num.map((contractNum) => ({ $case: 'contractNum', contractNum })),
      bytes.map((evmAddress) => ({ $case: 'evmAddress', evmAddress })),
      fc.constant(undefined),
    ),
  }),
  { nil: undefined },
);
const accountId = fc.oneof(
  num.map((accountNum) => ({ account: { $case: 'accountNum', accountNum } })),
  bytes.map((alias) => ({ account: { $case: 'alias', alias } })),
);
const few = <T>(element: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(element, { maxLength: 3 });

const functionResult = fc.record({
  amount: int64,
  bloom: bytes,
  contractID: contractId,
  contractNonces: few(fc.record({ contractId, nonce: int64 })),
  createdContractIDs: few(contractId.map((id) => id ?? {})),
  errorMessage: text,
  gas: int64,
  gasUsed: int64.map((gas) => BigInt.asUintN(64, gas)),
  logInfo: few(fc.record({ contractID: contractId, topic: fc.array(bytes, { maxLength: 6 }), data: bytes })),
  senderId: fc.option(accountId, { nil: undefined }),
});

const action = fc.record({
  callDepth: fc.constantFrom(-1, 0, 1),
  callType: fc.constantFrom(0, 2, -1, 99),
  caller: fc.oneof(
    accountId.map((callingAccount) => ({ $case: 'callingAccount', callingAccount })),
    fc.constant(undefined),
  ),
  gasUsed: int64,
  recipient: fc.oneof(
    contractId.map((id) => ({ $case: 'recipientContract', recipientContract: id ?? {} })),
    accountId.map((recipientAccount) => ({ $case: 'recipientAccount', recipientAccount })),
  ),
  value: int64,
});
const stateChange = fc.record({
  contractId,
  storageChanges: few(fc.record({ slot: bytes, valueRead: bytes, valueWritten: fc.option(bytes, { nil: undefined }) })),
});
const sidecar = fc.record({
  migration: fc.boolean(),
  sidecarRecords: fc.oneof(
    few(stateChange).map((contractStateChanges) => ({ $case: 'stateChanges', stateChanges: { contractStateChanges } })),
    few(action).map((contractActions) => ({ $case: 'actions', actions: { contractActions } })),
    fc.record({ contractId, initcode: bytes }).map((bytecode) => ({ $case: 'bytecode', bytecode })),
  ),
});

const data = fc.oneof(
  fc.constant(CALL.data),
  contractId.map((contractID) => ({ $case: 'contractCall', contractCall: { contractID } })),
  fc.constant({ $case: 'contractCreateInstance', contractCreateInstance: { autoRenewPeriod: { seconds: 1n } } }),
  bytes.map((ethereumData) => ({ $case: 'ethereumTransaction', ethereumTransaction: { ethereumData } })),
  fc.constant({ $case: 'cryptoTransfer', cryptoTransfer: {} }),
);

const fields = fc
  .record({
    data,
    hapi: fc.constantFrom('0.22.0', '0.40.0', '0.69.0'),
    isChild: fc.boolean(),
    result: fc.option(functionResult, { nil: undefined }),
    sidecars: few(sidecar),
    status: fc.constantFrom(22, 33, 11, 312),
  })
  .map(({ result, isChild, ...rest }) => ({
    ...rest,
    record: {
      ...(result === undefined ? {} : callResult(result)),
      ...(isChild ? { parentConsensusTimestamp: { seconds: 1n } } : {}),
    },
  })) as fc.Arbitrary<ItemFields>;

const keysOf = (table: string, rows: readonly object[]): string[] => {
  const { primaryKey } = tableNamed(table as Parameters<typeof tableNamed>[0]);
  return rows.map((row) =>
    primaryKey
      .map((column) => (row as Record<string, unknown>)[column])
      .map((value) => (value instanceof Uint8Array ? toHex(value) : String(value)))
      .join(' '),
  );
};

describe('odd results and sidecars', () => {
  it('still make rows that can be written, none with the key of another', () => {
    fc.assert(
      fc.property(fields, (one) => {
        const { batch, logs, result, staged } = contractOutput([itemOf(one)]);
        const row = result(itemOf(one).consensusTimestamp);
        const added = [
          ...logs.map((log) => ({ table: 'contract_log' as const, row: log })),
          ...(row === undefined ? [] : [{ table: 'contract_result' as const, row }]),
        ];
        const versions = (['contract_state', 'entity', 'hook_storage'] as const).flatMap((table) =>
          staged(table).map((version) => ({ table, row: version })),
        );
        const inserted = insertTables.flatMap((table) =>
          batch.rows(table).map((inserted) => ({ table, row: inserted })),
        );
        expect([...added, ...versions, ...inserted].flatMap((handed) => unwritableColumns(handed as never))).toEqual(
          [],
        );
        for (const table of insertTables) {
          const keys = keysOf(table, batch.rows(table));
          if (table !== 'contract_transaction_hash') expect(new Set(keys).size).toBe(keys.length);
        }
      }),
      { numRuns: 500 },
    );
  });
});
