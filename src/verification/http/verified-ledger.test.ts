/** The interfaces over the real verifier: a contract of the ledger, compiled by the compiler that comes with Kagami. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  compileForTest,
  construct,
  insertBlock,
  insertContract,
  insertTransaction,
  solidityInput,
  VERSION,
} from '../testing/deployment.fixture.ts';
import { type LedgerServer, serveLedger } from './testing/ledger-server.fixture.ts';

const PATH = 'contracts/Storage.sol';
const SOURCE = `// SPDX-License-Identifier: MIT
pragma solidity ^0.8.0;
contract Storage { uint256 public value; function store(uint256 next) public { value = next; } }
`;
const CREATED = 1_700_000_000_000_000_000n;
const CREATOR = '0.0.1001@1699999999.999999995';

let server: LedgerServer;
let metadata: string;
let address: string;

beforeAll(async () => {
  server = await serveLedger();
  const { database } = server;
  const compiled = (await compileForTest(solidityInput({ [PATH]: SOURCE }))).get(`${PATH}:Storage`);
  if (compiled === undefined) throw new Error('The contract was not compiled');
  metadata = compiled.metadata;
  const deployed = await construct(compiled.creation);
  address = `0x${deployed.address.toString('hex')}`;
  await insertBlock(database, 7, CREATED - 10n, CREATED + 100n);
  await insertContract(database, {
    id: 2001,
    created: CREATED,
    evmAddress: deployed.address,
    runtime: deployed.runtime,
    initcode: Buffer.from(compiled.creation.slice(2), 'hex'),
  });
  await insertTransaction(database, { at: CREATED, hash: Buffer.alloc(48, 1), index: 3 });
}, 120_000);
afterAll(() => server?.close());

describe('a contract of the ledger', () => {
  it('is verified through a session, stored, and shown by every interface', async () => {
    const visitor = server.visitor();
    const files = { 'metadata.json': metadata, 'Storage.sol': SOURCE.replaceAll('\n', '\r\n') };
    const uploaded = (await visitor.post('/session/input-files', { body: { files } })).json;
    expect(uploaded.contracts[0]).toMatchObject({
      compilerVersion: VERSION,
      files: { found: [PATH], missing: [], invalid: {} },
      status: 'error',
    });
    const { verificationId } = uploaded.contracts[0];
    const contracts = [{ verificationId, address, chainId: '298', creatorTxHash: CREATOR }];
    const dry = (await visitor.post('/session/verify-checked?dryrun=true', { body: { contracts } })).json;
    expect(dry.contracts[0].status).toBe('perfect');
    expect((await visitor.get(`/files/298/${address}`)).status).toBe(404);
    const real = (await visitor.post('/session/verify-checked', { body: { contracts } })).json;
    expect(real.contracts[0].status).toBe('perfect');
    const stored = await visitor.get(`/v2/contract/298/${address}?fields=deployment.transactionHash,signatures,abi`);
    expect(stored.json).toMatchObject({ match: 'exact_match', deployment: { transactionHash: CREATOR } });
    expect(stored.json.signatures.function).toContainEqual({
      signature: 'store(uint256)',
      signatureHash32: expect.stringMatching(/^0x6057361d/),
      signatureHash4: '0x6057361d',
    });
    const found = (await visitor.get(`/files/298/${address}`)).json;
    expect(found.map(({ name }: { name: string }) => name)).toEqual([
      'Storage.sol',
      'metadata.json',
      'creator-tx-hash.txt',
    ]);
    const file = await visitor.get(`/repository/${found[1].path}`);
    expect(file.text).toBe(metadata);
  }, 120_000);

  it('gives its metadata to a session that names it by address', async () => {
    const visitor = server.visitor();
    const { json } = await visitor.post('/session/input-contract', { body: { address, chainId: '298' } });
    expect(json.contracts[0].files).toEqual({ found: [PATH], missing: [], invalid: {} });
    expect(json.files).toEqual(['metadata.json', PATH]);
  }, 120_000);

  it('reports a compiler that refuses the source', async () => {
    const input = { language: 'Solidity', sources: { 'a.sol': { content: 'contrat A {}' } }, settings: {} };
    const body = { files: { 'in.json': JSON.stringify(input) }, compilerVersion: VERSION };
    const { status, json } = await server.visitor().post('/session/input-solc-json', { body });
    expect([status, json.message]).toEqual([400, 'Compiler error']);
    expect(json.errors[0]).toMatchObject({ severity: 'error', errorCode: '2314' });
  }, 120_000);
});
