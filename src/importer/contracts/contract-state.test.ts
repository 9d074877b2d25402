import { describe, expect, it } from 'vitest';
import { bytes, contract, type ItemFields, itemOf, PAYER, T } from '../transactions/testing/handled.fixture.ts';
import { CALL, CONTRACT, contractOutput, stateChanges } from './testing/contract-output.fixture.ts';

const NO_BYTES = new Uint8Array(0);
const slotOf = (hex: string): Uint8Array => bytes(hex.padStart(64, '0'));
const changed = (...sidecars: NonNullable<ItemFields['sidecars']>[number][]) =>
  contractOutput([itemOf({ ...CALL, sidecars })]);

describe('storage that a transaction used', () => {
  it('is kept slot by slot as it was and as it became', () => {
    const { batch, touched } = changed(stateChanges(3001n, ['02', '0a', '0b'], ['', '0c', '']));
    const row = { consensus_timestamp: T, contract_id: 3001n, migration: false, payer_account_id: PAYER };
    expect(batch.rows('contract_state_change')).toEqual([
      { ...row, slot: bytes('02'), value_read: bytes('0a'), value_written: bytes('0b') },
      { ...row, slot: NO_BYTES, value_read: bytes('0c'), value_written: NO_BYTES },
    ]);
    expect(touched).toContain(3001n);
  });

  it('becomes state where it was written, with full slots', () => {
    const { staged } = changed(stateChanges(3001n, ['02', '0a', '0b'], ['03', '0a'], ['', '0c', '']));
    const row = { contract_id: 3001n, created_timestamp: T, modified_timestamp: T };
    expect(staged('contract_state')).toEqual([
      { ...row, slot: slotOf('02'), value: bytes('0b') },
      { ...row, slot: slotOf('00'), value: NO_BYTES },
    ]);
  });

  it('has no written value where it was only read', () => {
    const { batch, staged } = changed(stateChanges(3001n, ['02', '0a']));
    expect(batch.rows('contract_state_change')).toMatchObject([{ value_read: bytes('0a'), value_written: null }]);
    expect(staged('contract_state')).toEqual([]);
  });

  it('becomes state as it was read when the network tells what it held before', () => {
    const { batch, staged } = changed({ ...stateChanges(3001n, ['02', '0a'], ['03', '0c', '0d']), migration: true });
    expect(batch.rows('contract_state_change')).toMatchObject([{ migration: true }, { migration: true }]);
    expect(staged('contract_state')).toMatchObject([
      { slot: slotOf('02'), value: bytes('0a') },
      { slot: slotOf('03'), value: bytes('0d') },
    ]);
  });

  it('has one row for a slot that sidecars name twice: first read, last written', () => {
    const { batch, staged } = changed(
      stateChanges(3001n, ['02', '0a', '0b'], ['02', 'ff']),
      stateChanges(3001n, ['02', '0b', '0c']),
    );
    expect(batch.rows('contract_state_change')).toMatchObject([
      { value_read: bytes('0a'), value_written: bytes('0c') },
    ]);
    expect(staged('contract_state').map(({ value }) => value)).toEqual([bytes('0b'), bytes('0c')]);
  });

  it('reports the contract that took part', () => {
    const { batch } = changed(stateChanges(3001n, ['02', '0a']), stateChanges(3002n));
    expect(batch.rows('contract_transaction').map(({ entity_id }) => entity_id)).toEqual([CONTRACT, 3001n, PAYER]);
  });

  it('is kept for transactions that are not about contracts, and without results', () => {
    const sidecars = [{ ...stateChanges(3001n, ['02', '0a']), migration: true }];
    const data = { $case: 'cryptoTransfer', cryptoTransfer: {} } as const;
    for (const fields of [
      { data, sidecars },
      { ...CALL, sidecars },
    ]) {
      const { batch, result } = contractOutput([itemOf(fields)], { persist: { contractResults: false } });
      expect(batch.rows('contract_state_change')).toHaveLength(1);
      expect(batch.rows('contract_transaction')).toMatchObject([{ entity_id: 3001n, contract_ids: [3001n] }]);
      expect(result(T)).toBeUndefined();
    }
  });
});

describe('bytecode of contracts in sidecars', () => {
  const sidecar = (migration: boolean) => ({
    migration,
    sidecarRecords: {
      $case: 'bytecode' as const,
      bytecode: { contractId: contract(3001n), initcode: bytes('01'), runtimeBytecode: bytes('02') },
    },
  });

  it('is set by a migration, whatever the transaction is', () => {
    const { batch } = changed(sidecar(true));
    expect(batch.contractMigrations).toEqual([{ contractId: 3001n, runtimeBytecode: bytes('02') }]);
  });

  it('marks a creation otherwise', () => {
    expect(changed(sidecar(false)).batch.contractMigrations).toEqual([]);
  });
});
