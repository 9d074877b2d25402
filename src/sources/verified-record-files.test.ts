import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { KagamiError } from '../errors/kagami-error.ts';
import { makeNodes } from '../streams/testing/network.fixture.ts';
import { FolderSource } from './folder-source.ts';
import {
  electorateOf,
  FIRST_FILE,
  folderOf,
  makeChain,
  publish,
  type TestFile,
  temporaryFolder,
  writeData,
  writeSignature,
} from './testing/stream-folder.fixture.ts';
import {
  type ReadOnceOptions,
  type VerifiedRecordFile,
  type VerifiedRecordFilesOptions,
  verifiedRecordFiles,
} from './verified-record-files.ts';

const nodes = makeNodes(4);
const [honest, second, third, liar] = nodes as [
  (typeof nodes)[number],
  (typeof nodes)[number],
  (typeof nodes)[number],
  (typeof nodes)[number],
];
const electorate = electorateOf(nodes);
const chain = makeChain(6);
const fileAt = (i: number): TestFile => chain[i] as TestFile;

let root: string;
let remove: () => void;
beforeEach(() => {
  ({ path: root, remove } = temporaryFolder());
});
afterEach(() => remove());

const collect = async (
  options: VerifiedRecordFilesOptions,
  most = Number.POSITIVE_INFINITY,
): Promise<VerifiedRecordFile[]> => {
  const files: VerifiedRecordFile[] = [];
  for await (const file of verifiedRecordFiles(options)) {
    files.push(file);
    if (files.length >= most) break;
  }
  return files;
};

const once = (more: Partial<ReadOnceOptions> = {}): Promise<VerifiedRecordFile[]> =>
  collect({ source: new FolderSource(root), electorate: () => electorate, ...more });

const namesOf = (files: readonly VerifiedRecordFile[]): string[] => files.map(({ recordFile }) => recordFile.name);
const chainNames = chain.map(({ name }) => name);

