import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { compile } from './compile.ts';
import { releaseOfPackage, releaseOfVersion } from './compiler-releases.ts';
import { openCompilerStore } from './compiler-store.ts';
import type { RunNpm } from './package-source.ts';
import { tarEntry } from './tar-entry.ts';

const MISSING = '0.8.17+commit.8df45f5f';
const NIGHTLY = '0.8.27-nightly.2024.8.1+commit.12345678';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-store-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const tarOf = (name: string, content: string): Buffer => {
  const header = Buffer.alloc(512);
  header.write(name, 0);
  header.write(content.length.toString(8).padStart(11, '0'), 124);
  header.write('0', 156);
  const body = Buffer.alloc(Math.ceil(content.length / 512) * 512);
  body.write(content);
  return gzipSync(Buffer.concat([header, body, Buffer.alloc(1024)]));
};

const options = (changes: object = {}) => ({
  folder,
  download: true,
  mirror: '',
  vyper: new Map<string, string>(),
  ...changes,
});

const noNetwork = (): Promise<never> => Promise.reject(new Error('offline'));

describe('the store of compilers', () => {
  it('knows which package carries which release', () => {
    expect(releaseOfVersion('0.8.7+commit.e28d00a7')?.package).toBe('0.8.7-fixed');
    expect(releaseOfPackage('0.8.7')).toBeUndefined();
    expect(releaseOfPackage('0.8.1')).toBeUndefined();
    expect(releaseOfPackage('0.8.26')?.version).toBe('0.8.26+commit.8a97fa7a');
  });

  it('has the installed ones without asking anybody', async () => {
    const store = openCompilerStore(options({ npm: noNetwork, fetchUrl: noNetwork }));
    for (const version of [
      '0.8.19+commit.7dd6d404',
      '0.8.20+commit.a1b79de6',
      '0.8.24+commit.e11b9ed9',
      '0.8.26+commit.8a97fa7a',
      'v0.8.28+commit.7893614a',
      '0.8.37+commit.f401782d',
    ]) {
      const { path } = await store.locate('Solidity', version);
      const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
      expect(sha256).toBe(releaseOfVersion(version.replace('v', ''))?.sha256);
    }
  });

  it('says which compiler is not to be had, and why', async () => {
    const store = openCompilerStore(options({ npm: noNetwork }));
    await expect(store.locate('Solidity', MISSING)).rejects.toMatchObject({
      code: 'COMPILER_UNREACHABLE',
      message: `The compiler Solidity ${MISSING} is not installed, and npm could not fetch solc@0.8.17`,
    });
    await expect(store.locate('Solidity', '0.8.1+commit.df193b15')).rejects.toMatchObject({
      code: 'COMPILER_UNAVAILABLE',
    });
    await expect(store.locate('Solidity', '../../etc/passwd')).rejects.toMatchObject({ code: 'COMPILER_UNAVAILABLE' });
    await expect(store.locate('Vyper', '0.3.10')).rejects.toThrow(
      'The compiler Vyper 0.3.10 is not available: no binary of this version is configured',
    );
    await expect(store.locate('Fe', '26.0.0')).rejects.toMatchObject({ code: 'COMPILER_UNAVAILABLE' });
    const closed = openCompilerStore(options({ download: false, npm: noNetwork }));
    await expect(closed.locate('Solidity', MISSING)).rejects.toThrow('fetching compilers is turned off');
  });

  it('asks npm once for all who wait, and refuses what has another hash', async () => {
    const asked: (readonly string[])[] = [];
    const npm: RunNpm = async (commandArguments, target) => {
      asked.push(commandArguments);
      await writeFile(join(target, 'solc.tgz'), tarOf('package/soljson.js', 'not a compiler'));
    };
    const store = openCompilerStore(options({ npm }));
    const both = await Promise.allSettled([store.locate('Solidity', MISSING), store.locate('Yul', MISSING)]);
    expect(both.map((one) => (one as PromiseRejectedResult).reason.message)).toEqual(
      Array(2).fill(
        `The file that was fetched for the compiler Solidity ${MISSING} has another hash than that release`,
      ),
    );
    expect(asked).toEqual([['pack', 'solc@0.8.17', '--ignore-scripts', '--silent']]);
    expect(existsSync(join(folder, `soljson-v${MISSING}.cjs`))).toBe(false);
  });

  it('takes from a mirror what its list and hash vouch for, and keeps it', async () => {
    const content = 'module.exports = {}';
    const sha256 = createHash('sha256').update(content).digest('hex');
    const build = { path: 'soljson-x.js', longVersion: NIGHTLY, sha256: `0x${sha256}` };
    const asked: string[] = [];
    const fetchUrl = async (url: string | URL | Request) => {
      asked.push(String(url));
      return new Response(String(url).endsWith('list.json') ? JSON.stringify({ builds: [build] }) : content);
    };
    const store = openCompilerStore(options({ mirror: 'https://mirror.test/bin/', fetchUrl, npm: noNetwork }));
    const { path } = await store.locate('Solidity', NIGHTLY);
    expect(readFileSync(path, 'utf8')).toBe(content);
    expect(await store.locate('Solidity', NIGHTLY)).toMatchObject({ path });
    expect(asked).toEqual(['https://mirror.test/bin/list.json', 'https://mirror.test/bin/soljson-x.js']);
  });
});

