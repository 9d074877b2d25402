import { describe, expect, it } from 'vitest';
import type { LedgerBatch } from '../ledger-batch.ts';
import { since, useTestLedger } from '../testing/ledger.fixture.ts';

const ledger = useTestLedger();

describe('topic', () => {
  it('keeps keys that a change does not name; empty bytes are a value', async () => {
    await ledger.write((batch) =>
      batch.stage('topic', {
        id: 1n,
        created_timestamp: 10n,
        admin_key: new Uint8Array([1]),
        submit_key: new Uint8Array([2]),
        timestamp_range: since(10n),
      }),
    );
    await ledger.write((batch) =>
      batch.stage('topic', { id: 1n, submit_key: new Uint8Array(0), timestamp_range: since(20n) }),
    );
    expect(await ledger.row('topic', 'admin_key, submit_key, created_timestamp, timestamp_range', 'id = 1')).toEqual({
      admin_key: Buffer.from([1]),
      submit_key: Buffer.alloc(0),
      created_timestamp: '10',
      timestamp_range: '[20,)',
    });
    expect(await ledger.row('topic_history', 'submit_key, timestamp_range', 'id = 1')).toEqual({
      submit_key: Buffer.from([2]),
      timestamp_range: '[10,20)',
    });
  });
});

describe('node', () => {
  it('clears the proxy endpoint when its port is -1 and the associated nodes when the list is empty', async () => {
    const proxy = '{"domain_name":"proxy.example","ip_address_v4":"","port":443}';
    await ledger.write((batch) =>
      batch.stage('node', {
        node_id: 1n,
        created_timestamp: 10n,
        account_id: 3n,
        grpc_proxy_endpoint: proxy,
        associated_registered_nodes: [5n, 6n],
        timestamp_range: since(10n),
      }),
    );
    await ledger.write((batch) =>
      batch.stage('node', { node_id: 1n, account_id: 4n, decline_reward: true, timestamp_range: since(20n) }),
    );
    const columns = 'account_id, grpc_proxy_endpoint, associated_registered_nodes, decline_reward, deleted';
    const kept = await ledger.row('node', columns, 'node_id = 1');
    expect({ ...kept, grpc_proxy_endpoint: JSON.parse(kept.grpc_proxy_endpoint as string) }).toEqual({
      account_id: '4',
      grpc_proxy_endpoint: JSON.parse(proxy),
      associated_registered_nodes: ['5', '6'],
      decline_reward: true,
      deleted: false,
    });
    await ledger.write((batch) =>
      batch.stage('node', {
        node_id: 1n,
        grpc_proxy_endpoint: '{"port":-1}',
        associated_registered_nodes: [],
        timestamp_range: since(30n),
      }),
    );
    expect(await ledger.row('node', columns, 'node_id = 1')).toEqual({
      account_id: '4',
      grpc_proxy_endpoint: null,
      associated_registered_nodes: [],
      decline_reward: true,
      deleted: false,
    });
    expect(await ledger.rows('node_history', 'node_id = 1')).toHaveLength(2);
  });
});

describe('registered_node', () => {
  it('keeps endpoints and types that a change does not name', async () => {
    await ledger.write((batch) =>
      batch.stage('registered_node', {
        registered_node_id: 1n,
        created_timestamp: 10n,
        service_endpoints: '[{"port": 1}]',
        type: [1, 3],
        timestamp_range: since(10n),
      }),
    );
    await ledger.write((batch) =>
      batch.stage('registered_node', { registered_node_id: 1n, description: 'new', timestamp_range: since(20n) }),
    );
    expect(await ledger.row('registered_node', 'description, service_endpoints, type::text, deleted', 'true')).toEqual({
      description: 'new',
      service_endpoints: '[{"port": 1}]',
      type: '{1,3}',
      deleted: false,
    });
    expect(await ledger.row('registered_node_history', 'description, timestamp_range', 'true')).toEqual({
      description: null,
      timestamp_range: '[10,20)',
    });
  });
});