describe('verified record files, read once', () => {
  it('yields every file in order, chained, with signers', async () => {
    publish(root, nodes, chain);
    const files = await once({ readSidecar: () => true });
    expect(namesOf(files)).toEqual(chainNames);
    expect(files.map(({ linked }) => linked)).toEqual([false, true, true, true, true, true]);
    expect(files.map(({ sidecars }) => sidecars.length)).toEqual([0, 1, 0, 0, 1, 0]);
    // Three of four are more than half, so the fourth signature is not read.
    expect(files[0]).toMatchObject({ signers: [0n, 1n, 2n], faults: [] });
    expect(files[1]?.sidecars[0]?.records[0]?.consensusTimestamp).toBe(FIRST_FILE + 2_000_000_000n);
  });

  it('resumes after a name and its hash', async () => {
    publish(root, nodes, chain);
    const files = await once({ startAfter: fileAt(2).name, previousHash: fileAt(2).endRunningHash });
    expect(namesOf(files)).toEqual(chainNames.slice(3));
    expect(files[0]?.linked).toBe(true);
    expect(namesOf(await once({ startAfterNanos: FIRST_FILE + 7_000_000_000n }))).toEqual(chainNames.slice(4));
    await expect(once({ startAfter: fileAt(2).name, previousHash: Buffer.alloc(48) })).rejects.toMatchObject({
      code: 'STREAM_CHAIN_BROKEN',
    });
    await expect(once({ startAfter: 'yesterday' })).rejects.toMatchObject({ code: 'STREAM_WRONG_NAME' });
  });

  it('goes on without a node that misses files, and past a node with damaged ones', async () => {
    publish(root, [honest, second, third], chain);
    rmSync(join(folderOf(root, honest), fileAt(1).name));
    rmSync(join(folderOf(root, honest), `${fileAt(2).base}.rcd_sig`));
    writeFileSync(join(folderOf(root, honest), fileAt(3).name), fileAt(3).bytes.subarray(0, 60));
    writeFileSync(join(folderOf(root, honest), fileAt(4).name), gzipSync('not a record file'));
    writeFileSync(join(folderOf(root, honest), `${fileAt(5).base}.rcd_sig`), 'junk');
    rmSync(join(folderOf(root, honest), 'sidecar'), { recursive: true });
    const files = await once({ readSidecar: () => true });
    expect(namesOf(files)).toEqual(chainNames);
    expect(files[3]?.faults.map(({ code }) => code)).toEqual(['STREAM_TRUNCATED']);
    expect(files[4]?.node.accountId).toBe(4n);
    expect(files.flatMap(({ sidecars }) => sidecars)).toHaveLength(2);
  });

  it('needs three good copies only: the fourth may be a pipe, a device, a folder, a hole or a socket', async () => {
    publish(root, nodes, chain);
    const place = folderOf(root, honest);
    const put: readonly ((path: string) => void)[] = [
      (path) => execFileSync('mkfifo', [path]),
      (path) => symlinkSync('/dev/zero', path),
      (path) => mkdirSync(path),
      (path) => {
        writeFileSync(path, '');
        truncateSync(path, 2 ** 40);
      },
      (path) => symlinkSync(path, path),
      (path) => symlinkSync('/dev/full', path),
    ];
    chain.forEach(({ name, base }, i) => {
      for (const path of [name, `${base}.rcd_sig`, `sidecar/${base}_01.rcd.gz`].map((file) => join(place, file))) {
        rmSync(path, { force: true });
        put[i % put.length]?.(path);
      }
    });
    // They are listed first, and only one copy of them is good.
    for (const node of [second, third]) rmSync(join(folderOf(root, node), fileAt(0).name));
    const files = await once({ readSidecar: () => true });
    expect(namesOf(files)).toEqual(chainNames);
    expect(files[0]?.node.accountId).toBe(6n);
    expect(files.flatMap(({ sidecars }) => sidecars)).toHaveLength(2);
  });

  it('passes over junk beside a good file of the same name, compressed or not', async () => {
    publish(root, [honest], chain);
    const place = folderOf(root, honest);
    const plain = (name: string): string => name.replace(/\.gz$/, '');
    for (const i of [0, 2]) writeFileSync(join(place, plain(fileAt(i).name)), 'junk');
    for (const i of [1, 3]) {
      writeFileSync(join(place, plain(fileAt(i).name)), gunzipSync(readFileSync(join(place, fileAt(i).name))));
      writeFileSync(join(place, fileAt(i).name), 'junk');
    }
    const sidecar = join(place, 'sidecar', `${fileAt(1).base}_01.rcd`);
    writeFileSync(sidecar, gunzipSync(readFileSync(`${sidecar}.gz`)));
    writeFileSync(`${sidecar}.gz`, 'junk');
    const signature = join(place, `${fileAt(2).base}.rcd_sig`);
    writeFileSync(`${signature}.gz`, gzipSync(readFileSync(signature)));
    writeFileSync(signature, 'junk');
    const alone = electorateOf([honest]);
    const files = await once({ electorate: () => alone, readSidecar: () => true });
    expect(namesOf(files).map(plain)).toEqual(chainNames.map(plain));
    expect(files.flatMap(({ sidecars }) => sidecars)).toHaveLength(2);
  });

  it('asks the next nodes where one takes long', async () => {
    publish(root, nodes, chain);
    const source = new FolderSource(root);
    const read = source.read.bind(source);
    let hanging = 0;
    source.read = (node, name) => {
      if (node.accountId !== 3n) return read(node, name);
      hanging++;
      return new Promise(() => undefined);
    };
    expect(namesOf(await once({ source }))).toEqual(chainNames);
    expect(hanging).toBe(6);
  });

  it('outvotes a node that signs files of its own', async () => {
    publish(root, [honest, second, third], chain);
    publish(root, [liar], makeChain(6, Buffer.alloc(48, 66)));
    const files = await once();
    expect(namesOf(files)).toEqual(chainNames);
    expect(files[2]?.recordFile.previousHash).toEqual(Uint8Array.from(fileAt(1).endRunningHash));
    expect(files.every(({ signers }) => !signers.includes(3n))).toBe(true);
  });

  it('passes over file names that a lying node invents', async () => {
    publish(root, nodes, chain);
    const invented = makeChain(2, Buffer.alloc(48, 66), FIRST_FILE + 5_000_000_000n);
    publish(root, [liar], invented);
    const skipped: string[] = [];
    const files = await once({ onSkipped: (base, { code }) => skipped.push(`${base} ${code}`) });
    expect(namesOf(files)).toEqual(chainNames);
    expect(skipped).toEqual(invented.map(({ base }) => `${base} STREAM_NO_CONSENSUS`));
  });

  it('refuses files with too few, foreign or invalid signatures', async () => {
    publish(root, [honest], chain);
    await expect(once()).rejects.toMatchObject({
      code: 'STREAM_NO_CONSENSUS',
      message: `${fileAt(0).base}: 1 of 4 signed the same hash, 2 are needed`,
    });
    const lowered = electorateOf(nodes, { numerator: 1n, denominator: 4n });
    expect(await once({ electorate: () => lowered })).toHaveLength(6);
    const strangers = electorateOf(makeNodes(4));
    await expect(once({ electorate: () => strangers })).rejects.toMatchObject({
      code: 'STREAM_NO_CONSENSUS',
      details: { faults: [expect.stringContaining('STREAM_BAD_SIGNATURE')] },
    });
    const nobody = electorateOf(nodes.slice(1));
    await expect(once({ electorate: () => nobody })).rejects.toMatchObject({
      details: { faults: [expect.stringContaining('the address book has no such node')] },
    });
  });

  it('refuses a data file that is not the signed one, when no node has that', async () => {
    for (const node of nodes) {
      writeSignature(root, node, fileAt(0));
      const forged = makeChain(1, Buffer.alloc(48, 66))[0] as TestFile;
      writeData(root, node, forged);
    }
    await expect(once()).rejects.toMatchObject({ code: 'STREAM_FILE_HASH_MISMATCH' });
  });

  it('refuses a missing file in the middle, unless gaps are accepted', async () => {
    publish(
      root,
      nodes,
      chain.filter((_file, i) => i !== 3),
    );
    await expect(once()).rejects.toMatchObject({
      code: 'STREAM_CHAIN_BROKEN',
      message: `${fileAt(4).name}: block 3 is missing before it (block 4)`,
    });
    const files = await once({ acceptGaps: true });
    expect(files.map(({ linked }) => linked)).toEqual([false, true, true, false, true]);
  });

  it('tells which blocks are missing behind those imported before', async () => {
    publish(root, nodes, chain.slice(4));
    const after = { startAfter: fileAt(1).name, previousHash: fileAt(1).endRunningHash };
    await expect(once({ ...after, previousBlock: 1n })).rejects.toMatchObject({
      message: `${fileAt(4).name}: blocks 2 to 3 are missing before it (block 4)`,
      details: { missing: { first: 2n, last: 3n } },
    });
    await expect(once(after)).rejects.toThrow('as previous hash');
  });

  it('refuses missing data, missing sidecars and an empty folder', async () => {
    await expect(once()).rejects.toMatchObject({ code: 'SOURCE_EMPTY' });
    for (const node of nodes) writeSignature(root, node, fileAt(0));
    await expect(once()).rejects.toMatchObject({ code: 'SOURCE_FILE_MISSING' });
    publish(root, nodes, chain.slice(0, 2));
    for (const node of nodes) rmSync(join(folderOf(root, node), 'sidecar', `${fileAt(1).base}_01.rcd.gz`));
    await expect(once({ readSidecar: () => true })).rejects.toMatchObject({ code: 'SOURCE_FILE_MISSING' });
    expect(await once()).toHaveLength(2);
    const accepted = await once({ readSidecar: () => true, acceptMissingSidecars: true });
    expect(accepted.map(({ sidecars, missingSidecars }) => [sidecars.length, missingSidecars])).toEqual([
      [0, []],
      [0, [1]],
    ]);
    // One that is there, but not the right one, is another matter.
    writeFileSync(join(folderOf(root, honest), 'sidecar', `${fileAt(1).base}_01.rcd.gz`), gzipSync('junk'));
    await expect(once({ readSidecar: () => true, acceptMissingSidecars: true })).rejects.toMatchObject({
      code: expect.stringMatching(/^STREAM_/),
    });
  });

  it('accepts unsigned files only when told, and only in themselves sound and chained', async () => {
    for (const file of chain) writeData(root, honest, file);
    await expect(once()).rejects.toMatchObject({ code: 'STREAM_UNSIGNED' });
    const files = await once({ trustUnsigned: true });
    expect(namesOf(files)).toEqual(chainNames);
    expect(files[0]).toMatchObject({ tally: null, signers: [] });

    writeSignature(root, honest, fileAt(1));
    await expect(once({ trustUnsigned: true })).rejects.toMatchObject({ code: 'STREAM_NO_CONSENSUS' });

    const preRelease = Buffer.concat([Buffer.from('0000000500000001', 'hex'), Buffer.alloc(900)]);
    writeFileSync(join(folderOf(root, honest), `${fileAt(1).base}.rcd_sig`), preRelease);
    expect(await once({ trustUnsigned: true })).toHaveLength(6);

    rmSync(join(folderOf(root, honest), fileAt(2).name));
    await expect(once({ trustUnsigned: true })).rejects.toMatchObject({ code: 'STREAM_CHAIN_BROKEN' });
    const damaged = Buffer.from(fileAt(0).bytes);
    damaged[60] = (damaged[60] as number) ^ 1;
    writeFileSync(join(folderOf(root, honest), fileAt(0).name), damaged);
    await expect(once({ trustUnsigned: true })).rejects.toMatchObject({ code: expect.stringMatching(/^STREAM_/) });
  });

  it('asks for the electorate again before it gives up', async () => {
    publish(root, nodes, chain);
    const strangers = electorateOf(makeNodes(4));
    let current = strangers;
    const source = new FolderSource(root);
    const files = verifiedRecordFiles({
      source,
      electorate: () => {
        const answer = current;
        current = electorate;
        return answer;
      },
    });
    expect((await files.next()).value).toMatchObject({ recordFile: { name: fileAt(0).name } });
    await files.return(undefined);
  });

  it.each([
    ['files', { readAhead: 2 }, 4],
    ['bytes, but one file', { readAhead: 3, readAheadBytes: 1 }, 3],
    ['files where their bytes fit', { readAhead: 3, readAheadBytes: 1_000_000 }, 5],
  ])('reads ahead no further than told in %s', async (_, limits, reads) => {
    publish(root, [honest], chain);
    const read: string[] = [];
    class CountingSource extends FolderSource {
      override read(...args: Parameters<FolderSource['read']>): ReturnType<FolderSource['read']> {
        if (args[1].endsWith('.rcd.gz')) read.push(args[1]);
        return super.read(...args);
      }
    }
    const files = verifiedRecordFiles({
      source: new CountingSource(root),
      electorate: () => electorateOfOne,
      ...limits,
    });
    const electorateOfOne = electorateOf([honest]);
    await files.next();
    await files.next();
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(read.sort()).toEqual(chainNames.slice(0, reads));
    await files.return(undefined);
  });
});

