import { describe, expect, it } from 'vitest';
import { TokenSupplyType, TokenType } from '../../../protobuf/generated/services/basic_types.ts';
import {
  account,
  bytes,
  ED25519,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  SINCE_T,
  T,
  token,
} from '../testing/handled.fixture.ts';

const TOKEN = { id: 3000n, type: 'TOKEN', timestamp_range: SINCE_T };
const OTHER_KEY = { key: { $case: 'keyList' as const, keyList: {} } };

const create = (body: object, more: ItemFields = {}): ItemFields => ({
  data: {
    $case: 'tokenCreation',
    tokenCreation: { name: 'Name', symbol: 'SYM', treasury: account(50n), ...body },
  },
  receipt: { tokenID: token(3000n) },
  ...more,
});

const CREATED = {
  token_id: 3000n,
  created_timestamp: T,
  decimals: 0n,
  freeze_default: false,
  freeze_status: 0,
  initial_supply: 0n,
  kyc_status: 0,
  max_supply: 0n,
  metadata: bytes(''),
  name: 'Name',
  pause_status: 'NOT_APPLICABLE',
  supply_type: 'INFINITE',
  symbol: 'SYM',
  timestamp_range: SINCE_T,
  total_supply: 0n,
  treasury_account_id: 50n,
  type: 'FUNGIBLE_COMMON',
};

const ASSOCIATION = {
  token_id: 3000n,
  associated: true,
  automatic_association: false,
  balance: 0n,
  balance_timestamp: T,
  created_timestamp: T,
  freeze_status: 0,
  kyc_status: 0,
  timestamp_range: SINCE_T,
};

const NO_FEES = {
  entity_id: 3000n,
  fixed_fees: null,
  fractional_fees: null,
  royalty_fees: null,
  timestamp_range: SINCE_T,
};

describe('token create', () => {
  it('creates entity, token, an empty row of fees, and the association of the treasury', () => {
    const handled = handle(itemOf(create({})));
    expect(handled.entityId).toBe(3000n);
    expect(handled.all).toEqual([
      { table: 'entity', row: { ...TOKEN, created_timestamp: T, deleted: false, memo: '' } },
      { table: 'token', row: CREATED },
      { table: 'custom_fee', row: NO_FEES },
      { table: 'token_account', row: { ...ASSOCIATION, account_id: 50n } },
    ]);
    expect(handleFailed(create({})).all).toEqual([]);
  });

  it('creates the entity alone without tokens', () => {
    const handled = handle(itemOf(create({ adminKey: ED25519.key })), { persist: { tokens: false } });
    expect(handled.all).toEqual([
      {
        table: 'entity',
        row: {
          ...TOKEN,
          created_timestamp: T,
          deleted: false,
          key: ED25519.bytes,
          memo: '',
          public_key: ED25519.publicKey,
        },
      },
    ]);
  });

  it('takes over all that the body says', () => {
    const handled = handle(
      itemOf(
        create({
          autoRenewAccount: account(60n),
          autoRenewPeriod: { seconds: 5n },
          decimals: 8,
          expiry: { seconds: 2n },
          freezeDefault: true,
          freezeKey: ED25519.key,
          initialSupply: 1_000n,
          kycKey: ED25519.key,
          maxSupply: 2_000n,
          metadata: bytes('0102'),
          metadataKey: ED25519.key,
          name: 'N\0',
          pauseKey: OTHER_KEY,
          supplyKey: ED25519.key,
          supplyType: TokenSupplyType.FINITE,
          symbol: '\0S',
          tokenType: TokenType.NON_FUNGIBLE_UNIQUE,
          wipeKey: ED25519.key,
          feeScheduleKey: ED25519.key,
        }),
      ),
    );
    expect(handled.rows('entity')).toMatchObject([
      { auto_renew_account_id: 60n, auto_renew_period: 5n, expiration_timestamp: 2_000_000_000n },
    ]);
    expect(handled.rows('token')).toEqual([
      {
        ...CREATED,
        decimals: 8n,
        fee_schedule_key: ED25519.bytes,
        freeze_default: true,
        freeze_key: ED25519.bytes,
        freeze_status: 1,
        initial_supply: 1_000n,
        kyc_key: ED25519.bytes,
        kyc_status: 2,
        max_supply: 2_000n,
        metadata: bytes('0102'),
        metadata_key: ED25519.bytes,
        name: 'N\uFFFD',
        pause_key: bytes('3200'),
        pause_status: 'UNPAUSED',
        supply_key: ED25519.bytes,
        supply_type: 'FINITE',
        symbol: '\uFFFDS',
        total_supply: 1_000n,
        type: 'NON_FUNGIBLE_UNIQUE',
        wipe_key: ED25519.bytes,
      },
    ]);
    expect(handled.rows('token_account')).toEqual([
      { ...ASSOCIATION, account_id: 50n, freeze_status: 2, kyc_status: 1 },
    ]);
  });

  it('ignores metadata before HAPI 0.49', () => {
    const body = { metadata: bytes('01'), metadataKey: ED25519.key };
    const [row] = handle(itemOf(create(body, { hapi: '0.48.2' }))).rows('token');
    const { metadata: _, ...plain } = CREATED;
    expect(row).toEqual(plain);
  });

  it('associates whom the record names, treasury and collectors only when it names nobody', () => {
    const customFees = [
      { feeCollectorAccountId: account(51n), fee: { $case: 'fixedFee', fixedFee: { denominatingTokenId: token(0n) } } },
      { feeCollectorAccountId: account(52n), fee: { $case: 'fixedFee', fixedFee: { denominatingTokenId: token(7n) } } },
      { feeCollectorAccountId: account(53n), fee: { $case: 'fixedFee', fixedFee: {} } },
      { feeCollectorAccountId: account(54n), fee: { $case: 'fractionalFee', fractionalFee: {} } },
      { feeCollectorAccountId: account(50n), fee: { $case: 'fractionalFee', fractionalFee: {} } },
      { feeCollectorAccountId: account(55n), fee: { $case: 'royaltyFee', royaltyFee: {} } },
    ];
    const holders = (more: ItemFields) =>
      handle(itemOf(create({ customFees }, more)))
        .rows('token_account')
        .map((row) => row.account_id);
    expect(holders({})).toEqual([50n, 51n, 54n]);
    const automaticTokenAssociations = [{ accountId: account(58n), tokenId: token(3000n) }];
    expect(holders({ record: { automaticTokenAssociations } })).toEqual([58n]);
  });

  it('takes an unknown supply type and token type for the first ones', () => {
    expect(handle(itemOf(create({ supplyType: 7, tokenType: 9 }))).rows('token')).toEqual([CREATED]);
  });
});