describe('schedule', () => {
  it('keeps what it was created with, learns its execution, and needs a creation', async () => {
    await ledger.write((batch) => {
      batch.stage('schedule', {
        schedule_id: 1n,
        consensus_timestamp: 10n,
        creator_account_id: 5n,
        payer_account_id: 6n,
        transaction_body: new Uint8Array([7]),
        wait_for_expiry: true,
      });
      batch.stage('schedule', { schedule_id: 2n, executed_timestamp: 11n });
    });
    await ledger.write((batch) => batch.stage('schedule', { schedule_id: 1n, executed_timestamp: 20n }));
    expect(await ledger.rows('schedule')).toEqual([
      {
        schedule_id: '1',
        consensus_timestamp: '10',
        creator_account_id: '5',
        executed_timestamp: '20',
        expiration_time: null,
        payer_account_id: '6',
        transaction_body: Buffer.from([7]),
        wait_for_expiry: true,
      },
    ]);
  });

  it('may be created and executed in one batch', async () => {
    await ledger.write((batch) => {
      batch.stage('schedule', {
        schedule_id: 3n,
        consensus_timestamp: 10n,
        creator_account_id: 5n,
        payer_account_id: 6n,
        transaction_body: new Uint8Array([7]),
      });
      batch.stage('schedule', { schedule_id: 3n, executed_timestamp: 11n });
    });
    expect(await ledger.row('schedule', 'executed_timestamp, wait_for_expiry', 'schedule_id = 3')).toEqual({
      executed_timestamp: '11',
      wait_for_expiry: false,
    });
  });
});

describe('hook', () => {
  const create = (batch: LedgerBatch, owner: bigint, contract: bigint, at: bigint): void =>
    batch.stage('hook', {
      owner_id: owner,
      hook_id: 1n,
      contract_id: contract,
      created_timestamp: at,
      deleted: false,
      extension_point: 'ACCOUNT_ALLOWANCE_HOOK',
      type: 'EVM',
      timestamp_range: since(at),
    });
  const remove = (batch: LedgerBatch, owner: bigint, at: bigint): void =>
    batch.stage('hook', { owner_id: owner, hook_id: 1n, deleted: true, timestamp_range: since(at) });

  it('deletes with history', async () => {
    await ledger.write((batch) => {
      create(batch, 1n, 40n, 10n);
    });
    await ledger.write((batch) => remove(batch, 1n, 20n));
    const columns = 'contract_id, created_timestamp, deleted, timestamp_range';
    expect(await ledger.row('hook', columns, 'owner_id = 1')).toEqual({
      contract_id: '40',
      created_timestamp: '10',
      deleted: true,
      timestamp_range: '[20,)',
    });
    expect(await ledger.row('hook_history', columns, 'owner_id = 1')).toEqual({
      contract_id: '40',
      created_timestamp: '10',
      deleted: false,
      timestamp_range: '[10,20)',
    });
  });

  it('deletes and creates anew in one transaction', async () => {
    await ledger.write((batch) =>
      batch.stage('hook', {
        owner_id: 2n,
        hook_id: 1n,
        contract_id: 40n,
        admin_key: new Uint8Array([1]),
        created_timestamp: 10n,
        timestamp_range: since(10n),
      }),
    );
    await ledger.write((batch) => {
      remove(batch, 2n, 20n);
      create(batch, 2n, 41n, 20n);
    });
    const columns = 'contract_id, admin_key, created_timestamp, deleted, timestamp_range';
    expect(await ledger.row('hook', columns, 'owner_id = 2')).toEqual({
      contract_id: '41',
      admin_key: null,
      created_timestamp: '20',
      deleted: false,
      timestamp_range: '[20,)',
    });
    expect(
      await ledger.database.query(`select ${columns} from hook_history where owner_id = 2 order by timestamp_range`),
    ).toEqual([
      {
        contract_id: '40',
        admin_key: Buffer.from([1]),
        created_timestamp: '10',
        deleted: false,
        timestamp_range: '[10,20)',
      },
      {
        contract_id: '40',
        admin_key: Buffer.from([1]),
        created_timestamp: '10',
        deleted: true,
        timestamp_range: '[20,21)',
      },
    ]);
  });
});

describe('hook_storage', () => {
  const set = (batch: LedgerBatch, owner: bigint, value: number | undefined, at: bigint): void =>
    batch.stage('hook_storage', {
      owner_id: owner,
      hook_id: 1n,
      key: new Uint8Array(32),
      value: value === undefined ? new Uint8Array(0) : new Uint8Array([value]),
      deleted: value === undefined,
      created_timestamp: at,
      modified_timestamp: at,
    });
  const columns = 'created_timestamp, modified_timestamp, deleted, value';

  it('keeps its creation while it lives and starts again after deletion', async () => {
    await ledger.write((batch) => set(batch, 1n, 1, 10n));
    await ledger.write((batch) => set(batch, 1n, 2, 20n));
    expect(await ledger.row('hook_storage', columns, 'owner_id = 1')).toEqual({
      created_timestamp: '10',
      modified_timestamp: '20',
      deleted: false,
      value: Buffer.from([2]),
    });
    await ledger.write((batch) => set(batch, 1n, undefined, 30n));
    await ledger.write((batch) => set(batch, 1n, 3, 40n));
    expect(await ledger.row('hook_storage', columns, 'owner_id = 1')).toEqual({
      created_timestamp: '40',
      modified_timestamp: '40',
      deleted: false,
      value: Buffer.from([3]),
    });
  });

  it('sees a deletion inside the batch', async () => {
    await ledger.write((batch) => set(batch, 2n, 1, 10n));
    await ledger.write((batch) => {
      set(batch, 2n, undefined, 20n);
      set(batch, 2n, 2, 30n);
      set(batch, 2n, 3, 40n);
    });
    expect(await ledger.row('hook_storage', columns, 'owner_id = 2')).toEqual({
      created_timestamp: '30',
      modified_timestamp: '40',
      deleted: false,
      value: Buffer.from([3]),
    });
  });
});

