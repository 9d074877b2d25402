import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { simulateLedger } from '../../simulator/simulate-ledger.ts';
import { hasRealStreams, readReal, realStreams } from '../../streams/testing/real-streams.fixture.ts';
import { importFolder } from '../pipeline/testing/import-run.fixture.ts';
import { type ProofResult, type ProofSubject, proveLedger } from './ledger-proof.ts';

let target: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kagami-proof-'));
  target = await createTestDatabase();
  const out = join(folder, 'ledger');
  const ledger = await simulateLedger({ out, seed: 'proof', transactions: 2_500, tps: 100, nodes: 1, users: 40 });
  await importFolder(target, { folder: out, addressBook: await readFile(ledger.addressBookFile) });
}, 120_000);
afterAll(async () => {
  await target?.drop();
  await rm(folder, { recursive: true, force: true });
});

/** What the proof says after a change, which is taken back. */
const proofAfter = async (
  change: string,
  limit = 10,
): Promise<{ readonly base: string; readonly of: ReadonlyMap<ProofSubject, ProofResult> }> => {
  const undone = new Error('undone');
  let result: Awaited<ReturnType<typeof proveLedger>> | undefined;
  await target.database
    .transaction(async (client) => {
      await client.query(change);
      // The proof opens a transaction of its own; here it runs inside the one that is taken back.
      const inside = { transaction: (work: (c: typeof client) => unknown) => work(client) } as unknown as Database;
      result = await proveLedger(inside, { limit });
      throw undone;
    })
    .catch((fault: unknown) => {
      if (fault !== undone) throw fault;
    });
  if (result === undefined) throw new Error('no proof');
  return { base: result.base, of: new Map(result.results.map((entry) => [entry.subject, entry])) };
};

const different = async (change: string): Promise<Partial<Record<ProofSubject, unknown>>> => {
  const { of } = await proofAfter(change);
  return Object.fromEntries(
    [...of]
      .filter(([, { outcome }]) => outcome === 'different')
      .map(([subject, { differences }]) => [subject, differences]),
  );
};

const one = async (sql: string): Promise<Record<string, string>> => {
  const [row] = await target.database.query<Record<string, string>>(sql);
  if (row === undefined) throw new Error(`no row: ${sql}`);
  return row;
};

describe('the proof of a simulated ledger', () => {
  it('finds that everything adds up', async () => {
    const told: ProofSubject[] = [];
    const { base, results } = await proveLedger(target.database, {
      limit: 10,
      onResult: ({ subject }) => told.push(subject),
    });
    expect(base).toBe('genesis');
    expect(results.map(({ subject, outcome, differences }) => ({ subject, outcome, differences }))).toEqual(
      ['history', 'transactions', 'supply', 'balances', 'token-supplies', 'nft-supplies', 'nft-holdings'].map(
        (subject) => ({ subject, outcome: 'proven', differences: [] }),
      ),
    );
    expect(told).toHaveLength(7);
    expect(results.find(({ subject }) => subject === 'nft-holdings')?.note).toMatch(/^[1-9]\d* tokens/);
  });

  it('finds a changed balance', async () => {
    const { id, balance } = await one(
      "select id, balance from entity where type = 'ACCOUNT' and balance > 5 order by id desc limit 1",
    );
    expect(await different(`update entity set balance = balance + 1 where id = ${id}`)).toEqual({
      supply: [
        { account: null, token: null, expected: 5_000_000_000_000_000_000n, actual: 5_000_000_000_000_000_001n },
      ],
      balances: [
        { account: BigInt(id ?? 0), token: null, expected: BigInt(balance ?? 0), actual: BigInt(balance ?? 0) + 1n },
      ],
    });
  });

  it('finds a changed, a lost and an added transfer', async () => {
    const { entity_id, consensus_timestamp } = await one(
      'select entity_id, consensus_timestamp from crypto_transfer order by consensus_timestamp desc, entity_id limit 1',
    );
    const row = `entity_id = ${entity_id} and consensus_timestamp = ${consensus_timestamp}`;
    const unbalanced = [expect.objectContaining({ account: BigInt(consensus_timestamp ?? 0), expected: 0n })];
    const wrong = [expect.objectContaining({ account: BigInt(entity_id ?? 0) })];
    for (const change of [
      `update crypto_transfer set amount = amount + 3 where ${row}`,
      `delete from crypto_transfer where ${row}`,
      `insert into crypto_transfer select * from crypto_transfer where ${row}`,
    ]) {
      expect(await different(change)).toEqual({ transactions: unbalanced, balances: wrong });
    }
  });

  it('finds changed supplies and holdings of tokens', async () => {
    const { token_id } = await one(
      `select token_id from token join entity on id = token_id where token.type = 'FUNGIBLE_COMMON' and deleted is not true limit 1`,
    );
    expect(
      Object.keys(await different(`update token set total_supply = total_supply + 1 where token_id = ${token_id}`)),
    ).toEqual(['token-supplies']);
    const nft = await one(
      `select n.token_id, n.serial_number, n.account_id from nft n join entity e on e.id = n.token_id
       where e.deleted is not true and n.deleted is not true limit 1`,
    );
    const lost = await different(
      `delete from nft where token_id = ${nft.token_id} and serial_number = ${nft.serial_number}`,
    );
    expect(lost).toEqual({
      'nft-supplies': [expect.objectContaining({ account: null, token: BigInt(nft.token_id ?? 0) })],
      'nft-holdings': [
        expect.objectContaining({ account: BigInt(nft.account_id ?? 0), token: BigInt(nft.token_id ?? 0) }),
      ],
    });
  });

  it('tells no more differences than wanted, and how many there are', async () => {
    const { of } = await proofAfter("update entity set balance = balance + 1 where type = 'ACCOUNT'", 3);
    const accounts = await one("select count(*) from entity where type = 'ACCOUNT'");
    expect(of.get('balances')?.differences).toHaveLength(3);
    expect(of.get('balances')?.differenceCount).toBe(Number(accounts.count));
  });
});

