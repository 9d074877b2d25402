/** Chains of blocks of real networks: proven, imported and served. Which is proven by what: docs/block-streams.md. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountNumOf } from '../../blocks/state-index.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type BlockRun, importBlocks } from '../../importer/pipeline/testing/block-run.fixture.ts';
import { defaultImporterSettings } from '../../importer/pipeline/testing/import-run.fixture.ts';
import { toHex } from '../../ledger/bytes.ts';
import { encodeEntityId } from '../../ledger/entity-id.ts';
import { StateChanges } from '../../protobuf/generated/block/stream/output/state_changes.ts';
import { NodeAddressBook } from '../../protobuf/generated/services/basic_types.ts';
import type { RunningServer } from '../../server/start.ts';
import { BlockItemField } from '../../streams/block/block.ts';
import { readBlock } from '../../streams/block/read-block.ts';
import { HINTS_KEY_BYTES, HINTS_SIGNATURE_BYTES } from '../../streams/block/tss/hints-layout.ts';
import { claimedLedgerId } from '../../streams/block/tss/wraps.ts';
import { hasRealStreams, readReal, realStreams } from '../../streams/testing/real-streams.fixture.ts';
import { getJson, walk } from './testing/rest-walk.fixture.ts';
import { startTestServer } from './testing/served-ledger.fixture.ts';

const SUPPLY = 5_000_000_000_000_000_000n;
const LOCAL = { shard: 11n, realm: 12n };
const PUBLIC = { shard: 0n, realm: 0n };

interface Chain {
  readonly folder: string;
  readonly network: typeof LOCAL;
  readonly first: number;
  readonly last: number;
  readonly transactions: number;
  /** JSON of the nodes' keys, for wrapped record blocks. */
  readonly book?: string;
  /** Whether it begins with the supply, which the treasury gets from nowhere. */
  readonly hasGenesis?: boolean;
  /** Nobody's keys prove it: its hashes are checked, and no more. */
  readonly onlyHashed?: boolean;
  /** Files by the block's number. */
  readonly file?: (number: number) => string;
  /** Proven by the ledger id that the block's own proof names: it proves the block, not whose ledger it is. */
  readonly namesLedger?: boolean;
}

const CHAINS: readonly Chain[] = [
  { folder: 'blocks/0.73-schnorr', network: LOCAL, first: 0, last: 4, transactions: 767, hasGenesis: true },
  { folder: 'blocks/0.78-schnorr', network: LOCAL, first: 0, last: 5, transactions: 1_060, hasGenesis: true },
  { folder: 'blocks/0.78-wraps', network: LOCAL, first: 391, last: 391, transactions: 33, namesLedger: true },
  {
    folder: 'wrapped/solo-0.78',
    network: LOCAL,
    first: 0,
    last: 4,
    transactions: 1_021,
    hasGenesis: true,
    book: 'wrapped/solo-0.78/address-book.json',
  },
  {
    folder: 'blocks/0.71-mock',
    network: LOCAL,
    first: 0,
    last: 1,
    transactions: 724,
    hasGenesis: true,
    onlyHashed: true,
  },
  {
    folder: 'blocks/0.73-alpha',
    network: PUBLIC,
    first: 7,
    last: 8,
    transactions: 2,
    onlyHashed: true,
    file: (number) => `0000/0000/0000/0000/00${number}.blk.zstd`,
  },
  { folder: 'blocks/0.78-wraps', network: LOCAL, first: 1, last: 4, transactions: 277, onlyHashed: true },
];

const pathsOf = ({ folder, first, last, file = (number) => `${number}.blk.gz` }: Chain): string[] =>
  Array.from({ length: last - first + 1 }, (_, i) => `${folder}/${file(first + i)}`);

/** Nodes are known by their accounts, which begin with number 3. */
const bookOf = ({ book = '', network }: Chain): Uint8Array => {
  const { nodeAddress } = JSON.parse(Buffer.from(readReal(book)).toString()) as {
    nodeAddress: { RSAPubKey: string; nodeId?: string }[];
  };
  return NodeAddressBook.encode(
    NodeAddressBook.fromPartial({
      nodeAddress: nodeAddress.map(({ RSAPubKey, nodeId = '0' }) => ({
        RSAPubKey,
        nodeId: BigInt(nodeId),
        nodeAccountId: {
          shardNum: network.shard,
          realmNum: network.realm,
          account: { $case: 'accountNum', accountNum: 3n + BigInt(nodeId) },
        },
      })),
    }),
  ).finish();
};

