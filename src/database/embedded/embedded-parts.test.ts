import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { nativeFolder, programPath, usableBinaries } from './binaries.ts';
import { credentialsFile, loadCredentials } from './credentials.ts';
import { lockDataFolder } from './data-lock.ts';
import { isPostmasterOf, parsePostmaster, processExists, readPostmaster } from './postmaster-file.ts';
import { accountCandidates, accountsIn } from './system-account.ts';

const deadPid = 4_194_300; // beyond what systems give out by default

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-parts-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('accounts for the server', () => {
  const passwd =
    'root:x:0:0::/root:/bin/sh\nbin:x:2:2::/:/x\nnobody:x:65534:65534::/:/x\npostgres:x:101:104::/:/x\nbad line\n';

  it('put postgres first, then nobody, then the others, never root', () => {
    expect(accountsIn(passwd)).toEqual([
      { name: 'postgres', uid: 101, gid: 104 },
      { name: 'nobody', uid: 65534, gid: 65534 },
      { name: 'bin', uid: 2, gid: 2 },
    ]);
  });

  it('begin with the owner of existing data, and are needed by root alone', () => {
    const accounts = accountCandidates(4242);
    if (process.getuid?.() === 0) expect(accounts?.[0]).toEqual({ name: 'uid 4242', uid: 4242, gid: 4242 });
    else expect(accounts).toBeUndefined();
  });
});

describe('the programs', () => {
  it('come from the package of the platform', () => {
    const binaries = usableBinaries({ accounts: accountCandidates(undefined) });
    expect(binaries.major).toBe(18);
    expect(programPath(binaries.folder, 'postgres')).toMatch(/postgres(\.exe)?$/);
  });

  it.each([
    ['sunos', 'x64'],
    ['linux', 'ppc64'],
  ])('are missing on %s-%s, and the error says what else there is', (platform, arch) => {
    expect(() => nativeFolder(platform, arch)).toThrow(
      expect.objectContaining({
        code: 'EMBEDDED_POSTGRES_MISSING',
        hint: expect.stringContaining('kagami.database.url'),
      }),
    );
  });

  it('are reported with every attempt when they do not run', () => {
    expect(() =>
      usableBinaries({ native: join(folder, 'nothing'), accounts: undefined, copyFolders: [join(folder, 'copy')] }),
    ).toThrow(expect.objectContaining({ code: 'EMBEDDED_POSTGRES_UNUSABLE' }));
  });
});

describe('postmaster.pid', () => {
  const lines = (status: string): string => `4711\n/data\n1700000000\n54321\n\n127.0.0.1\n  12345  6\n${status}\n`;

  it('tells process, port and state', () => {
    expect(parsePostmaster(lines('ready   '))).toEqual({ pid: 4711, port: 54321, status: 'ready' });
    expect(parsePostmaster(lines('stopping'))).toEqual({ pid: 4711, port: 54321, status: 'stopping' });
    expect(parsePostmaster('4711\n/data\n')).toEqual({ pid: 4711, port: 0, status: 'unknown' });
    expect(parsePostmaster('')).toBeUndefined();
    expect(readPostmaster(folder)).toBeUndefined();
  });

  it('of another process is not taken for a server', () => {
    expect(processExists(process.pid)).toBe(true);
    expect(processExists(deadPid)).toBe(false);
    expect(isPostmasterOf(deadPid, folder)).toBe(false);
    if (process.platform === 'linux') expect(isPostmasterOf(process.pid, folder)).toBe(false);
  });
});

describe('the lock of the data folder', () => {
  const lockFile = (): string => join(folder, 'kagami.lock');

  it('is held once at a time', () => {
    const lock = lockDataFolder(folder);
    expect(() => lockDataFolder(folder)).toThrow(
      expect.objectContaining({ code: 'DATA_FOLDER_LOCKED', details: { folder, pid: process.pid } }),
    );
    lock.release();
    lockDataFolder(folder).release();
  });

  it('does not outlive its holder', () => {
    writeFileSync(lockFile(), JSON.stringify({ pid: deadPid, started: '' }));
    lockDataFolder(folder).release();
    writeFileSync(lockFile(), 'half a fi');
    lockDataFolder(folder).release();
  });

  it.runIf(process.platform === 'linux')('knows an earlier process that had the same id', () => {
    writeFileSync(lockFile(), JSON.stringify({ pid: process.pid, started: 'another boot 1234' }));
    const lock = lockDataFolder(folder);
    expect(JSON.parse(readFileSync(lockFile(), 'utf8')).started).not.toBe('another boot 1234');
    lock.release();
  });

  it.skipIf(process.getuid?.() === 0)('says that it may not write', () => {
    chmodSync(folder, 0o500);
    expect(() => lockDataFolder(folder)).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_UNUSABLE' }));
    chmodSync(folder, 0o700);
  });
});

describe('credentials', () => {
  it('are made once, long, different and readable by the owner alone', () => {
    const first = loadCredentials(folder, false);
    expect(first.owner.username).toBe('mirror_node');
    expect(first.owner.password.length).toBe(32);
    expect(first.reader.password).not.toBe(first.owner.password);
    expect(loadCredentials(folder, true)).toEqual(first);
    if (process.platform !== 'win32') expect(statSync(credentialsFile(folder)).mode & 0o777).toBe(0o600);
  });

  it('are not replaced under existing data', () => {
    expect(() => loadCredentials(folder, true)).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_UNUSABLE' }));
    writeFileSync(credentialsFile(folder), '{"owner":{}}');
    expect(() => loadCredentials(folder, true)).toThrow(expect.objectContaining({ code: 'DATA_FOLDER_UNUSABLE' }));
  });
});
