import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { hasRealStreams, readReal, realManifest, realStreams } from '../../streams/testing/real-streams.fixture.ts';
import { defaultImporterSettings, importFolder } from './testing/import-run.fixture.ts';

interface RecordSet {
  readonly set: string;
  readonly book?: string;
  readonly ratio?: string;
  /** Files are missing between those of the set. */
  readonly gaps?: boolean;
}

/** The sets of real record files and what their manifest says of them. */
const signedSets: readonly RecordSet[] = [
  { set: 'mainnet-2019-09-13-v2', book: 'addressbooks/networks/mainnet' },
  { set: 'mainnet-2025-07-23-v6', book: 'records/mainnet-2025-07-23-v6/address_book.bin' },
  { set: 'v1', book: 'addressbooks/test/test-v1' },
  { set: 'v2', book: 'addressbooks/test/testnet' },
  { set: 'v2-to-v5', book: 'addressbooks/test/testnet' },
  { set: 'v2-performance', book: 'addressbooks/test/testnet', ratio: '0.25' },
  { set: 'v5-ethereum', book: 'addressbooks/test/test-v6-4n.bin', ratio: '0.25', gaps: true },
  { set: 'v5-to-v6', book: 'addressbooks/test/test-v6-4n.bin' },
  { set: 'v6-sidecars', book: 'addressbooks/test/test-v6-sidecar-4n.bin' },
  { set: 'v6-node-id-layout', book: 'addressbooks/test/test-v6-sidecar-4n.bin' },
];

const unsignedSets: readonly RecordSet[] = [
  { set: 'v5-large' },
  { set: 'v6-with-sidecars-2023' },
  { set: 'v2-timestamp-overflow' },
];

/** Files of one node of a set, by the manifest. */
const manifestOf = (set: string) => {
  const records = realManifest().filter(
    ({ kind, path }) => kind === 'record' && /\.rcd(\.gz)?$/.test(path) && path.startsWith(`records/${set}/`),
  );
  const byName = new Map(records.map((entry) => [entry.path.split('/').at(-1), entry]));
  const files = [...byName.values()];
  return { files: files.length, transactions: files.reduce((sum, file) => sum + (file.transactions ?? 0), 0) };
};

let target: TestDatabase;
beforeEach(async () => {
  target = await createTestDatabase();
});
afterEach(() => target.drop());

const counted = async (): Promise<{ blocks: string; transactions: string; counts: string }> => {
  const [row] = await target.database.query<{ blocks: string; transactions: string; counts: string }>(
    'select (select count(*) from record_file) as blocks, (select count(*) from transaction) as transactions, ' +
      '(select coalesce(sum(count), 0) from record_file) as counts',
  );
  if (row === undefined) throw new Error('no row');
  return row;
};

const TOTAL_SUPPLY = '5000000000000000000';

/** Transactions whose tinybars don't sum to zero; the one of genesis that creates all of them may. */
const unbalanced = (): Promise<unknown[]> =>
  target.database.query(
    'select consensus_timestamp, sum(amount) from crypto_transfer where errata is null group by 1 ' +
      'having sum(amount) not in (0, $1)',
    [TOTAL_SUPPLY],
  );

const brokenLinks = (): Promise<unknown[]> =>
  target.database.query(
    'select index from (select index, prev_hash, lag(hash) over (order by consensus_end) as expected from record_file) b ' +
      'where expected is not null and expected <> prev_hash',
  );

const settingsFor = ({ ratio }: RecordSet) =>
  ratio === undefined
    ? defaultImporterSettings
    : {
        ...defaultImporterSettings,
        downloader: { ...defaultImporterSettings.downloader, consensusRatio: ratio },
      };

describe.skipIf(!hasRealStreams)('import of real record files', () => {
  it.each(signedSets)('$set is proven and imported whole', async (set) => {
    await importFolder(target, {
      folder: `${realStreams}/records/${set.set}`,
      addressBook: readReal(set.book ?? ''),
      settings: settingsFor(set),
      acceptGaps: set.gaps ?? false,
    });
    const { files, transactions } = manifestOf(set.set);
    expect(await counted()).toEqual({
      blocks: String(files),
      transactions: String(transactions),
      counts: String(transactions),
    });
    expect(await unbalanced()).toEqual([]);
    expect(await brokenLinks()).toHaveLength(set.gaps ? 1 : 0);
  });

  it.each(unsignedSets)('$set is imported only when it is trusted', async ({ set }) => {
    const folder = `${realStreams}/records/${set}`;
    const addressBook = readReal('addressbooks/test/testnet');
    const refusal = await importFolder(target, { folder, addressBook }).catch((error: unknown) => error);
    expect(isKagamiError(refusal) && refusal.code).toBe('STREAM_UNSIGNED');
    expect((await counted()).blocks).toBe('0');
    await importFolder(target, { folder, addressBook, trustUnsigned: true });
    const { files, transactions } = manifestOf(set);
    expect(await counted()).toEqual({
      blocks: String(files),
      transactions: String(transactions),
      counts: String(transactions),
    });
    expect(await unbalanced()).toEqual([]);
  });

  it('goes on after the last block and changes nothing when there is nothing new', async () => {
    const run = { folder: `${realStreams}/records/v2`, addressBook: readReal('addressbooks/test/testnet') };
    await importFolder(target, run);
    const once = await counted();
    await importFolder(target, run);
    expect(await counted()).toEqual(once);
  });

  it('refuses files of another ledger after its own', async () => {
    await importFolder(target, {
      folder: `${realStreams}/records/v2`,
      addressBook: readReal('addressbooks/test/testnet'),
    });
    const before = await counted();
    const refusal = await importFolder(target, {
      folder: `${realStreams}/records/v2-to-v5`,
    }).catch((error: unknown) => error);
    expect(isKagamiError(refusal) && refusal.code).toBe('STREAM_CHAIN_BROKEN');
    expect(await counted()).toEqual(before);
  });

  it('numbers blocks as the first file with a number says', async () => {
    await importFolder(target, {
      folder: `${realStreams}/records/v5-to-v6`,
      addressBook: readReal('addressbooks/test/test-v6-4n.bin'),
    });
    const rows = await target.database.query<{ index: string }>('select index from record_file order by consensus_end');
    const [first, second] = rows.map(({ index }) => BigInt(index));
    expect((second ?? 0n) - (first ?? 0n)).toBe(1n);
    const stated = realManifest().find(({ path }) =>
      path.includes('v5-to-v6/record0.0.3/2022-06-21T09_15'),
    )?.blockNumber;
    expect(String(second)).toBe(stated);
  });

  it('does not begin without an address book', async () => {
    const refusal = await importFolder(target, { folder: `${realStreams}/records/v2` }).catch(
      (error: unknown) => error,
    );
    expect(isKagamiError(refusal) && refusal.code).toBe('ADDRESS_BOOK_MISSING');
  });
});
