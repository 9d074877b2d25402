/** Mesh's own checker makes accounts and transfers by Rosetta on a live simulated network, and finds them in its blocks. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { openRosetta, type RosettaFixture } from '../../rosetta/testing/rosetta.fixture.ts';
import { developmentAccounts } from '../../simulator/opening/published-accounts.ts';
import { freePort } from './testing/free-port.fixture.ts';
import { eventually, type KagamiProcess, startKagami } from './testing/kagami-process.fixture.ts';
import { checkerDefaults, rosettaChecker, runChecker } from './testing/rosetta-checker.fixture.ts';

const network = { blockchain: 'Hedera', network: 'demo' };
const currency = { symbol: 'HBAR', decimals: 8, metadata: { issuer: 'Hedera' } };
const workflows = await readFile(new URL('./testing/hbar-transfers.ros', import.meta.url), 'utf8');
const ED25519_SECRET_DIGITS = 64;

let target: TestDatabase;
let folder: string;
let kagami: KagamiProcess;
let offline: RosettaFixture;
let online_url: string;
let offline_url: string;

beforeAll(async () => {
  target = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'kagami-construction-'));
  const [rosettaPort, nodePort] = [await freePort(), await freePort()];
  const nodes = { [`127.0.0.1:${nodePort}`]: '0.0.3' };
  kagami = startKagami(folder, [
    ...['start', '--roles', 'importer,rosetta', '--simulate', '--tps', '5', '--port', '0', '--data', folder],
    ...['--database', target.connectionString],
    ...['--set', `hiero.mirror.rosetta.port=${rosettaPort}`],
    ...['--set', `hiero.mirror.rosetta.nodes=127.0.0.1:${nodePort}:0.0.3`],
    ...['--set', `kagami.simulator.submit.port=${nodePort}`],
    ...['--set', 'hiero.mirror.importer.parser.record.entity.persist.itemizedTransfers=true'],
  ]);
  offline = await openRosetta(target.database, { settings: { online: false, nodes } });
  offline_url = await offline.app.listen({ host: '127.0.0.1', port: 0 });
  online_url = `http://127.0.0.1:${rosettaPort}`;
  await eventually('block whose balances are known', 90_000, async () => {
    const init = { method: 'POST', body: JSON.stringify({ network_identifier: network }) };
    return (await fetch(`${online_url}/network/status`, init).catch(() => undefined))?.ok;
  });
}, 120_000);

afterAll(async () => {
  await kagami?.end('SIGTERM');
  await offline?.stop();
  await target?.drop();
  if (folder !== undefined) await rm(folder, { recursive: true, force: true });
}, 60_000);

it('creates accounts by transfers to new keys, and passes hbar on (check:construction)', async (context) => {
  const checker = await rosettaChecker();
  if ('missing' in checker) return context.skip(`Mesh's checker: ${checker.missing}`);
  const { account: address, privateKey } = developmentAccounts.operator;
  const { code, output } = await runChecker(checker.path, {
    command: ['check:construction'],
    configuration: {
      network,
      online_url,
      ...checkerDefaults,
      construction: {
        offline_url,
        constructor_dsl_file: 'hbar-transfers.ros',
        stale_depth: 30,
        broadcast_limit: 1,
        prefunded_accounts: [
          {
            privkey: privateKey.slice(-ED25519_SECRET_DIGITS),
            account_identifier: { address },
            curve_type: 'edwards25519',
            currency,
          },
        ],
        end_conditions: { transfer: 1, pass_on: 2 },
      },
    },
    files: { 'hbar-transfers.ros': workflows },
    withinMs: 180_000,
  });
  expect({ code, output }).toMatchObject({ code: 0, output: expect.stringContaining('Success: {') });
  expect(output).toMatch(/# of transactions that\s+\|\s+0 \|/);
  // Accounts that only their key is known of pay, too.
  expect(output).toMatch(/"account_map":"0x1220[0-9a-f]{64}:0\.0\.\d+"/);
}, 1_200_000);
