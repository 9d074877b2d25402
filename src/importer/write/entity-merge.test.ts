import { describe, expect, it } from 'vitest';
import { LedgerBatch } from '../ledger-batch.ts';
import type { StagedVersion } from '../tables/registry.ts';
import { since, useTestLedger } from '../testing/ledger.fixture.ts';
import { writeBatch } from './ledger-writer.ts';

const ledger = useTestLedger();

const account = (
  id: bigint,
  created: bigint,
  more: Partial<StagedVersion<'entity'>> = {},
): StagedVersion<'entity'> => ({
  id,
  type: 'ACCOUNT',
  created_timestamp: created,
  deleted: false,
  balance: 0n,
  balance_timestamp: created,
  timestamp_range: since(created),
  ...more,
});

describe('entity', () => {
  it('gives a new account the column defaults and its id in parts', async () => {
    await ledger.write((batch) => batch.stage('entity', account(101n, 10n, { key: new Uint8Array([1, 2]) })));
    expect(await ledger.rows('entity', 'id = 101')).toEqual([
      expect.objectContaining({
        id: '101',
        num: '101',
        realm: '0',
        shard: '0',
        type: 'ACCOUNT',
        balance: '0',
        balance_timestamp: '10',
        created_timestamp: '10',
        decline_reward: false,
        deleted: false,
        ethereum_nonce: '0',
        key: Buffer.from([1, 2]),
        memo: '',
        stake_period_start: '-1',
        staked_node_id: '-1',
        timestamp_range: '[10,)',
        alias: null,
        auto_renew_period: null,
        expiration_timestamp: null,
        max_automatic_token_associations: null,
        obtainer_id: null,
        public_key: null,
        receiver_sig_required: null,
        staked_account_id: null,
      }),
    ]);
    expect(await ledger.rows('entity_history', 'id = 101')).toEqual([]);
  });

  it('has no nonce and no balance for types that have none', async () => {
    await ledger.write((batch) =>
      batch.stage('entity', { id: 102n, type: 'FILE', created_timestamp: 10n, timestamp_range: since(10n) }),
    );
    expect(await ledger.row('entity', 'ethereum_nonce, balance, deleted', 'id = 102')).toEqual({
      ethereum_nonce: null,
      balance: null,
      deleted: null,
    });
  });

  it('drops balance deltas of unknown entities and adds those of known ones without history', async () => {
    await ledger.write((batch) => batch.stage('entity', account(103n, 10n)));
    await ledger.write((batch) => {
      batch.addBalance(103n, 70n, 20n);
      batch.addBalance(103n, -20n, 21n);
      batch.addBalance(104n, 5n, 21n);
    });
    expect(await ledger.row('entity', 'balance, balance_timestamp, timestamp_range', 'id = 103')).toEqual({
      balance: '50',
      balance_timestamp: '21',
      timestamp_range: '[10,)',
    });
    expect(await ledger.rows('entity', 'id = 104')).toEqual([]);
    expect(await ledger.rows('entity_history', 'id in (103, 104)')).toEqual([]);
  });

  it('copies the row that a change supersedes to history and keeps what the change does not say', async () => {
    await ledger.write((batch) => batch.stage('entity', account(105n, 10n, { memo: 'first', public_key: 'aa' })));
    await ledger.write((batch) => {
      batch.stage('entity', { id: 105n, type: 'ACCOUNT', memo: 'second', timestamp_range: since(20n) });
      batch.addBalance(105n, 7n, 20n);
    });
    expect(
      await ledger.row('entity', 'memo, public_key, balance, created_timestamp, timestamp_range', 'id = 105'),
    ).toEqual({ memo: 'second', public_key: 'aa', balance: '7', created_timestamp: '10', timestamp_range: '[20,)' });
    expect(await ledger.row('entity_history', 'memo, public_key, balance, timestamp_range', 'id = 105')).toEqual({
      memo: 'first',
      public_key: 'aa',
      balance: '0',
      timestamp_range: '[10,20)',
    });
  });

  it('turns the public key that a change clears into NULL and keeps it in history', async () => {
    await ledger.write((batch) => batch.stage('entity', account(106n, 10n, { public_key: 'aa' })));
    await ledger.write((batch) =>
      batch.stage('entity', { id: 106n, key: new Uint8Array(0), public_key: '', timestamp_range: since(20n) }),
    );
    expect(await ledger.row('entity', 'key, public_key', 'id = 106')).toEqual({
      key: Buffer.alloc(0),
      public_key: null,
    });
    expect(await ledger.row('entity_history', 'public_key', 'id = 106')).toEqual({ public_key: 'aa' });
  });

  it('never changes alias, EVM address and creation time of a row that is there', async () => {
    await ledger.write((batch) => batch.stage('entity', account(107n, 10n)));
    await ledger.write((batch) =>
      batch.stage('entity', account(107n, 20n, { alias: new Uint8Array([9]), evm_address: new Uint8Array(20) })),
    );
    expect(await ledger.row('entity', 'alias, evm_address, created_timestamp', 'id = 107')).toEqual({
      alias: null,
      evm_address: null,
      created_timestamp: '10',
    });
  });

  it('keeps them as inserted when two later changes of one block name others', async () => {
    const changes = (lower: bigint) => (batch: LedgerBatch) => {
      batch.stage('entity', account(114n, lower, { memo: 'b' }));
      batch.stage('entity', account(114n, lower + 1n, { alias: new Uint8Array([9]) }));
    };
    await ledger.write((batch) => batch.stage('entity', account(114n, 10n)), changes(20n));
    await ledger.write(changes(30n));
    expect(await ledger.row('entity', 'alias, created_timestamp', 'id = 114')).toEqual({
      alias: null,
      created_timestamp: '10',
    });
    expect(await ledger.rows('entity_history', 'id = 114 and alias is not null')).toEqual([]);
  });

  it('lets a second change of one instant say what an earlier block of the batch said otherwise', async () => {
    const created = (batch: LedgerBatch) => batch.stage('entity', account(115n, 10n, { stake_period_start: 20_452n }));
    const rewarded = (batch: LedgerBatch) => {
      batch.stage('entity', account(115n, 20n, { memo: 'updated' }));
      batch.stage('entity', { id: 115n, stake_period_start: 20_453n, timestamp_range: since(20n) });
    };
    await ledger.write(created, rewarded);
    expect(await ledger.row('entity', 'memo, stake_period_start', 'id = 115')).toEqual({
      memo: 'updated',
      stake_period_start: '20453',
    });
    expect(await ledger.row('entity_history', 'stake_period_start, timestamp_range', 'id = 115')).toEqual({
      stake_period_start: '20452',
      timestamp_range: '[10,20)',
    });
  });

  it('keeps the first of two different starts of a staking period in one transaction', async () => {
    await ledger.write((batch) => {
      batch.stage('entity', account(116n, 10n, { stake_period_start: 20_454n }));
      batch.stage('entity', { id: 116n, stake_period_start: 20_453n, timestamp_range: since(10n) });
    });
    expect(await ledger.row('entity', 'stake_period_start', 'id = 116')).toEqual({ stake_period_start: '20454' });
  });

  it('keeps every version of a batch that spans several changes', async () => {
    await ledger.write(
      (batch) => {
        batch.addBalance(108n, 30n, 9n);
        batch.stage('entity', account(108n, 9n, { memo: 'a' }));
        batch.addBalance(108n, 5n, 10n);
      },
      (batch) => {
        batch.addBalance(108n, -1n, 19n);
        batch.stage('entity', { id: 108n, memo: 'b', timestamp_range: since(20n) });
        batch.addBalance(108n, 2n, 21n);
      },
      (batch) => batch.stage('entity', { id: 108n, deleted: true, timestamp_range: since(30n) }),
    );
    expect(
      await ledger.row('entity', 'memo, balance, balance_timestamp, deleted, timestamp_range', 'id = 108'),
    ).toEqual({
      memo: 'b',
      balance: '36',
      balance_timestamp: '21',
      deleted: true,
      timestamp_range: '[30,)',
    });
    const versions = await ledger.rows('entity_history', 'id = 108');
    expect(
      versions
        .map(({ memo, balance, deleted, timestamp_range }) => ({ memo, balance, deleted, timestamp_range }))
        .toSorted((a, b) => String(a.timestamp_range).localeCompare(String(b.timestamp_range))),
    ).toEqual([
      { memo: 'b', balance: '36', deleted: false, timestamp_range: '[20,30)' },
      { memo: 'a', balance: '35', deleted: false, timestamp_range: '[9,20)' },
    ]);
  });

  it('has the transfers since an account is known as one, however its blocks are batched', async () => {
    const first = (batch: LedgerBatch): void => {
      batch.addBalance(209n, -7n, 10n);
      batch.stage('entity', { id: 209n, stake_period_start: 3n, timestamp_range: since(10n) });
    };
    const second = (batch: LedgerBatch): void => {
      batch.addBalance(209n, -5n, 20n);
      batch.stage('entity', { id: 209n, type: 'ACCOUNT', memo: 'a', timestamp_range: since(20n) });
    };
    const third = (batch: LedgerBatch): void => batch.addBalance(209n, 4n, 30n);
    await ledger.write(first, second, third);
    expect(await ledger.row('entity', 'type, balance, memo, stake_period_start, timestamp_range', 'id = 209')).toEqual({
      type: 'ACCOUNT',
      balance: '-1',
      memo: 'a',
      stake_period_start: '3',
      timestamp_range: '[20,)',
    });
    expect(await ledger.row('entity_history', 'type, balance, memo, timestamp_range', 'id = 209')).toEqual({
      type: 'UNKNOWN',
      balance: null,
      memo: '',
      timestamp_range: '[10,20)',
    });
  });

  it('adds all transfers of an account that only the database knows as one', async () => {
    await ledger.write((batch) => batch.stage('entity', account(210n, 5n)));
    await ledger.write(
      (batch) => {
        batch.addBalance(210n, -7n, 10n);
        batch.stage('entity', { id: 210n, stake_period_start: 3n, timestamp_range: since(10n) });
      },
      (batch) => {
        batch.addBalance(210n, -5n, 20n);
        batch.stage('entity', { id: 210n, type: 'ACCOUNT', memo: 'a', timestamp_range: since(20n) });
      },
    );
    expect(await ledger.row('entity', 'balance, memo, timestamp_range', 'id = 210')).toEqual({
      balance: '-12',
      memo: 'a',
      timestamp_range: '[20,)',
    });
    const versions = await ledger.rows('entity_history', 'id = 210');
    expect(versions.map(({ balance, timestamp_range }) => `${timestamp_range} ${balance}`).toSorted()).toEqual([
      '[10,20) -7',
      '[5,10) 0',
    ]);
  });

  it('merges two changes of the same instant into one version', async () => {
    await ledger.write((batch) => {
      batch.stage('entity', account(109n, 10n, { memo: 'kept' }));
      batch.stage('entity', { id: 109n, stake_period_start: 5n, timestamp_range: since(10n) });
    });
    expect(await ledger.row('entity', 'memo, stake_period_start, type', 'id = 109')).toEqual({
      memo: 'kept',
      stake_period_start: '5',
      type: 'ACCOUNT',
    });
    expect(await ledger.rows('entity_history', 'id = 109')).toEqual([]);
  });

  it('sets the nonce of a known entity without history', async () => {
    await ledger.write((batch) => batch.stage('entity', account(110n, 10n)));
    await ledger.write((batch) => batch.stage('entity', { id: 110n, ethereum_nonce: 4n }));
    expect(await ledger.row('entity', 'ethereum_nonce, balance', 'id = 110')).toEqual({
      ethereum_nonce: '4',
      balance: '0',
    });
    expect(await ledger.rows('entity_history', 'id = 110')).toEqual([]);
  });

  it('ignores changes that create nothing when history is off', async () => {
    const batch = new LedgerBatch({ entityHistory: false });
    batch.beginBlock();
    batch.stage('entity', account(111n, 10n, { memo: 'a' }));
    batch.stage('entity', { id: 111n, memo: 'b', timestamp_range: since(20n) });
    batch.addBalance(111n, 3n, 21n);
    await ledger.database.transaction((client) => writeBatch(client, batch));
    expect(await ledger.row('entity', 'memo, balance, timestamp_range', 'id = 111')).toEqual({
      memo: 'a',
      balance: '3',
      timestamp_range: '[10,)',
    });
    expect(await ledger.rows('entity_history', 'id = 111')).toEqual([]);
  });

  it('makes a migrated contract of an entity in all its versions', async () => {
    await ledger.write((batch) => batch.stage('entity', account(112n, 10n)));
    await ledger.write((batch) => batch.stage('entity', { id: 112n, memo: 'b', timestamp_range: since(20n) }));
    for (const code of [1, 2]) {
      await ledger.write((batch) =>
        batch.migrateContract({ contractId: 112n, runtimeBytecode: new Uint8Array([code]) }),
      );
    }
    expect(await ledger.row('entity', 'type', 'id = 112')).toEqual({ type: 'CONTRACT' });
    expect(await ledger.row('entity_history', 'type', 'id = 112')).toEqual({ type: 'CONTRACT' });
    expect(await ledger.row('contract', 'runtime_bytecode', 'id = 112')).toEqual({
      runtime_bytecode: Buffer.from([2]),
    });
  });
});