describe('verified record files, followed', () => {
  const follow = (
    count: number,
    waiting: string[] = [],
    watch = true,
  ): { readonly files: Promise<VerifiedRecordFile[]> } => {
    const source = new FolderSource(root, { watch });
    const onWaiting = (base: string, { code }: KagamiError): void => {
      waiting.push(`${base} ${code}`);
    };
    const files = collect({ source, electorate: () => electorate, follow: true, pollMs: 50, onWaiting }, count).finally(
      () => source.close(),
    );
    return { files };
  };
  const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

  it.each([true, false])('waits for nodes, files, signatures and whole data (watching: %s)', async (watch) => {
    const waiting: string[] = [];
    const waitsFor = async (reason: string): Promise<void> => {
      while (!waiting.includes(reason)) await pause(10);
    };
    const { files } = follow(4, waiting, watch);
    await pause(60);
    publish(root, nodes, chain.slice(0, 1));

    writeSignature(root, honest, fileAt(1));
    await waitsFor(`${fileAt(1).base} STREAM_NO_CONSENSUS`);
    for (const node of nodes) writeSignature(root, node, fileAt(1));
    await waitsFor(`${fileAt(1).base} SOURCE_FILE_MISSING`);
    const half = join(folderOf(root, second), fileAt(1).name);
    writeFileSync(half, fileAt(1).bytes.subarray(0, 50));
    await waitsFor(`${fileAt(1).base} STREAM_TRUNCATED`);
    appendFileSync(half, fileAt(1).bytes.subarray(50));
    publish(root, nodes, chain.slice(3, 4));
    await waitsFor(`${fileAt(3).base} STREAM_CHAIN_BROKEN`);
    publish(root, nodes, chain.slice(2, 3));

    expect(namesOf(await files)).toEqual(chainNames.slice(0, 4));
    expect(readFileSync(half).equals(Buffer.from(fileAt(1).bytes))).toBe(true);
  });

  it('lets nodes correct what they signed at first', async () => {
    publish(root, nodes, chain.slice(0, 1));
    const waiting: string[] = [];
    const waitsFor = async (reason: string): Promise<void> => {
      while (!waiting.includes(reason)) await pause(10);
    };
    const { files } = follow(3, waiting);
    /** Puts the signature of the block before in the place of a block's. */
    const misplace = (i: number, signers: typeof nodes): void => {
      for (const node of signers) {
        const signature = readFileSync(join(folderOf(root, node), `${fileAt(i - 1).base}.rcd_sig`));
        writeFileSync(join(folderOf(root, node), `${fileAt(i).base}.rcd_sig`), signature);
        writeData(root, node, fileAt(i));
      }
    };
    misplace(1, [honest, second]);
    await waitsFor(`${fileAt(1).base} STREAM_FILE_HASH_MISMATCH`);
    publish(root, [honest, second, third], chain.slice(1, 2));

    misplace(2, [honest]);
    writeSignature(root, second, fileAt(2));
    await waitsFor(`${fileAt(2).base} STREAM_NO_CONSENSUS`);
    writeSignature(root, honest, fileAt(2));
    expect(namesOf(await files)).toEqual(chainNames.slice(0, 3));
  });

  it('goes over a gap after a while, if gaps are accepted', async () => {
    publish(
      root,
      nodes,
      chain.filter((_file, i) => i !== 2),
    );
    const waiting: string[] = [];
    const files = await collect(
      {
        source: new FolderSource(root),
        electorate: () => electorate,
        follow: true,
        acceptGaps: true,
        patienceMs: 30,
        pollMs: 10,
        onWaiting: (base, { code }) => waiting.push(`${base} ${code}`),
      },
      5,
    );
    expect(files.map(({ linked }) => linked)).toEqual([false, true, false, true, true]);
    expect(waiting).toEqual([`${fileAt(3).base} STREAM_CHAIN_BROKEN`]);
  });

  it('waits for a folder that does not exist yet', async () => {
    rmSync(root, { recursive: true });
    const waiting: string[] = [];
    const { files } = follow(1, waiting);
    while (waiting.length === 0) await pause(10);
    expect(waiting).toEqual([' SOURCE_UNREADABLE']);
    publish(root, nodes, chain.slice(0, 1));
    expect(namesOf(await files)).toEqual(chainNames.slice(0, 1));
  });

  it('goes on without sidecars after a while, if that is accepted, and expects them again when one comes', async () => {
    publish(root, nodes, chain);
    for (const node of nodes) rmSync(join(folderOf(root, node), 'sidecar', `${fileAt(1).base}_01.rcd.gz`));
    const waiting: string[] = [];
    let proceeded = 0;
    const options = {
      source: new FolderSource(root),
      electorate: () => electorate,
      follow: true,
      pollMs: 20,
      patienceMs: 200,
      readSidecar: () => true,
      onWaiting: (base: string, { code }: KagamiError) => waiting.push(`${base} ${code}`),
      onProceeding: () => proceeded++,
    } as const;
    const files = await collect({ ...options, acceptMissingSidecars: true }, 6);
    expect(files.map(({ missingSidecars }) => missingSidecars.length)).toEqual([0, 1, 0, 0, 0, 0]);
    expect(waiting).toEqual([`${fileAt(1).base} SOURCE_FILE_MISSING`]);
    expect(proceeded).toBe(1);
    expect(files[4]?.sidecars).toHaveLength(1);

    const stop = new AbortController();
    const strict = collect({ ...options, signal: stop.signal }, 6);
    await expect.poll(() => waiting.length, { timeout: 20_000 }).toBe(2);
    setTimeout(() => stop.abort(), 1_000);
    expect(await strict).toHaveLength(1);
  });

  it('waits for folders that are gone or empty, and tells when they are back', async () => {
    const waiting: string[] = [];
    let proceeded = 0;
    const files = collect(
      {
        source: new FolderSource(root, { watch: true }),
        electorate: () => electorate,
        follow: true,
        pollMs: 20,
        onWaiting: (base, { code }) => waiting.push(`${base} ${code}`),
        onProceeding: () => proceeded++,
      },
      2,
    );
    await expect.poll(() => waiting, { timeout: 20_000 }).toEqual([' SOURCE_EMPTY']);
    rmSync(root, { recursive: true });
    await expect.poll(() => waiting.at(-1), { timeout: 20_000 }).toBe(' SOURCE_UNREADABLE');
    expect(proceeded).toBe(0);
    publish(root, nodes, chain.slice(0, 2));
    expect(namesOf(await files)).toEqual(chainNames.slice(0, 2));
    expect(proceeded).toBeGreaterThan(0);
  });

  it('ends when aborted', async () => {
    publish(root, nodes, chain.slice(0, 2));
    const abort = new AbortController();
    const source = new FolderSource(root, { watch: true });
    const found: VerifiedRecordFile[] = [];
    const files = verifiedRecordFiles({
      source,
      electorate: () => electorate,
      follow: true,
      pollMs: 60_000,
      signal: abort.signal,
    });
    for await (const file of files) {
      found.push(file);
      // By then the stream waits for a third file.
      if (found.length === 2) setTimeout(() => abort.abort(), 20);
    }
    source.close();
    expect(namesOf(found)).toEqual(chainNames.slice(0, 2));
  });
});
