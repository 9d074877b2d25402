import { linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { toHex } from '../../ledger/bytes.ts';
import { eventually, type KagamiProcess, startKagami } from './testing/kagami-process.fixture.ts';
import { getJson } from './testing/rest-walk.fixture.ts';
import { type LedgerFolder, simulateInto } from './testing/served-ledger.fixture.ts';

const LONGEST_HAND_OVER_MS = 15_000;
/** Blocks that are there at first. */
const EARLY = 40;
/** Blocks that the first importer writes beside the waiting second. */
const BESIDE = 30;

let source: LedgerFolder;
/** Where the files of the ledger arrive. */
let folder: string;
let target: TestDatabase;
const started: KagamiProcess[] = [];

beforeAll(async () => {
  source = await simulateInto({ seed: 'hand over', blocks: 300, tps: 10, users: 40, nodes: 1 });
}, 60_000);
afterAll(() => source?.remove());
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-hand-over-'));
  target = await createTestDatabase();
});
afterEach(async () => {
  for (const process of started.splice(0)) await process.end('SIGKILL');
  await target.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Lets the files of these blocks arrive, signatures last. */
const deliver = (from: number, to: number): void => {
  const blocks = source.ledger.blocks.slice(from, to).map(({ name }) => name.split('Z')[0] ?? '');
  const files = readdirSync(source.folder, { recursive: true, encoding: 'utf8' });
  const byEnding = files
    .filter((file) => /\.rcd/.test(file))
    .toSorted((a, b) => Number(/_sig/.test(a)) - Number(/_sig/.test(b)));
  for (const file of byEnding) {
    if (!blocks.some((block) => file.includes(block))) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    linkSync(join(source.folder, file), join(folder, file));
  }
};

const start = (roles: string, port: number): KagamiProcess => {
  const process = startKagami(folder, [
    'start',
    ...['--roles', roles, '--port', String(port), '--set', 'kagami.server.additionalPorts='],
    ...['--database', target.connectionString, '--source', folder],
    ...['--address-book', source.ledger.addressBookFile],
    // One block in each commit, so that the first importer is in the midst of it for long enough.
    ...['--set', 'hiero.mirror.importer.parser.record.batch.maxFiles=1'],
  ]);
  started.push(process);
  return process;
};

interface Progress {
  readonly blocks: number;
  readonly token: bigint;
  readonly holder: string;
}

const progress = async (): Promise<Progress> => {
  const [row] = await target.database.query<{ blocks: string; token: string; holder: string }>(
    'select (select count(*) from record_file) as blocks, token, holder from kagami.writer',
  );
  return { blocks: Number(row?.blocks), token: BigInt(row?.token ?? 0), holder: row?.holder ?? '' };
};

const servedPort = async (process: KagamiProcess): Promise<number> =>
  eventually('port', 60_000, () => {
    const port = /http:\/\/127\.0\.0\.1:(\d+)/.exec(process.output())?.[1];
    return port === undefined ? undefined : Number(port);
  });

describe('two importers on one database', () => {
  it('work one after the other, the second from the block at which the first was killed', async () => {
    deliver(0, EARLY);
    const first = start('importer', 0);
    await eventually('blocks of the first', 120_000, async () => (await progress()).blocks === EARLY);
    const second = start('importer,rest', 0);
    await second.says('another importer writes to this database');
    const port = await servedPort(second);
    const { token: firstToken, holder } = await progress();
    expect(holder).toContain(`process ${first.pid}`);

    // While it stands by, the second serves what the first writes, also what comes now.
    const newest = async () => (await getJson(`http://127.0.0.1:${port}`, '/api/v1/blocks?limit=1')).blocks[0];
    expect((await newest()).number).toBe(BigInt(EARLY - 1));
    deliver(EARLY, source.ledger.blocks.length);
    await eventually('blocks beside the second', 60_000, async () => (await newest()).number >= BigInt(EARLY + BESIDE));
    expect((await progress()).token).toBe(firstToken);

    const killed = performance.now();
    await first.end('SIGKILL');
    const before = await progress();
    expect(before.blocks).toBeLessThan(source.ledger.blocks.length);
    const after = await eventually('successor', LONGEST_HAND_OVER_MS, async () => {
      const now = await progress();
      return now.token > firstToken ? now : undefined;
    });
    const tookTurn = performance.now() - killed;
    expect(after.holder).toContain(`process ${second.pid}`);
    await eventually('block of the second', LONGEST_HAND_OVER_MS, async () => (await progress()).blocks > after.blocks);
    const wroteBlock = performance.now() - killed;
    console.info(
      `hand-over after kill -9: the second is the writer after ${Math.round(tookTurn)} ms, ` +
        `and has written a block after ${Math.round(wroteBlock)} ms`,
    );
    expect(wroteBlock).toBeLessThan(LONGEST_HAND_OVER_MS);

    await eventually('complete ledger', 120_000, async () => (await progress()).blocks === source.ledger.blocks.length);
    await expectWholeLedger();
    expect((await newest()).hash).toBe(`0x${toHex(source.ledger.expected.lastBlockHash)}`);
    expect(await second.end('SIGTERM')).toBe(0);
  }, 360_000);
});

const expectWholeLedger = async (): Promise<void> => {
  const { expected } = source.ledger;
  const [counted] = await target.database.query(
    `select (select count(*) from transaction) as transactions, (select count(*) from crypto_transfer) as transfers,
       (select sum(balance) from entity) as balance,
       (select count(*) from (select prev_hash, lag(hash) over (order by consensus_end) as before from record_file) b
        where before <> prev_hash) as breaks`,
  );
  expect(counted).toEqual({
    transactions: String(expected.transactions),
    transfers: String(expected.hbarTransfers),
    balance: '5000000000000000000',
    breaks: '0',
  });
  const balances = await target.database.query<{ id: string; balance: string }>(
    "select id, balance from entity where type in ('ACCOUNT', 'CONTRACT')",
  );
  expect(new Map(balances.map(({ id, balance }) => [BigInt(id), BigInt(balance)]))).toEqual(expected.balances);
};
