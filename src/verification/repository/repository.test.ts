import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { openMirroredChain } from '../chain/mirrored-chain.ts';
import { openRpcChain } from '../chain/rpc-chain.ts';
import type { Match, VerificationResult } from '../model.ts';
import { insertContract } from '../testing/deployment.fixture.ts';
import type { Repository } from '../verifier.ts';
import { contractFiles, sanitizedPath } from './contract-files.ts';
import { openFileRepository } from './file-repository.ts';
import { isImprovement } from './match-order.ts';
import { openRepository, rebuildFiles } from './repository.ts';

const network = { chainId: '298', name: 'testing', shard: 0n, realm: 0n };
const CODE = `0x${'60'.repeat(80)}`;

let test: TestDatabase;
let folder: string;
let repository: Repository;

beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(() => test.drop());

beforeEach(async () => {
  const { database } = test;
  await database.query('truncate kagami.verified_contract, kagami.verified_source, entity, contract cascade');
  folder = mkdtempSync(join(tmpdir(), 'kagami-repository-'));
  const chains = [
    openMirroredChain(database, network),
    openRpcChain({ chainId: '1', name: 'other', rpc: [], fetchUrl: () => Promise.reject(new Error('no network')) }),
  ];
  repository = openRepository({
    database,
    chains: new Map(chains.map((chain) => [chain.chainId, chain])),
    files: openFileRepository(folder),
  });
  await insertContract(database, { id: 1001, created: 5n, evmAddress: Buffer.alloc(20, 0xa1), runtime: null });
  return () => rmSync(folder, { recursive: true });
});

const address = `0x${'a1'.repeat(20)}`;
const SHOWN = '0xA1A1a1a1A1A1A1A1A1a1a1a1a1a1A1A1a1A1a1a1';

const resultWith = (
  runtimeMatch: Match,
  creationMatch: Match,
  sources: Record<string, string> = { 'A.sol': 'contract A {}' },
  contract = { chainId: '298', address },
): VerificationResult => ({
  ...contract,
  runtimeMatch,
  creationMatch,
  details: {
    target: {
      compilerVersion: '0.8.26+commit.8a97fa7a',
      input: {
        language: 'Solidity',
        sources: Object.fromEntries(Object.entries(sources).map(([path, content]) => [path, { content }])),
        settings: { optimizer: { enabled: true, runs: 200 } },
      },
      path: 'A.sol',
      name: 'A',
    },
    metadata: { version: 1, compiler: { version: 'x' }, a: 'nul \0 and lone \ud800' },
    abi: [],
    compilationTimeMs: 12,
    onchainRuntimeBytecode: CODE,
    recompiledRuntimeBytecode: CODE,
    recompiledCreationBytecode: CODE,
    transformations: {
      runtime: { list: [], values: {} },
      creation: { list: [], values: { constructorArguments: '0x2a' } },
    },
    libraryMap: {},
    immutableReferences: { '7': [{ length: 32, start: 4 }] },
    deployment: { transactionHash: '0xfeed' },
  },
});

