import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseAddressBook } from '../streams/address-book.ts';
import { ONE_THIRD, parseRatio, weighNodes } from '../streams/consensus.ts';
import { makeNodes } from '../streams/testing/network.fixture.ts';
import { hasRealStreams, readReal, realManifest, realStreams } from '../streams/testing/real-streams.fixture.ts';
import { type CheckedFile, type CheckStreamOptions, checkStream, type StreamReport } from './check-stream.ts';
import type { Electorate } from './electorate.ts';
import { FolderSource } from './folder-source.ts';
import {
  electorateOf,
  folderOf,
  makeChain,
  publish,
  type TestFile,
  temporaryFolder,
  writeData,
} from './testing/stream-folder.fixture.ts';
import { verifiedRecordFiles } from './verified-record-files.ts';

const check = async (
  path: string,
  electorate: Electorate,
  more: Partial<CheckStreamOptions> = {},
): Promise<{ report: StreamReport; files: CheckedFile[] }> => {
  const files: CheckedFile[] = [];
  const onFile = (file: CheckedFile): void => {
    files.push(file);
  };
  const report = await checkStream({ source: new FolderSource(path), electorate, onFile, ...more });
  return { report, files };
};

describe('check-stream', () => {
  const nodes = makeNodes(4);
  const electorate = electorateOf(nodes);
  const chain = makeChain(6);
  let root: string;
  let remove: () => void;
  beforeEach(() => {
    ({ path: root, remove } = temporaryFolder());
  });
  afterEach(() => remove());

  it('proves a whole folder', async () => {
    publish(root, nodes, chain);
    const { report, files } = await check(root, electorate);
    expect(report).toMatchObject({
      nodes: 4,
      files: 6,
      proven: 6,
      trusted: 0,
      refused: 0,
      brokenLinks: 0,
      transactions: 18,
      sidecars: 2,
      firstFailure: null,
    });
    expect(files.map(({ chain }) => chain)).toEqual(['first', 'linked', 'linked', 'linked', 'linked', 'linked']);
    expect(files.every(({ proof, signatureFiles }) => proof?.signers.length === 4 && signatureFiles === 4)).toBe(true);
  });

  it('goes on behind refused files and broken links, and keeps the first failure', async () => {
    publish(
      root,
      nodes,
      chain.filter((_file, i) => i !== 1),
    );
    for (const node of nodes) writeFileSync(join(folderOf(root, node), (chain[3] as TestFile).name), 'nothing');
    const { report, files } = await check(root, electorate);
    expect(files.map(({ status, chain, reason }) => [status, chain, reason?.code])).toEqual([
      ['proven', 'first', undefined],
      ['proven', 'broken', 'STREAM_CHAIN_BROKEN'],
      ['refused', 'unknown', 'STREAM_UNKNOWN_VERSION'],
      ['proven', 'unknown', undefined],
      ['proven', 'linked', undefined],
    ]);
    expect(report).toMatchObject({ files: 5, proven: 4, refused: 1, brokenLinks: 1, transactions: 12 });
    expect(report.firstFailure?.code).toBe('STREAM_CHAIN_BROKEN');
  });

  it('tells trusted files from proven ones', async () => {
    publish(root, nodes, chain.slice(0, 1));
    for (const file of chain.slice(1)) writeData(root, nodes[0] as (typeof nodes)[number], file);
    expect((await check(root, electorate)).report).toMatchObject({ proven: 1, trusted: 0, refused: 5 });
    expect((await check(root, electorate, { trustUnsigned: true })).report).toMatchObject({ proven: 1, trusted: 5 });
  });

  it('refuses a folder without streams', async () => {
    await expect(check(root, electorate)).rejects.toMatchObject({ code: 'SOURCE_EMPTY' });
  });
});

interface RealSet {
  readonly set: string;
  readonly book: string;
  readonly ratio?: string;
  readonly unsigned?: boolean;
  /** Files that don't follow the one before, since those between are not in the set. */
  readonly gaps?: number;
  readonly signers?: number;
}

