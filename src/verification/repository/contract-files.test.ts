import { expect, it } from 'vitest';
import type { StoredContract } from '../model.ts';
import { contractFiles } from './contract-files.ts';

const storedWith = (paths: readonly string[]): StoredContract => ({
  chainId: '298',
  address: '0xb35b8b030a4BC592Ea8ccf3684512CE083f108dC',
  matchId: '1',
  runtimeMatch: 'perfect',
  creationMatch: null,
  verifiedAt: new Date(0),
  details: {
    target: {
      compilerVersion: '0.8.26+commit.8a97fa7a',
      input: {
        language: 'Solidity',
        sources: Object.fromEntries(paths.map((path) => [path, { content: path }])),
        settings: {},
      },
      path: paths[0] ?? '',
      name: 'A',
    },
    abi: [],
    compilationTimeMs: 1,
    recompiledRuntimeBytecode: '0x',
    recompiledCreationBytecode: '0x',
    transformations: {
      runtime: { list: [], values: {} },
      creation: { list: [], values: { constructorArguments: '0x2a' } },
    },
    libraryMap: { __$4ebf35e45fbfef564ef83b2cbcb510a84c$__: '39c2540cc64c8562269200ee459dc2853aab9d87' },
    immutableReferences: { 30: [{ length: 32, start: 145 }] },
  },
});

it('keeps sources below their folder, whatever their names are', () => {
  const files = contractFiles(storedWith(['project:/contracts/A.sol', '../../etc/passwd', '/abs/B.sol', 'a\nb.sol']));
  expect(files.map(({ path }) => path)).toEqual([
    'sources/project:/contracts/A.sol',
    'sources/etc/passwd',
    'sources/abs/B.sol',
    'sources/ab.sol',
    'constructor-args.txt',
    'library-map.json',
    'immutable-references.json',
    'path-translation.json',
  ]);
  expect(JSON.parse(files.at(-1)?.content ?? '')).toEqual({
    '../../etc/passwd': 'etc/passwd',
    '/abs/B.sol': 'abs/B.sol',
    'a\nb.sol': 'ab.sol',
  });
});

it('leaves out what there is nothing of', () => {
  const stored = storedWith(['A.sol']);
  const details = { ...stored.details, libraryMap: {}, immutableReferences: {} };
  expect(contractFiles({ ...stored, details }).map(({ path }) => path)).toEqual([
    'sources/A.sol',
    'constructor-args.txt',
  ]);
});
