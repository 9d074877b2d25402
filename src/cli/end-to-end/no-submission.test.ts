/** `--no-submit`: the simulated network runs, and nobody takes transactions for it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { freePort, isFree } from './testing/free-port.fixture.ts';
import { eventually, type KagamiProcess, startKagami } from './testing/kagami-process.fixture.ts';

const PATIENCE = 120_000;
/** A transfer for node 0.0.4, signed by nobody who exists. */
const SIGNED =
  '0x0a432a410a3d0a140a0c08feafcb840610ae86c0db03120418d8c307120218041880c2d72f2202087872180a160a090a0418d8c30710cf0f' +
  '0a090a0418fec40710d00f1200';

let folder: string;
let target: TestDatabase;
let kagami: KagamiProcess | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-no-submission-'));
  target = await createTestDatabase();
});

afterAll(async () => {
  await kagami?.end('SIGKILL');
  await target?.drop();
  rmSync(folder, { recursive: true, force: true });
});

it('takes no transactions where nobody wants that', { timeout: PATIENCE }, async () => {
  const port = await freePort();
  kagami = startKagami(folder, [
    'start',
    ...['--no-submit', '--set', `kagami.simulator.submit.port=${port}`, '--tps', '2', '--data', folder],
    ...['--simulate', '--database', target.connectionString, '--port', '0'],
    ...['--set', 'kagami.server.additionalPorts=', '--set', 'hiero.mirror.grpc.port=0'],
    ...['--set', 'hiero.mirror.rosetta.port=0'],
  ]);
  await kagami.says('Kagami runs', PATIENCE);
  const line = kagami
    .output()
    .split('\n')
    .find((text) => text.includes('Kagami runs'));
  const { url, node } = JSON.parse(line ?? '{}') as { readonly url: string; readonly node?: unknown };
  const { origin } = new URL(url);
  expect(node).toBeUndefined();
  expect(await isFree(port)).toBe(true);

  const components = await eventually('readiness', PATIENCE, async () => {
    const readiness = await fetch(`${origin}/health/readiness`);
    const { components: parts } = (await readiness.json()) as { readonly components?: object };
    return readiness.status === 200 && parts;
  });
  expect(Object.keys(components)).toContain('importer');
  expect(Object.keys(components)).not.toContain('node');

  const ask = async (path: string, request: object) => {
    const answer = await fetch(`${origin}/rosetta/${path}`, { method: 'POST', body: JSON.stringify(request) });
    return [answer.status, (await answer.json()) as Record<string, unknown>] as const;
  };
  const [, { network_identifiers }] = await ask('network/list', { metadata: {} });
  const [network_identifier] = network_identifiers as readonly object[];
  const submitted = await ask('construction/submit', { network_identifier, signed_transaction: SIGNED });
  expect(submitted).toMatchObject([500, { code: 118, retriable: false, details: { reason: expect.any(String) } }]);
});
