import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordName } from '../streams/testing/network.fixture.ts';
import { findNodeFolders } from './folder-layout.ts';
import { FolderSource } from './folder-source.ts';
import type { StreamNode } from './stream-source.ts';
import { FIRST_FILE, temporaryFolder } from './testing/stream-folder.fixture.ts';

let root: string;
let remove: () => void;
beforeEach(() => {
  ({ path: root, remove } = temporaryFolder());
});
afterEach(() => remove());

const folders = (...paths: string[]): void => {
  for (const path of paths) mkdirSync(join(root, path), { recursive: true });
};

const found = async (path = root): Promise<(bigint | null)[][]> =>
  (await findNodeFolders(path)).map(({ accountId, nodeId }) => [accountId, nodeId]);

describe('folder layouts', () => {
  it('finds nodes by account, directly and under recordstreams', async () => {
    folders(
      'record0.0.10',
      'record0.0.3',
      'recordstreams/record0.0.4',
      'balance0.0.3',
      'record0.0.3/sidecar',
      '.hidden',
    );
    writeFileSync(join(root, 'record0.0.7'), 'a file');
    expect(await found()).toEqual(
      [
        [3n, null],
        [4n, null],
        [10n, null],
        [7n, null],
      ].filter(([account]) => account !== 7n),
    );
  });

  it('finds nodes by id, with and without a network, beside nodes by account', async () => {
    folders('demo/0/1/record/sidecar', 'demo/0/2/block', 'recordstreams/record0.0.3', '0/5/record', 'other/x/1/record');
    expect(await found()).toEqual([
      [null, 1n],
      [3n, null],
      [null, 5n],
    ]);
  });

  it('finds all of them in folders of single days', async () => {
    folders(
      '2024-02-29/recordstreams/record0.0.3',
      '2024-03-01/recordstreams/record0.0.3',
      '2024-03-01/demo/0/1/record',
    );
    expect(await found()).toEqual([
      [null, 1n],
      [3n, null],
      [3n, null],
    ]);
  });

  it('bears days that cannot be listed or lead back, and pipes in the place of folders', async () => {
    folders('record0.0.3', '2024-03-01/recordstreams/record0.0.4');
    symlinkSync('.', join(root, '2024-03-02'));
    symlinkSync('nowhere', join(root, '2024-03-03'));
    execFileSync('mkfifo', [join(root, '2024-03-04'), join(root, '7'), join(root, 'recordstreams')]);
    expect(await found()).toEqual([
      [3n, null],
      [3n, null],
      [4n, null],
    ]);
  });

  it('takes a node folder for itself', async () => {
    folders('record0.0.3', 'net/0/8/record');
    expect(await found(join(root, 'record0.0.3'))).toEqual([[3n, null]]);
    expect(await found(join(root, 'net/0/8/record'))).toEqual([[null, 8n]]);
  });

  it('refuses a folder that is not there', async () => {
    await expect(found(join(root, 'nowhere'))).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
    await expect(found(join(root, 'record0.0.9'))).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  });
});