const REAL_SETS: readonly RealSet[] = [
  { set: 'mainnet-2019-09-13-v2', book: 'addressbooks/networks/mainnet', signers: 7 },
  { set: 'mainnet-2025-07-23-v6', book: 'records/mainnet-2025-07-23-v6/address_book.bin', signers: 12 },
  { set: 'v1', book: 'addressbooks/test/test-v1', signers: 4 },
  { set: 'v2', book: 'addressbooks/test/testnet', signers: 4 },
  { set: 'v2-to-v5', book: 'addressbooks/test/testnet', signers: 4 },
  { set: 'v2-performance', book: 'addressbooks/test/testnet', ratio: '1/4', signers: 1 },
  { set: 'v5-ethereum', book: 'addressbooks/test/test-v6-4n.bin', ratio: '1/4', gaps: 1, signers: 1 },
  { set: 'v5-to-v6', book: 'addressbooks/test/test-v6-4n.bin', signers: 4 },
  { set: 'v6-sidecars', book: 'addressbooks/test/test-v6-sidecar-4n.bin', signers: 4 },
  { set: 'v6-node-id-layout', book: 'addressbooks/test/test-v6-sidecar-4n.bin', signers: 2 },
  { set: 'v5-large', book: 'addressbooks/test/testnet', unsigned: true },
  { set: 'v6-with-sidecars-2023', book: 'addressbooks/test/test-v6-4n.bin', unsigned: true },
  { set: 'v2-timestamp-overflow', book: 'addressbooks/networks/mainnet', unsigned: true },
];

describe.skipIf(!hasRealStreams)('check-stream on real sets', () => {
  const pathOf = (set: string): string => `${realStreams}/records/${set}`;
  const electorateFor = ({ book, ratio }: RealSet): Electorate => {
    const parsed = parseAddressBook(readReal(book));
    return {
      book: parsed,
      weights: weighNodes(parsed, undefined),
      ratio: ratio === undefined ? ONE_THIRD : parseRatio(ratio),
    };
  };
  /** Transactions by record file name, of whichever node. */
  const expectedOf = (set: string): Map<string, number> =>
    new Map(
      realManifest()
        .filter(({ path, kind }) => path.startsWith(`records/${set}/`) && kind === 'record')
        .map(({ path, transactions }) => [path.slice(path.lastIndexOf('/') + 1), transactions]),
    );

  it('names every set that is there', () => {
    for (const { set } of REAL_SETS) expect(existsSync(pathOf(set)), set).toBe(true);
    const there = new Set(realManifest().flatMap(({ path }) => /^records\/([^/]+)\//.exec(path)?.[1] ?? []));
    expect([...there].sort()).toEqual(REAL_SETS.map(({ set }) => set).sort());
  });

  it.each(REAL_SETS)('$set', async (real) => {
    const { set, unsigned = false, gaps = 0, signers = 0 } = real;
    const electorate = electorateFor(real);
    const expected = expectedOf(set);
    const { report, files } = await check(pathOf(set), electorate, { trustUnsigned: unsigned });
    expect(report).toMatchObject({
      files: expected.size,
      proven: unsigned ? 0 : expected.size,
      trusted: unsigned ? expected.size : 0,
      refused: 0,
      brokenLinks: gaps,
    });
    const counts = new Map(files.map(({ proof }) => [proof?.recordFile.name, proof?.recordFile.items.length]));
    expect(counts).toEqual(expected);
    expect(files.every(({ proof }) => proof?.signers.length === signers)).toBe(true);

    const imported: string[] = [];
    const source = new FolderSource(pathOf(set));
    const options = { source, electorate: () => electorate, readSidecar: () => true, trustUnsigned: unsigned };
    for await (const { recordFile } of verifiedRecordFiles({ ...options, acceptGaps: gaps > 0 })) {
      imported.push(recordFile.name);
    }
    expect(imported).toEqual(files.map(({ proof }) => proof?.recordFile.name));
  });

  it.each(REAL_SETS.filter(({ unsigned }) => unsigned))('$set is refused unless trusted', async (real) => {
    const { report } = await check(pathOf(real.set), electorateFor(real));
    expect(report).toMatchObject({ proven: 0, trusted: 0, transactions: 0 });
    expect(report.firstFailure?.code).toBe('STREAM_UNSIGNED');
  });

  it.each(REAL_SETS.filter(({ ratio }) => ratio !== undefined))('$set is refused at one third', async (real) => {
    const { report } = await check(pathOf(real.set), { ...electorateFor(real), ratio: ONE_THIRD });
    expect(report).toMatchObject({ proven: 0, transactions: 0 });
    expect(report.firstFailure?.code).toBe('STREAM_NO_CONSENSUS');
  });

  it('refuses mainnet files under the address book of another network', async () => {
    const foreign = electorateFor({ set: '', book: 'addressbooks/test/test-v1' });
    const { report } = await check(pathOf('mainnet-2019-09-13-v2'), foreign, { trustUnsigned: true });
    expect(report).toMatchObject({ proven: 0, trusted: 0, refused: 1 });
    expect(report.firstFailure?.code).toBe('STREAM_NO_CONSENSUS');
  });
});
