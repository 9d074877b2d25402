import { describe, expect, it } from 'vitest';
import { type AccountID, Key } from '../protobuf/generated/services/basic_types.ts';
import { CachedEntityLookup } from './entity-lookup.ts';
import { LedgerBatch } from './ledger-batch.ts';
import type { RecordItem } from './record-item.ts';
import { decodeRecordItems } from './record-items.ts';
import { account, type BodyFields, rawItem, recordFileOf } from './testing/items.fixture.ts';
import { since, useTestLedger } from './testing/ledger.fixture.ts';

const ledger = useTestLedger();

const aliased = (alias: Uint8Array): AccountID => ({ shardNum: 0n, realmNum: 0n, account: { $case: 'alias', alias } });
const contractAt = (evmAddress: Uint8Array) =>
  ({ shardNum: 0n, realmNum: 0n, contract: { $case: 'evmAddress', evmAddress } }) as const;

const address = (fill: number): Uint8Array => new Uint8Array(20).fill(fill);
const edAlias = Key.encode(
  Key.fromPartial({ key: { $case: 'ed25519', ed25519: new Uint8Array(32).fill(7) } }),
).finish();
/** Generator point of secp256k1, and its address. */
const ecdsaAlias = Key.encode(
  Key.fromPartial({
    key: {
      $case: 'ECDSASecp256k1',
      ECDSASecp256k1: Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
    },
  }),
).finish();
const ecdsaAddress = new Uint8Array(Buffer.from('7e5f4552091a69125d5dfcb7b8c2659029395bdf', 'hex'));

const deletionOf = (...obtainers: readonly AccountID[]): RecordItem[] =>
  decodeRecordItems(
    recordFileOf(
      obtainers.map((obtainer) => {
        const body: BodyFields = { data: { $case: 'cryptoDelete', cryptoDelete: { transferAccountID: obtainer } } };
        return rawItem({ body });
      }),
    ),
    () => undefined,
  );

const transferBy = (alias: Uint8Array): RecordItem[] => {
  const hookCall = {
    $case: 'preTxAllowanceHook',
    preTxAllowanceHook: { id: { $case: 'hookId', hookId: 1n } },
  } as const;
  const accountAmounts = [{ accountID: aliased(alias), amount: -1n, hookCall }];
  const body: BodyFields = { data: { $case: 'cryptoTransfer', cryptoTransfer: { transfers: { accountAmounts } } } };
  return decodeRecordItems(recordFileOf([rawItem({ body })]), () => undefined);
};

const lookupAfter = async (...ids: readonly AccountID[]): Promise<CachedEntityLookup> => {
  const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
  await lookup.prefetch(ledger.database, deletionOf(...ids));
  return lookup;
};

