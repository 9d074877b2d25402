import { describe, expect, it } from 'vitest';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { account, type BodyFields, rawItem, START } from '../testing/items.fixture.ts';
import {
  call,
  callResult,
  childOf,
  hex,
  list,
  token,
  transferItem,
  transform,
} from './testing/synthetic-logs.fixture.ts';

describe('synthetic results', () => {
  const persist = { syntheticContractResults: true };

  it('are made for token transfers and approvals, only when asked for', () => {
    const data: NonNullable<BodyFields>['data'] = {
      $case: 'cryptoApproveAllowance',
      cryptoApproveAllowance: {
        nftAllowances: [{ spender: account(1002n), tokenId: token(501n), serialNumbers: [1n] }],
      },
    };
    const lists = [list(500n, [1001n, -7n], [1002n, 7n]), list(501n, [1001n, -7n], [1002n, 7n])];
    const raw = [transferItem(lists, { at: 1 }), rawItem({ at: 2, body: { data } })];
    expect(transform(raw).rows('contract_result')).toEqual([]);
    const common = {
      amount: null,
      bloom: null,
      call_result: Uint8Array.of(1),
      created_contract_ids: null,
      error_message: null,
      failed_initcode: null,
      function_result: null,
      gas_consumed: null,
      gas_limit: 0n,
      gas_used: null,
      payer_account_id: 1001n,
      sender_id: 1001n,
      transaction_nonce: 0,
      transaction_result: 22,
    };
    const batch = transform(raw, { persist });
    expect(batch.rows('contract_result')).toEqual([
      {
        ...common,
        consensus_timestamp: START + 1n,
        contract_id: 500n,
        function_parameters: Uint8Array.of(0xa9, 0x05, 0x9c, 0xbb),
        transaction_hash: new Uint8Array(32).fill(2),
        transaction_index: 0,
      },
      {
        ...common,
        consensus_timestamp: START + 2n,
        contract_id: 0n,
        function_parameters: Uint8Array.of(0x09, 0x5e, 0xa7, 0xb3),
        transaction_hash: new Uint8Array(32).fill(3),
        transaction_index: 1,
      },
    ]);
    expect(batch.rows('contract_transaction_hash')).toEqual(
      [500n, 0n].map((entity_id, position) => ({
        consensus_timestamp: START + 1n + BigInt(position),
        entity_id,
        hash: new Uint8Array(32).fill(2 + position),
        payer_account_id: 1001n,
        transaction_result: 22,
      })),
    );
    const unhashed = transform(raw, { persist: { ...persist, contractTransactionHash: false } });
    expect(unhashed.rows('contract_transaction_hash')).toEqual([]);
  });

  it('log a transfer that failed, and leave contract transactions alone', () => {
    const lists = [list(500n, [1001n, -7n], [1002n, 7n])];
    const batch = transform(
      [
        transferItem(lists, { at: 1, status: ResponseCodeEnum.FAIL_INVALID }),
        call(3),
        transferItem(lists, { at: 4, nonce: 1, record: { ...childOf(3), body: callResult(359n) } }),
      ],
      { persist: { ...persist, contractResults: false } },
    );
    expect(batch.rows('contract_result').map((row) => [row.consensus_timestamp - START, hex(row.call_result)])).toEqual(
      [[1n, '00']],
    );
  });
});