describe('the repository', () => {
  it('keeps the better match', async () => {
    const first = await repository.store(resultWith('partial', null));
    expect(first).toMatchObject({ stored: true, contract: { address: SHOWN, runtimeMatch: 'partial' } });
    expect(await repository.store(resultWith('partial', null))).toMatchObject({ stored: false });
    const better = await repository.store(resultWith('perfect', 'perfect', { 'B.sol': 'contract B {}' }));
    expect(better).toMatchObject({ stored: true, contract: { runtimeMatch: 'perfect', creationMatch: 'perfect' } });
    expect(await repository.store(resultWith('perfect', 'partial'))).toMatchObject({
      stored: false,
      existing: { creationMatch: 'perfect' },
    });
    const found = await repository.find({ chainId: '298', address });
    expect(found?.details).toEqual(resultWith('perfect', 'perfect', { 'B.sol': 'contract B {}' }).details);
    expect(await repository.count({ chainId: '298', match: 'full' })).toBe(1);
    expect(await repository.count({ chainId: '298', match: 'partial' })).toBe(0);
  });

  it('writes one match when several come at once', async () => {
    const outcomes = await Promise.all(Array.from({ length: 4 }, () => repository.store(resultWith('perfect', null))));
    expect(outcomes.filter(({ stored }) => stored)).toHaveLength(1);
  });

  it('refuses results without a match', async () => {
    await expect(repository.store(resultWith(null, null))).rejects.toMatchObject({
      code: 'VERIFICATION_INPUT_INVALID',
    });
  });

  it('does not take a new contract at the address for the old one', async () => {
    await repository.store(resultWith('perfect', null));
    const { database } = test;
    await database.query('update entity set deleted = true where id = 1001');
    expect(await repository.find({ chainId: '298', address })).toBeDefined();
    await insertContract(database, { id: 1002, created: 9n, evmAddress: Buffer.alloc(20, 0xa1), runtime: null });
    expect(await repository.find({ chainId: '298', address })).toBeUndefined();
    expect((await repository.store(resultWith('partial', null))).stored).toBe(true);
    expect(await repository.find({ chainId: '298', address })).toMatchObject({ runtimeMatch: 'partial' });
    const old = await repository.find({ chainId: '298', address: `0x${(1001).toString(16).padStart(40, '0')}` });
    expect(old).toMatchObject({ runtimeMatch: 'perfect' });
  });

  it('shares sources and lists contracts in both orders, page by page', async () => {
    for (const id of [2001, 2002, 2003]) {
      await insertContract(test.database, { id, created: BigInt(id), evmAddress: null, runtime: null });
      const contract = { chainId: '298', address: `0x${id.toString(16).padStart(40, '0')}` };
      await repository.store(resultWith(id === 2002 ? 'partial' : 'perfect', null, undefined, contract));
    }
    await repository.store(resultWith('perfect', null, undefined, { chainId: '1', address }));
    expect(await test.database.query('select count(*)::int as n from kagami.verified_source')).toEqual([{ n: 1 }]);
    const query = { chainId: '298', match: 'any', order: 'desc', limit: 2 } as const;
    const first = await repository.list(query);
    expect(first.map((one) => one.address.slice(-3).toLowerCase())).toEqual(['7d3', '7d2']);
    const rest = await repository.list({ ...query, after: String(first.at(-1)?.matchId) });
    expect(rest.map((one) => one.address.slice(-3).toLowerCase())).toEqual(['7d1']);
    expect(await repository.list({ ...query, match: 'partial', order: 'asc' })).toHaveLength(1);
    expect(
      (await repository.list({ ...query, order: 'asc', offset: 1 })).map(({ runtimeMatch }) => runtimeMatch),
    ).toEqual(['partial', 'perfect']);
    expect(await repository.findOnAllChains(address)).toMatchObject([{ chainId: '1', address: SHOWN }]);
    const alike = await repository.similar(`${CODE.slice(0, 152)}ffff`);
    expect(alike.map(({ runtimeMatch }) => runtimeMatch)).toEqual(['perfect', 'perfect', 'perfect', 'partial']);
    expect(await repository.similar(`0x${'61'.repeat(80)}`)).toEqual([]);
  });

  it('keeps files in the layout that tools know, and can write them anew', async () => {
    await repository.store(resultWith('partial', null));
    const partial = join(folder, 'contracts/partial_match/298', SHOWN);
    expect(existsSync(partial)).toBe(true);
    await repository.store(
      resultWith('perfect', null, { '../../A.sol': 'contract A {}', 'a\n/b.sol': 'contract B {}' }),
    );
    expect(existsSync(partial)).toBe(false);
    const full = join(folder, 'contracts/full_match/298', SHOWN);
    const expected = {
      'constructor-args.txt': '0x2a',
      'creator-tx-hash.txt': '0xfeed',
      'immutable-references.json': '{"7":[{"length":32,"start":4}]}',
      'path-translation.json': '{"../../A.sol":"A.sol","a\\n/b.sol":"a/b.sol"}',
      'sources/A.sol': 'contract A {}',
      'sources/a/b.sol': 'contract B {}',
    };
    for (const [path, content] of Object.entries(expected))
      expect(readFileSync(join(full, path), 'utf8')).toBe(content);
    const files = readdirSync(full).sort();
    rmSync(join(folder, 'contracts'), { recursive: true });
    expect(await rebuildFiles(repository, ['298', '1'], openFileRepository(folder))).toBe(1);
    expect(readdirSync(full).sort()).toEqual(files);
  });

  it('notices sources that were changed behind its back', async () => {
    await repository.store(resultWith('perfect', null));
    await test.database.query("update kagami.verified_source set content = 'contract Evil {}'");
    await expect(repository.find({ chainId: '298', address })).rejects.toThrow('A.sol has been changed');
  });
});

describe('matches', () => {
  const match = fc.constantFrom<Match>('perfect', 'partial', null);
  const matches = fc.record({ runtimeMatch: match, creationMatch: match });

  it('improve in one way only', () => {
    fc.assert(
      fc.property(matches, matches, (a, b) => {
        expect(isImprovement(a, a)).toBe(false);
        expect(isImprovement(a, b) && isImprovement(b, a)).toBe(false);
      }),
    );
    const partial = { runtimeMatch: 'partial', creationMatch: 'partial' } as const;
    expect(isImprovement({ runtimeMatch: 'perfect', creationMatch: null }, partial)).toBe(false);
    expect(isImprovement({ runtimeMatch: 'perfect', creationMatch: 'partial' }, partial)).toBe(true);
  });
});

describe('paths of sources', () => {
  it('stay as they are when they are harmless', () => {
    expect(sanitizedPath('project:/contracts/Storage.sol')).toBe('project:/contracts/Storage.sol');
    expect(sanitizedPath('/root/../../etc/./passwd')).toBe('etc/passwd');
    expect(sanitizedPath('contracts/a/../b//B.sol')).toBe('contracts/b/B.sol');
    expect(sanitizedPath('../../a\n\\b.sol')).toBe('a/b.sol');
    expect(sanitizedPath('..')).toBe('source');
  });

  it('never leave the folder, and never meet', () => {
    const name = fc.array(fc.constantFrom('a', 'b', '..', '.', '', '\n', '\\', 'a\n'), { minLength: 1 });
    fc.assert(
      fc.property(fc.uniqueArray(name.map((parts) => parts.join('/'))), (names) => {
        const sources = Object.fromEntries(names.map((path) => [path, 'contract A {}']));
        const { details } = resultWith('perfect', null, sources);
        const stored = { ...resultWith('perfect', null), matchId: '1', verifiedAt: new Date(0), details };
        const paths = contractFiles(stored as Parameters<typeof contractFiles>[0])
          .map(({ path }) => path)
          .filter((path) => path.startsWith('sources/'));
        expect(new Set(paths).size).toBe(Object.keys(sources).length);
        expect(paths.filter((path) => path.split('/').includes('..'))).toEqual([]);
        expect(paths.filter((path) => paths.some((other) => other.startsWith(`${path}/`)))).toEqual([]);
      }),
    );
  });
});