const ledgerNamedBy = (path: string): string => {
  const [proof] = readBlock(path, readReal(path)).proofs;
  if (proof?.kind !== 'signed') throw new Error(`${path} has no threshold signature`);
  return toHex(claimedLedgerId(proof.signature.subarray(HINTS_KEY_BYTES + HINTS_SIGNATURE_BYTES)));
};

const runOf = (chain: Chain): BlockRun => ({
  location: { sourceType: 'FILE', files: { kind: 'folder', path: `${realStreams}/${chain.folder}` } },
  network: chain.network,
  trustUnsigned: chain.onlyHashed === true,
  settings: {
    ...defaultImporterSettings,
    startBlockNumber: BigInt(chain.first),
    endBlockNumber: BigInt(chain.last),
  },
  ...(chain.book === undefined ? {} : { addressBook: bookOf(chain) }),
  ...(chain.namesLedger === true ? { ledgerIdFile: ledgerNamedBy(pathsOf(chain)[0] as string) } : {}),
});

/** What the state changes of the blocks say that accounts hold at the end, by encoded id. */
const statedBalances = (chain: Chain): Map<string, string> => {
  const stated = new Map<string, string>();
  for (const path of pathsOf(chain)) {
    for (const { field, payload } of readBlock(path, readReal(path)).items) {
      if (field !== BlockItemField.stateChanges) continue;
      for (const { changeOperation } of StateChanges.decode(payload).stateChanges) {
        const value = changeOperation?.$case === 'mapUpdate' ? changeOperation.mapUpdate.value?.valueChoice : undefined;
        const num = value?.$case === 'accountValue' ? accountNumOf(value.accountValue.accountId) : undefined;
        if (value?.$case !== 'accountValue' || num === undefined) continue;
        stated.set(
          String(encodeEntityId(chain.network.shard, chain.network.realm, num)),
          String(value.accountValue.tinybarBalance),
        );
      }
    }
  }
  return stated;
};

interface Sum {
  readonly sum: string;
}

describe.skipIf(!hasRealStreams).each(CHAINS)('blocks $first to $last of $folder', (chain) => {
  let target: TestDatabase;
  let server: RunningServer;
  let origin: string;

  beforeAll(async () => {
    target = await createTestDatabase();
    await importBlocks(target, runOf(chain));
    server = await startTestServer(target, { network: chain.network });
    origin = `http://127.0.0.1:${server.ports[0]}`;
  }, 300_000);
  afterAll(async () => {
    await server?.stop(0);
    await target?.drop();
  });

  it('are refused where what proves them is not known, or is another ledger', async () => {
    const other = await createTestDatabase();
    const { addressBook: _, ...run } = runOf(chain);
    const publishes = chain.hasGenesis === true && chain.book === undefined && chain.onlyHashed !== true;
    const ledgerIdFile = publishes || chain.namesLedger === true ? '07'.repeat(32) : '';
    try {
      await expect(importBlocks(other, { ...run, trustUnsigned: false, ledgerIdFile })).rejects.toMatchObject({
        code: publishes
          ? 'STREAM_WRONG_LEDGER'
          : chain.namesLedger === true
            ? 'STREAM_BAD_PROOF'
            : expect.stringMatching(/^STREAM_(UNSIGNED|UNKNOWN_LEDGER)$/),
      });
    } finally {
      await other.drop();
    }
  });

  it('have their transactions, whose transfers sum to zero', async () => {
    const [count] = await target.database.query('select count(*)::int as transactions from transaction');
    expect(count).toEqual({ transactions: chain.transactions });
    const unbalanced = await target.database.query<Sum>(
      'select sum(amount)::text as sum from crypto_transfer group by consensus_timestamp having sum(amount) <> 0',
    );
    // The treasury gets the supply from nowhere.
    expect(unbalanced.map(({ sum }) => sum)).toEqual(chain.hasGenesis === true ? [String(SUPPLY)] : []);
    const tokens = await target.database.query(
      `select consensus_timestamp, token_id from token_transfer t
       where not exists (select from transaction x where x.consensus_timestamp = t.consensus_timestamp and x.type in (29, 37, 38, 39))
       group by 1, 2 having sum(amount) <> 0`,
    );
    expect(tokens).toEqual([]);
  });

  it('leave the balances that transfers come to, and that the blocks state', async () => {
    const differing = await target.database.query(
      `select e.id, e.balance, t.sum from entity e
       left join (select entity_id, sum(amount)::bigint as sum from crypto_transfer group by 1) t on t.entity_id = e.id
       where e.type in ('ACCOUNT', 'CONTRACT') and coalesce(e.balance, 0) <> coalesce(t.sum, 0)`,
    );
    expect(differing).toEqual([]);
    const balances = new Map(
      (await target.database.query<{ id: string; balance: string }>('select id::text, balance::text from entity')).map(
        ({ id, balance }) => [id, balance],
      ),
    );
    if (chain.hasGenesis === true) {
      expect([...balances.values()].reduce((total, balance) => total + BigInt(balance ?? 0), 0n)).toBe(SUPPLY);
      // Wrapped blocks hold no state.
      if (chain.book !== undefined) return;
      const stated = statedBalances(chain);
      expect(stated.size).toBeGreaterThan(600);
      expect([...stated].filter(([id, balance]) => (balances.get(id) ?? '0') !== balance)).toEqual([]);
    }
  });

  it('are answered over REST', async () => {
    const blocks = await walk(origin, '/api/v1/blocks?order=asc&limit=2', 'blocks');
    expect(blocks.map(({ number }) => number)).toEqual(
      Array.from({ length: chain.last - chain.first + 1 }, (_, i) => BigInt(chain.first + i)),
    );
    expect(blocks.reduce((sum, { count }) => sum + count, 0n)).toBe(BigInt(chain.transactions));
    for (const [i, block] of blocks.entries()) {
      if (i > 0 && chain.book === undefined) expect(block.previous_hash).toBe(blocks[i - 1].hash);
    }
    const transactions = await walk(origin, '/api/v1/transactions?order=asc&limit=100', 'transactions');
    expect(transactions).toHaveLength(chain.transactions);
    const unbalanced = transactions.filter(
      ({ transfers }) => transfers.reduce((sum: bigint, { amount }: { amount: bigint }) => sum + amount, 0n) !== 0n,
    );
    expect(unbalanced).toHaveLength(chain.hasGenesis === true ? 1 : 0);
    if (chain.hasGenesis !== true) return;
    const { shard, realm } = chain.network;
    const treasury = `${shard}.${realm}.2`;
    const account = await getJson(origin, `/api/v1/accounts/${treasury}?transactions=false`);
    const [row] = await target.database.query<Sum>(
      'select sum(amount)::text as sum from crypto_transfer where entity_id = $1',
      [String(encodeEntityId(shard, realm, 2n))],
    );
    expect(account.account).toBe(treasury);
    expect(account.balance.balance).toBe(BigInt(row?.sum ?? -1));
    const { nodes } = await getJson(origin, '/api/v1/network/nodes');
    expect(nodes.length).toBeGreaterThan(0);
    const files = await getJson(origin, `/api/v1/accounts?limit=3`);
    expect(files.accounts).toHaveLength(3);
  });
});

