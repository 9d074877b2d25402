import { describe, expect, it } from 'vitest';
import { since, useTestLedger } from '../testing/ledger.fixture.ts';

const ledger = useTestLedger();

describe('crypto_allowance', () => {
  const grant = (owner: bigint, amount: bigint, at: bigint) => ({
    owner,
    spender: 9n,
    payer_account_id: owner,
    amount,
    amount_granted: amount,
    timestamp_range: since(at),
  });

  it('loses what is spent without history and gets a new amount with it', async () => {
    await ledger.write((batch) => {
      batch.stage('crypto_allowance', grant(1n, 100n, 10n));
      batch.stage('crypto_allowance', { owner: 1n, spender: 9n, amount: -30n });
    });
    await ledger.write((batch) => {
      batch.stage('crypto_allowance', { owner: 1n, spender: 9n, amount: -20n });
      batch.stage('crypto_allowance', { owner: 2n, spender: 9n, amount: -1n });
    });
    expect(await ledger.row('crypto_allowance', 'amount, amount_granted, timestamp_range', 'owner = 1')).toEqual({
      amount: '50',
      amount_granted: '100',
      timestamp_range: '[10,)',
    });
    expect(await ledger.rows('crypto_allowance', 'owner = 2')).toEqual([]);
    await ledger.write((batch) => {
      batch.stage('crypto_allowance', { owner: 1n, spender: 9n, amount: -5n });
      batch.stage('crypto_allowance', grant(1n, 0n, 20n));
    });
    expect(await ledger.row('crypto_allowance', 'amount, amount_granted', 'owner = 1')).toEqual({
      amount: '0',
      amount_granted: '0',
    });
    expect(
      await ledger.row('crypto_allowance_history', 'amount, amount_granted, timestamp_range', 'owner = 1'),
    ).toEqual({ amount: '45', amount_granted: '100', timestamp_range: '[10,20)' });
  });
});

describe('the payer of an allowance', () => {
  const paid = (payer_account_id: bigint, amount: bigint, at?: bigint) => ({
    owner: 3n,
    spender: 9n,
    payer_account_id,
    amount,
    ...(at === undefined ? {} : { amount_granted: amount, timestamp_range: since(at) }),
  });
  const payer = async () => (await ledger.row('crypto_allowance', 'payer_account_id, amount', 'owner = 3')) as object;

  it('stays with transfers of its own block, and becomes that of the first transfer of a later one', async () => {
    await ledger.write((batch) => {
      batch.stage('crypto_allowance', paid(3n, 100n, 10n));
      batch.stage('crypto_allowance', paid(9n, -1n));
    });
    expect(await payer()).toEqual({ payer_account_id: '3', amount: '99' });
    await ledger.write((batch) => {
      batch.stage('crypto_allowance', paid(9n, -2n));
      batch.stage('crypto_allowance', paid(8n, -3n));
    });
    expect(await payer()).toEqual({ payer_account_id: '9', amount: '94' });
    await ledger.write(
      (batch) => batch.stage('crypto_allowance', paid(7n, -1n)),
      (batch) => batch.stage('crypto_allowance', paid(6n, -1n)),
    );
    expect(await payer()).toEqual({ payer_account_id: '6', amount: '92' });
  });
});

describe('token_allowance', () => {
  it('is kept for each token', async () => {
    const grant = (token_id: bigint, amount: bigint, at: bigint) => ({
      owner: 1n,
      spender: 9n,
      token_id,
      payer_account_id: 1n,
      amount,
      amount_granted: amount,
      timestamp_range: since(at),
    });
    await ledger.write((batch) => {
      batch.stage('token_allowance', grant(7n, 10n, 10n));
      batch.stage('token_allowance', grant(8n, 20n, 10n));
      batch.stage('token_allowance', grant(8n, 25n, 12n));
    });
    await ledger.write((batch) =>
      batch.stage('token_allowance', { owner: 1n, spender: 9n, token_id: 8n, amount: -5n }),
    );
    expect(await ledger.row('token_allowance', 'amount', 'token_id = 7')).toEqual({ amount: '10' });
    expect(await ledger.row('token_allowance', 'amount, amount_granted', 'token_id = 8')).toEqual({
      amount: '20',
      amount_granted: '25',
    });
    expect(await ledger.row('token_allowance_history', 'token_id, amount, timestamp_range', 'true')).toEqual({
      token_id: '8',
      amount: '20',
      timestamp_range: '[10,12)',
    });
  });
});

describe('nft_allowance', () => {
  it('is replaced', async () => {
    const grant = (approved_for_all: boolean, at: bigint) => ({
      owner: 1n,
      spender: 9n,
      token_id: 7n,
      payer_account_id: 1n,
      approved_for_all,
      timestamp_range: since(at),
    });
    await ledger.write((batch) => batch.stage('nft_allowance', grant(true, 10n)));
    await ledger.write((batch) => batch.stage('nft_allowance', grant(false, 20n)));
    expect(await ledger.row('nft_allowance', 'approved_for_all, timestamp_range', 'true')).toEqual({
      approved_for_all: false,
      timestamp_range: '[20,)',
    });
    expect(await ledger.row('nft_allowance_history', 'approved_for_all, timestamp_range', 'true')).toEqual({
      approved_for_all: true,
      timestamp_range: '[10,20)',
    });
  });
});
