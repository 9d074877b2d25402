import { describe, expect, it } from 'vitest';
import { CachedEntityLookup } from '../entity-lookup.ts';
import { LedgerBatch } from '../ledger-batch.ts';
import type { RecordItem } from '../record-item.ts';
import { useTestLedger } from '../testing/ledger.fixture.ts';
import { writeBatch } from '../write/ledger-writer.ts';
import {
  account,
  applyItem,
  bytes,
  contextOf,
  contract,
  DAY_OF_T,
  ED25519,
  type ItemFields,
  itemOf,
  T,
  token,
} from './testing/handled.fixture.ts';
import { hasSnapshots, snapshotLedgers } from './testing/real-items.fixture.ts';

const ledger = useTestLedger();

/** Writes transactions that follow each other by one second from `T` on, each in a batch of its own. */
const writeEach = async (...transactions: ItemFields[]): Promise<void> => {
  for (const [position, fields] of transactions.entries()) {
    const item = itemOf({ timestamp: T + BigInt(position) * 1_000_000_000n, ...fields });
    await ledger.write((batch) => applyItem(item, contextOf(batch)));
  }
};

const ADDRESS = bytes('8f5d1c2b3a49586776859403f2e1d0c9b8a79685');

const updateAccount = (num: bigint, body: object): ItemFields => ({
  data: { $case: 'cryptoUpdateAccount', cryptoUpdateAccount: { accountIDToUpdate: account(num), ...body } },
});

describe('written accounts', () => {
  it('are hollow until they get a key', async () => {
    const keyList = { key: { $case: 'keyList' as const, keyList: {} } };
    await writeEach({
      data: { $case: 'cryptoCreateAccount', cryptoCreateAccount: { alias: ADDRESS, key: keyList, memo: 'lazy' } },
      receipt: { accountID: account(2001n) },
    });
    const columns = 'alias, evm_address, key, public_key, memo, balance, staked_node_id, stake_period_start';
    const hollow = {
      alias: Buffer.from(ADDRESS),
      evm_address: Buffer.from(ADDRESS),
      key: Buffer.from('3200', 'hex'),
      public_key: null,
      memo: 'lazy',
      balance: '0',
      staked_node_id: '-1',
      stake_period_start: '-1',
    };
    expect(await ledger.row('entity', columns, 'id = 2001')).toEqual(hollow);
    await writeEach({ ...updateAccount(2001n, { key: ED25519.key }), timestamp: T + 5n });
    expect(await ledger.row('entity', columns, 'id = 2001')).toEqual({
      ...hollow,
      key: Buffer.from(ED25519.bytes),
      public_key: ED25519.publicKey,
    });
    expect(await ledger.row('entity_history', 'timestamp_range, public_key', 'id = 2001')).toEqual({
      timestamp_range: `[${T},${T + 5n})`,
      public_key: null,
    });
  });

  it('stake to a node or to an account, never to both', async () => {
    await writeEach(
      {
        data: {
          $case: 'cryptoCreateAccount',
          cryptoCreateAccount: { stakedId: { $case: 'stakedNodeId', stakedNodeId: 3n } },
        },
        receipt: { accountID: account(2002n) },
      },
      updateAccount(2002n, { stakedId: { $case: 'stakedAccountId', stakedAccountId: account(9n) } }),
    );
    const columns = 'staked_node_id, staked_account_id, stake_period_start, decline_reward';
    const common = { stake_period_start: DAY_OF_T.toString(), decline_reward: false };
    expect(await ledger.row('entity', columns, 'id = 2002')).toEqual({
      ...common,
      staked_node_id: '-1',
      staked_account_id: '9',
    });
    await writeEach({
      ...updateAccount(2002n, { stakedId: { $case: 'stakedNodeId', stakedNodeId: 4n } }),
      timestamp: T + 9_000_000_000n,
    });
    expect(await ledger.row('entity', columns, 'id = 2002')).toEqual({
      ...common,
      staked_node_id: '4',
      staked_account_id: '0',
    });
  });

  it('may replace a hook by another of the same id', async () => {
    const hook = (contractNum: bigint) => ({
      hookId: 1n,
      hook: {
        $case: 'evmHook',
        evmHook: { spec: { bytecodeSource: { $case: 'contractId', contractId: contract(contractNum) } } },
      },
    });
    await writeEach(
      updateAccount(2003n, { hookCreationDetails: [hook(600n)] }),
      updateAccount(2003n, { hookIdsToDelete: [1n], hookCreationDetails: [hook(601n)] }),
    );
    expect(await ledger.row('hook', 'contract_id, deleted, created_timestamp', 'owner_id = 2003')).toEqual({
      contract_id: '601',
      deleted: false,
      created_timestamp: (T + 1_000_000_000n).toString(),
    });
  });
});

