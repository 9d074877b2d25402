/** Mesh's own checker against a whole simulated ledger: what it finds wrong, wallets and exchanges would stumble over. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { openRosetta, type RosettaFixture } from '../../rosetta/testing/rosetta.fixture.ts';
import { type CheckerRun, checkerDefaults, rosettaChecker, runChecker } from './testing/rosetta-checker.fixture.ts';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

const network = { blockchain: 'Hedera', network: 'demo' };
const hbar = { symbol: 'HBAR', decimals: 8, metadata: { issuer: 'Hedera' } };
const workflows = await readFile(new URL('./testing/hbar-transfers.ros', import.meta.url), 'utf8');

let served: ServedLedger;
let offline: RosettaFixture;
let urls: { online_url: string; offline_url: string };

const checked = async (
  context: TestContext,
  command: readonly string[],
  { configuration = {}, files = {} }: { configuration?: object; files?: Readonly<Record<string, string>> } = {},
): Promise<CheckerRun> => {
  const checker = await rosettaChecker();
  if ('missing' in checker) return context.skip(`Mesh's checker: ${checker.missing}`);
  const { online_url, offline_url } = urls;
  return runChecker(checker.path, {
    command,
    configuration: {
      network,
      online_url,
      ...checkerDefaults,
      construction: { offline_url, constructor_dsl_file: 'hbar-transfers.ros', end_conditions: { transfer: 1 } },
      ...configuration,
    },
    files: { 'hbar-transfers.ros': workflows, ...files },
    withinMs: 180_000,
  });
};

describe("Mesh's checker", () => {
  beforeAll(async () => {
    served = await serveSimulatedLedger(
      {
        seed: 'checker',
        mix: 'everything',
        transactions: 3_000,
        tps: 30,
        nodes: 3,
        users: 25,
        stakingPeriodNanos: 15_000_000_000n,
      },
      { rosetta: true, itemizedTransfers: true },
    );
    offline = await openRosetta(served.target.database, { settings: { online: false } });
    const offline_url = await offline.app.listen({ host: '127.0.0.1', port: 0 });
    urls = { online_url: `http://127.0.0.1:${served.server.interfacePorts.rosetta}`, offline_url };
  }, 180_000);

  afterAll(async () => {
    await offline?.stop();
    await served?.stop();
  });

  it('finds what Mesh asks of every implementation (check:spec)', async (context) => {
    const { code, output } = await checked(context, ['check:spec', '--all']);
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('check:spec is complete') });
    expect(output.match(/\|\s+Success\s+\|/g)).toHaveLength(13);
    expect(output).not.toMatch(/\|\s+Failed\s+\|/i);
  }, 1_200_000);

  it('follows the ledger from its first block to its last, and all balances add up (check:data)', async (context) => {
    const last = served.ledger.blocks.length - 1;
    // What accounts had before the first block is not to be learnt from blocks.
    const rows = await served.target.database.query<{ id: string; balance: string; alias: Buffer | null }>(
      `select b.account_id as id, b.balance, e.alias from account_balance b left join entity e on e.id = b.account_id
        where b.balance > 0 and b.consensus_timestamp = (select min(consensus_timestamp) from account_balance)
          and exists (
            select from crypto_transfer t
            where t.entity_id = b.account_id and t.consensus_timestamp > b.consensus_timestamp
          )`,
    );
    const isKey = (alias: Buffer | null): alias is Buffer => alias?.[0] === 0x12 || alias?.[0] === 0x3a;
    const bootstrap = rows.map(({ id, balance, alias }) => ({
      account_identifier: { address: isKey(alias) ? `0x${alias.toString('hex')}` : `0.0.${id}` },
      currency: hbar,
      value: balance,
    }));
    const { code, output } = await checked(context, ['check:data'], {
      configuration: {
        data: {
          bootstrap_balances: 'bootstrap.json',
          inactive_reconciliation_frequency: 1,
          end_conditions: { reconciliation_coverage: { coverage: 1, index: last } },
        },
      },
      files: { 'bootstrap.json': JSON.stringify(bootstrap) },
    });
    expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Reconciliation Coverage End') });
    const failed = /# of reconciliation failures\s+\|\s+(\d+)/g;
    expect([...output.matchAll(failed)].map(([, count]) => count)).toEqual(['0', '0']);
    expect(Number(/# of blocks synced\s+\|\s+(\d+)/.exec(output)?.[1])).toBeGreaterThan(5);
  }, 1_200_000);
});
