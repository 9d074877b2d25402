import { describe, expect, it } from 'vitest';
import type { LedgerBatch } from '../ledger-batch.ts';
import type { StagedVersion } from '../tables/registry.ts';
import { since, useTestLedger } from '../testing/ledger.fixture.ts';

const ledger = useTestLedger();

const token = (id: bigint, more: Partial<StagedVersion<'token'>> = {}): StagedVersion<'token'> => ({
  token_id: id,
  created_timestamp: 10n,
  decimals: 2n,
  freeze_default: false,
  freeze_status: 0,
  initial_supply: 1000n,
  kyc_status: 0,
  name: 'Name',
  symbol: 'SYM',
  total_supply: 1000n,
  treasury_account_id: 50n,
  timestamp_range: since(10n),
  ...more,
});

describe('token', () => {
  it('takes a new supply without history', async () => {
    await ledger.write((batch) => batch.stage('token', token(201n)));
    await ledger.write((batch) => batch.stage('token', { token_id: 201n, total_supply: 1500n }));
    expect(
      await ledger.row('token', 'total_supply, supply_type, type, max_supply, pause_status', 'token_id = 201'),
    ).toEqual({
      total_supply: '1500',
      supply_type: 'INFINITE',
      type: 'FUNGIBLE_COMMON',
      max_supply: '9223372036854775807',
      pause_status: 'NOT_APPLICABLE',
    });
    await ledger.write((batch) => batch.stage('token', { token_id: 201n, total_supply: 0n }));
    expect(await ledger.row('token', 'total_supply', 'token_id = 201')).toEqual({ total_supply: '0' });
    expect(await ledger.rows('token_history', 'token_id = 201')).toEqual([]);
  });

  it('adds a negative supply, also to one set in the same batch', async () => {
    await ledger.write((batch) => batch.stage('token', token(202n)));
    await ledger.write((batch) => batch.stage('token', { token_id: 202n, total_supply: -100n }));
    expect(await ledger.row('token', 'total_supply', 'token_id = 202')).toEqual({ total_supply: '900' });
    await ledger.write((batch) => {
      batch.stage('token', { token_id: 202n, total_supply: 500n });
      batch.stage('token', { token_id: 202n, total_supply: -20n });
      batch.stage('token', { token_id: 202n, total_supply: -3n });
    });
    expect(await ledger.row('token', 'total_supply', 'token_id = 202')).toEqual({ total_supply: '477' });
  });

  it('keeps fixed properties and the supply over changes', async () => {
    await ledger.write((batch) => {
      batch.stage('token', token(203n));
      batch.stage('token', { token_id: 203n, total_supply: 1200n });
      batch.stage('token', { token_id: 203n, name: 'New', decimals: 7n, timestamp_range: since(20n) });
    });
    await ledger.write((batch) =>
      batch.stage('token', { token_id: 203n, pause_status: 'PAUSED', decimals: 9n, timestamp_range: since(30n) }),
    );
    const columns = 'name, symbol, decimals, total_supply, pause_status, timestamp_range';
    expect(await ledger.row('token', columns, 'token_id = 203')).toEqual({
      name: 'New',
      symbol: 'SYM',
      decimals: '7',
      total_supply: '1200',
      pause_status: 'PAUSED',
      timestamp_range: '[30,)',
    });
    expect(await ledger.row('token_history', columns, "token_id = 203 and timestamp_range = '[10,20)'")).toEqual({
      name: 'Name',
      symbol: 'SYM',
      decimals: '2',
      total_supply: '1200',
      pause_status: 'NOT_APPLICABLE',
      timestamp_range: '[10,20)',
    });
    expect(await ledger.row('token_history', 'name', "token_id = 203 and timestamp_range = '[20,30)'")).toEqual({
      name: 'New',
    });
  });

  it('skips changes of tokens whose creation is unknown', async () => {
    await ledger.write((batch) => {
      batch.stage('token', { token_id: 204n, name: 'Nowhere', timestamp_range: since(20n) });
      batch.stage('token', { token_id: 205n, total_supply: 5n });
    });
    expect(await ledger.rows('token', 'token_id in (204, 205)')).toEqual([]);
    expect(await ledger.rows('token_history', 'token_id in (204, 205)')).toEqual([]);
  });
});

const association = (account: bigint, tokenId: bigint, created: bigint): StagedVersion<'token_account'> => ({
  account_id: account,
  token_id: tokenId,
  associated: true,
  automatic_association: false,
  balance: 0n,
  balance_timestamp: created,
  created_timestamp: created,
  timestamp_range: since(created),
});