describe('written tokens', () => {
  const spenders = (serial: bigint) =>
    ledger.row(
      'nft',
      'spender, delegating_spender, metadata, deleted',
      `token_id = 3100 and serial_number = ${serial}`,
    );

  it('keep the spender of an NFT whose metadata change, until the allowance is deleted', async () => {
    const nfts = { tokenId: token(3100n), owner: account(10n), serialNumbers: [1n] };
    await writeEach(
      {
        data: { $case: 'tokenMint', tokenMint: { token: token(3100n), metadata: [bytes('01')] } },
        receipt: { newTotalSupply: 1n, serialNumbers: [1n] },
      },
      {
        data: {
          $case: 'cryptoApproveAllowance',
          cryptoApproveAllowance: { nftAllowances: [{ ...nfts, spender: account(20n) }] },
        },
      },
      {
        data: {
          $case: 'tokenUpdateNfts',
          tokenUpdateNfts: { token: token(3100n), serialNumbers: [1n], metadata: bytes('02') },
        },
      },
    );
    const changed = { spender: '20', delegating_spender: null, metadata: Buffer.from([2]), deleted: false };
    expect(await spenders(1n)).toEqual(changed);
    await writeEach({
      data: { $case: 'cryptoDeleteAllowance', cryptoDeleteAllowance: { nftAllowances: [nfts] } },
      timestamp: T + 9_000_000_000n,
    });
    expect(await spenders(1n)).toEqual({ ...changed, spender: null });
  });

  it('change supply without history and pause with it', async () => {
    await writeEach(
      {
        data: {
          $case: 'tokenCreation',
          tokenCreation: { name: 'N', symbol: 'S', treasury: account(50n), initialSupply: 5n, pauseKey: ED25519.key },
        },
        receipt: { tokenID: token(3101n) },
      },
      { data: { $case: 'tokenBurn', tokenBurn: { token: token(3101n) } }, receipt: { newTotalSupply: 3n } },
      { data: { $case: 'tokenPause', tokenPause: { token: token(3101n) } } },
    );
    expect(await ledger.row('token', 'total_supply, initial_supply, pause_status, name', 'token_id = 3101')).toEqual({
      total_supply: '3',
      initial_supply: '5',
      pause_status: 'PAUSED',
      name: 'N',
    });
    expect(await ledger.row('token_history', 'total_supply, pause_status', 'token_id = 3101')).toEqual({
      total_supply: '3',
      pause_status: 'UNPAUSED',
    });
    expect(await ledger.row('token_account', 'associated, balance', 'token_id = 3101')).toEqual({
      associated: true,
      balance: '0',
    });
  });
});

class RolledBack extends Error {}

/** Rows of a batch as the database takes them, without keeping them. */
const tryWrite = (items: readonly RecordItem[]): Promise<never> => {
  const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
  const batch = new LedgerBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
  lookup.useBatch(batch);
  batch.beginBlock();
  for (const item of items) applyItem(item, contextOf(batch, { lookup }));
  return ledger.database.transaction(async (client): Promise<never> => {
    await writeBatch(client, batch);
    throw new RolledBack();
  });
};

describe.skipIf(!hasSnapshots)('rows of real transactions', () => {
  it('are taken by the database', async () => {
    const ledgers = [...snapshotLedgers()].filter(({ items }) => items.length > 0);
    expect(ledgers.length).toBe(425);
    for (const [position, { items }] of ledgers.entries()) {
      if (position % 6 === 0) await expect(tryWrite(items)).rejects.toThrow(RolledBack);
    }
  }, 120_000);
});
