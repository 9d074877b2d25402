import { describe, expect, it } from 'vitest';
import {
  account,
  bytes,
  contract,
  DAY_OF_T,
  ED25519,
  evmAddress,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  SINCE_T,
  T,
} from '../testing/handled.fixture.ts';

const ADDRESS = bytes('dd'.repeat(20));
const CONTRACT = { id: 1700n, type: 'CONTRACT', timestamp_range: SINCE_T };

const create = (body: object, more: ItemFields = {}): ItemFields => ({
  data: { $case: 'contractCreateInstance', contractCreateInstance: body },
  receipt: { contractID: contract(1700n) },
  ...more,
});

const CREATED = {
  ...CONTRACT,
  balance: 0n,
  balance_timestamp: T,
  created_timestamp: T,
  decline_reward: false,
  deleted: false,
  key: bytes('0a0318a40d'),
  public_key: '',
  max_automatic_token_associations: 0,
  memo: '',
};

const ROW = { id: 1700n, file_id: null, initcode: null, runtime_bytecode: null };

describe('contract create', () => {
  it('creates an entity that is governed by itself, and the contract with its initcode', () => {
    const handled = handle(
      itemOf(create({ initcodeSource: { $case: 'initcode', initcode: bytes('6001') }, initialBalance: 3n })),
    );
    expect(handled.entityId).toBe(1700n);
    expect(handled.all).toEqual([
      { table: 'entity', row: CREATED },
      { table: 'contract', row: { ...ROW, initcode: bytes('6001') } },
    ]);
    expect(handled.transaction).toEqual({ initial_balance: 3n });
  });

  it('takes over everything that the body and the result say', () => {
    const body = {
      adminKey: ED25519.key,
      autoRenewAccountId: account(60n),
      autoRenewPeriod: { seconds: 9n },
      initcodeSource: { $case: 'fileID', fileID: { fileNum: 1500n } },
      maxAutomaticTokenAssociations: -1,
      memo: 'm',
      proxyAccountID: account(61n),
      stakedId: { $case: 'stakedAccountId', stakedAccountId: account(62n) },
    };
    const record: NonNullable<ItemFields['record']> = {
      body: { $case: 'contractCreateResult', contractCreateResult: { evmAddress: ADDRESS } },
    };
    expect(handle(itemOf(create(body, { record }))).all).toEqual([
      {
        table: 'entity',
        row: {
          ...CREATED,
          auto_renew_account_id: 60n,
          auto_renew_period: 9n,
          evm_address: ADDRESS,
          key: ED25519.bytes,
          max_automatic_token_associations: -1,
          memo: 'm',
          proxy_account_id: 61n,
          public_key: ED25519.publicKey,
          stake_period_start: DAY_OF_T,
          staked_account_id: 62n,
        },
      },
      { table: 'contract', row: { ...ROW, file_id: 1500n } },
    ]);
  });

  it('writes the initial balance of a failed creation and nothing else', () => {
    const handled = handleFailed(create({ initialBalance: 3n }));
    expect(handled.all).toEqual([]);
    expect(handled.transaction).toEqual({ initial_balance: 3n });
  });

  it('touches the accounts and the file that it names', () => {
    const handled = handle(
      itemOf(
        create({
          autoRenewAccountId: account(60n),
          initcodeSource: { $case: 'fileID', fileID: { fileNum: 1500n } },
          proxyAccountID: account(61n),
        }),
      ),
    );
    expect(handled.touched).toEqual(expect.arrayContaining([60n, 61n, 1500n]));
  });

  it('notes an empty auto renew account and writes nothing without contracts', () => {
    const handled = handle(itemOf(create({ autoRenewAccountId: account(0n) })));
    expect(handled.rows('entity')).toEqual([CREATED]);
    expect(handled.problems).toEqual(['No auto renew account']);
    expect(handle(itemOf(create({})), { persist: { contracts: false } }).all).toEqual([]);
  });
});

