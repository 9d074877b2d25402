import { describe, expect, it } from 'vitest';
import {
  account,
  alias,
  bytes,
  DAY_OF_T,
  ED25519,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  SINCE_T,
  T,
} from '../testing/handled.fixture.ts';

const SECP_KEY = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798';
const SECP_ALIAS = bytes(`3a21${SECP_KEY}`);
const SECP_ADDRESS = bytes('7e5f4552091a69125d5dfcb7b8c2659029395bdf');
const EVM_ALIAS = bytes('8f5d1c2b3a49586776859403f2e1d0c9b8a79685');

const create = (body: object, more: ItemFields = {}): ItemFields => ({
  data: { $case: 'cryptoCreateAccount', cryptoCreateAccount: body },
  ...more,
  receipt: { accountID: account(1234n) },
});

const PLAIN_ACCOUNT = {
  id: 1234n,
  type: 'ACCOUNT',
  timestamp_range: SINCE_T,
  created_timestamp: T,
  deleted: false,
  memo: '',
  balance: 0n,
  balance_timestamp: T,
  max_automatic_token_associations: 0,
  receiver_sig_required: false,
  decline_reward: false,
};

describe('crypto create', () => {
  it('creates the account of the receipt with everything that the body says', () => {
    const handled = handle(
      itemOf(
        create({
          key: ED25519.key,
          initialBalance: 500n,
          proxyAccountID: account(77n),
          receiverSigRequired: true,
          autoRenewPeriod: { seconds: 7_776_000n },
          memo: 'a\0b',
          maxAutomaticTokenAssociations: 10,
          stakedId: { $case: 'stakedNodeId', stakedNodeId: 3n },
          declineReward: true,
          delegationAddress: EVM_ALIAS,
        }),
      ),
    );
    expect(handled.entityId).toBe(1234n);
    expect(handled.all).toEqual([
      {
        table: 'entity',
        row: {
          ...PLAIN_ACCOUNT,
          auto_renew_period: 7_776_000n,
          decline_reward: true,
          delegation_address: EVM_ALIAS,
          key: ED25519.bytes,
          public_key: ED25519.publicKey,
          max_automatic_token_associations: 10,
          memo: 'a\uFFFDb',
          proxy_account_id: 77n,
          receiver_sig_required: true,
          stake_period_start: DAY_OF_T,
          staked_node_id: 3n,
        },
      },
    ]);
    expect(handled.transaction).toEqual({ initial_balance: 500n });
  });

  it('writes the initial balance of a failed creation and nothing else', () => {
    const handled = handleFailed({ ...create({ initialBalance: 2n ** 64n - 1n }), receipt: {} });
    expect(handled.entityId).toBe(0n);
    expect(handled.all).toEqual([]);
    expect(handled.transaction).toEqual({ initial_balance: -1n });
  });

  it('keeps the empty key list of a hollow account, whose alias is its EVM address', () => {
    const body = { key: { key: { $case: 'keyList', keyList: {} } }, alias: EVM_ALIAS };
    expect(handle(itemOf(create(body))).rows('entity')).toEqual([
      { ...PLAIN_ACCOUNT, alias: EVM_ALIAS, evm_address: EVM_ALIAS, key: bytes('3200'), public_key: '' },
    ]);
  });

  it('takes the key and the EVM address from a long alias of the record when the body has no key', () => {
    expect(handle(itemOf(create({ alias: EVM_ALIAS }, { record: { alias: SECP_ALIAS } }))).rows('entity')).toEqual([
      { ...PLAIN_ACCOUNT, alias: SECP_ALIAS, evm_address: SECP_ADDRESS, key: SECP_ALIAS, public_key: SECP_KEY },
    ]);
  });

  it('prefers the EVM address of the record, and a given key to the alias', () => {
    const fields = create({ key: ED25519.key, alias: SECP_ALIAS }, { record: { evmAddress: EVM_ALIAS } });
    expect(handle(itemOf(fields)).rows('entity')).toEqual([
      {
        ...PLAIN_ACCOUNT,
        alias: SECP_ALIAS,
        evm_address: EVM_ALIAS,
        key: ED25519.bytes,
        public_key: ED25519.publicKey,
      },
    ]);
  });

  it('ignores staking before HAPI 0.27', () => {
    const staked = { declineReward: true, stakedId: { $case: 'stakedAccountId', stakedAccountId: account(9n) } };
    const { decline_reward: _, ...plain } = PLAIN_ACCOUNT;
    expect(handle(itemOf(create(staked, { hapi: '0.26.9' }))).rows('entity')).toEqual([plain]);
    expect(handle(itemOf(create(staked, { hapi: '0.27.0' }))).rows('entity')).toEqual([
      { ...PLAIN_ACCOUNT, decline_reward: true, staked_account_id: 9n, stake_period_start: DAY_OF_T },
    ]);
  });

  it('notes an impossible id and writes no entity', () => {
    const handled = handle(itemOf({ ...create({}), receipt: { accountID: account(-5n) } }));
    expect(handled.entityId).toBe(0n);
    expect(handled.all).toEqual([]);
    expect(handled.problems).toEqual(['Invalid entity id 0.0.-5']);
  });
});