describe('what cannot be known', () => {
  const outcomes = async (change: string) => {
    const { base, of } = await proofAfter(change);
    return {
      base,
      history: of.get('history')?.note,
      unknown: [...of.values()].flatMap(({ subject, outcome }) => (outcome === 'not-provable' ? [subject] : [])),
    };
  };
  const ALL_BUT_TRANSACTIONS = ['history', 'supply', 'balances', 'token-supplies', 'nft-supplies', 'nft-holdings'];

  it('is told when the history does not begin with the network', async () => {
    const found = await outcomes('update record_file set index = index + 5');
    expect(found).toEqual({
      base: 'unknown',
      history: expect.stringContaining('what accounts had before the first block is not known'),
      unknown: ['supply', 'balances'],
    });
  });

  it('is told when blocks or transactions are missing', async () => {
    expect(await outcomes('delete from record_file where index = 4')).toEqual({
      base: 'unknown',
      history: expect.stringContaining('files are missing before 1 of the blocks'),
      unknown: ALL_BUT_TRANSACTIONS,
    });
    const gone =
      'delete from transaction where consensus_timestamp = (select max(consensus_timestamp) from transaction)';
    expect(await outcomes(gone)).toMatchObject({
      history: expect.stringContaining('filters or retention kept others out'),
      unknown: ALL_BUT_TRANSACTIONS,
    });
  });

  it('is told when transfers or balances are not kept, and when there is nothing', async () => {
    expect((await outcomes('delete from crypto_transfer')).unknown).toEqual(['transactions', 'supply', 'balances']);
    const untracked = 'update entity set balance = 0; update token_account set balance = 0';
    expect((await outcomes(untracked)).unknown).toEqual([
      'supply',
      'balances',
      'token-supplies',
      'nft-supplies',
      'nft-holdings',
    ]);
    const { of } = await proofAfter('delete from record_file');
    expect([...of.values()]).toMatchObject([
      { subject: 'history', outcome: 'not-provable', note: 'there are no blocks' },
    ]);
  });

  it('counts from the balance file that was taken over', async () => {
    const { t } = await one('select consensus_end + 1 as t from record_file where index = 5');
    const takeOver = `
      update record_file set index = index + 5;
      insert into account_balance_file (consensus_timestamp, count, load_start, load_end, name) values (${t}, 1, 0, 0, 'file');
      insert into account_balance (consensus_timestamp, account_id, balance)
        select ${t}, entity_id, sum(amount) from crypto_transfer where consensus_timestamp <= ${t} group by entity_id;
      insert into kagami.initial_balances (consensus_timestamp) values (${t});`;
    const { base, of } = await proofAfter(takeOver);
    expect({ base, supply: of.get('supply')?.outcome, balances: of.get('balances')?.outcome }).toEqual({
      base: 'balance-file',
      supply: 'proven',
      balances: 'proven',
    });
    const tampered = await different(`${takeOver} update entity set balance = balance - 2 where id = 2`);
    expect(tampered.balances).toEqual([expect.objectContaining({ account: 2n })]);
  });
});

describe.skipIf(!hasRealStreams)('the proof of real ledgers', () => {
  it.each([
    ['mainnet-2019-09-13-v2', 'addressbooks/networks/mainnet'],
    ['mainnet-2025-07-23-v6', 'records/mainnet-2025-07-23-v6/address_book.bin'],
    ['v2-to-v5', 'addressbooks/test/testnet'],
    ['v6-sidecars', 'addressbooks/test/test-v6-sidecar-4n.bin'],
  ])('of %s finds no difference, and says what is not known', async (set, book) => {
    const real = await createTestDatabase();
    try {
      await importFolder(real, {
        folder: `${realStreams}/records/${set}`,
        addressBook: readReal(book),
        acceptGaps: true,
      });
      const { base, results } = await proveLedger(real.database, { limit: 10 });
      expect(base).toBe('unknown');
      expect(results.filter(({ outcome }) => outcome === 'different')).toEqual([]);
      expect(results.find(({ subject }) => subject === 'transactions')?.outcome).toBe('proven');
      expect(results.find(({ subject }) => subject === 'balances')?.outcome).toBe('not-provable');
    } finally {
      await real.drop();
    }
  });
});
