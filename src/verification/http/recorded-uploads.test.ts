/** Uploads that were recorded with other servers, and what those answered. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspect } from '../inputs/inspect.ts';
import type { UploadedFile } from '../model.ts';
import { insertBlock, insertContract, insertTransaction, VERSION } from '../testing/deployment.fixture.ts';
import { type LedgerServer, serveLedger } from './testing/ledger-server.fixture.ts';
import type { Visitor } from './testing/verification-server.fixture.ts';

const folder = join(import.meta.dirname, '../../../../shared/conformance/verification/session-inputs');
const bounds = { entries: 10_000, bytes: 128 * 1024 * 1024 };

const text = (name: string): string => readFileSync(join(folder, name), 'utf8');
const uploads = (...names: readonly string[]): UploadedFile[] =>
  names.map((name) => ({ path: name, content: readFileSync(join(folder, name)) }));
const allOf = (name: string): UploadedFile[] =>
  uploads(...readdirSync(join(folder, name)).map((file) => `${name}/${file}`));

const described = (files: readonly UploadedFile[]) => {
  const { contracts, unused } = inspect(files, bounds);
  const shown = contracts.map(({ name, compilerVersion, found, missing, invalid }) => {
    expect(invalid).toEqual({});
    return `${name} ${compilerVersion.split('+')[0]} ${Object.keys(found).length}/${Object.keys(missing).length}`;
  });
  return { contracts: shown, unused };
};

describe.skipIf(!existsSync(folder))('recorded files', () => {
  it('of builds describe contracts with all their sources', () => {
    expect(described(uploads('output.json'))).toEqual({
      contracts: [
        'Ownable 0.8.6 2/0',
        'ERC20 0.8.6 4/0',
        'IERC20 0.8.6 1/0',
        'IERC20Metadata 0.8.6 2/0',
        'Context 0.8.6 1/0',
        'MyToken 0.8.6 6/0',
      ],
      unused: [],
    });
    const only = described(uploads('extraFilesBytecodeMismatch-onlyMetadata.json'));
    expect(only).toEqual({ contracts: ['LendingPool 0.6.12 30/0'], unused: [] });
    const all = described(uploads('extraFilesBytecodeMismatch.json'));
    expect([all.contracts, all.unused.length]).toEqual([['LendingPool 0.6.12 30/0'], 61]);
  });

  it('of an archive are artifacts with metadata as text, sources, and the rest of a project', () => {
    const { contracts, unused } = described(uploads('truffle-example.zip'));
    expect(contracts).toEqual(['MetaCoin 0.5.16 2/0', 'Migrations 0.5.16 1/0', 'ConvertLib 0.5.16 1/0']);
    expect(unused).toContain('truffle-example/truffle-config.js');
    expect(unused).toHaveLength(7);
  });

  it('of every form of metadata find their sources by hash', () => {
    expect(described(allOf('metadata-variants'))).toEqual({
      contracts: [
        'ChildContract 0.8.1 2/0',
        'Library 0.6.0 1/0',
        'Simple 0.6.0 1/0',
        'Simple 0.6.0 1/0',
        'Simple 0.6.0 1/0',
        'SimpleWithImport 0.6.0 2/0',
        'RandomNumberConsumer 0.6.6 7/0',
        'Contract 0.7.0 1/0',
      ],
      unused: [],
    });
    expect(described(allOf('two-sources'))).toEqual({ contracts: ['ChildContract 0.8.1 2/0'], unused: [] });
    const alone = described(uploads('metadata-variants/simpleWithImport.meta.json'));
    expect(alone.contracts).toEqual(['SimpleWithImport 0.6.0 0/2']);
    expect(described(uploads('metadata-variants/simple.literal.meta.json')).contracts).toEqual(['Simple 0.6.0 1/0']);
  });

  it('without metadata describe nothing', () => {
    expect(described(uploads('StorageJsonInput.json', 'own/addr.json'))).toEqual({
      contracts: [],
      unused: ['StorageJsonInput.json', 'own/addr.json'],
    });
  });
});

interface Recorded {
  readonly contracts: Readonly<Record<string, { readonly runtime: string }>>;
  readonly txs: Readonly<
    Record<string, { readonly data: string; readonly block: number; readonly contractAddress: string }>
  >;
}

const bytes = (hex: string): Buffer => Buffer.from(hex.replace(/^0x/, ''), 'hex');
const STORAGE = '0x8F7a45eBDe059392E46A46DCc14AB24681A961Ea';
const SAME_STORAGE = '0x15452EC016c4dc8c549E7fe6Ff4b26324Ea8b7A4';
const LIBRARY = '0x39c2540Cc64C8562269200ee459DC2853aAB9d87';
const IMMUTABLES = '0xb35b8b030a4BC592Ea8ccf3684512CE083f108dC';
const NONE = '0x2222222222222222222222222222222222222222';

describe.skipIf(!existsSync(folder))('recorded sessions', { timeout: 120_000 }, () => {
  let server: LedgerServer;
  beforeAll(async () => {
    server = await serveLedger();
    const { contracts, txs } = JSON.parse(text('own/state.json')) as Recorded;
    let id = 2000;
    for (const [hash, { data, block, contractAddress }] of Object.entries(txs)) {
      id++;
      const created = BigInt(block) * 1_000_000_000n;
      await insertBlock(server.database, block, created - 10n, created + 10n);
      await insertContract(server.database, {
        id,
        created,
        evmAddress: bytes(contractAddress),
        runtime: bytes(contracts[contractAddress.toLowerCase()]?.runtime ?? ''),
        initcode: bytes(data),
      });
      await insertTransaction(server.database, { at: created, hash: Buffer.concat([bytes(hash), Buffer.alloc(16)]) });
    }
  }, 120_000);
  afterAll(() => server?.close());

  const file = (name: string): string => text(`own/${name}`);
  const upload = (visitor: Visitor, files: Readonly<Record<string, string>>) =>
    visitor.post('/session/input-files', { body: { files } });
  const check = async (visitor: Visitor, contracts: readonly object[], query = '') =>
    (await visitor.post(`/session/verify-checked${query}`, { body: { contracts } })).json;
  const claim = (verificationId: string, address: string) => ({ verificationId, address, chainId: '298' });

  it('verify a contract with immutables, a library and constructor arguments', async () => {
    const visitor = server.visitor();
    const first = await upload(visitor, { 'Dep.sol': file('Dep.sol'), 'imm.json': file('imm.metadata.json') });
    const id = '2f5d90cb5675f53155b96e00da4bf2da153bd904';
    expect(first.json).toEqual({
      contracts: [
        {
          verificationId: id,
          constructorArgumentsArray: [{ internalType: 'uint256', name: 'x', type: 'uint256' }],
          compiledPath: 'contracts/Imm.sol',
          name: 'Imm',
          compilerVersion: VERSION,
          files: { found: ['contracts/Dep.sol'], missing: ['contracts/Imm.sol'], invalid: {} },
          status: 'error',
        },
      ],
      unused: [],
      files: ['Dep.sol', 'imm.json'],
    });
    await upload(visitor, { 'Imm.sol': file('Imm.sol'), 'README.md': 'hello' });
    const statusAt = async (address: string, query = '') => {
      const { contracts, unused } = await check(visitor, [claim(id, address)], query);
      expect(unused).toEqual(['README.md']);
      return [contracts[0].address, contracts[0].status, contracts[0].statusMessage];
    };
    expect(await statusAt(NONE)).toEqual([NONE, 'error', `Chain #298 does not have a contract deployed at ${NONE}.`]);
    expect(await statusAt(STORAGE)).toEqual([
      STORAGE,
      'error',
      "The recompiled bytecode length doesn't match the onchain bytecode length.",
    ]);
    expect(await statusAt(IMMUTABLES, '?dryrun=true')).toEqual([IMMUTABLES, 'perfect', undefined]);
    expect((await visitor.get(`/files/any/298/${IMMUTABLES}`)).status).toBe(404);
    expect(await statusAt(IMMUTABLES)).toEqual([IMMUTABLES, 'perfect', undefined]);
    const { json } = await visitor.get(`/files/298/${IMMUTABLES.toLowerCase()}`);
    const contents = Object.fromEntries(json.map((one: { name: string; content: string }) => [one.name, one.content]));
    expect(contents).toEqual({
      'Dep.sol': file('Dep.sol'),
      'Imm.sol': file('Imm.sol'),
      'metadata.json': file('imm.metadata.json').trimEnd(),
      'constructor-args.txt': `0x${'2a'.padStart(64, '0')}`,
      'creator-tx-hash.txt': `0x${'4'.padStart(64, '0')}`,
      'library-map.json': '{"__$4ebf35e45fbfef564ef83b2cbcb510a84c$__":"39c2540cc64c8562269200ee459dc2853aab9d87"}',
      'immutable-references.json': '{"30":[{"length":32,"start":145},{"length":32,"start":269}]}',
    });
  });

  it('tell two contracts that differ by a comment, and take the better one', async () => {
    const visitor = server.visitor();
    const { json } = await upload(visitor, {
      'a.json': file('storage.metadata.json'),
      'b.json': file('storageMod.metadata.json'),
      'Storage.sol': file('Storage.sol'),
      'StorageMod.sol': file('StorageMod.sol'),
    });
    const ids = ['72cbaa117c5f4a522ec0790b8b300ac9de444bd3', '68886e5a8c248bddff49f138ef1b1f5d01d81fed'] as const;
    expect(json.contracts.map((one: { verificationId: string }) => one.verificationId)).toEqual(ids);
    const statuses = async (index: 0 | 1) => {
      const { contracts } = await check(visitor, [claim(ids[index], SAME_STORAGE)]);
      return contracts.map((one: { status: string }) => one.status);
    };
    expect(await statuses(1)).toEqual(['error', 'partial']);
    expect(await statuses(1)).toEqual(['error', 'error']);
    const tree = await visitor.get(`/files/tree/any/298/${SAME_STORAGE}`);
    expect([tree.json.status, tree.json.files.length]).toEqual(['partial', 3]);
    expect(await statuses(0)).toEqual(['perfect', 'error']);
    expect((await visitor.get(`/files/tree/any/298/${SAME_STORAGE}`)).json.status).toBe('full');
  });

  it('verify a library, by its metadata and in one request', async () => {
    const body = {
      address: LIBRARY,
      chainId: '298',
      files: { 'm.json': file('lib.metadata.json'), d: file('Dep.sol') },
    };
    const [result] = (await server.visitor().post('/verify', { body })).json.result;
    expect(result).toMatchObject({
      address: LIBRARY,
      contractName: 'LIB',
      runtimeTransformations: [{ type: 'replace', reason: 'callProtection', offset: 1 }],
      runtimeTransformationValues: { callProtection: LIBRARY.toLowerCase() },
      creatorTxHash: `0x${'3'.padStart(64, '0')}`,
      blockNumber: 5,
      status: 'perfect',
    });
  });

  it('verify standard JSON, in a session and as a job', async () => {
    const visitor = server.visitor();
    const standard = file('storage.stdjson');
    const body = { files: { 'in.json': standard }, compilerVersion: VERSION };
    const { json } = await visitor.post('/session/input-solc-json', { body });
    expect(json.files).toEqual(['contracts/Storage.sol-metadata.json', 'contracts/Storage.sol']);
    const { contracts } = await check(visitor, [claim(json.contracts[0].verificationId, STORAGE)], '?dryrun=true');
    expect(contracts[0].status).toBe('perfect');
    const started = await visitor.post(`/v2/verify/298/${STORAGE}`, {
      body: {
        stdJsonInput: JSON.parse(standard),
        compilerVersion: VERSION,
        contractIdentifier: 'contracts/Storage.sol:Storage',
      },
    });
    const job = async () => (await visitor.get(`/v2/verify/${started.json.verificationId}`)).json;
    await expect.poll(async () => (await job()).isJobCompleted, { timeout: 60_000 }).toBe(true);
    expect((await job()).contract).toMatchObject({ match: 'exact_match', creationMatch: 'exact_match' });
    const fields = 'creationBytecode.cborAuxdata,deployment,sourceIds';
    expect((await visitor.get(`/v2/contract/298/${STORAGE}?fields=${fields}`)).json).toMatchObject({
      creationBytecode: { cborAuxdata: { 1: { offset: 298 } } },
      deployment: { transactionHash: `0x${'1'.padStart(64, '0')}`, blockNumber: '3' },
      sourceIds: { 'contracts/Storage.sol': { id: 0 } },
    });
  });
});