describe('contract update', () => {
  const update = (body: object, more: ItemFields = {}): ItemFields => ({
    data: { $case: 'contractUpdateInstance', contractUpdateInstance: { contractID: evmAddress(ADDRESS), ...body } },
    ...more,
  });
  const known = { ['dd'.repeat(20)]: 1700n };
  const updated = (body: object) => handle(itemOf(update(body)), { known }).rows('entity');

  it('finds the contract by the receipt, then by the body', () => {
    expect(handle(itemOf(update({}, { receipt: { contractID: contract(1701n) } })), { known }).entityId).toBe(1701n);
    expect(handle(itemOf(update({}, { receipt: { contractID: contract(0n) } })), { known }).entityId).toBe(1700n);
    const unknown = handle(itemOf(update({})));
    expect(unknown.entityId).toBe(0n);
    expect(unknown.all).toEqual([]);
    expect(unknown.problems).toEqual(['Unknown alias or EVM address of the contract']);
    expect(handleFailed(update({ memoField: { $case: 'memo', memo: 'x' } }), { known }).all).toEqual([]);
  });

  it('changes what the body gives', () => {
    expect(updated({})).toEqual([{ ...CONTRACT, deleted: false }]);
    expect(
      updated({
        adminKey: ED25519.key,
        autoRenewAccountId: account(0n),
        autoRenewPeriod: { seconds: 9n },
        declineReward: true,
        expirationTime: { seconds: 1n, nanos: 1 },
        fileID: { fileNum: 5n },
        maxAutomaticTokenAssociations: 4,
        proxyAccountID: account(61n),
      }),
    ).toEqual([
      {
        ...CONTRACT,
        auto_renew_account_id: 0n,
        auto_renew_period: 9n,
        decline_reward: true,
        deleted: false,
        expiration_timestamp: 1_000_000_001n,
        key: ED25519.bytes,
        max_automatic_token_associations: 4,
        proxy_account_id: 61n,
        public_key: ED25519.publicKey,
        stake_period_start: DAY_OF_T,
      },
    ]);
  });

  it('touches the accounts that the body names', () => {
    const body = { autoRenewAccountId: account(60n), proxyAccountID: account(61n) };
    expect(handle(itemOf(update(body)), { known }).touched).toEqual(expect.arrayContaining([60n, 61n]));
  });

  it('empties the memo through the wrapper only', () => {
    const memo = (memoField: object) => updated({ memoField })[0]?.memo;
    expect(memo({ $case: 'memoWrapper', memoWrapper: '' })).toBe('');
    expect(memo({ $case: 'memo', memo: 'new' })).toBe('new');
    expect(memo({ $case: 'memo', memo: '' })).toBeUndefined();
  });
});

describe('contract delete', () => {
  const remove = (obtainers?: object): ItemFields => ({
    data: {
      $case: 'contractDeleteInstance',
      contractDeleteInstance: {
        contractID: contract(1700n),
        permanentRemoval: true,
        ...(obtainers && { obtainers }),
      } as object,
    },
  });
  const deleted = { ...CONTRACT, deleted: true, permanent_removal: true };

  it('ends the contract and names its heir', () => {
    const toAccount = handle(itemOf(remove({ $case: 'transferAccountID', transferAccountID: account(5n) })));
    expect(toAccount.rows('entity')).toEqual([{ ...deleted, obtainer_id: 5n }]);
    expect(toAccount.touched).toEqual([5n]);
    expect(
      handle(itemOf(remove({ $case: 'transferContractID', transferContractID: evmAddress(ADDRESS) })), {
        known: { ['dd'.repeat(20)]: 6n },
      }).rows('entity'),
    ).toEqual([{ ...deleted, obtainer_id: 6n }]);
    expect(handle(itemOf(remove())).rows('entity')).toEqual([deleted]);
    expect(handleFailed(remove()).all).toEqual([]);
  });
});

describe('contract call', () => {
  const call = (receipt: ItemFields['receipt']): ItemFields => ({
    data: { $case: 'contractCall', contractCall: { contractID: evmAddress(ADDRESS) } },
    receipt,
  });

  it('is about the contract of the receipt, else of the body, even when it fails', () => {
    const known = { ['dd'.repeat(20)]: 1700n };
    expect(handle(itemOf(call({ contractID: contract(1701n) })), { known })).toMatchObject({
      entityId: 1701n,
      all: [],
    });
    expect(handleFailed(call({}), { known }).entityId).toBe(1700n);
    expect(handleFailed(call({}))).toMatchObject({ entityId: 0n, problems: [] });
  });
});
