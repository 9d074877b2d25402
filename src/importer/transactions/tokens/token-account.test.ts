import { describe, expect, it } from 'vitest';
import {
  account,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  SINCE_T,
  T,
  token,
} from '../testing/handled.fixture.ts';

const holding = { account: account(70n), token: token(3000n) };
const ROW = { account_id: 70n, token_id: 3000n, timestamp_range: SINCE_T };

describe('freezing and KYC', () => {
  const cases: [string, ItemFields['data'], object][] = [
    ['freeze', { $case: 'tokenFreeze', tokenFreeze: holding }, { freeze_status: 1 }],
    ['unfreeze', { $case: 'tokenUnfreeze', tokenUnfreeze: holding }, { freeze_status: 2 }],
    ['grant KYC', { $case: 'tokenGrantKyc', tokenGrantKyc: holding }, { kyc_status: 1 }],
    ['revoke KYC', { $case: 'tokenRevokeKyc', tokenRevokeKyc: holding }, { kyc_status: 2 }],
  ];

  it.each(cases)('%s', (_, data, status) => {
    const handled = handle(itemOf({ data }));
    expect(handled.entityId).toBe(70n);
    expect(handled.all).toEqual([{ table: 'token_account', row: { ...ROW, associated: true, ...status } }]);
    expect(handleFailed({ data })).toMatchObject({ entityId: 70n, all: [] });
    expect(handle(itemOf({ data }), { persist: { tokens: false } }).all).toEqual([]);
  });

  it('need an account', () => {
    const data = { $case: 'tokenFreeze' as const, tokenFreeze: { token: token(3000n) } };
    expect(handle(itemOf({ data }))).toMatchObject({ entityId: 0n, all: [] });
  });
});

describe('association', () => {
  const tokens = [token(3000n), token(3001n)];
  const associate: ItemFields = {
    data: { $case: 'tokenAssociate', tokenAssociate: { account: account(70n), tokens } },
  };
  const dissociate: ItemFields = {
    data: { $case: 'tokenDissociate', tokenDissociate: { account: account(70n), tokens } },
  };

  it('begins without a balance', () => {
    const fresh = {
      ...ROW,
      associated: true,
      automatic_association: false,
      balance: 0n,
      balance_timestamp: T,
      created_timestamp: T,
    };
    expect(handle(itemOf(associate))).toMatchObject({ entityId: 70n });
    expect(handle(itemOf(associate)).all).toEqual([
      { table: 'token_account', row: fresh },
      { table: 'token_account', row: { ...fresh, token_id: 3001n } },
    ]);
    expect(handleFailed(associate).all).toEqual([]);
  });

  it('ends with dissociation', () => {
    expect(handle(itemOf(dissociate)).all).toEqual([
      { table: 'token_account', row: { ...ROW, associated: false } },
      { table: 'token_account', row: { ...ROW, token_id: 3001n, associated: false } },
    ]);
    expect(handleFailed(dissociate).all).toEqual([]);
  });
});
