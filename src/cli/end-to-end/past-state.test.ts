/**
 * State that contract simulation reads, from a stream to the answers: a ledger that is imported as it grows, whose whole
 * state is written down after each round. In the end every one of those moments must still answer the same.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { openStateSource } from '../../evm/state/database-state-source.ts';
import type { StateReader } from '../../evm/state/state-reader.ts';
import type { StateSource } from '../../evm/state/state-source.ts';
import { defaultImporterSettings, importFolder } from '../../importer/pipeline/testing/import-run.fixture.ts';
import { simulateLedger } from '../../simulator/simulate-ledger.ts';

/** Half an hour before the end of a month, so that snapshots lie on both sides. */
const start = BigInt(Date.parse('2026-01-31T23:30:00Z')) * 1_000_000n;
const rounds = 4;
const blocksPerRound = 3;

/** Storage comes with sidecars. */
const { record } = defaultImporterSettings.parser;
const settings = {
  ...defaultImporterSettings,
  parser: { ...defaultImporterSettings.parser, record: { ...record, sidecar: { ...record.sidecar, enabled: true } } },
};

interface Moment {
  readonly time: bigint;
  readonly state: ReadonlyMap<string, unknown>;
}

let target: TestDatabase;
let root: string;
let source: StateSource;
const moments: Moment[] = [];

const keys = async (sql: string): Promise<bigint[][]> =>
  (await target.database.query<Record<string, string>>(sql)).map((row) => Object.values(row).map(BigInt));

const readAll = async (reader: StateReader): Promise<ReadonlyMap<string, unknown>> => {
  const state = new Map<string, unknown>();
  const note = async (sql: string, kind: string, read: (key: readonly bigint[]) => Promise<unknown>) => {
    const all = await keys(sql);
    const values = await Promise.all(all.map(read));
    for (const [index, key] of all.entries()) {
      if (values[index] !== undefined) state.set(`${kind} ${key.join(' ')}`, values[index]);
    }
  };
  const ids = 'select id from entity where id <> 98';
  await note(ids, 'entity', async ([id = 0n]) => {
    const entity = await reader.entity(id);
    if (entity === undefined) return undefined;
    // A new nonce alone begins no version: that of a past moment is looked for when it is asked for.
    const nonce = entity.nonceMayBeLater === true ? await reader.nonce(entity) : entity.nonce;
    return { ...entity, nonce, nonceMayBeLater: undefined };
  });
  await note('select token_id from token', 'token', ([id = 0n]) => reader.token(id));
  await note('select token_id from token', 'serials', ([id = 0n]) => reader.lastSerialNumber(id));
  await note('select account_id, token_id from token_account', 'relation', ([account = 0n, token = 0n]) =>
    reader.tokenRelation(account, token),
  );
  await note('select distinct account_id from token_account', 'counts', ([id = 0n]) => reader.accountCounts(id));
  await note('select token_id, serial_number from nft', 'nft', ([token = 0n, serial = 0n]) =>
    reader.nft(token, serial),
  );
  await note('select owner, spender from crypto_allowance', 'hbar', ([owner = 0n, spender = 0n]) =>
    reader.hbarAllowance(owner, spender),
  );
  await note(
    'select owner, spender, token_id from token_allowance',
    'allowance',
    ([owner = 0n, spender = 0n, token = 0n]) => reader.tokenAllowance(owner, spender, token),
  );
  await note(
    'select owner, spender, token_id from nft_allowance',
    'approval',
    ([owner = 0n, spender = 0n, token = 0n]) => reader.approvedForAll(owner, spender, token),
  );
  await note(
    'select sender_account_id, receiver_account_id, token_id, serial_number from token_airdrop',
    'airdrop',
    ([senderId = 0n, receiverId = 0n, tokenId = 0n, serialNumber = 0n]) =>
      reader.pendingAirdrop({ senderId, receiverId, tokenId, serialNumber }),
  );
  await note('select id from contract', 'code', ([id = 0n]) => reader.code(id));
  await note('select schedule_id from schedule', 'schedule', ([id = 0n]) => reader.schedule(id));
  const slots = await target.database.query<{ id: string; slot: string }>(
    "select contract_id as id, encode(slot, 'hex') as slot from contract_state",
  );
  const values = await Promise.all(slots.map(({ id, slot }) => reader.slot(BigInt(id), slot)));
  for (const [index, { id, slot }] of slots.entries()) state.set(`slot ${id} ${slot}`, values[index]);
  const addresses = await target.database.query<{ address: string }>(
    "select encode(evm_address, 'hex') as address from entity where evm_address is not null",
  );
  const found = await Promise.all(addresses.map(({ address }) => reader.idByEvmAddress(address)));
  for (const [index, { address }] of addresses.entries()) state.set(`address ${address}`, found[index]);
  return state;
};

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'kagami-past-state-'));
  target = await createTestDatabase({ max: 6 });
  source = openStateSource(target.database, { shard: 0n, realm: 0n, maxFileAttempts: 12 });
  const folder = join(root, 'ledger');
  for (let round = 0; round < rounds; round++) {
    const ledger = await simulateLedger({
      out: folder,
      seed: 'past state',
      start,
      blocks: blocksPerRound,
      blockIntervalMs: 300_000,
      mix: 'everything',
      tps: 0.5,
      nodes: 1,
      users: 40,
    });
    await importFolder(target, { folder, addressBook: await readFile(ledger.addressBookFile), settings });
    source.onBlockCommitted();
    const time = (await source.block({ kind: 'latest' }))?.consensusEnd ?? 0n;
    moments.push({ time, state: await readAll(source.latest()) });
  }
}, 180_000);
afterAll(async () => {
  await target?.drop();
  await rm(root, { recursive: true, force: true });
});

/** Records as text: bigint has no JSON of its own. */
const text = (value: unknown): string =>
  JSON.stringify(value, (_name, inner: unknown) => (typeof inner === 'bigint' ? `${inner}n` : inner)) ?? 'nothing';

/** Whether what came later must be missing; of the other kinds a value of zero may stand for what isn't there. */
const isDated = (name: string): boolean => /^(address|airdrop|entity|nft|relation|schedule|token) /.test(name);

describe('the state of the past', () => {
  it('has something of every kind, and snapshots to count from', async () => {
    const kinds = new Set([...(moments.at(-1)?.state.keys() ?? [])].map((name) => name.split(' ')[0]));
    expect([...kinds].toSorted().join(' ')).toBe(
      'address airdrop allowance approval code counts entity hbar nft relation schedule serials slot token',
    );
    const [row] = await target.database.query<{ count: string }>('select count(*) from account_balance_file');
    expect(Number(row?.count)).toBeGreaterThan(1);
    expect(text([...(moments[0] as Moment).state])).not.toBe(text([...(moments[1] as Moment).state]));
  });

  it.each(Array.from({ length: rounds }, (_, round) => round))(
    'is what it was when it was new: round %i',
    async (round) => {
      const { time, state } = moments[round] as Moment;
      const then = await readAll(source.at(time));
      const differences = [...state].filter(([name, value]) => text(value) !== text(then.get(name)));
      expect(differences.map(([name, value]) => `${name}: ${text(value)}, later ${text(then.get(name))}`)).toEqual([]);
      const early = [...then].filter(([name, value]) => value !== undefined && isDated(name) && !state.has(name));
      expect(early.map(([name]) => name)).toEqual([]);
    },
  );
});
