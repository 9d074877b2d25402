import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UploadedFile } from '../model.ts';
import { zipOf } from '../testing/zip.fixture.ts';
import { inspect } from './inspect.ts';
import { hashOfText } from './source-index.ts';

const bounds = { entries: 100, bytes: 10_000 };

const SOURCE = 'contract A {}\ncontract B {}\n';

const file = (path: string, content: string | Uint8Array): UploadedFile => ({ path, content: Buffer.from(content) });

const metadataOf = (sources: Record<string, object>, changes: object = {}) => ({
  compiler: { version: '0.8.26+commit.8a97fa7a' },
  language: 'Solidity',
  output: { abi: [{ type: 'constructor', inputs: [{ type: 'uint256', name: 'a' }] }], devdoc: {}, userdoc: {} },
  settings: { compilationTarget: { 'src/A.sol': 'A' } },
  sources,
  version: 1,
  ...changes,
});

const metadata = metadataOf({ 'src/A.sol': { keccak256: hashOfText(SOURCE), urls: ['dweb:/ipfs/Qm'] } });

const recorded = join(import.meta.dirname, '../../../../shared/conformance/verification/session-inputs/own');

describe.skipIf(!existsSync(recorded))('recorded uploads', () => {
  it('have the id that other servers give them', () => {
    const upload = (name: string): UploadedFile => file(name, readFileSync(join(recorded, name)));
    const { contracts } = inspect([upload('storage.metadata.json'), upload('Storage.sol')], bounds);
    expect(contracts).toMatchObject([
      {
        verificationId: '72cbaa117c5f4a522ec0790b8b300ac9de444bd3',
        compiledPath: 'contracts/Storage.sol',
        missing: {},
      },
    ]);
  });
});

describe('inspection of uploads', () => {
  it('finds sources by their hash, whatever their names', () => {
    const { contracts, unused } = inspect(
      [file('a.json', JSON.stringify(metadata)), file('x.txt', SOURCE), file('README.md', 'read me')],
      bounds,
    );
    expect(contracts).toEqual([
      {
        verificationId: expect.stringMatching(/^[0-9a-f]{40}$/),
        language: 'Solidity',
        metadata,
        compilerVersion: '0.8.26+commit.8a97fa7a',
        compiledPath: 'src/A.sol',
        name: 'A',
        found: { 'src/A.sol': SOURCE },
        missing: {},
        invalid: {},
        constructorArguments: [{ type: 'uint256', name: 'a' }],
      },
    ]);
    expect(unused).toEqual(['README.md']);
  });

  it.each([
    ['CRLF', SOURCE.replaceAll('\n', '\r\n')],
    ['a missing line end', SOURCE.trimEnd()],
    ['more line ends', `${SOURCE}\n\n`],
  ])('repairs %s', (_what, changed) => {
    const { contracts, unused } = inspect([file('a.json', JSON.stringify(metadata)), file('A.sol', changed)], bounds);
    expect(contracts[0]?.found).toEqual({ 'src/A.sol': SOURCE });
    expect(unused).toEqual([]);
  });

  it('tells what is missing, and sources in the metadata that are not what it says', () => {
    const wrong = hashOfText('contract C {}');
    const described = metadataOf({
      'src/A.sol': { keccak256: hashOfText('contract D {}'), urls: ['bzz-raw://1'] },
      'src/C.sol': { keccak256: wrong, content: SOURCE },
      'src/E.sol': { keccak256: hashOfText(SOURCE), content: SOURCE },
    });
    const [contract] = inspect([file('a.json', JSON.stringify(described))], bounds).contracts;
    expect(contract?.missing).toEqual({
      'src/A.sol': { keccak256: hashOfText('contract D {}'), urls: ['bzz-raw://1'] },
    });
    expect(contract?.invalid).toMatchObject({
      'src/C.sol': { expectedHash: wrong, calculatedHash: hashOfText(SOURCE) },
    });
    expect(contract?.found).toEqual({ 'src/E.sol': SOURCE });
  });

  it.each([
    ['text in text', JSON.stringify(JSON.stringify(metadata))],
    ['an artifact of Foundry', JSON.stringify({ abi: [], rawMetadata: JSON.stringify(metadata), metadata: {} })],
    ['an artifact of Truffle', JSON.stringify({ contractName: 'A', metadata: JSON.stringify(metadata), source: '' })],
    ['other text', `const x = ${JSON.stringify({ nested: { deep: JSON.stringify(metadata) } })};`],
    [
      'a build of Hardhat',
      JSON.stringify({
        _format: 'hh-sol-build-info-1',
        output: { contracts: { 'src/A.sol': { A: { metadata: JSON.stringify(metadata) } } } },
      }),
    ],
  ])('finds metadata in %s', (_what, text) => {
    const { contracts } = inspect([file('f', text), file('A.sol', SOURCE)], bounds);
    expect(contracts.map(({ name, found }) => [name, found])).toEqual([['A', { 'src/A.sol': SOURCE }]]);
  });

  it('takes the sources out of builds', () => {
    const build = {
      _format: 'hh-sol-build-info-1',
      input: { sources: { 'src/A.sol': { content: SOURCE }, 'src/Z.sol': { content: 'contract Z {}' } } },
      output: { contracts: { 'src/A.sol': { A: { metadata: JSON.stringify(metadata) }, Other: { abi: [] } } } },
    };
    const { contracts, unused } = inspect([file('build.json', JSON.stringify(build))], bounds);
    expect(contracts[0]?.found).toEqual({ 'src/A.sol': SOURCE });
    expect(unused).toEqual(['src/Z.sol']);
  });

  it('counts metadata once, and metadata that can not be used among the unused files', () => {
    const two = metadataOf({}, { settings: { compilationTarget: { a: 'A', b: 'B' } } });
    const { contracts, unused } = inspect(
      [
        file('1.json', JSON.stringify(metadata)),
        file('2.json', JSON.stringify(metadata)),
        file('two.json', JSON.stringify(two)),
      ],
      bounds,
    );
    expect(contracts).toHaveLength(1);
    expect(unused).toEqual(['two.json']);
  });

  it('survives any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(inspect([file('f', text)], bounds)).toEqual({ contracts: [], unused: ['f'] });
      }),
    );
  });
});