describe('FolderSource', () => {
  const nameAt = (i: number, extension = '.rcd'): string =>
    recordName(FIRST_FILE + BigInt(i) * 100_000_000n, extension);
  const write = (name: string, content = 'x'): void => writeFileSync(join(root, 'record0.0.3', name), content);
  const onlyNode = async (source: FolderSource): Promise<StreamNode> => {
    const [node] = await source.nodes();
    if (node === undefined) throw new Error('no node folder');
    return node;
  };
  const names = (listing: {
    files: readonly { recordNames: readonly string[]; signatureNames: readonly string[] }[];
  }): unknown => listing.files.map(({ recordNames: [data], signatureNames: [signature] }) => [data, signature]);

  beforeEach(() => folders('record0.0.3/sidecar'));

  it('lists in order, joins data and signature, pages, and resumes after a time', async () => {
    for (const i of [3, 1, 2, 0]) write(nameAt(i));
    for (const i of [0, 2, 4]) write(nameAt(i, '.rcd_sig'));
    write('2023-11-14T22_13_20.1Z.rcd.tmp');
    write(`${nameAt(1).slice(0, -4)}_01.rcd.gz`);
    const source = new FolderSource(root);
    const node = await onlyNode(source);
    expect(await source.list(node, -1n, 2)).toMatchObject({ more: true });
    expect(names(await source.list(node, -1n, 2))).toEqual([
      [nameAt(0), nameAt(0, '.rcd_sig')],
      [nameAt(1), undefined],
    ]);
    const rest = await source.list(node, FIRST_FILE + 100_000_000n, 10);
    expect(rest.more).toBe(false);
    expect(names(rest)).toEqual([
      [nameAt(2), nameAt(2, '.rcd_sig')],
      [nameAt(3), undefined],
      [undefined, nameAt(4, '.rcd_sig')],
    ]);
    expect(names(await source.list(node, FIRST_FILE, 1))).toEqual([[nameAt(1), undefined]]);
    source.close();
  });

  it('pages through more names than it keeps', async () => {
    const count = 24_000;
    for (let i = 0; i < count; i++) write(nameAt((i * 7919) % count), '');
    const source = new FolderSource(root);
    const node = await onlyNode(source);
    let after = -1n;
    let seen = 0;
    for (let more = true; more; ) {
      const page = await source.list(node, after, 5000);
      for (const { recordNames, nanos } of page.files) {
        expect(recordNames[0]).toBe(nameAt(seen++));
        after = nanos;
      }
      more = page.more;
    }
    expect(seen).toBe(count);
  });

  it('reads files and sidecars, and has none where there is none', async () => {
    const base = nameAt(0, '');
    write(`${base}.rcd`, 'data');
    writeFileSync(join(root, 'record0.0.3/sidecar', `${base}_02.rcd`), 'plain');
    const source = new FolderSource(root, { maxFileBytes: 5 });
    const node = await onlyNode(source);
    expect(Buffer.from((await source.read(node, `${base}.rcd`)) ?? []).toString()).toBe('data');
    expect(await source.read(node, nameAt(9))).toBeUndefined();
    expect(await source.readSidecar(node, `${base}_02.rcd`)).toEqual(Buffer.from('plain'));
    expect(await source.readSidecar(node, `${base}_01.rcd`)).toBeUndefined();
    write(nameAt(1), 'too much');
    await expect(source.read(node, nameAt(1))).rejects.toMatchObject({ code: 'STREAM_OVERSIZED' });
  });

  it.each([true, false])('sees new files, watching: %s', async (watch) => {
    write(nameAt(0));
    const source = new FolderSource(root, { watch });
    const node = await onlyNode(source);
    expect((await source.list(node, -1n, 10)).files).toHaveLength(1);
    write(nameAt(1));
    const deadline = Date.now() + 10_000;
    let files = 0;
    while (files < 2 && Date.now() < deadline) {
      await source.waitForChange(20);
      files = (await source.list(node, -1n, 10)).files.length;
    }
    expect(files).toBe(2);
    source.close();
  });

  it('wakes a waiter by an event long before its time, by abort and by close', async () => {
    const source = new FolderSource(root, { watch: true });
    const node = await onlyNode(source);
    await source.list(node, -1n, 10);
    const started = performance.now();
    const woken = source.waitForChange(25_000);
    write(nameAt(5));
    await woken;
    const abort = new AbortController();
    const aborted = source.waitForChange(25_000, abort.signal);
    abort.abort();
    await aborted;
    await source.waitForChange(10);
    const closed = source.waitForChange(25_000);
    source.close();
    await closed;
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('drops node folders that vanish', async () => {
    const source = new FolderSource(root, { watch: true });
    expect(await source.nodes()).toHaveLength(1);
    rmSync(join(root, 'record0.0.3'), { recursive: true });
    expect(await source.nodes()).toHaveLength(0);
    source.close();
  });
});