const move = (batch: LedgerBatch, account: bigint, tokenId: bigint, balance: bigint, at: bigint): void =>
  batch.stage('token_account', { account_id: account, token_id: tokenId, balance, balance_timestamp: at });

describe('token_account', () => {
  const columns =
    'associated, balance, balance_timestamp, created_timestamp, freeze_status, kyc_status, timestamp_range';

  it('drops balances of unknown associations', async () => {
    await ledger.write((batch) => move(batch, 301n, 1n, 5n, 10n));
    expect(await ledger.rows('token_account', 'account_id = 301')).toEqual([]);
  });

  it('changes statuses with history and balances without', async () => {
    await ledger.write((batch) => batch.stage('token_account', association(302n, 1n, 10n)));
    await ledger.write((batch) => move(batch, 302n, 1n, 5n, 15n));
    await ledger.write((batch) =>
      batch.stage('token_account', {
        account_id: 302n,
        token_id: 1n,
        associated: true,
        freeze_status: 1,
        timestamp_range: since(20n),
      }),
    );
    expect(await ledger.row('token_account', columns, 'account_id = 302')).toEqual({
      associated: true,
      balance: '5',
      balance_timestamp: '15',
      created_timestamp: '10',
      freeze_status: 1,
      kyc_status: null,
      timestamp_range: '[20,)',
    });
    expect(await ledger.row('token_account_history', columns, 'account_id = 302')).toEqual({
      associated: true,
      balance: '5',
      balance_timestamp: '15',
      created_timestamp: '10',
      freeze_status: null,
      kyc_status: null,
      timestamp_range: '[10,20)',
    });
  });

  it('starts afresh when associated again, but a dissociation leaves the balance', async () => {
    await ledger.write((batch) =>
      batch.stage('token_account', { ...association(303n, 1n, 10n), kyc_status: 1, freeze_status: 2 }),
    );
    await ledger.write((batch) => move(batch, 303n, 1n, 9n, 15n));
    await ledger.write((batch) =>
      batch.stage('token_account', { account_id: 303n, token_id: 1n, associated: false, timestamp_range: since(20n) }),
    );
    expect(await ledger.row('token_account', 'associated, balance, kyc_status', 'account_id = 303')).toEqual({
      associated: false,
      balance: '9',
      kyc_status: 1,
    });
    await ledger.write((batch) => {
      batch.stage('token_account', association(303n, 1n, 30n));
      move(batch, 303n, 1n, 4n, 31n);
    });
    expect(await ledger.row('token_account', columns, 'account_id = 303')).toEqual({
      associated: true,
      balance: '4',
      balance_timestamp: '31',
      created_timestamp: '30',
      freeze_status: null,
      kyc_status: null,
      timestamp_range: '[30,)',
    });
    expect(await ledger.rows('token_account_history', 'account_id = 303')).toHaveLength(2);
  });

  it('keeps a transfer that comes before the association in the same block, and takes a repeated one once', async () => {
    await ledger.write((batch) => {
      move(batch, 304n, 1n, 6n, 9n);
      batch.stage('token_account', association(304n, 1n, 10n));
      batch.stage('token_account', { ...association(304n, 1n, 10n), automatic_association: true });
    });
    expect(await ledger.row('token_account', 'balance, automatic_association', 'account_id = 304')).toEqual({
      balance: '6',
      automatic_association: false,
    });
    expect(await ledger.rows('token_account_history', 'account_id = 304')).toEqual([]);
  });
});