describe('token update', () => {
  const update = (body: object, more: ItemFields = {}): ItemFields => ({
    data: { $case: 'tokenUpdate', tokenUpdate: { token: token(3000n), ...body } },
    ...more,
  });
  const same = { token_id: 3000n, timestamp_range: SINCE_T };

  it('makes a version of entity and token with no more than the body gives', () => {
    expect(handle(itemOf(update({}))).all).toEqual([
      { table: 'entity', row: { ...TOKEN, deleted: false } },
      { table: 'token', row: same },
    ]);
    expect(handleFailed(update({ name: 'x' })).all).toEqual([]);
  });

  it('changes what the body gives', () => {
    const handled = handle(
      itemOf(
        update({
          adminKey: OTHER_KEY,
          autoRenewAccount: account(0n),
          expiry: { seconds: 3n },
          kycKey: ED25519.key,
          memo: 'm',
          metadata: bytes(''),
          metadataKey: ED25519.key,
          name: 'Other',
          symbol: 'OTH',
          treasury: account(59n),
        }),
      ),
    );
    expect(handled.rows('entity')).toEqual([
      {
        ...TOKEN,
        auto_renew_account_id: 0n,
        deleted: false,
        expiration_timestamp: 3_000_000_000n,
        key: bytes('3200'),
        memo: 'm',
        public_key: '',
      },
    ]);
    expect(handled.rows('token')).toEqual([
      {
        ...same,
        kyc_key: ED25519.bytes,
        metadata: bytes(''),
        metadata_key: ED25519.bytes,
        name: 'Other',
        symbol: 'OTH',
        treasury_account_id: 59n,
      },
    ]);
    expect(handle(itemOf(update({ metadata: bytes('01') }, { hapi: '0.48.0' }))).rows('token')).toEqual([same]);
  });
});