describe('archives', () => {
  it('are expanded, without what macOS adds and without ways out', () => {
    const archive = zipOf([
      { name: 'p/meta.json', content: JSON.stringify(metadata) },
      { name: 'p/', content: '' },
      { name: '__MACOSX/p/._A.sol', content: 'x' },
      { name: '../../A.sol', content: SOURCE, stored: true },
      { name: '/etc/notes', content: 'notes' },
    ]);
    const { contracts, unused } = inspect([file('p.zip', archive)], bounds);
    expect(contracts[0]?.found).toEqual({ 'src/A.sol': SOURCE });
    expect(unused).toEqual(['etc/notes']);
  });

  it('are refused when they unpack to too much, whatever they claim', () => {
    const refused = (entries: Parameters<typeof zipOf>[0]) => {
      expect(() => inspect([file('p.zip', zipOf(entries))], bounds)).toThrow(
        expect.objectContaining({ code: 'VERIFICATION_INPUT_INVALID' }),
      );
    };
    refused([{ name: 'bomb', content: Buffer.alloc(10_001), claimed: 10 }]);
    refused([{ name: 'stored', content: Buffer.alloc(10_001), stored: true }]);
    refused([
      { name: 'a', content: Buffer.alloc(6_000) },
      { name: 'b', content: Buffer.alloc(6_000) },
    ]);
    refused(Array.from({ length: 101 }, (_, i) => ({ name: `f${i}`, content: '' })));
  });

  it('are refused when they are damaged, with a reason', () => {
    const archive = zipOf([{ name: 'A.sol', content: SOURCE }]);
    fc.assert(
      fc.property(fc.nat(archive.length - 5), fc.integer({ min: 1, max: 255 }), (at, change) => {
        const damaged = Buffer.from(archive);
        damaged[at + 4] = (damaged[at + 4] ?? 0) ^ change;
        try {
          inspect([file('p.zip', damaged)], bounds);
        } catch (fault) {
          expect(fault).toMatchObject({ code: 'VERIFICATION_INPUT_INVALID' });
        }
      }),
    );
    expect(() => inspect([file('p.zip', archive.subarray(0, 40))], bounds)).toThrow(
      'Error while unzipping p.zip: it has no list of its files',
    );
  });
});
