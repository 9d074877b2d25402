import { encode } from '@ethereumjs/rlp';
import { describe, expect, it } from 'vitest';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import {
  account,
  bytes,
  contract,
  evmAddress,
  type ItemFields,
  itemOf,
  PAYER,
  T,
} from '../transactions/testing/handled.fixture.ts';
import { CALL, CONTRACT, callResult, contractOutput, HASH, resultOf } from './testing/contract-output.fixture.ts';

const REVERTED = ResponseCodeEnum.CONTRACT_REVERT_EXECUTED;
const NO_BYTES = new Uint8Array(0);

const creation = (initcode?: Uint8Array) =>
  ({
    $case: 'contractCreateInstance',
    contractCreateInstance: {
      gas: 90_000n,
      initialBalance: 5n,
      constructorParameters: bytes('0b'),
      initcodeSource: initcode && { $case: 'initcode', initcode },
    },
  }) as NonNullable<ItemFields['data']>;

/** Type 2, chain id 298, nonce 1, gas limit 100,000, to `11..11`, call data `abcd`. */
const ETHEREUM_DATA = new Uint8Array(
  Buffer.concat([
    bytes('02'),
    encode([298, 1, 1, 2, 100_000, bytes('11'.repeat(20)), NO_BYTES, bytes('abcd'), [], 0, bytes('0a'), bytes('0b')]),
  ]),
);

const ethereum = (data: Uint8Array = ETHEREUM_DATA) =>
  ({ $case: 'ethereumTransaction', ethereumTransaction: { ethereumData: data } }) as const;

describe('the result of a contract call', () => {
  it('has what was asked for from the body and what came of it from the record', () => {
    const bloom = new Uint8Array(256);
    bloom[255] = 4;
    const row = resultOf({
      ...CALL,
      nonce: 3,
      record: callResult({
        amount: 1n,
        bloom,
        contractCallResult: bytes('c0de'),
        errorMessage: '',
        functionParameters: bytes('ff'),
        gas: 1n,
        gasUsed: 40_000n,
        senderId: account(1009n),
      }),
    });
    expect(row).toEqual({
      amount: 7n,
      bloom,
      call_result: bytes('c0de'),
      consensus_timestamp: T,
      contract_id: CONTRACT,
      created_contract_ids: [],
      error_message: '',
      failed_initcode: null,
      function_parameters: bytes('aa00'),
      function_result: expect.any(Uint8Array),
      gas_consumed: 40_000n,
      gas_limit: 50_000n,
      gas_used: 40_000n,
      payer_account_id: PAYER,
      sender_id: 1009n,
      transaction_hash: HASH.subarray(0, 32),
      transaction_index: 0,
      transaction_nonce: 3,
      transaction_result: ResponseCodeEnum.SUCCESS,
    });
  });

  it('keeps the serialized result', () => {
    expect(resultOf({ ...CALL, record: callResult({ gasUsed: 5n }) }).function_result).toEqual(bytes('0a0318d10f2805'));
  });

  it('has the payer for a sender when the record names none', () => {
    expect(resultOf(CALL).sender_id).toBe(PAYER);
  });

  it('has no bytes for a bloom of zeros', () => {
    expect(resultOf({ ...CALL, record: callResult({ bloom: new Uint8Array(256) }) }).bloom).toEqual(NO_BYTES);
  });

  it('lists created contracts in the order of the record, without those that are unknown', () => {
    const createdContractIDs = [contract(9n), evmAddress(bytes('aa'.repeat(20))), contract(3n), contract(0n)];
    const fields = { ...CALL, record: callResult({ createdContractIDs }) };
    expect(resultOf(fields).created_contract_ids).toEqual([9n, 3n]);
    const known = { ['aa'.repeat(20)]: 4n };
    expect(resultOf(fields, { known }).created_contract_ids).toEqual([9n, 4n, 3n]);
  });

  it('keeps gas as a signed 64-bit number and texts without NUL', () => {
    const row = resultOf({ ...CALL, record: callResult({ gasUsed: 2n ** 64n - 1n, errorMessage: 'a\0b' }) });
    expect(row).toMatchObject({ gas_used: -1n, gas_consumed: -1n, error_message: 'a\uFFFDb' });
  });

  it('is written without a result in the record, with nothing that only the record says', () => {
    const row = resultOf({ ...CALL, record: { transactionHash: HASH }, status: REVERTED });
    expect(row).toEqual({
      amount: 7n,
      bloom: null,
      call_result: null,
      consensus_timestamp: T,
      contract_id: CONTRACT,
      created_contract_ids: [],
      error_message: null,
      failed_initcode: null,
      function_parameters: bytes('aa00'),
      function_result: null,
      gas_consumed: null,
      gas_limit: 50_000n,
      gas_used: null,
      payer_account_id: PAYER,
      sender_id: PAYER,
      transaction_hash: HASH.subarray(0, 32),
      transaction_index: null,
      transaction_nonce: 0,
      transaction_result: REVERTED,
    });
  });

  it('has contract 0 when the contract is unknown', () => {
    const { receipt, ...call } = CALL;
    const contractID = evmAddress(bytes('bb'.repeat(20)));
    const data = { $case: 'contractCall', contractCall: { contractID } } as const;
    expect(resultOf({ ...call, data, status: REVERTED })).toMatchObject({ contract_id: 0n, gas_limit: 0n });
  });
});

