import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type FileToRead, RegularFiles } from './regular-files.ts';
import { temporaryFolder } from './testing/stream-folder.fixture.ts';

let root: string;
let remove: () => void;
beforeEach(() => {
  ({ path: root, remove } = temporaryFolder());
});
afterEach(() => remove());

const fileNamed = (name: string, maxBytes = 100): FileToRead => ({
  place: root,
  path: join(root, name),
  name,
  maxBytes,
});
const textOf = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
const all = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts).toString();
};

describe('reading regular files', () => {
  it('reads files and links to files, whole and in chunks', async () => {
    const files = new RegularFiles();
    writeFileSync(join(root, 'plain'), 'content');
    writeFileSync(join(root, 'empty'), '');
    symlinkSync(join(root, 'plain'), join(root, 'link'));
    expect(textOf(await files.read(fileNamed('plain')))).toBe('content');
    expect(textOf(await files.read(fileNamed('link', 7)))).toBe('content');
    expect(await files.read(fileNamed('empty'))).toHaveLength(0);
    expect(await files.read(fileNamed('nothing'))).toBeUndefined();
    expect(await files.read(fileNamed('plain/below'))).toBeUndefined();
    expect(await all(files.chunks(fileNamed('link')))).toBe('content');
    await expect(all(files.chunks(fileNamed('nothing')))).rejects.toMatchObject({ code: 'SOURCE_FILE_MISSING' });
  });

  it('reads what the file system says is empty but is not', async () => {
    const files = new RegularFiles();
    const status = { place: root, path: '/proc/self/status', name: 'status', maxBytes: 100_000 };
    expect(textOf(await files.read(status))).toContain('Name:');
    await expect(files.read({ ...status, maxBytes: 10 })).rejects.toMatchObject({ code: 'STREAM_OVERSIZED' });
  });

  it('refuses what is no file, without opening it', async () => {
    const files = new RegularFiles({
      open: () => {
        throw new Error('it was opened');
      },
    });
    execFileSync('mkfifo', [join(root, 'pipe')]);
    symlinkSync('/dev/zero', join(root, 'zero'));
    mkdirSync(join(root, 'folder'));
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(join(root, 'socket'), resolve));
    for (const [name, kind] of [
      ['pipe', 'a pipe'],
      ['zero', 'a device'],
      ['folder', 'a folder'],
      ['socket', 'a socket'],
    ] as const) {
      const refused = { code: 'SOURCE_UNREADABLE', message: `${name}: ${kind}, not a file` };
      await expect(files.read(fileNamed(name))).rejects.toMatchObject(refused);
      await expect(all(files.chunks(fileNamed(name)))).rejects.toMatchObject(refused);
    }
    server.close();
  });

  it('refuses a file above the bound by its size, before it reads', async () => {
    const files = new RegularFiles();
    writeFileSync(join(root, 'huge'), '');
    // A hole: it takes no space on the disk.
    truncateSync(join(root, 'huge'), 2 ** 40);
    await expect(files.read(fileNamed('huge', 2 ** 28))).rejects.toMatchObject({ code: 'STREAM_OVERSIZED' });
    await expect(all(files.chunks(fileNamed('huge', 2 ** 28)))).rejects.toMatchObject({ code: 'STREAM_OVERSIZED' });
  });

  it.skipIf(process.getuid?.() === 0)('names a file that may not be read', async () => {
    writeFileSync(join(root, 'secret'), 'x');
    chmodSync(join(root, 'secret'), 0);
    const read = new RegularFiles().read(fileNamed('secret'));
    await expect(read).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE', message: expect.stringContaining('EACCES') });
  });

  it('gives up a read that hangs, and leaves its place alone until it comes back', async () => {
    writeFileSync(join(root, 'slow'), 'content');
    const disk = Promise.withResolvers<void>();
    let opened: FileHandle | undefined;
    const files = new RegularFiles({
      timeoutMs: 20,
      open: async (path, flags) => {
        if (path.endsWith('slow')) await disk.promise;
        opened = await open(path, flags);
        return opened;
      },
    });
    await expect(files.read(fileNamed('slow'))).rejects.toMatchObject({ code: 'SOURCE_TIMEOUT' });
    const other = { ...fileNamed('other'), place: 'another' };
    expect(await files.read(other)).toBeUndefined();
    await expect(files.read(fileNamed('other'))).rejects.toMatchObject({ message: 'other: its folder hangs' });
    disk.resolve();
    await expect.poll(async () => textOf(await files.read(fileNamed('slow')).catch(() => undefined))).toBe('content');
    await expect.poll(() => opened?.fd).toBe(-1);
  });

  it('gives up what is being read when it is closed', async () => {
    writeFileSync(join(root, 'slow'), 'content');
    const files = new RegularFiles({ open: () => new Promise(() => undefined) });
    const reading = files.read(fileNamed('slow'));
    files.close();
    await expect(reading).rejects.toMatchObject({ message: 'slow: the source is closed' });
    await expect(files.read(fileNamed('slow'))).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  });
});
