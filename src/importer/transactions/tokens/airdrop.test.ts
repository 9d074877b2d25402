import { describe, expect, it } from 'vitest';
import {
  account,
  alias,
  bytes,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  PAYER,
  SINCE_T,
  T,
  token,
} from '../testing/handled.fixture.ts';

const units = {
  senderId: account(10n),
  receiverId: account(20n),
  tokenReference: { $case: 'fungibleTokenType' as const, fungibleTokenType: token(3000n) },
};
const single = {
  senderId: account(10n),
  receiverId: account(20n),
  tokenReference: { $case: 'nonFungibleToken' as const, nonFungibleToken: { tokenID: token(3001n), serialNumber: 4n } },
};
const UNITS = {
  receiver_account_id: 20n,
  sender_account_id: 10n,
  serial_number: 0n,
  token_id: 3000n,
  timestamp_range: SINCE_T,
};
const SINGLE = { ...UNITS, serial_number: 4n, token_id: 3001n };

describe('airdrop', () => {
  const airdrop: ItemFields = {
    data: { $case: 'tokenAirdrop', tokenAirdrop: {} },
    record: {
      newPendingAirdrops: [
        { pendingAirdropId: units, pendingAirdropValue: { amount: 15n } },
        { pendingAirdropId: single },
        { pendingAirdropId: { senderId: account(10n), receiverId: account(20n) } },
      ],
    },
  };

  it('leaves what waits for its receiver', () => {
    const handled = handle(itemOf(airdrop));
    expect(handled.entityId).toBe(0n);
    expect(handled.all).toEqual([
      { table: 'token_airdrop', row: { ...UNITS, amount: 15n, state: 'PENDING' } },
      { table: 'token_airdrop', row: { ...SINGLE, state: 'PENDING' } },
    ]);
    expect(handled.problems).toEqual(['Pending airdrop without a token']);
    expect(handleFailed(airdrop).all).toEqual([]);
  });

  it('is left out without tokens or airdrops', () => {
    expect(handle(itemOf(airdrop), { persist: { tokenAirdrops: false } }).all).toEqual([]);
    expect(handle(itemOf(airdrop), { persist: { tokens: false } }).all).toEqual([]);
  });
});

describe('end of an airdrop', () => {
  const cancel: ItemFields = {
    data: { $case: 'tokenCancelAirdrop', tokenCancelAirdrop: { pendingAirdrops: [units, single] } },
  };
  const claim: ItemFields = {
    data: { $case: 'tokenClaimAirdrop', tokenClaimAirdrop: { pendingAirdrops: [units, single] } },
  };

  it('is a cancellation', () => {
    expect(handle(itemOf(cancel)).all).toEqual([
      { table: 'token_airdrop', row: { ...UNITS, state: 'CANCELLED' } },
      { table: 'token_airdrop', row: { ...SINGLE, state: 'CANCELLED' } },
    ]);
    expect(handleFailed(cancel).all).toEqual([]);
  });

  it('is a claim, which associates the receiver unless it is associated', () => {
    expect(handle(itemOf(claim), { associated: ['20 3001'] }).all).toEqual([
      { table: 'token_airdrop', row: { ...UNITS, state: 'CLAIMED' } },
      { table: 'token_airdrop', row: { ...SINGLE, state: 'CLAIMED' } },
      {
        table: 'token_account',
        row: {
          account_id: 20n,
          token_id: 3000n,
          associated: true,
          automatic_association: false,
          balance: 0n,
          balance_timestamp: T,
          created_timestamp: T,
          timestamp_range: SINCE_T,
        },
      },
    ]);
    expect(handleFailed(claim).all).toEqual([]);
  });

  it('needs both parties', () => {
    const address = bytes('ee'.repeat(20));
    const pendingAirdrops = [
      { ...units, receiverId: alias(address) },
      { ...units, senderId: account(0n) },
    ];
    const fields: ItemFields = { data: { $case: 'tokenClaimAirdrop', tokenClaimAirdrop: { pendingAirdrops } } };
    const handled = handle(itemOf(fields));
    expect(handled.all).toEqual([]);
    expect(handled.problems).toEqual([
      'Unknown alias or EVM address of the receiver of the airdrop',
      'No sender of the airdrop',
    ]);
    expect(
      handle(itemOf(fields), { known: { ['ee'.repeat(20)]: 20n }, associated: ['20 3000'] }).rows('token_airdrop'),
    ).toEqual([{ ...UNITS, state: 'CLAIMED' }]);
  });
});

describe('reject', () => {
  it('is about the owner, else the payer', () => {
    const reject = (body: object) => handle(itemOf({ data: { $case: 'tokenReject', tokenReject: body } }));
    expect(reject({ owner: account(33n) })).toMatchObject({ entityId: 33n, all: [] });
    expect(reject({})).toMatchObject({ entityId: PAYER, all: [] });
    expect(reject({ owner: alias(bytes('ee'.repeat(20))) }).entityId).toBe(0n);
  });
});