describe('nft', () => {
  const columns = 'account_id, created_timestamp, deleted, metadata, spender, delegating_spender, timestamp_range';
  const mint = (batch: LedgerBatch, tokenId: bigint, serial: bigint, owner: bigint): void => {
    batch.stage('nft', {
      token_id: tokenId,
      serial_number: serial,
      created_timestamp: 10n,
      deleted: false,
      metadata: new Uint8Array([1]),
      timestamp_range: since(10n),
    });
    batch.stage('nft', { token_id: tokenId, serial_number: serial, account_id: owner, timestamp_range: since(10n) });
  };

  it('merges mint and first owner, and clears the spender with every move', async () => {
    await ledger.write((batch) => mint(batch, 401n, 1n, 50n));
    await ledger.write((batch) =>
      batch.stage('nft', {
        token_id: 401n,
        serial_number: 1n,
        account_id: 50n,
        spender: 60n,
        delegating_spender: 61n,
        timestamp_range: since(20n),
      }),
    );
    expect(await ledger.row('nft', columns, 'token_id = 401')).toEqual({
      account_id: '50',
      created_timestamp: '10',
      deleted: false,
      metadata: Buffer.from([1]),
      spender: '60',
      delegating_spender: '61',
      timestamp_range: '[20,)',
    });
    await ledger.write((batch) =>
      batch.stage('nft', { token_id: 401n, serial_number: 1n, account_id: 51n, timestamp_range: since(30n) }),
    );
    expect(await ledger.row('nft', 'account_id, spender, delegating_spender', 'token_id = 401')).toEqual({
      account_id: '51',
      spender: null,
      delegating_spender: null,
    });
    expect(await ledger.rows('nft_history', 'token_id = 401')).toHaveLength(2);
  });

  it('retains spenders when told so, inside one batch and across batches', async () => {
    const retain = (batch: LedgerBatch, at: bigint): void =>
      batch.stage('nft', {
        token_id: 402n,
        serial_number: 1n,
        metadata: new Uint8Array([Number(at)]),
        spender: 0n,
        delegating_spender: 0n,
        timestamp_range: since(at),
      });
    await ledger.write((batch) => {
      mint(batch, 402n, 1n, 50n);
      batch.stage('nft', {
        token_id: 402n,
        serial_number: 1n,
        account_id: 50n,
        spender: 60n,
        timestamp_range: since(20n),
      });
      retain(batch, 30n);
    });
    await ledger.write((batch) => retain(batch, 40n));
    expect(await ledger.row('nft', 'metadata, spender, delegating_spender', 'token_id = 402')).toEqual({
      metadata: Buffer.from([40]),
      spender: '60',
      delegating_spender: null,
    });
    expect(await ledger.row('nft_history', 'spender', "token_id = 402 and timestamp_range = '[30,40)'")).toEqual({
      spender: '60',
    });
  });

  it('has no owner once deleted', async () => {
    await ledger.write((batch) => mint(batch, 403n, 1n, 50n));
    await ledger.write((batch) =>
      batch.stage('nft', { token_id: 403n, serial_number: 1n, deleted: true, timestamp_range: since(20n) }),
    );
    expect(await ledger.row('nft', 'account_id, deleted, metadata', 'token_id = 403')).toEqual({
      account_id: null,
      deleted: true,
      metadata: Buffer.from([1]),
    });
    expect(await ledger.row('nft_history', 'account_id, deleted', 'token_id = 403')).toEqual({
      account_id: '50',
      deleted: false,
    });
  });

  it('moves all NFTs of a treasury, those of the same batch too', async () => {
    await ledger.write((batch) => {
      batch.stage('token_account', association(50n, 404n, 5n));
      batch.stage('token_account', association(51n, 404n, 5n));
      batch.stage('token_account', association(52n, 404n, 5n));
      for (const serial of [1n, 2n]) mint(batch, 404n, serial, 50n);
      move(batch, 50n, 404n, 2n, 10n);
    });
    await ledger.write((batch) => {
      mint(batch, 404n, 3n, 50n);
      mint(batch, 404n, 4n, 50n);
      batch.stage('nft', { token_id: 404n, serial_number: 4n, account_id: 52n, timestamp_range: since(20n) });
      move(batch, 50n, 404n, 1n, 20n);
      move(batch, 52n, 404n, 1n, 20n);
      batch.changeTreasury({ tokenId: 404n, previousTreasury: 50n, newTreasury: 51n, timestamp: 30n });
      batch.stage('nft', { token_id: 404n, serial_number: 1n, account_id: 52n, timestamp_range: since(40n) });
      move(batch, 51n, 404n, -1n, 40n);
      move(batch, 52n, 404n, 1n, 40n);
    });
    expect(
      await ledger.database.query(
        'select serial_number, account_id, timestamp_range from nft where token_id = 404 order by serial_number',
      ),
    ).toEqual([
      { serial_number: '1', account_id: '52', timestamp_range: '[40,)' },
      { serial_number: '2', account_id: '51', timestamp_range: '[30,)' },
      { serial_number: '3', account_id: '51', timestamp_range: '[30,)' },
      { serial_number: '4', account_id: '52', timestamp_range: '[20,)' },
    ]);
    expect(
      await ledger.database.query(
        'select account_id, balance, balance_timestamp from token_account where token_id = 404 order by account_id',
      ),
    ).toEqual([
      { account_id: '50', balance: '0', balance_timestamp: '30' },
      { account_id: '51', balance: '2', balance_timestamp: '40' },
      { account_id: '52', balance: '2', balance_timestamp: '40' },
    ]);
    expect(
      await ledger.database.query(
        'select serial_number, account_id, timestamp_range from nft_history where token_id = 404 ' +
          'order by serial_number, timestamp_range',
      ),
    ).toEqual([
      { serial_number: '1', account_id: '50', timestamp_range: '[10,30)' },
      { serial_number: '1', account_id: '51', timestamp_range: '[30,40)' },
      { serial_number: '2', account_id: '50', timestamp_range: '[10,30)' },
      { serial_number: '3', account_id: '50', timestamp_range: '[10,30)' },
      { serial_number: '4', account_id: '50', timestamp_range: '[10,20)' },
    ]);
  });
});