describe('contract_state', () => {
  it('replaces the value and keeps the creation', async () => {
    const slot = new Uint8Array(32).fill(3);
    const state = (value: number, at: bigint) => ({
      contract_id: 1n,
      slot,
      created_timestamp: at,
      modified_timestamp: at,
      value: new Uint8Array([value]),
    });
    await ledger.write((batch) => {
      batch.stage('contract_state', state(1, 10n));
      batch.stage('contract_state', state(2, 20n));
    });
    expect(await ledger.row('contract_state', 'created_timestamp, modified_timestamp, value', 'true')).toEqual({
      created_timestamp: '10',
      modified_timestamp: '20',
      value: Buffer.from([2]),
    });
    await ledger.write((batch) => batch.stage('contract_state', { ...state(3, 30n), value: null }));
    expect(await ledger.row('contract_state', 'created_timestamp, modified_timestamp, value', 'true')).toEqual({
      created_timestamp: '10',
      modified_timestamp: '30',
      value: null,
    });
  });
});

describe('token_airdrop', () => {
  it('keeps the amount when it is claimed', async () => {
    const key = { sender_account_id: 1n, receiver_account_id: 2n, token_id: 3n, serial_number: 0n };
    await ledger.write((batch) =>
      batch.stage('token_airdrop', { ...key, amount: 5n, state: 'PENDING', timestamp_range: since(10n) }),
    );
    await ledger.write((batch) =>
      batch.stage('token_airdrop', { ...key, state: 'CLAIMED', timestamp_range: since(20n) }),
    );
    expect(await ledger.row('token_airdrop', 'amount, state, timestamp_range', 'true')).toEqual({
      amount: '5',
      state: 'CLAIMED',
      timestamp_range: '[20,)',
    });
    expect(await ledger.row('token_airdrop_history', 'amount, state, timestamp_range', 'true')).toEqual({
      amount: '5',
      state: 'PENDING',
      timestamp_range: '[10,20)',
    });
  });
});

describe('ledger and topic_message_lookup', () => {
  it('replaces a ledger publication', async () => {
    const publication = (at: bigint) => ({
      ledger_id: new Uint8Array([1]),
      consensus_timestamp: at,
      history_proof_verification_key: new Uint8Array([Number(at)]),
      node_contributions: '[]',
    });
    await ledger.write((batch) => batch.stage('ledger', publication(10n)));
    await ledger.write((batch) => {
      batch.stage('ledger', publication(20n));
      batch.stage('ledger', publication(30n));
    });
    expect(await ledger.row('ledger', 'consensus_timestamp, history_proof_verification_key', 'true')).toEqual({
      consensus_timestamp: '30',
      history_proof_verification_key: Buffer.from([30]),
    });
  });

  it('widens the ranges of a lookup', async () => {
    const lookup = (sequence: bigint, at: bigint) => ({
      topic_id: 1n,
      partition: 'topic_message_00',
      sequence_number_range: { lower: sequence, upper: sequence + 1n },
      timestamp_range: { lower: at, upper: at + 1n },
    });
    await ledger.write((batch) => {
      batch.stage('topic_message_lookup', lookup(1n, 10n));
      batch.stage('topic_message_lookup', lookup(2n, 20n));
    });
    await ledger.write((batch) => batch.stage('topic_message_lookup', lookup(3n, 30n)));
    // Sequence numbers that fall, as of a topic of another network, narrow nothing.
    await ledger.write((batch) => {
      batch.stage('topic_message_lookup', lookup(2n, 28n));
      batch.stage('topic_message_lookup', lookup(1n, 29n));
    });
    expect(await ledger.row('topic_message_lookup', 'sequence_number_range, timestamp_range', 'true')).toEqual({
      sequence_number_range: '[1,4)',
      timestamp_range: '[10,31)',
    });
  });
});
