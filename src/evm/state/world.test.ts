import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Journal, JournaledTable } from './journal.ts';
import { entityRecord, memoryReader, nftRecord, relationRecord, tokenRecord } from './testing/memory-reader.fixture.ts';
import { addressOf, longZeroHex, World } from './world.ts';

const zero = '0'.repeat(64);
const word = (value: number): string => value.toString(16).padStart(64, '0');
const network = { shard: 0n, realm: 0n };

type Step =
  | { readonly kind: 'put'; readonly key: number; readonly value: number }
  | { readonly kind: 'get'; readonly key: number }
  | { readonly kind: 'checkpoint' | 'commit' | 'revert' };

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant('put' as const), key: fc.nat(3), value: fc.nat(9) }),
  fc.record({ kind: fc.constant('get' as const), key: fc.nat(3) }),
  fc.record({ kind: fc.constantFrom('checkpoint' as const, 'commit' as const, 'revert' as const) }),
);

/** What puts and checkpoints mean, by whole copies. */
class Model {
  values: Map<number, number>;
  changed = new Set<number>();
  readonly saved: { values: Map<number, number>; changed: Set<number> }[] = [];

  constructor(stored: (key: number) => number) {
    this.values = new Map([0, 1, 2, 3].map((key) => [key, stored(key)]));
  }

  apply(next: Step): void {
    if (next.kind === 'put') {
      this.values.set(next.key, next.value);
      this.changed.add(next.key);
    } else if (next.kind === 'checkpoint') {
      this.saved.push({ values: new Map(this.values), changed: new Set(this.changed) });
    } else if (next.kind === 'commit') this.saved.pop();
    else if (next.kind === 'revert') Object.assign(this, this.saved.pop());
  }
}

/** Steps that close no more checkpoints than are open. */
const possible = (steps: readonly Step[]): Step[] => {
  let depth = 0;
  return steps.filter(({ kind }) => {
    if (kind === 'checkpoint') depth++;
    else if (kind === 'commit' || kind === 'revert') return depth > 0 && depth-- > 0;
    return true;
  });
};

describe('journaled tables', () => {
  it('undo what was put since a checkpoint, whatever was read in between', async () => {
    const stored = (key: number): number => 100 + key;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const journal = new Journal();
        const asked: number[] = [];
        const table = new JournaledTable<number, number>(journal, async (key) => {
          asked.push(key);
          return stored(key);
        });
        const model = new Model(stored);
        for (const next of possible(steps)) {
          model.apply(next);
          if (next.kind === 'put') table.put(next.key, next.value);
          else if (next.kind === 'get') expect(await table.get(next.key)).toBe(model.values.get(next.key));
          else journal[next.kind]();
          expect(journal.depth).toBe(model.saved.length);
          expect(new Set(table.changedKeys())).toEqual(model.changed);
        }
        for (const [key, value] of model.values) expect(await table.get(key)).toBe(value);
      }),
    );
  });

  it('ask the store once for each key, and not for what was put', async () => {
    const asked: string[] = [];
    const table = new JournaledTable<string, string>(new Journal(), async (key) => {
      asked.push(key);
      return `stored ${key}`;
    });
    table.put('a', 'put');
    expect([await table.get('a'), await table.get('b'), await table.get('b')]).toEqual(['put', 'stored b', 'stored b']);
    expect(asked).toEqual(['b']);
  });

  it('prefer a change made while the store was being asked', async () => {
    const table = new JournaledTable<string, string>(new Journal(), async () => 'stored');
    const reading = table.get('a');
    table.put('a', 'put');
    expect([await reading, await table.get('a')]).toEqual(['put', 'put']);
  });

  it('refuse to close what is not open', () => {
    expect(() => new Journal().commit()).toThrow('No checkpoint is open');
    expect(() => new Journal().revert()).toThrow('No checkpoint is open');
  });
});