const update = (body: object, more: ItemFields = {}): ItemFields => ({
  data: {
    $case: 'cryptoUpdateAccount',
    cryptoUpdateAccount: { accountIDToUpdate: account(1234n), ...body },
  },
  ...more,
});

const UPDATED = { id: 1234n, type: 'ACCOUNT', timestamp_range: SINCE_T, deleted: false };

const updated = (body: object, more?: ItemFields) => handle(itemOf(update(body, more))).rows('entity');

describe('crypto update', () => {
  it('changes nothing that the body leaves out', () => {
    const handled = handle(itemOf(update({})));
    expect(handled.entityId).toBe(1234n);
    expect(handled.all).toEqual([{ table: 'entity', row: UPDATED }]);
    expect(handleFailed(update({ memo: 'x' })).all).toEqual([]);
  });

  it('changes what the body gives', () => {
    expect(
      updated({
        autoRenewPeriod: { seconds: 1n },
        expirationTime: { seconds: 9_200_000_000_000_000_000n, nanos: 5 },
        key: { key: { $case: 'contractID', contractID: { contract: { $case: 'contractNum', contractNum: 5n } } } },
        maxAutomaticTokenAssociations: 0,
        memo: '',
        proxyAccountID: account(0n),
        delegationAddress: new Uint8Array(20),
      }),
    ).toEqual([
      {
        ...UPDATED,
        auto_renew_period: 1n,
        delegation_address: new Uint8Array(20),
        expiration_timestamp: 2n ** 63n - 1n,
        key: bytes('0a021805'),
        max_automatic_token_associations: 0,
        memo: '',
        proxy_account_id: null,
        public_key: '',
      },
    ]);
  });

  it('takes the receiver signature from the wrapper, from the plain field only when true', () => {
    const wrapper = (value: boolean) => ({
      receiverSigRequiredField: { $case: 'receiverSigRequiredWrapper', receiverSigRequiredWrapper: value },
    });
    const plain = (value: boolean) => ({
      receiverSigRequiredField: { $case: 'receiverSigRequired', receiverSigRequired: value },
    });
    expect(updated(wrapper(false))).toEqual([{ ...UPDATED, receiver_sig_required: false }]);
    expect(updated(wrapper(true))).toEqual([{ ...UPDATED, receiver_sig_required: true }]);
    expect(updated(plain(true))).toEqual([{ ...UPDATED, receiver_sig_required: true }]);
    expect(updated(plain(false))).toEqual([UPDATED]);
  });

  it('clears the other stake and begins a new stake period with any staking change', () => {
    const period = { stake_period_start: DAY_OF_T };
    expect(updated({ stakedId: { $case: 'stakedNodeId', stakedNodeId: 4n } })).toEqual([
      { ...UPDATED, ...period, staked_account_id: 0n, staked_node_id: 4n },
    ]);
    expect(updated({ stakedId: { $case: 'stakedAccountId', stakedAccountId: account(0n) } })).toEqual([
      { ...UPDATED, ...period, staked_account_id: 0n, staked_node_id: -1n },
    ]);
    expect(updated({ declineReward: false })).toEqual([{ ...UPDATED, ...period, decline_reward: false }]);
    expect(updated({ declineReward: false }, { hapi: '0.26.0' })).toEqual([UPDATED]);
  });

  it('does not resolve an alias: there is no main entity and no row', () => {
    const handled = handle(itemOf(update({ accountIDToUpdate: alias(EVM_ALIAS), memo: 'x' })), {
      known: { [Buffer.from(EVM_ALIAS).toString('hex')]: 1234n },
    });
    expect(handled.entityId).toBe(0n);
    expect(handled.all).toEqual([]);
  });
});

describe('crypto delete', () => {
  const remove = (transferAccountID: object | undefined): ItemFields => ({
    data: { $case: 'cryptoDelete', cryptoDelete: { deleteAccountID: account(1234n), transferAccountID } },
  });
  const deleted = { id: 1234n, type: 'ACCOUNT', timestamp_range: SINCE_T, deleted: true };

  it('ends the account and names its heir, by alias too', () => {
    expect(handle(itemOf(remove(account(5n)))).rows('entity')).toEqual([{ ...deleted, obtainer_id: 5n }]);
    const known = { [Buffer.from(EVM_ALIAS).toString('hex')]: 6n };
    expect(handle(itemOf(remove(alias(EVM_ALIAS))), { known }).rows('entity')).toEqual([
      { ...deleted, obtainer_id: 6n },
    ]);
    expect(handleFailed(remove(account(5n))).all).toEqual([]);
  });

  it('notes an heir that is unknown or missing', () => {
    const unknown = handle(itemOf(remove(alias(EVM_ALIAS))));
    expect(unknown.rows('entity')).toEqual([deleted]);
    expect(unknown.problems).toEqual(['Unknown alias or EVM address of the obtainer']);
    const missing = handle(itemOf(remove(undefined)));
    expect(missing.rows('entity')).toEqual([deleted]);
    expect(missing.problems).toEqual(['No obtainer']);
  });
});
