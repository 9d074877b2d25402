import { describe, expect, it } from 'vitest';
import { keccak256 } from '../../../ledger/hash.ts';
import {
  account,
  bytes,
  contract,
  ED25519,
  evmAddress,
  handle,
  handleFailed,
  type ItemFields,
  itemOf,
  SINCE_T,
  T,
} from '../testing/handled.fixture.ts';

const OWNER = 1234n;
const HOOK = { owner_id: OWNER, hook_id: 5n, timestamp_range: SINCE_T };

const evmHook = (storageUpdates: object[] = [], contractId: object = contract(600n)) => ({
  $case: 'evmHook',
  evmHook: { spec: { bytecodeSource: { $case: 'contractId', contractId } }, storageUpdates },
});

const slot = (key: string, value: string) => ({
  update: { $case: 'storageSlot', storageSlot: { key: bytes(key), value: bytes(value) } },
});

const update = (body: object): ItemFields => ({
  data: { $case: 'cryptoUpdateAccount', cryptoUpdateAccount: { accountIDToUpdate: account(OWNER), ...body } },
});

const word = (hex: string): Uint8Array => bytes(hex.padStart(64, '0'));

const hookRows = (fields: ItemFields, known = {}) => handle(itemOf(fields), { known }).rows('hook');

describe('hooks of an entity', () => {
  const created = {
    ...HOOK,
    contract_id: 600n,
    created_timestamp: T,
    deleted: false,
    extension_point: 'ACCOUNT_ALLOWANCE_HOOK',
    type: 'EVM',
  };
  const creation = { hookId: 5n, adminKey: ED25519.key, hook: evmHook() };

  it('are deleted before others are created', () => {
    expect(hookRows(update({ hookCreationDetails: [creation], hookIdsToDelete: [5n, 6n] }))).toEqual([
      { ...HOOK, deleted: true },
      { ...HOOK, hook_id: 6n, deleted: true },
      { ...created, admin_key: ED25519.bytes },
    ]);
    expect(handleFailed(update({ hookCreationDetails: [creation], hookIdsToDelete: [5n] })).all).toEqual([]);
  });

  it('come with new accounts and contracts', () => {
    const hookCreationDetails = [{ hookId: 5n, hook: evmHook([], evmAddress(bytes('cd'.repeat(20)))) }];
    const known = { ['cd'.repeat(20)]: 600n };
    const newAccount: ItemFields = {
      data: { $case: 'cryptoCreateAccount', cryptoCreateAccount: { hookCreationDetails } as object },
      receipt: { accountID: account(OWNER) },
    };
    const newContract: ItemFields = {
      data: { $case: 'contractCreateInstance', contractCreateInstance: { hookCreationDetails } as object },
      receipt: { contractID: contract(OWNER) },
    };
    expect(hookRows(newAccount, known)).toEqual([created]);
    expect(hookRows(newContract, known)).toEqual([created]);
    expect(hookRows(newAccount)).toEqual([{ ...created, contract_id: null }]);
  });

  it('need an EVM contract', () => {
    const handled = handle(
      itemOf(
        update({ hookCreationDetails: [{ hookId: 5n }, { hookId: 6n, hook: { $case: 'evmHook', evmHook: {} } }] }),
      ),
    );
    expect(handled.rows('hook')).toEqual([]);
    expect(handled.problems).toEqual(['Hook 5 has no EVM contract', 'Hook 6 has no EVM contract']);
  });

  it('may come with storage', () => {
    const details = { hookId: 5n, hook: evmHook([slot('01', '02')]) };
    const handled = handle(itemOf(update({ hookCreationDetails: [details] })));
    expect(handled.rows('hook_storage')).toMatchObject([{ owner_id: OWNER, key: word('01'), value: bytes('02') }]);
  });
});