describe('dissociation from a deleted token', () => {
  const transfer = (account: bigint, tokenId: bigint, amount: bigint, at: bigint) => ({
    account_id: account,
    token_id: tokenId,
    amount,
    consensus_timestamp: at,
    is_approval: false,
    payer_account_id: 2n,
  });

  it('is a transfer of fungible units, or takes the NFTs that the account has', async () => {
    await ledger.write((batch) => {
      batch.stage('nft', {
        token_id: 501n,
        serial_number: 1n,
        account_id: 70n,
        created_timestamp: 10n,
        deleted: false,
        timestamp_range: since(10n),
      });
      batch.insert('transaction', transactionAt(20n));
      batch.dissociate(transfer(70n, 501n, -1n, 20n));
      batch.insert('transaction', transactionAt(21n));
      batch.dissociate(transfer(70n, 502n, -300n, 21n));
    });
    expect(await ledger.row('nft', 'account_id, deleted, timestamp_range', 'token_id = 501')).toEqual({
      account_id: null,
      deleted: true,
      timestamp_range: '[20,)',
    });
    expect(await ledger.row('nft_history', 'account_id, timestamp_range', 'token_id = 501')).toEqual({
      account_id: '70',
      timestamp_range: '[10,20)',
    });
    const { nft_transfer } = await ledger.row('transaction', 'nft_transfer', 'consensus_timestamp = 20');
    expect(JSON.parse(nft_transfer as string)).toEqual([
      { is_approval: false, receiver_account_id: null, sender_account_id: 70, serial_number: -1, token_id: 501 },
    ]);
    expect(await ledger.row('transaction', 'nft_transfer', 'consensus_timestamp = 21')).toEqual({ nft_transfer: null });
    expect(await ledger.rows('token_transfer')).toEqual([
      {
        account_id: '70',
        token_id: '502',
        amount: '-300',
        consensus_timestamp: '21',
        is_approval: false,
        payer_account_id: '2',
      },
    ]);
  });
});

const transactionAt = (at: bigint): Parameters<typeof LedgerBatch.prototype.insert<'transaction'>>[1] => ({
  consensus_timestamp: at,
  type: 41,
  result: 22,
  payer_account_id: 2n,
  valid_start_ns: at - 1n,
  valid_duration_seconds: 120n,
  node_account_id: 3n,
  entity_id: null,
  initial_balance: 0n,
  max_fee: 1n,
  charged_tx_fee: 1n,
  memo: new Uint8Array(0),
  transaction_hash: new Uint8Array(48),
  transaction_bytes: null,
  scheduled: false,
  nonce: 0,
  parent_consensus_timestamp: null,
  errata: null,
  index: 0,
  nft_transfer: null,
  itemized_transfer: null,
  transaction_record_bytes: null,
  max_custom_fees: null,
  batch_key: null,
  inner_transactions: null,
  high_volume: false,
  congestion_pricing_multiplier: null,
  high_volume_pricing_multiplier: null,
});

describe('custom_fee', () => {
  it('replaces all fees with every version', async () => {
    await ledger.write((batch) =>
      batch.stage('custom_fee', { entity_id: 601n, fixed_fees: '[{"amount":1}]', timestamp_range: since(10n) }),
    );
    await ledger.write((batch) => {
      batch.stage('custom_fee', { entity_id: 601n, royalty_fees: '[{"numerator":1}]', timestamp_range: since(20n) });
      batch.stage('custom_fee', { entity_id: 601n, timestamp_range: since(30n) });
    });
    expect(await ledger.row('custom_fee', 'fixed_fees, royalty_fees, timestamp_range', 'entity_id = 601')).toEqual({
      fixed_fees: null,
      royalty_fees: null,
      timestamp_range: '[30,)',
    });
    expect(
      await ledger.database.query(
        'select fixed_fees, royalty_fees, timestamp_range from custom_fee_history where entity_id = 601 order by 3',
      ),
    ).toEqual([
      { fixed_fees: '[{"amount": 1}]', royalty_fees: null, timestamp_range: '[10,20)' },
      { fixed_fees: null, royalty_fees: '[{"numerator": 1}]', timestamp_range: '[20,30)' },
    ]);
  });
});
