import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadSettings } from '../config/load.ts';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import type { CompilationTarget } from './model.ts';
import { openVerifier } from './open-verifier.ts';
import {
  type Compiled,
  compileForTest,
  construct,
  insertBlock,
  insertContract,
  insertTransaction,
  solidityInput,
  VERSION,
} from './testing/deployment.fixture.ts';
import type { Verifier } from './verifier.ts';

const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;

library Sum {
  function of2(uint256 a, uint256 b) public pure returns (uint256) { return a + b; }
}

contract Vault {
  uint256 public immutable limit;
  address public owner;

  constructor(uint256 limit_, address owner_) {
    limit = limit_;
    owner = owner_;
  }

  function total(uint256 more) public view returns (uint256) { return Sum.of2(limit, more); }
}

contract Plain {
  uint256 public value;
  function set(uint256 next) public { value = next; }
}
`;

const PATH = 'contracts/All.sol';
const input = solidityInput({ [PATH]: SOURCE });
const target = (name: string, source = SOURCE): CompilationTarget => ({
  compilerVersion: `v${VERSION}`,
  input: solidityInput({ [PATH]: source }),
  path: PATH,
  name,
});

const ARGUMENTS = `${'0'.repeat(62)}2a${'0'.repeat(24)}${'ab'.repeat(20)}`;
const CREATED = 1_700_000_000_000_000_000n;
const chainId = '298';
const hex = (bytes: Buffer): string => `0x${bytes.toString('hex')}`;
const longZero = (id: number): string => `0x${id.toString(16).padStart(40, '0')}`;

let test: TestDatabase;
let verifier: Verifier;
let folder: string;
let plain: Compiled;
let vaultCreation: string;
const addresses: Record<'library' | 'vault' | 'child', Buffer> = {
  library: Buffer.alloc(0),
  vault: Buffer.alloc(20, 0xda),
  child: Buffer.alloc(20, 0xcd),
};

beforeAll(async () => {
  test = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'kagami-verifier-'));
  const { database } = test;
  const { settings } = loadSettings({ cwd: folder, env: {}, readFile: () => undefined });
  const { verification } = settings.kagami;
  verifier = openVerifier({
    database,
    network: { chainId, name: 'testing', shard: 0n, realm: 0n },
    settings: {
      ...verification,
      compilers: { ...verification.compilers, download: false },
      chains: [{ chainId: '1234', name: 'gone', rpc: ['http://127.0.0.1:9'], explorer: '', explorerKey: '' }],
      repository: { folder: join(folder, 'repository') },
    },
    compilersFolder: join(folder, 'compilers'),
  });

  const compiled = await compileForTest(input);
  plain = compiled.get(`${PATH}:Plain`) as Compiled;
  await insertBlock(database, 7, CREATED - 10n, CREATED + 100n);

  // A ContractCreate with inline code, without an EVM address of its own.
  const { runtime } = await construct(plain.creation);
  await insertContract(database, {
    id: 2001,
    created: CREATED,
    evmAddress: null,
    runtime,
    initcode: Buffer.from(plain.creation.slice(2), 'hex'),
  });
  await insertTransaction(database, { at: CREATED, hash: Buffer.alloc(48, 1), index: 3 });

  const library = await construct(compiled.get(`${PATH}:Sum`)?.creation ?? '');
  addresses.library = library.address;
  await insertContract(database, {
    id: 2002,
    created: CREATED + 1n,
    evmAddress: library.address,
    runtime: library.runtime,
  });

  // A ContractCreate with code in a file: hex digits there, arguments in the transaction.
  const unlinked = compiled.get(`${PATH}:Vault`)?.creation ?? '';
  const linked = unlinked.replaceAll(/__\$[0-9a-f]{34}\$__/g, library.address.toString('hex'));
  vaultCreation = `${linked}${ARGUMENTS}`;
  const vault = await construct(vaultCreation);
  const created = CREATED + 2n;
  await insertContract(database, {
    id: 2003,
    created,
    evmAddress: addresses.vault,
    runtime: vault.runtime,
    fileId: 1500,
  });
  await insertTransaction(database, { at: created, hash: Buffer.alloc(48, 2) });
  const half = Math.floor(linked.length / 2);
  await database.query(
    `insert into file_data (file_data, consensus_timestamp, entity_id, transaction_type)
     values ($1, 10, 1500, 17), ($2, 11, 1500, 16), ($3, $4, 1500, 19)`,
    [Buffer.from(linked.slice(0, half)), Buffer.from(linked.slice(half)), Buffer.from('6001'), created + 1n],
  );
  await database.query(
    `insert into contract_result (function_parameters, gas_limit, consensus_timestamp, contract_id, payer_account_id,
       transaction_result) values ($1, 1000, $2, 2003, 1001, 22)`,
    [Buffer.from(ARGUMENTS, 'hex'), created],
  );

  // Made by a factory that an Ethereum transaction called; the sidecar has its code.
  await insertContract(database, {
    id: 2004,
    created: CREATED + 11n,
    evmAddress: addresses.child,
    runtime,
    initcode: Buffer.from(plain.creation.slice(2), 'hex'),
  });
  await insertTransaction(database, { at: CREATED + 10n, hash: Buffer.alloc(48, 3), payer: 1002 });
  await insertTransaction(database, { at: CREATED + 11n, hash: Buffer.alloc(48, 4), parent: CREATED + 10n });
  await database.query(
    `insert into ethereum_transaction (consensus_timestamp, data, call_data, gas_limit, hash, max_gas_allowance, nonce,
       payer_account_id, signature_r, signature_s, to_address, type) values ($1, '', $2, 1, $3, 0, 0, 1002, '', '', $4, 2)`,
    [CREATED + 10n, Buffer.from('c0ffee', 'hex'), Buffer.alloc(32, 9), Buffer.alloc(20, 5)],
  );
  await database.query(
    `insert into contract_transaction_hash (consensus_timestamp, hash, payer_account_id, entity_id, transaction_result)
     values ($1, $2, 1002, 2004, 22)`,
    [CREATED + 10n, Buffer.alloc(32, 9)],
  );
}, 120_000);

afterAll(async () => {
  await verifier.close();
  await test.drop();
  rmSync(folder, { recursive: true });
});

describe('verification against the mirrored network', { timeout: 120_000 }, () => {
  it('finds an exact match and how the contract was created', async () => {
    const address = '0x00000000000000000000000000000000000007D1';
    const result = await verifier.verify({ chainId, address: longZero(2001), target: target('Plain') });
    expect(result.failure).toBeUndefined();
    expect(result).toMatchObject({ address, runtimeMatch: 'perfect', creationMatch: 'perfect' });
    expect(result.details?.deployment).toEqual({
      transactionHash: hex(Buffer.alloc(32, 1)),
      blockNumber: '7',
      transactionIndex: '3',
      deployer: '0x00000000000000000000000000000000000003e9',
    });
    expect(result.details?.onchainCreationBytecode).toBe(plain.creation);

    const outcome = await verifier.repository.store(result);
    expect(outcome.stored).toBe(true);
    const found = await verifier.repository.find({ chainId, address });
    expect(found).toMatchObject({ chainId, address, runtimeMatch: 'perfect', creationMatch: 'perfect' });
    expect(found?.details).toEqual(result.details);
    // What was compiled carries the hash in the code only if it is kept to the letter.
    expect(JSON.stringify(found?.details.metadata)).toBe(plain.metadata);
  });

  it('finds a partial match when a comment differs, and none when the code does', async () => {
    const address = longZero(2001);
    const commented = await verifier.verify({ chainId, address, target: target('Plain', `${SOURCE}// more`) });
    expect(commented).toMatchObject({ runtimeMatch: 'partial', creationMatch: 'partial' });
    expect(commented.details?.transformations.runtime.list).toMatchObject([{ type: 'replace', reason: 'cborAuxdata' }]);
    expect(await verifier.repository.store(commented)).toMatchObject({
      stored: false,
      existing: { runtimeMatch: 'perfect' },
    });

    const changed = SOURCE.replace('value = next', 'value = next + 1');
    const result = await verifier.verify({ chainId, address, target: target('Plain', changed) });
    expect(result).toMatchObject({
      runtimeMatch: null,
      creationMatch: null,
      failure: {
        code: 'bytecode_length_mismatch',
        message: "The recompiled bytecode length doesn't match the onchain bytecode length.",
      },
    });
  });

  it('finds immutables, libraries and arguments of a contract whose code came from a file', async () => {
    const result = await verifier.verify({ chainId, address: hex(addresses.vault), target: target('Vault') });
    expect(result).toMatchObject({ runtimeMatch: 'perfect', creationMatch: 'perfect' });
    const { transformations, libraryMap, onchainCreationBytecode } = result.details ?? {};
    expect(onchainCreationBytecode).toBe(vaultCreation);
    expect(transformations?.creation.values.constructorArguments).toBe(`0x${ARGUMENTS}`);
    expect(Object.values(transformations?.runtime.values.immutables as object)).toEqual([
      `0x${ARGUMENTS.slice(0, 64)}`,
    ]);
    expect(transformations?.runtime.values.libraries).toEqual({ [`${PATH}:Sum`]: hex(addresses.library) });
    expect(Object.values(libraryMap ?? {})).toEqual([addresses.library.toString('hex')]);
    // Both addresses name the same contract.
    expect((await verifier.repository.store(result)).stored).toBe(true);
    const found = await verifier.repository.find({ chainId, address: longZero(2003) });
    expect(found?.address.toLowerCase()).toBe(hex(addresses.vault));
  });

  it('matches a library, which has its own address in its code', async () => {
    const result = await verifier.verify({ chainId, address: hex(addresses.library), target: target('Sum') });
    expect(result).toMatchObject({ runtimeMatch: 'perfect', creationMatch: null });
    expect(result.details?.transformations.runtime.values.callProtection).toBe(hex(addresses.library));
    expect(result.details?.deployment).toBeUndefined();
  });

  it('matches what a factory made, by upload with other line ends, and names the Ethereum transaction', async () => {
    const { contracts, unused } = await verifier.inspect([
      { path: 'Plain.json', content: Buffer.from(plain.metadata) },
      { path: 'All.sol', content: Buffer.from(SOURCE.replaceAll('\n', '\r\n')) },
      { path: 'README.md', content: Buffer.from('# Read me') },
    ]);
    expect(unused).toEqual(['README.md']);
    expect(contracts).toMatchObject([{ name: 'Plain', found: { [PATH]: SOURCE }, missing: {} }]);
    const [candidate] = contracts;
    if (candidate === undefined) throw new Error('no contract');
    const address = hex(addresses.child);
    const named = hex(Buffer.alloc(32, 9));
    const result = await verifier.verify({ chainId, address, target: candidate, creatorTransaction: named });
    expect(result).toMatchObject({ runtimeMatch: 'perfect', creationMatch: 'perfect' });
    expect(result.details?.deployment).toMatchObject({ transactionHash: named, blockNumber: '7' });
  });

  it('repairs line ends of standard JSON, and takes no transaction for the creation that was not', async () => {
    const windows = target('Plain', SOURCE.replaceAll('\n', '\r\n'));
    const creatorTransaction = hex(Buffer.alloc(32, 9));
    const result = await verifier.verify({ chainId, address: longZero(2001), target: windows, creatorTransaction });
    expect(result).toMatchObject({ runtimeMatch: 'perfect', creationMatch: null });
    expect(result.details?.target.input.sources[PATH]?.content).toBe(SOURCE);
    expect(result.details?.deployment).toBeUndefined();
  });

  it('says why it can not compare', async () => {
    const nobody = await verifier.verify({ chainId, address: longZero(9999), target: target('Plain') });
    expect(nobody.failure).toEqual({
      code: 'contract_not_deployed',
      message: 'Chain #298 does not have a contract deployed at 0x000000000000000000000000000000000000270f.',
    });
    const address = longZero(2001);
    expect((await verifier.verify({ chainId: '1234', address, target: target('Plain') })).failure).toEqual({
      code: 'cannot_fetch_bytecode',
      message: 'Cannot fetch bytecode for chain #1234 and address 0x00000000000000000000000000000000000007D1.',
    });
    const old = { ...target('Plain'), compilerVersion: '0.8.1+commit.df193b15' };
    expect((await verifier.verify({ chainId, address, target: old })).failure).toEqual({
      code: 'unsupported_compiler_version',
      message: 'The compiler Solidity 0.8.1+commit.df193b15 is not available: no release of this version can be had',
    });
    const wrong = await verifier.verify({ chainId, address, target: target('Plain', 'contract Plain {') });
    expect(wrong.failure?.code).toBe('compiler_error');
    expect(wrong.failure?.message).toMatch(/^Compiler error\. \[\{"component":"general"/);
    await expect(verifier.verify({ chainId: '1', address, target: target('Plain') })).rejects.toMatchObject({
      code: 'VERIFICATION_INPUT_INVALID',
    });
  });

  it('makes metadata of standard JSON', async () => {
    const files = await verifier.metadataOf(input, VERSION);
    expect(files.map(({ path }) => path)).toEqual([...Array(3).fill(`${PATH}-metadata.json`), PATH]);
    expect(files.map(({ content }) => Buffer.from(content).toString())).toContain(plain.metadata);
    await expect(verifier.metadataOf({ ...input, language: 'Vyper' }, VERSION)).rejects.toMatchObject({
      code: 'VERIFICATION_INPUT_INVALID',
      message: 'Only Solidity is supported, the json has language: Vyper',
    });
  });
});