describe('hook store', () => {
  const store = (storageUpdates: object[], entityId: object | undefined): ItemFields => ({
    data: {
      $case: 'hookStore',
      hookStore: { hookId: { hookId: 5n, entityId: entityId && { entityId } }, storageUpdates } as object,
    },
  });
  const owner = { $case: 'accountId', accountId: account(OWNER) };
  const storage = (...updates: object[]) =>
    handle(itemOf(store(updates, owner)))
      .rows('hook_storage')
      .map(({ key, value, deleted }) => ({ key, value, deleted }));

  it('writes the slot and its change', () => {
    const handled = handle(itemOf(store([slot('0a', '0000ff')], owner)));
    expect(handled.entityId).toBe(OWNER);
    expect(handled.all).toEqual([
      {
        table: 'hook_storage_change',
        row: {
          consensus_timestamp: T,
          deleted: false,
          hook_id: 5n,
          key: bytes('0a'),
          owner_id: OWNER,
          value_read: bytes('ff'),
          value_written: bytes('ff'),
        },
      },
      {
        table: 'hook_storage',
        row: {
          created_timestamp: T,
          deleted: false,
          hook_id: 5n,
          key: word('0a'),
          modified_timestamp: T,
          owner_id: OWNER,
          value: bytes('ff'),
        },
      },
    ]);
    expect(handleFailed(store([slot('0a', 'ff')], owner))).toMatchObject({ entityId: OWNER, all: [] });
  });

  it('deletes a slot whose value is zero', () => {
    expect(storage(slot('0a', ''), slot('0b', '0000'))).toEqual([
      { key: word('0a'), value: bytes(''), deleted: true },
      { key: word('0b'), value: bytes(''), deleted: true },
    ]);
  });

  it('lets the last write to a slot win, however its key is padded', () => {
    expect(storage(slot('0a', '01'), slot('000a', '02'))).toEqual([
      { key: word('0a'), value: bytes('02'), deleted: false },
    ]);
  });

  it('places mapping entries by the hash of key and slot', () => {
    const entries = [
      { entryKey: { $case: 'key', key: bytes('0c') }, value: bytes('01') },
      { entryKey: { $case: 'preimage', preimage: bytes('68656c6c6f') }, value: bytes('02') },
      { value: bytes('03') },
    ];
    const mapping = { update: { $case: 'mappingEntries', mappingEntries: { mappingSlot: bytes('02'), entries } } };
    const slotOf = (key: Uint8Array) => keccak256(Buffer.concat([key, word('02')]));
    expect(storage(mapping)).toEqual([
      { key: slotOf(word('0c')), value: bytes('01'), deleted: false },
      { key: slotOf(keccak256(bytes('68656c6c6f'))), value: bytes('02'), deleted: false },
    ]);
    expect(handle(itemOf(store([mapping, {}], owner))).problems).toEqual([
      'Hook mapping entry without a key',
      'Hook storage update of an unknown kind',
    ]);
  });

  it('places a mapping entry where Solidity does', () => {
    // keccak256(uint256(0) ++ uint256(0)), the slot of m[0] in a mapping at slot 0.
    const entries = [{ entryKey: { $case: 'key', key: bytes('') }, value: bytes('01') }];
    const mapping = { update: { $case: 'mappingEntries', mappingEntries: { entries } } };
    expect(storage(mapping)[0]?.key).toEqual(bytes('ad3228b676f7d3cd4284a5443f17f1962b36e491b30a40b2405849e597ba5fb5'));
  });

  it('finds the owner by alias or address and writes nothing without one', () => {
    const address = bytes('ef'.repeat(20));
    const byAddress = { $case: 'contractId', contractId: evmAddress(address) };
    expect(handle(itemOf(store([], byAddress)), { known: { ['ef'.repeat(20)]: 77n } }).entityId).toBe(77n);
    expect(handle(itemOf(store([slot('01', '01')], byAddress)))).toMatchObject({ entityId: 0n, all: [] });
    expect(handle(itemOf(store([slot('01', '01')], undefined)))).toMatchObject({ entityId: 0n, all: [] });
  });
});