const SAMPLES = [
  { version: 2, number: 0n, transactions: 1, book: 'addressbooks/networks/mainnet' },
  { version: 5, number: 26_591_040n, transactions: 35, book: 'addressbooks/networks/mainnet' },
  { version: 6, number: 82_297_471n, transactions: 47, book: 'records/mainnet-2025-07-23-v6/address_book.bin' },
] as const;

describe.skipIf(!hasRealStreams)('wrapped record blocks of mainnet', () => {
  it.each(SAMPLES)(
    'hold record files of version $version, proven by the nodes of their time',
    async (sample) => {
      const { version, number, transactions, book } = sample;
      const target = await createTestDatabase();
      try {
        const bytes = readReal(`wrapped/mainnet-samples/v${version}-block.blk.gz`);
        const folder = await mkdtemp(join(tmpdir(), 'kagami-sample-'));
        await writeFile(join(folder, `${number}.blk.gz`), bytes);
        const run = { location: { sourceType: 'FILE', files: { kind: 'folder', path: folder } } } as const;
        await expect(importBlocks(target, run)).rejects.toMatchObject({ code: 'STREAM_UNSIGNED' });
        await importBlocks(target, { ...run, addressBook: readReal(book) });
        await rm(folder, { recursive: true });
        const [row] = await target.database.query(
          `select index::text, version, count::int, (select count(*)::int from transaction) as transactions from record_file`,
        );
        expect(row).toEqual({ index: String(number), version, count: transactions, transactions });
        const unbalanced = await target.database.query(
          'select consensus_timestamp from crypto_transfer group by 1 having sum(amount) <> 0',
        );
        expect(unbalanced).toEqual([]);
        const server = await startTestServer(target);
        const origin = `http://127.0.0.1:${server.ports[0]}`;
        try {
          const block = await getJson(origin, `/api/v1/blocks/${number}`);
          expect(block.count).toBe(BigInt(transactions));
          expect(await walk(origin, '/api/v1/transactions?limit=25', 'transactions')).toHaveLength(transactions);
        } finally {
          await server.stop(0);
        }
      } finally {
        await target.drop();
      }
    },
    120_000,
  );
});