describe('a world', () => {
  const alias = 'ab'.repeat(20);
  const account = entityRecord(1001n, { balance: 5n, evmAddress: alias });
  const make = () =>
    new World(
      memoryReader({
        entities: [account, entityRecord(1002n)],
        slots: [[1003n, word(1), word(11)]],
        tokens: [tokenRecord(2001n)],
        relations: [relationRecord(1001n, 2001n, { balance: 9n })],
        nfts: [nftRecord(2002n, 7n, 1001n)],
        hbarAllowances: [[1001n, 1002n, 4n]],
      }),
      network,
    );

  it('finds entities by both forms of address', async () => {
    const world = make();
    expect(await world.entityAt(alias)).toEqual(account);
    expect(await world.entityAt(longZeroHex(1001n))).toEqual(account);
    expect(await world.idAt('cd'.repeat(20))).toBeUndefined();
    expect(await world.idAt(`${'0'.repeat(24)}${'f'.repeat(16)}`)).toBeUndefined();
    expect([addressOf(account), addressOf(entityRecord(1002n))]).toEqual([alias, `${'0'.repeat(37)}3ea`]);
  });

  it('has accounts of the lowest numbers, whether or not they are stored', async () => {
    const world = new World(memoryReader({ entities: [entityRecord(2n, { balance: 7n })] }), network);
    expect((await world.entity(2n))?.balance).toBe(7n);
    expect(await world.entity(999n)).toMatchObject({ id: 999n, type: 'ACCOUNT', balance: 0n, key: undefined });
    expect(await world.entityAt('0'.repeat(40))).toBeUndefined();
    expect(await world.entity(1000n)).toBeUndefined();
    // Not those of another realm.
    const elsewhere = new World(memoryReader({}), { shard: 0n, realm: 1n });
    expect(await elsewhere.entity(2n)).toBeUndefined();
    expect((await elsewhere.entityAt(longZeroHex(2n)))?.id).toBe(elsewhere.idOf(2n));
  });

  it('takes back whatever a reverted frame did', async () => {
    const world = make();
    world.checkpoint();
    world.putEntity({ ...account, balance: 1n });
    world.removeEntity(1002n);
    world.putEntity(entityRecord(5000n, { evmAddress: 'ef'.repeat(20) }));
    world.putSlot(1003n, word(1), word(12));
    world.putSlot(1003n, word(2), word(13));
    world.putToken(tokenRecord(2001n, { name: 'Changed' }));
    world.removeTokenRelation(1001n, 2001n);
    world.removeNft(2002n, 7n);
    world.putLastSerialNumber(2002n, 8n);
    world.putHbarAllowance(1001n, 1002n, 1n);
    world.putTokenAllowance(1001n, 1002n, 2001n, 3n);
    world.putApprovedForAll(1001n, 1002n, 2002n, true);
    world.putCode(1003n, new Uint8Array([1]));
    world.putAccountCounts(1001n, { associations: 3, positiveBalances: 2 });
    const first = await world.newEntityId();
    expect(first).toBe(2003n);
    expect([...world.changedSlots()]).toEqual([
      [1003n, word(1), word(12)],
      [1003n, word(2), word(13)],
    ]);
    world.revert();
    expect(await world.entity(1001n)).toEqual(account);
    expect(await world.entity(1002n)).toEqual(entityRecord(1002n));
    expect(await world.entityAt('ef'.repeat(20))).toBeUndefined();
    expect(await world.slot(1003n, word(1))).toBe(word(11));
    expect(await world.slot(1003n, word(2))).toBe(zero);
    expect([...world.changedSlots()]).toEqual([]);
    expect((await world.token(2001n))?.name).toBe('Token');
    expect((await world.tokenRelation(1001n, 2001n))?.balance).toBe(9n);
    expect((await world.nft(2002n, 7n))?.ownerId).toBe(1001n);
    expect(await world.lastSerialNumber(2002n)).toBe(7n);
    expect(await world.hbarAllowance(1001n, 1002n)).toBe(4n);
    expect(await world.tokenAllowance(1001n, 1002n, 2001n)).toBe(0n);
    expect(await world.approvedForAll(1001n, 1002n, 2002n)).toBe(false);
    expect(await world.code(1003n)).toBeUndefined();
    expect(await world.accountCounts(1001n)).toEqual({ associations: 0, positiveBalances: 0 });
    expect(await world.newEntityId()).toBe(first);
  });

  it('keeps airdrops and schedules by their keys', async () => {
    const world = make();
    const airdrop = { senderId: 1001n, receiverId: 1002n, tokenId: 2001n, serialNumber: 0n, amount: 6n };
    world.putPendingAirdrop(airdrop);
    expect(await world.pendingAirdrop({ ...airdrop })).toEqual(airdrop);
    expect(await world.pendingAirdrop({ ...airdrop, serialNumber: 1n })).toBeUndefined();
    world.removePendingAirdrop(airdrop);
    expect(await world.pendingAirdrop(airdrop)).toBeUndefined();
    expect(await world.schedule(3001n)).toBeUndefined();
  });

  it('can forget the storage of a contract', async () => {
    const world = make();
    world.forgetStoredSlots(1003n);
    world.putSlot(1003n, word(3), word(1));
    expect([await world.slot(1003n, word(1)), await world.slot(1003n, word(3))]).toEqual([zero, word(1)]);
    expect([world.knownSlot(1003n, word(3)), world.knownSlot(1003n, word(4))]).toEqual([word(1), undefined]);
  });
});
