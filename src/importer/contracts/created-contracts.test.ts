import { describe, expect, it } from 'vitest';
import { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import { account, contract, ED25519, itemOf, SINCE_T, T } from '../transactions/testing/handled.fixture.ts';
import { CALL, CONTRACT, callResult, contractOutput } from './testing/contract-output.fixture.ts';

const OLD = '0.22.9';
const CREATING = {
  ...CALL,
  hapi: OLD,
  record: callResult({ createdContractIDs: [contract(CONTRACT), contract(3n), contract(3n)] }),
};

const ENTITY = {
  id: 3n,
  balance: 0n,
  balance_timestamp: T,
  created_timestamp: T,
  deleted: false,
  max_automatic_token_associations: 0,
  timestamp_range: SINCE_T,
  type: 'CONTRACT',
};

describe('contracts that a call created', () => {
  it('become entities where the network gives them no record of their own', () => {
    const { staged, batch, touched } = contractOutput([itemOf(CREATING)]);
    expect(staged('entity')).toEqual([ENTITY]);
    expect(batch.rows('contract')).toEqual([]);
    expect(touched).toContain(3n);
  });

  it('are left to their own records since HAPI 0.23', () => {
    expect(contractOutput([itemOf({ ...CREATING, hapi: '0.23.0' })]).staged('entity')).toEqual([]);
  });

  it('are none when the call failed', () => {
    const status = ResponseCodeEnum.CONTRACT_REVERT_EXECUTED;
    expect(contractOutput([itemOf({ ...CREATING, status })]).staged('entity')).toEqual([]);
  });

  it('exist without results', () => {
    const persist = { contractResults: false };
    expect(contractOutput([itemOf(CREATING)], { persist }).staged('entity')).toHaveLength(1);
  });

  it('share what the body of a creation says', () => {
    const data = {
      $case: 'contractCreateInstance',
      contractCreateInstance: {
        adminKey: ED25519.key,
        autoRenewPeriod: { seconds: 90n },
        initcodeSource: { $case: 'fileID', fileID: { fileNum: 5n } },
        memo: 'm',
        proxyAccountID: account(6n),
      },
    } as const;
    const { staged, batch } = contractOutput([itemOf({ ...CREATING, data })]);
    expect(staged('entity')).toMatchObject([
      {
        id: 3n,
        auto_renew_period: 90n,
        key: ED25519.bytes,
        memo: 'm',
        proxy_account_id: 6n,
        public_key: ED25519.publicKey,
        type: 'CONTRACT',
      },
    ]);
    expect(batch.rows('contract')).toEqual([{ id: 3n, file_id: 5n, initcode: null, runtime_bytecode: null }]);
  });
});

describe('nonces of contracts', () => {
  const contractNonces = [
    { contractId: contract(CONTRACT), nonce: 3n },
    { contractId: contract(9n), nonce: 1n },
    { contractId: contract(0n), nonce: 1n },
  ];
  const raising = { ...CALL, record: callResult({ contractNonces }) };

  it('are changed in place, whatever the result', () => {
    for (const status of [ResponseCodeEnum.SUCCESS, ResponseCodeEnum.CONTRACT_REVERT_EXECUTED]) {
      expect(contractOutput([itemOf({ ...raising, status })]).staged('entity')).toEqual([
        { id: CONTRACT, ethereum_nonce: 3n },
        { id: 9n, ethereum_nonce: 1n },
      ]);
    }
  });

  it('stay as they are when they are not tracked', () => {
    expect(contractOutput([itemOf(raising)], { persist: { trackNonce: false } }).staged('entity')).toEqual([]);
  });

  it('are tracked without results, but not without contracts', () => {
    const staged = (persist: object) => contractOutput([itemOf(raising)], { persist }).staged('entity').length;
    expect(staged({ contractResults: false })).toBe(2);
    expect(staged({ contracts: false })).toBe(0);
  });
});
