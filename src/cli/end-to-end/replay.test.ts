/** The network is the oracle: executing its contract transactions again must give what it recorded. */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { defaultImporterSettings, importFolder } from '../../importer/pipeline/testing/import-run.fixture.ts';
import { hasRealStreams, readReal, realManifest, realStreams } from '../../streams/testing/real-streams.fixture.ts';
import { gasSummaryOf, LedgerReplay, summaryOf } from './testing/replay.fixture.ts';
import { RICH_LEDGER, simulateInto } from './testing/served-ledger.fixture.ts';

/** Milliseconds that a busy machine may take. */
const PATIENCE = 120_000;

const { downloader, parser } = defaultImporterSettings;
const withSidecars = {
  ...defaultImporterSettings,
  // One of the networks has one signer of four.
  downloader: { ...downloader, consensusRatio: '0.25' },
  parser: { ...parser, record: { ...parser.record, sidecar: { ...parser.record.sidecar, enabled: true } } },
};

interface RealSet {
  readonly set: string;
  readonly book?: string;
  readonly summary: ReturnType<typeof summaryOf>;
  readonly gas: Partial<ReturnType<typeof gasSummaryOf>>;
}

const realSets: readonly RealSet[] = [
  {
    set: 'v6-sidecars',
    book: 'addressbooks/test/test-v6-sidecar-4n.bin',
    // The excerpt begins after the creation of the contract that is called.
    summary: { replayed: 1, equal: 0, withoutCode: 1, differences: [] },
    gas: { onlyBounded: { replayed: 1, equal: 0 } },
  },
  {
    set: 'v6-with-sidecars-2023',
    summary: { replayed: 9, equal: 9, withoutCode: 0, differences: [] },
    gas: { exact: { replayed: 9, equal: 9 } },
  },
  {
    set: 'v5-ethereum',
    book: 'addressbooks/test/test-v6-4n.bin',
    summary: { replayed: 2, equal: 2, withoutCode: 0, differences: [] },
    gas: { onlyBounded: { replayed: 2, equal: 2 } },
  },
  {
    set: 'mainnet-2025-07-23-v6',
    book: 'records/mainnet-2025-07-23-v6/address_book.bin',
    // Its sidecars hold traces and storage only.
    summary: { replayed: 6, equal: 0, withoutCode: 6, differences: [] },
    gas: { exact: { replayed: 6, equal: 0 } },
  },
];

let test: TestDatabase;
beforeEach(async () => {
  test = await createTestDatabase();
});
afterEach(() => test.drop());

describe.skipIf(!hasRealStreams)('replays of what networks recorded', () => {
  it.each(realSets)('agree: $set', { timeout: PATIENCE }, async ({ set, book, summary, gas }) => {
    await importFolder(test, {
      folder: `${realStreams}/records/${set}`,
      addressBook: book === undefined ? undefined : readReal(book),
      trustUnsigned: book === undefined,
      acceptGaps: true,
      settings: withSidecars,
    });
    const replay = await LedgerReplay.open(test.database, { chainId: 298n, remembers: true });
    const replays = await replay.replayAll();
    expect(summaryOf(replays)).toEqual(summary);
    expect(gasSummaryOf(replays)).toMatchObject(gas);
  });
});

/** Contract transactions of all kinds by set, children included; the other sets, and all blocks, have none. */
const contractTransactions: Readonly<Record<string, number>> = {
  // 6 by themselves, the others within them.
  'records/mainnet-2025-07-23-v6': 28,
  // 2 Ethereum transactions, and the creations within them.
  'records/v5-ethereum': 4,
  // The same file as in `v6-sidecars`: a call, and the creation within it.
  'records/v6-node-id-layout': 2,
  'records/v6-with-sidecars-2023': 9,
};

describe.skipIf(!hasRealStreams)('real streams', () => {
  it('have no other contract transactions', () => {
    const seen = new Set<string>();
    const counts: Record<string, number> = {};
    for (const { path, kind, fileHash, types = {} } of realManifest()) {
      if ((kind !== 'record' && kind !== 'block') || (kind === 'record' && seen.has(fileHash))) continue;
      seen.add(fileHash);
      const contracts = ['contractCall', 'contractCreateInstance', 'ethereumTransaction'];
      const count = contracts.reduce((sum, type) => sum + (types[type] ?? 0), 0);
      const set = path.split('/').slice(0, 2).join('/');
      if (count > 0) counts[set] = (counts[set] ?? 0) + count;
    }
    console.info('contract transactions of real streams:', counts);
    expect(counts).toEqual(contractTransactions);
  });
});

describe('replays of what the simulator recorded', () => {
  it.each([
    { mix: 'contracts', transactions: 300 },
    { mix: 'everything', transactions: 6_000 },
  ] as const)('agree: $mix', { timeout: PATIENCE }, async ({ mix, transactions }) => {
    const { folder, ledger, remove } = await simulateInto({ ...RICH_LEDGER, mix, transactions, seed: 'replay' });
    await importFolder(test, { folder, addressBook: await readFile(ledger.addressBookFile), settings: withSidecars });
    await remove();
    const replay = await LedgerReplay.open(test.database, { chainId: 298n });
    const replays = await replay.replayAll();
    const summary = summaryOf(replays);
    expect(summary).toEqual({ ...summary, equal: summary.replayed, withoutCode: 0, differences: [] });
    expect(summary.replayed).toBeGreaterThan(250);
    // The simulated network charges for what is used alone.
    expect(gasSummaryOf(replays).exact.equal).toBe(summary.replayed);
  });
});