describe('token delete and pause', () => {
  it('end the entity only', () => {
    const data = { $case: 'tokenDeletion' as const, tokenDeletion: { token: token(3000n) } };
    expect(handle(itemOf({ data })).all).toEqual([{ table: 'entity', row: { ...TOKEN, deleted: true } }]);
    expect(handleFailed({ data }).all).toEqual([]);
  });

  it('change the pause status', () => {
    const pause = { data: { $case: 'tokenPause' as const, tokenPause: { token: token(3000n) } } };
    const unpause = { data: { $case: 'tokenUnpause' as const, tokenUnpause: { token: token(3000n) } } };
    const row = { token_id: 3000n, timestamp_range: SINCE_T };
    expect(handle(itemOf(pause)).all).toEqual([{ table: 'token', row: { ...row, pause_status: 'PAUSED' } }]);
    expect(handle(itemOf(unpause)).all).toEqual([{ table: 'token', row: { ...row, pause_status: 'UNPAUSED' } }]);
    expect(handleFailed(pause).all).toEqual([]);
    expect(handle(itemOf(pause), { persist: { tokens: false } }).all).toEqual([]);
  });
});

describe('token fee schedule update', () => {
  const update = (customFees: object[]): ItemFields => ({
    data: { $case: 'tokenFeeScheduleUpdate', tokenFeeScheduleUpdate: { tokenId: token(3000n), customFees } },
  });

  it('replaces all fees, with exact 64-bit amounts', () => {
    const collector = { feeCollectorAccountId: account(51n) };
    const fraction = { numerator: 1n, denominator: 10n };
    const [row] = handle(
      itemOf(
        update([
          { ...collector, fee: { $case: 'fixedFee', fixedFee: { amount: 9_007_199_254_740_993n } } },
          {
            ...collector,
            allCollectorsAreExempt: true,
            fee: { $case: 'fixedFee', fixedFee: { amount: 2n, denominatingTokenId: token(0n) } },
          },
          {
            ...collector,
            fee: {
              $case: 'fractionalFee',
              fractionalFee: { fractionalAmount: fraction, minimumAmount: 1n, netOfTransfers: true },
            },
          },
          { ...collector, fee: { $case: 'fractionalFee', fractionalFee: { maximumAmount: 8n } } },
          { ...collector, fee: { $case: 'royaltyFee', royaltyFee: { exchangeValueFraction: fraction } } },
          {
            fee: {
              $case: 'royaltyFee',
              royaltyFee: { fallbackFee: { amount: 3n, denominatingTokenId: token(7n) } },
            },
          },
        ]),
      ),
    ).rows('custom_fee');
    expect(row).toEqual({
      entity_id: 3000n,
      fixed_fees:
        '[{"all_collectors_are_exempt":false,"collector_account_id":51,"amount":9007199254740993,"denominating_token_id":null},' +
        '{"all_collectors_are_exempt":true,"collector_account_id":51,"amount":2,"denominating_token_id":3000}]',
      fractional_fees:
        '[{"all_collectors_are_exempt":false,"collector_account_id":51,"denominator":10,"maximum_amount":null,' +
        '"minimum_amount":1,"net_of_transfers":true,"numerator":1},' +
        '{"all_collectors_are_exempt":false,"collector_account_id":51,"denominator":0,"maximum_amount":8,' +
        '"minimum_amount":0,"net_of_transfers":false,"numerator":0}]',
      royalty_fees:
        '[{"all_collectors_are_exempt":false,"collector_account_id":51,"denominator":10,"fallback_fee":null,"numerator":1},' +
        '{"all_collectors_are_exempt":false,"collector_account_id":null,"denominator":0,' +
        '"fallback_fee":{"amount":3,"denominating_token_id":7},"numerator":0}]',
      timestamp_range: SINCE_T,
    });
  });

  it('removes all fees with an empty list, and none when no fee can be read', () => {
    expect(handle(itemOf(update([]))).all).toEqual([{ table: 'custom_fee', row: NO_FEES }]);
    const unreadable = handle(itemOf(update([{ feeCollectorAccountId: account(51n) }])));
    expect(unreadable.all).toEqual([]);
    expect(unreadable.problems).toEqual(['Custom fee of an unknown kind']);
    expect(handleFailed(update([])).all).toEqual([]);
  });
});
