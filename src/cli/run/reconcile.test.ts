import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { importFolder } from '../../importer/pipeline/testing/import-run.fixture.ts';
import { simulateLedger } from '../../simulator/simulate-ledger.ts';
import { runCommandLine } from '../command-line.ts';
import { createStyle } from '../terminal/terminal.ts';

let target: TestDatabase;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-reconcile-'));
  target = await createTestDatabase();
  const out = join(folder, 'ledger');
  const ledger = await simulateLedger({ out, seed: 'reconcile', transactions: 300, tps: 50, nodes: 1, users: 10 });
  await importFolder(target, { folder: out, addressBook: await readFile(ledger.addressBookFile) });
}, 60_000);
afterAll(async () => {
  await target?.drop();
  rmSync(folder, { recursive: true, force: true });
});

const reconcile = async (...flags: string[]): Promise<{ code: number; out: string; err: string }> => {
  const written = { out: '', err: '' };
  const code = await runCommandLine(
    ['reconcile', '--database', target.connectionString, '--log-level', 'error', ...flags],
    {
      terminal: {
        out: (text) => {
          written.out += text;
        },
        err: (text) => {
          written.err += text;
        },
        interactive: false,
        columns: 100,
        style: createStyle(false),
      },
      cwd: folder,
      env: {},
    },
  );
  return { code, ...written };
};

describe('kagami reconcile', () => {
  it('says of each check that it is proven, and that the ledger adds up', async () => {
    const { code, out, err } = await reconcile();
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out.match(/^ {2}proven {4}/gm)).toHaveLength(7);
    expect(out).toContain('proven     Each balance is the sum of its transfers (');
    expect(out).toContain('history begins with the network');
    expect(out).toContain('The ledger adds up.\nThere are no balance files to compare.\n');
  });

  it('lists a changed balance by id and ends with exit code 1', async () => {
    await target.database.query('update entity set balance = balance - 7 where id = 98');
    try {
      const { code, out } = await reconcile('--limit', '1');
      expect(code).toBe(1);
      expect(out).toMatch(
        /DIFFERENT {2}Each balance is the sum of its transfers .*\n {15}account 0\.0\.98: is -?\d+, should be \d+\n/,
      );
      expect(out).toContain('sum of all balances: is 4999999999999999993, should be 5000000000000000000');
      expect(out).toContain('The ledger does not add up.');
      const json = JSON.parse((await reconcile('--json')).out);
      expect(json).toMatchObject({ base: 'genesis', balanceFiles: null });
      expect(json.checks[3]).toMatchObject({
        subject: 'balances',
        outcome: 'different',
        differenceCount: 1,
        differences: [{ account: '98', token: null }],
      });
    } finally {
      await target.database.query('update entity set balance = balance + 7 where id = 98');
    }
  });

  it('compares balance files with each other', async () => {
    const { database } = target;
    const blocks = await database.query<{ t: string }>(
      'select consensus_end + 1 as t from record_file order by 1 limit 5',
    );
    const [first, second] = [blocks[1]?.t, blocks[3]?.t];
    await database.query(
      `insert into account_balance_file (consensus_timestamp, count, load_start, load_end, name) values ($1, 0, 0, 0, 'a'), ($2, 0, 0, 0, 'b')`,
      [first, second],
    );
    await database.query(
      `insert into account_balance (consensus_timestamp, account_id, balance)
       select f.consensus_timestamp, entity_id, sum(amount) from account_balance_file f
       join crypto_transfer t on t.consensus_timestamp <= f.consensus_timestamp where not synthetic group by 1, 2`,
    );
    const good = await reconcile();
    expect(good.code).toBe(0);
    expect(good.out).toContain('Balance files compared with the one before them: 1.');
    await database.query('delete from reconciliation_job');
    await database.query(
      `update account_balance set balance = balance + case account_id when 2 then 3 else -3 end
       where consensus_timestamp = $1 and account_id in (2, 98)`,
      [second],
    );
    const { code, out } = await reconcile('--json');
    expect(code).toBe(1);
    expect(JSON.parse(out).balanceFiles).toMatchObject({
      status: 3,
      files: 1,
      last: first,
      differing: [
        { consensusTimestamp: second, differenceCount: 2, differences: [{ account: '2' }, { account: '98' }] },
      ],
    });
  });

  it('refuses limits that are none', async () => {
    const { code, err } = await reconcile('--limit', 'many');
    expect(code).toBe(2);
    expect(err).toContain('--limit must be a number from 1 to 1000000, not "many"');
  });

  it('explains itself', async () => {
    const { code, out } = await reconcile('--help');
    expect(code).toBe(0);
    expect(out).toContain('not known   the database does not hold what the check needs');
  });
});
