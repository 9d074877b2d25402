import { describe, expect, it } from 'vitest';
import type { ContractAction } from '../../protobuf/generated/streams/contract_action.ts';
import {
  account,
  bytes,
  contract,
  type ItemFields,
  itemOf,
  PAYER,
  T,
} from '../transactions/testing/handled.fixture.ts';
import { CALL, contractOutput } from './testing/contract-output.fixture.ts';

type Fields = Partial<{ [Name in keyof ContractAction]: unknown }>;

type Sidecar = NonNullable<ItemFields['sidecars']>[number];

const actions = (...contractActions: readonly Fields[]): Sidecar =>
  ({ sidecarRecords: { $case: 'actions', actions: { contractActions } } }) as Sidecar;
const traced = (...sidecars: readonly Sidecar[]) => contractOutput([itemOf({ ...CALL, sidecars })]);

const CALLER = { $case: 'callingAccount', callingAccount: account(1009n) };
const OUTPUT = { $case: 'output', output: bytes('0f') };
const FULL: Fields = {
  callDepth: 0,
  callOperationType: 1,
  callType: 1,
  caller: CALLER,
  gas: 5_000n,
  gasUsed: 4_000n,
  input: bytes('1234'),
  recipient: { $case: 'recipientContract', recipientContract: contract(2002n) },
  resultData: OUTPUT,
  value: 6n,
};

describe('the trace of a transaction', () => {
  it('has a row for each call', () => {
    const { batch, problems, touched } = traced(actions(FULL));
    expect(batch.rows('contract_action')).toEqual([
      {
        call_depth: 0,
        call_operation_type: 1,
        call_type: 1,
        caller: 1009n,
        caller_type: 'ACCOUNT',
        consensus_timestamp: T,
        gas: 5_000n,
        gas_used: 4_000n,
        index: 0,
        input: bytes('1234'),
        payer_account_id: PAYER,
        recipient_account: null,
        recipient_address: null,
        recipient_contract: 2002n,
        result_data: bytes('0f'),
        result_data_type: 11,
        value: 6n,
      },
    ]);
    expect(problems).toEqual([]);
    expect([...touched]).toEqual(expect.arrayContaining([1009n, 2002n]));
  });

  it.each([
    [{ recipient: { $case: 'recipientAccount', recipientAccount: account(7n) } }, { recipient_account: 7n }],
    [{ recipient: { $case: 'targetedAddress', targetedAddress: bytes('ab') } }, { recipient_address: bytes('ab') }],
    [{ recipient: undefined }, { recipient_account: null, recipient_address: null, recipient_contract: null }],
    [{ caller: { $case: 'callingContract', callingContract: contract(8n) } }, { caller: 8n, caller_type: 'CONTRACT' }],
    [{ resultData: { $case: 'revertReason', revertReason: bytes('01') } }, { result_data_type: 12 }],
    [{ resultData: { $case: 'error', error: bytes('02') } }, { result_data: bytes('02'), result_data_type: 13 }],
  ])('tells who was called and what came of it: %o', (fields, columns) => {
    const { batch, problems } = traced(actions({ ...FULL, ...fields }));
    expect(batch.rows('contract_action')).toMatchObject([columns]);
    expect(problems).toEqual([]);
  });

  it.each([
    [{ caller: undefined }, { caller: null, caller_type: null }, 'Contract action without a caller'],
    [{ resultData: undefined }, { result_data: null, result_data_type: 0 }, 'Contract action without a result'],
    [
      { caller: { $case: 'callingContract', callingContract: contract(-3n) } },
      { caller: null, caller_type: 'CONTRACT' },
      'Invalid contract id 0.0.-3',
    ],
    [
      { recipient: { $case: 'recipientAccount', recipientAccount: account(-4n) } },
      { recipient_account: null },
      'Invalid entity id 0.0.-4',
    ],
  ])('goes on where it is odd: %o', (fields, columns, message) => {
    const { batch, problems } = traced(actions({ ...FULL, ...fields }));
    expect(batch.rows('contract_action')).toMatchObject([columns]);
    expect(problems).toEqual([message]);
  });

  it('counts calls through all sidecar records of the transaction', () => {
    const { batch } = traced(actions(FULL, { ...FULL, callDepth: 1 }), actions({ ...FULL, callDepth: 2 }));
    const rows = batch.rows('contract_action');
    expect(rows.map(({ index, call_depth }) => [index, call_depth])).toEqual([
      [0, 0],
      [1, 1],
      [2, 2],
    ]);
  });

  it('tells the gas that an older network used', () => {
    const inner = { ...FULL, callDepth: 1, gasUsed: 9n };
    const item = itemOf({ ...CALL, hapi: '0.40.0', sidecars: [actions(FULL, inner)] });
    // 21,000 for the transaction, 16 and 4 for its parameters `aa00`.
    expect(contractOutput([item]).result(T)?.gas_consumed).toBe(25_020n);
    const creation = itemOf({ ...CALL, hapi: '0.40.0', sidecars: [actions({ ...FULL, callType: 2 }, inner)] });
    expect(contractOutput([creation]).result(T)?.gas_consumed).toBe(57_020n);
    const innerOnly = itemOf({ ...CALL, hapi: '0.40.0', sidecars: [actions(inner)] });
    expect(contractOutput([innerOnly]).result(T)?.gas_consumed).toBeNull();
  });
});