describe('archives of packages', () => {
  it('give the named file only', () => {
    const archive = tarOf('package/soljson.js', 'code');
    expect(Buffer.from(tarEntry(archive, 'package/soljson.js') ?? []).toString()).toBe('code');
    expect(tarEntry(archive, 'soljson.js')).toBeUndefined();
  });
});

describe('compilation', { timeout: 60_000 }, () => {
  const input = { language: 'Solidity', sources: { A: { content: 'contract A {}' } }, settings: {} };

  it('is bounded in memory and time', async () => {
    const compiler = await openCompilerStore(options()).locate('Solidity', '0.8.26+commit.8a97fa7a');
    await expect(compile(compiler, input, { timeoutMs: 60_000, memoryMb: 16 })).rejects.toMatchObject({
      code: 'COMPILER_OUT_OF_MEMORY',
    });
    await expect(compile(compiler, input, { timeoutMs: 1, memoryMb: 1024 })).rejects.toMatchObject({
      code: 'COMPILER_TIMEOUT',
    });
  });

  it('reads no files', async () => {
    const compiler = await openCompilerStore(options()).locate('Solidity', '0.8.26+commit.8a97fa7a');
    const curious = { ...input, sources: { A: { content: 'import "/etc/passwd"; contract A {}' } } };
    const fault = await compile(compiler, curious, { timeoutMs: 60_000, memoryMb: 1024 }).catch(
      (error: unknown) => error,
    );
    expect(fault).toMatchObject({ code: 'COMPILER_FAILED' });
    expect(JSON.stringify((fault as { details: unknown }).details)).toContain('File import callback not supported');
  });

  it.skipIf(process.platform === 'win32')('runs binaries of Vyper', async () => {
    const path = join(folder, 'vyper');
    const script = `let text = '';
process.stdin.on('data', (chunk) => { text += chunk; });
process.stdin.on('end', () => {
  const { sources } = JSON.parse(text);
  if (process.argv[2] !== '--standard-json' || sources.bad) process.exit(3);
  console.log(JSON.stringify({ contracts: Object.fromEntries(Object.keys(sources).map((name) => [name, {}])) }));
});`;
    await writeFile(path, `#!${process.execPath}\n${script}`, { mode: 0o755 });
    const compiler = await openCompilerStore(options({ vyper: new Map([['0.4.0', path]]) })).locate(
      'Vyper',
      '0.4.0+commit.e9db8d9f',
    );
    const bounds = { timeoutMs: 60_000, memoryMb: 1024 };
    expect(await compile(compiler, { sources: { 'a.vy': {} } }, bounds)).toEqual({ contracts: { 'a.vy': {} } });
    await expect(compile(compiler, { sources: { bad: {} } }, bounds)).rejects.toThrow('ended with exit code 3');
    await expect(compile({ ...compiler, path: '/nowhere' }, {}, bounds)).rejects.toMatchObject({
      code: 'COMPILER_FAILED',
    });
  });
});
