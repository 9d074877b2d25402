import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { LedgerIdPublicationTransactionBody } from '../../protobuf/generated/services/auxiliary/tss/ledger_id_publication.ts';
import { configuredLedger, readLedger } from './block-trust.ts';

let target: TestDatabase;
let folder: string;
beforeAll(async () => {
  target = await createTestDatabase();
  folder = await mkdtemp(join(tmpdir(), 'kagami-trust-'));
});
afterAll(async () => {
  await target.drop();
  await rm(folder, { recursive: true, force: true });
});

const id = new Uint8Array(32).fill(7);
const key = new Uint8Array(192).fill(9);
/** More than a double holds. */
const WEIGHT = 9_007_199_254_740_993n;

it('believes the ledger of the newest publication, weights exact', async () => {
  expect(await readLedger(target.database)).toBeNull();
  const insert = (time: number, ledger: Uint8Array, contributions: string): Promise<unknown> =>
    target.database.query(
      `insert into ledger (consensus_timestamp, history_proof_verification_key, ledger_id, node_contributions)
       values ($1, $2, $3, $4)`,
      [time, Buffer.from([1, 2]), Buffer.from(ledger), contributions],
    );
  await insert(1, new Uint8Array(32), '[]');
  const contribution = `{"history_proof_key": "${Buffer.from(key).toString('base64')}", "node_id": 3, "weight": ${WEIGHT}}`;
  await insert(2, id, `[${contribution}]`);
  expect(await readLedger(target.database)).toEqual({
    id,
    roster: [{ nodeId: 3n, weight: WEIGHT, key }],
    wrapsKey: Uint8Array.of(1, 2),
  });
});

it('reads a ledger id or the file of a publication', async () => {
  expect(await configuredLedger('', folder)).toBeNull();
  const hex = Buffer.from(id).toString('hex');
  expect(await configuredLedger(`0x${hex}`, folder)).toEqual({ id, roster: null, wrapsKey: null });
  const publication = LedgerIdPublicationTransactionBody.fromPartial({
    ledgerId: id,
    nodeContributions: [{ nodeId: 3n, weight: 5n, historyProofKey: key }],
  });
  await writeFile(join(folder, 'ledger.bin'), LedgerIdPublicationTransactionBody.encode(publication).finish());
  expect(await configuredLedger('ledger.bin', folder)).toEqual({
    id,
    roster: [{ nodeId: 3n, weight: 5n, key }],
    wrapsKey: null,
  });
  await expect(configuredLedger('nowhere.bin', folder)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
});