describe('entity lookup', () => {
  it('gives numbers as they are and the empty id for nothing', async () => {
    const lookup = await lookupAfter();
    expect(lookup.account(undefined)).toBe(0n);
    expect(lookup.account(account(5n))).toBe(5n);
    expect(lookup.account(account(1n << 40n))).toBeUndefined();
    expect(lookup.contract(undefined)).toBe(0n);
  });

  it('takes long-zero addresses as numbers of its own shard and realm', () => {
    const longZero = new Uint8Array(20);
    longZero[19] = 9;
    const lookup = new CachedEntityLookup({ shard: 1n, realm: 2n });
    const expected = (1n << 54n) | (2n << 38n) | 9n;
    expect(lookup.contract(contractAt(longZero))).toBe(expected);
    expect(lookup.account(aliased(longZero))).toBe(expected);
  });

  it('finds the owner of a hook that a transfer calls', async () => {
    await ledger.write((batch) =>
      batch.stage('entity', {
        id: 21n,
        type: 'ACCOUNT',
        deleted: false,
        evm_address: address(21),
        timestamp_range: since(10n),
      }),
    );
    const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
    await lookup.prefetch(ledger.database, transferBy(address(21)));
    expect(lookup.account(aliased(address(21)))).toBe(21n);
  });

  it('finds aliases, addresses and the address of an alias in the database, but nothing deleted or unsure', async () => {
    const entity = (id: bigint, more: object) => ({
      id,
      type: 'ACCOUNT' as const,
      deleted: false,
      timestamp_range: since(10n),
      ...more,
    });
    await ledger.write((batch) => {
      batch.stage('entity', entity(11n, { alias: edAlias }));
      batch.stage('entity', entity(12n, { evm_address: ecdsaAddress }));
      batch.stage('entity', entity(13n, { evm_address: address(1) }));
      batch.stage('entity', entity(14n, { evm_address: address(2), deleted: true }));
      batch.stage('entity', entity(15n, { evm_address: address(3), deleted: null }));
    });
    const ids = [edAlias, ecdsaAlias, address(1), address(2), address(3), address(4)].map(aliased);
    const lookup = await lookupAfter(...ids);
    expect(ids.map((id) => lookup.account(id))).toEqual([11n, 12n, 13n, undefined, undefined, undefined]);
    expect(lookup.contract(contractAt(address(1)))).toBe(13n);
  });

  it('asks once about what it found, and again about what it did not', async () => {
    const queries: unknown[][] = [];
    const counting = {
      query: async (_: string, values?: readonly unknown[]) => {
        queries.push([...(values ?? [])]);
        return queries.length === 1 ? ([{ id: '21', address: Buffer.from(address(21)) }] as never) : [];
      },
    };
    const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
    const items = deletionOf(aliased(address(21)), aliased(address(22)));
    await lookup.prefetch(counting, items);
    await lookup.prefetch(counting, items);
    await lookup.prefetch(counting, deletionOf(account(5n)));
    expect(queries).toEqual([[[Buffer.from(address(21)), Buffer.from(address(22))]], [[Buffer.from(address(22))]]]);
    expect(lookup.account(aliased(address(21)))).toBe(21n);
  });

  it('knows what the same batch creates, and forgets the longest unused beyond its capacity', async () => {
    const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n, capacity: 2 });
    const batch = new LedgerBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
    for (const n of [31, 32, 33]) {
      batch.stage('entity', { id: BigInt(n), type: 'ACCOUNT', evm_address: address(n), timestamp_range: since(10n) });
    }
    expect([31, 32, 33].map((n) => lookup.account(aliased(address(n))))).toEqual([31n, 32n, 33n]);
    expect(lookup.account(aliased(address(31)))).toBe(31n);
    await lookup.prefetch(ledger.database, []);
    expect([31, 32, 33].map((n) => lookup.account(aliased(address(n))))).toEqual([31n, undefined, 33n]);
  });

  it('knows the EVM addresses that it fetched, that there is none, and those that the batch makes', async () => {
    await ledger.write((batch) => {
      batch.stage('entity', { id: 51n, type: 'ACCOUNT', evm_address: address(51), timestamp_range: since(10n) });
      batch.stage('entity', { id: 52n, type: 'ACCOUNT', timestamp_range: since(10n) });
      batch.stage('entity', { id: 53n, type: 'ACCOUNT', evm_address: new Uint8Array(0), timestamp_range: since(10n) });
    });
    const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
    const ids = [51n, 52n, 53n, 54n];
    expect(ids.map((id) => lookup.evmAddress(id))).toEqual([undefined, undefined, undefined, undefined]);
    await lookup.fetchEvmAddresses(ledger.database, ids);
    expect(ids.map((id) => lookup.evmAddress(id))).toEqual([address(51), null, null, null]);
    const batch = new LedgerBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
    lookup.useBatch(batch);
    expect(ids.map((id) => lookup.evmAddress(id))).toEqual([address(51), null, null, undefined]);
    await lookup.fetchEvmAddresses(ledger.database, [54n]);
    batch.stage('entity', { id: 54n, type: 'ACCOUNT', evm_address: address(54), timestamp_range: since(10n) });
    batch.stage('entity', { id: 51n, balance: 5n });
    expect(ids.map((id) => lookup.evmAddress(id))).toEqual([address(51), null, null, address(54)]);
  });

  it('forgets the EVM addresses that were not used for the longest, but only between blocks', async () => {
    const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n, evmAddressCapacity: 2 });
    const answering = {
      query: async (_: string, values?: readonly unknown[]) =>
        ((values ?? []) as readonly bigint[][]).flat().map((id) => ({
          id: `${id}`,
          evm_address: Buffer.from(address(Number(id))),
        })) as never,
    };
    await lookup.fetchEvmAddresses(answering, [61n, 62n, 63n]);
    expect([61n, 62n, 63n].map((id) => lookup.evmAddress(id))).toEqual([address(61), address(62), address(63)]);
    lookup.evmAddress(61n);
    await lookup.prefetch(ledger.database, []);
    expect([61n, 62n, 63n].map((id) => lookup.evmAddress(id))).toEqual([address(61), undefined, address(63)]);
  });

  it('knows associations from the database, and the batch above it', async () => {
    await ledger.write((batch) => {
      for (const token of [1n, 2n]) {
        batch.stage('token_account', {
          account_id: 41n,
          token_id: token,
          associated: true,
          created_timestamp: 10n,
          timestamp_range: since(10n),
        });
      }
    });
    const pending = (tokenNum: bigint) => ({
      senderId: account(40n),
      receiverId: account(41n),
      tokenReference: { $case: 'fungibleTokenType', fungibleTokenType: { tokenNum } } as const,
    });
    const body: BodyFields = {
      data: {
        $case: 'tokenClaimAirdrop',
        tokenClaimAirdrop: { pendingAirdrops: [pending(1n), pending(2n), pending(3n)] },
      },
    };
    const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
    const batch = new LedgerBatch({ entityHistory: true });
    lookup.useBatch(batch);
    await lookup.prefetch(
      ledger.database,
      decodeRecordItems(recordFileOf([rawItem({ body })]), () => undefined),
    );
    batch.stage('token_account', { account_id: 41n, token_id: 2n, associated: false, timestamp_range: since(20n) });
    expect([1n, 2n, 3n].map((token) => lookup.isAssociated(41n, token))).toEqual([true, false, false]);
  });

  it('knows associations that are staged before a treasury change in the same batch', () => {
    const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
    const batch = new LedgerBatch({ entityHistory: true });
    lookup.useBatch(batch);
    const relation = (token_id: bigint, associated: boolean, from: bigint) =>
      batch.stage('token_account', { account_id: 41n, token_id, associated, timestamp_range: since(from) });
    const changeTreasury = (timestamp: bigint) =>
      batch.changeTreasury({ tokenId: 9n, previousTreasury: 50n, newTreasury: 51n, timestamp });
    relation(1n, true, 10n);
    relation(2n, true, 10n);
    relation(3n, true, 10n);
    changeTreasury(20n);
    relation(2n, false, 30n);
    batch.addTokenBalance(41n, 3n, 5n, 30n);
    changeTreasury(40n);
    expect([1n, 2n, 3n, 4n].map((token) => lookup.isAssociated(41n, token))).toEqual([true, false, true, false]);
  });
});