describe('the result of a contract creation', () => {
  it('has balance, gas and parameters of the body', () => {
    const row = resultOf({ data: creation(), receipt: { contractID: contract(CONTRACT) } });
    expect(row).toMatchObject({
      amount: 5n,
      contract_id: CONTRACT,
      failed_initcode: null,
      function_parameters: bytes('0b'),
      gas_limit: 90_000n,
    });
  });

  it('keeps the code that failed', () => {
    expect(resultOf({ data: creation(bytes('60')) }).failed_initcode).toBeNull();
    expect(resultOf({ data: creation(bytes('60')), status: REVERTED }).failed_initcode).toEqual(bytes('60'));
  });

  it('has failed code from the sidecar when the body has none', () => {
    const bytecode = { initcode: bytes('61'), contractId: contract(CONTRACT) };
    const sidecars = [{ sidecarRecords: { $case: 'bytecode' as const, bytecode } }];
    const failed = { data: creation(), status: REVERTED, sidecars };
    expect(resultOf(failed).failed_initcode).toEqual(bytes('61'));
    const withoutCode = [
      { sidecarRecords: { $case: 'bytecode' as const, bytecode: { contractId: contract(CONTRACT) } } },
    ];
    expect(resultOf({ ...failed, sidecars: withoutCode }).failed_initcode).toEqual(bytes(''));
    expect(resultOf({ ...failed, status: ResponseCodeEnum.SUCCESS }).failed_initcode).toBeNull();
    expect(resultOf({ ...failed, data: creation(bytes('60')) }).failed_initcode).toEqual(bytes('60'));
    const migrated = sidecars.map((sidecar) => ({ ...sidecar, migration: true }));
    expect(resultOf({ ...failed, sidecars: migrated }).failed_initcode).toBeNull();
  });
});

describe('the result of another transaction', () => {
  const transfer = { $case: 'cryptoTransfer', cryptoTransfer: {} } as const;

  it('has all it has from the record', () => {
    const result = { amount: 8n, gas: 9n, functionParameters: bytes('0d'), contractID: contract(359n), gasUsed: 2n };
    expect(resultOf({ data: transfer, record: callResult(result) })).toMatchObject({
      amount: 8n,
      contract_id: 359n,
      function_parameters: bytes('0d'),
      gas_limit: 9n,
      transaction_index: null,
    });
  });

  it('is not written when the record has none, or one that says nothing', () => {
    const empty = { transactionHash: HASH, body: { $case: 'contractCallResult', contractCallResult: {} } } as const;
    for (const record of [{ transactionHash: HASH }, empty]) {
      expect(contractOutput([itemOf({ data: transfer, record })]).result(T)).toBeUndefined();
    }
  });

  it('has contract 0 for an unknown EVM address, which is nothing odd', () => {
    const record = callResult({ contractID: evmAddress(bytes('cc'.repeat(20))) });
    const output = contractOutput([itemOf({ data: transfer, record })]);
    expect(output.result(T)).toMatchObject({ contract_id: 0n });
    expect(output.problems).toEqual([]);
    const known = { ['cc'.repeat(20)]: 77n };
    expect(resultOf({ data: transfer, record }, { known }).contract_id).toBe(77n);
  });
});

describe('an Ethereum transaction that failed before the EVM ran', () => {
  const failed = { data: ethereum(), record: { transactionHash: HASH, ethereumHash: bytes('ee'.repeat(32)) } };

  it('leaves a result made of the transaction itself', () => {
    expect(resultOf({ ...failed, status: ResponseCodeEnum.INSUFFICIENT_PAYER_BALANCE })).toEqual({
      amount: null,
      bloom: null,
      call_result: NO_BYTES,
      consensus_timestamp: T,
      contract_id: 0n,
      created_contract_ids: [],
      error_message: null,
      failed_initcode: null,
      function_parameters: bytes('abcd'),
      function_result: null,
      gas_consumed: 0n,
      gas_limit: 100_000n,
      gas_used: 0n,
      payer_account_id: PAYER,
      sender_id: PAYER,
      transaction_hash: bytes('ee'.repeat(32)),
      transaction_index: null,
      transaction_nonce: 0,
      transaction_result: ResponseCodeEnum.INSUFFICIENT_PAYER_BALANCE,
    });
  });

  it.each(['SUCCESS', 'DUPLICATE_TRANSACTION', 'WRONG_NONCE'] as const)('leaves none with %s', (status) => {
    const output = contractOutput([itemOf({ ...failed, status: ResponseCodeEnum[status] })]);
    expect(output.result(T)).toBeUndefined();
    expect(output.batch.rows('contract_transaction_hash')).toEqual([]);
  });

  it('leaves none when it cannot be decoded', () => {
    const status = ResponseCodeEnum.INVALID_ETHEREUM_TRANSACTION;
    const output = contractOutput([itemOf({ ...failed, data: ethereum(bytes('c0')), status })]);
    expect(output.result(T)).toBeUndefined();
    expect(output.problems).toEqual([]);
  });

  it('keeps the result that the record has, even for a wrong nonce, but gets no place in the block', () => {
    const record = { ...callResult({ gas: 12n, errorMessage: '0x57' }), ethereumHash: bytes('ee'.repeat(32)) };
    const row = resultOf({ ...failed, record, status: ResponseCodeEnum.WRONG_NONCE });
    expect(row).toMatchObject({ gas_limit: 12n, error_message: '0x57', transaction_index: null });
  });
});

describe('the hash of a result', () => {
  it('leads to it', () => {
    const { batch } = contractOutput([itemOf({ ...CALL, status: REVERTED })]);
    expect(batch.rows('contract_transaction_hash')).toEqual([
      {
        consensus_timestamp: T,
        entity_id: CONTRACT,
        hash: HASH.subarray(0, 32),
        payer_account_id: PAYER,
        transaction_result: REVERTED,
      },
    ]);
  });

  it('is not kept when it need not be', () => {
    const { batch } = contractOutput([itemOf(CALL)], { persist: { contractTransactionHash: false } });
    expect(batch.rows('contract_transaction_hash')).toEqual([]);
  });
});
