import { describe, expect, it } from 'vitest';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { bytes, contract, itemOf, PAYER, T } from '../transactions/testing/handled.fixture.ts';
import { CALL, CONTRACT, callResult, contractOutput, HASH, stateChanges } from './testing/contract-output.fixture.ts';

const LOG = { contractID: contract(3003n), data: bytes('01'), bloom: bytes('') };
const BUSY = {
  ...CALL,
  record: callResult({ logInfo: [LOG, LOG], contractNonces: [{ contractId: contract(3003n), nonce: 2n }] }),
  sidecars: [stateChanges(3001n, ['01', '02', '03'])],
};

describe('who took part in a contract transaction', () => {
  it('are its contract, its payer, and contracts that logged or used storage; each row names all', () => {
    const { batch } = contractOutput([itemOf(BUSY)]);
    // By the remainder of 16: 1, 9, 9, 11.
    const contract_ids = [CONTRACT, 3001n, PAYER, 3003n];
    expect(batch.rows('contract_transaction')).toEqual(
      contract_ids.map((entity_id) => ({
        consensus_timestamp: T,
        entity_id,
        contract_ids,
        payer_account_id: PAYER,
      })),
    );
  });

  it('are listed as a hash table of twice the slots has them when there are many', () => {
    const used = [1_048_577n, 40n, 39n, 38n, 37n, 36n, 35n, 34n, 33n, 18n, 17n, 1n, -1n];
    const sidecars = used.map((num) => stateChanges(num & 0xffffffffn, ['01', '02', '03']));
    const { batch } = contractOutput([itemOf({ ...CALL, record: callResult(), sidecars })]);
    const [row] = batch.rows('contract_transaction');
    // By the remainder of 32, the upper 16 bits folded onto the lower ones; in slots 1 and 17 as they came.
    expect(row?.contract_ids).toEqual([
      4_294_967_295n,
      ...[33n, 1n],
      ...[34n, 35n, 36n, 37n, 38n, 39n, 40n, PAYER],
      ...[1_048_577n, 17n, CONTRACT, 18n],
    ]);
  });

  it('are contract 0 and the payer when no contract is known', () => {
    const { receipt, ...call } = CALL;
    const data = { $case: 'contractCall', contractCall: {} } as const;
    const failed = { ...call, data, record: {}, status: ResponseCodeEnum.INVALID_CONTRACT_ID };
    const { batch } = contractOutput([itemOf(failed)]);
    expect(batch.rows('contract_transaction')).toMatchObject([{ entity_id: 0n }, { entity_id: PAYER }]);
  });

  it('are not kept when they need not be', () => {
    const { batch, result } = contractOutput([itemOf(BUSY)], { persist: { contractTransaction: false } });
    expect(batch.rows('contract_transaction')).toEqual([]);
    expect(result(T)).toBeDefined();
  });

  it('are none for a transaction without contracts', () => {
    const transfer = { $case: 'cryptoTransfer', cryptoTransfer: {} } as const;
    const { batch, touched } = contractOutput([itemOf({ data: transfer, record: { transactionHash: HASH } })]);
    expect(batch.rows('contract_transaction')).toEqual([]);
    expect(touched.size).toBe(0);
  });
});

describe('the switches', () => {
  const kept = (persist: object) => {
    const { batch, logs, result, staged } = contractOutput([itemOf(BUSY)], { persist });
    return {
      hashes: batch.rows('contract_transaction_hash').length,
      logs: logs.length,
      nonces: staged('entity').length,
      result: result(T) !== undefined,
      state: staged('contract_state').length,
      stateChanges: batch.rows('contract_state_change').length,
      transactions: batch.rows('contract_transaction').length,
    };
  };
  const ALL = { hashes: 1, logs: 2, nonces: 1, result: true, state: 1, stateChanges: 1, transactions: 4 };

  it('keep everything by default', () => {
    expect(kept({})).toEqual(ALL);
  });

  it('leave storage and nonces without contract results', () => {
    expect(kept({ contractResults: false })).toEqual({ ...ALL, hashes: 0, logs: 0, result: false, transactions: 1 });
  });

  it('leave nothing without contracts', () => {
    expect(Object.values(kept({ contracts: false })).every((count) => !count)).toBe(true);
  });
});

describe('the place of contract transactions in their block', () => {
  const at = (nanos: bigint, fields: Partial<typeof CALL> & { readonly parent?: ReturnType<typeof itemOf> } = {}) =>
    itemOf({ ...CALL, ...fields, timestamp: T + nanos });

  it('is counted from 0, and that of the parent for what a contract called', () => {
    const first = at(0n);
    const child = at(1n, { parent: first });
    const second = at(2n);
    const { result } = contractOutput([first, child, second]);
    expect([0n, 1n, 2n].map((nanos) => result(T + nanos)?.transaction_index)).toEqual([0, 0, 1]);
  });

  it('is counted for transactions without an earlier result, not for wrong nonces', () => {
    const wrong = at(0n, { status: ResponseCodeEnum.WRONG_NONCE });
    const silent = at(1n, { record: {} });
    const { result } = contractOutput([wrong, silent, at(2n)]);
    expect([0n, 1n, 2n].map((nanos) => result(T + nanos)?.transaction_index)).toEqual([null, null, 0]);
  });
});
