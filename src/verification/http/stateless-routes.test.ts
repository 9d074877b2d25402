import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import { serveVerification, type VerificationServer, type Visitor } from './testing/verification-server.fixture.ts';
import { fixtureVerifier, metadataFor, VERSION } from './testing/verifier.fixture.ts';

const ADDRESS = '0xb35b8b030a4BC592Ea8ccf3684512CE083f108dC';
const OTHER = '0x15452EC016c4dc8c549E7fe6Ff4b26324Ea8b7A4';
const NONE = '0x2222222222222222222222222222222222222222';
const SOURCE = 'contract S { }';
const PATH = 'contracts/S.sol';
const FILES = { 'metadata.json': JSON.stringify(metadataFor(PATH, 'S', { [PATH]: SOURCE })), 'S.sol': SOURCE };
const CREATOR = `0x${'04'.repeat(32)}`;

const verifier = fixtureVerifier();
let server: VerificationServer;
let visitor: Visitor;

beforeAll(async () => {
  server = await serveVerification(verifier);
});
afterAll(() => server.close());
beforeEach(() => {
  verifier.reset();
  visitor = server.visitor();
  verifier.deploy({ address: ADDRESS, chainId: '298' }, [SOURCE], CREATOR);
  verifier.deploy({ address: OTHER, chainId: '298' }, [`${SOURCE} // as deployed`]);
});

const verify = (body: object) => visitor.post('/verify', { body: { address: ADDRESS, chain: '298', ...body } });

describe('POST /verify', () => {
  it('verifies, stores and answers what matched', async () => {
    const { status, json } = await verify({ files: FILES, creatorTxHash: CREATOR });
    expect(status).toBe(200);
    expect(json).toEqual({
      result: [
        {
          address: ADDRESS,
          chainId: '298',
          libraryMap: {},
          immutableReferences: {},
          runtimeTransformations: [],
          creationTransformations: [],
          runtimeTransformationValues: {},
          creationTransformationValues: {},
          onchainRuntimeBytecode: `0x${Buffer.from(SOURCE).toString('hex')}`,
          creatorTxHash: CREATOR,
          blockNumber: 7,
          txIndex: 3,
          contractName: 'S',
          storageTimestamp: '2026-01-01T00:00:00.000Z',
          status: 'perfect',
        },
      ],
    });
    const again = await visitor.post('/', { body: { address: ADDRESS, chainId: '298', files: {} } });
    expect(again.json.result).toEqual([
      {
        address: ADDRESS,
        chainId: '298',
        onchainRuntimeBytecode: `0x${Buffer.from(SOURCE).toString('hex')}`,
        contractName: 'S',
        storageTimestamp: '2026-01-01T00:00:00.000Z',
        status: 'perfect',
      },
    ]);
  });

  it('takes forms', async () => {
    const form = new FormData();
    form.append('address', ADDRESS);
    form.append('chainId', '298');
    for (const [name, text] of Object.entries(FILES)) form.append('files', new File([text], name));
    expect((await visitor.post('/verify', { form })).json.result[0].status).toBe('perfect');
  });

  it('lets a later call add the creation match', async () => {
    await verify({ files: FILES });
    await verify({ files: FILES, creatorTxHash: CREATOR });
    const { json } = await visitor.get(`/v2/contract/298/${ADDRESS}`);
    expect(json).toMatchObject({ runtimeMatch: 'exact_match', creationMatch: 'exact_match' });
  });

  it('refuses a second partial match', async () => {
    const partial = { address: OTHER, files: FILES };
    expect((await verify(partial)).json.result[0].status).toBe('partial');
    const { status, json } = await verify(partial);
    expect(status).toBe(409);
    expect(json.message).toBe(
      `The contract ${OTHER} on chainId 298 is already partially verified. The provided new source code also yielded a partial match and will not be stored unless it's a full match`,
    );
  });

  const two = { ...FILES, 'other.json': JSON.stringify(metadataFor('B.sol', 'B', { 'B.sol': 'contract B { }' })) };
  const { 'S.sol': _source, ...lacking } = FILES;
  it.each([
    ['nothing', {}, 400, "request/body must have required property 'files'"],
    [
      'no metadata',
      { files: { 'S.sol': SOURCE } },
      400,
      'No valid Solidity metadata file found in the provided 1 files. Please make sure you have added a valid metadata.json file.',
    ],
    [
      'missing sources',
      { files: lacking },
      400,
      'Invalid or missing sources in S:\nMissing sources: contracts/S.sol\nInvalid sources: ',
    ],
    [
      'a contract that is not among them',
      { files: two, chosenContract: '5' },
      404,
      'Chosen contract not found. Received chosenContract: 5',
    ],
    [
      'a contract that is not deployed',
      { address: NONE, files: FILES },
      400,
      `Chain #298 does not have a contract deployed at ${NONE}.`,
    ],
    ['an unknown chain', { chain: '999', files: FILES }, 400, 'Chain 999 not supported for verification!'],
    ['a wrong address', { address: '0x12', files: FILES }, 400, 'Invalid address: 0x12'],
    ['an address that is none', { address: 5, files: FILES }, 400, 'request/body/address must be string'],
  ])('refuses %s', async (_name, body, status, message) => {
    const answer = await verify(body);
    expect([answer.status, answer.json.message]).toEqual([status, message]);
  });

  it('asks which of several contracts is meant', async () => {
    const { status, json } = await verify({ files: two });
    expect(status).toBe(400);
    expect(json).toEqual({
      error:
        'Detected 2 contracts (S, B), but can only verify 1 at a time. Please choose a main contract and click Verify again.',
      contractsToChoose: [
        { name: 'S', path: 'contracts/S.sol' },
        { name: 'B', path: 'B.sol' },
      ],
    });
    expect((await verify({ files: two, chosenContract: '0' })).json.result[0].contractName).toBe('S');
  });

  it('refuses a form without files and a request without a body', async () => {
    const form = new FormData();
    form.append('address', ADDRESS);
    form.append('chain', '298');
    const without = await visitor.post('/verify', { form });
    expect([without.status, without.json.message]).toEqual([
      404,
      "Couldn't extract files from the request. Please make sure you have added files",
    ]);
    const empty = await visitor.post('/verify');
    expect([empty.status, empty.json]).toEqual([
      415,
      {
        message: 'unsupported media type undefined',
        errors: [{ path: '/verify', message: 'unsupported media type undefined' }],
      },
    ]);
  });
});

describe('POST /verify/solc-json', () => {
  const input = JSON.stringify({ language: 'Solidity', sources: { [PATH]: { content: SOURCE } }, settings: {} });
  const post = (body: object) =>
    visitor.post('/verify/solc-json', {
      body: {
        address: ADDRESS,
        chain: '298',
        compilerVersion: VERSION,
        contractName: 'S',
        files: { 'in.json': input },
        ...body,
      },
    });

  it('verifies the named contract', async () => {
    expect((await post({})).json.result[0]).toMatchObject({ status: 'perfect', contractName: 'S' });
  });

  it.each([
    [{ contractName: 'Nope' }, "Couldn't find contract Nope in the provided Solidity JSON Input file."],
    [{ files: { 'a.json': input, 'b.json': input } }, 'Only one Solidity JSON Input file at a time is allowed'],
    [
      { files: { 'a.json': '[' } },
      "Couldn't parse JSON a.json. Make sure the contents of the file are syntaxed correctly.",
    ],
    [{ compilerVersion: undefined }, "request/body must have required property 'compilerVersion'"],
  ])('refuses %j', async (body, message) => {
    const answer = await post(body);
    expect([answer.status, answer.json.message]).toEqual([400, message]);
  });
});

describe('other stateless verifications', () => {
  it('asks the explorer', async () => {
    const body = { address: ADDRESS, chain: '298' };
    const refused = await visitor.post('/verify/etherscan', { body });
    expect([refused.status, refused.json.error]).toEqual([
      400,
      'Requested chain 298 is not supported for importing from Etherscan.',
    ]);
    verifier.explorerSays(new KagamiError('EXPLORER_NOT_VERIFIED', 'This contract is not verified on Etherscan.'));
    expect((await visitor.post('/verify/etherscan', { form: body })).status).toBe(404);
    const sources = { [PATH]: { content: SOURCE } };
    verifier.explorerSays({
      compilerVersion: VERSION,
      input: { language: 'Solidity', sources, settings: {} },
      path: PATH,
      name: 'S',
    });
    expect((await visitor.post('/verify/explorer', { body })).json.result[0].status).toBe('perfect');
  });

  it('takes Vyper sources', async () => {
    const body = {
      address: ADDRESS,
      chain: '298',
      files: { 'a.vy': SOURCE },
      contractPath: 'a.vy',
      contractName: 'a',
      compilerVersion: '0.3.10+commit.91361694',
    };
    expect((await visitor.post('/verify/vyper', { body })).json.result[0].status).toBe('perfect');
    for (const wrong of [{ compilerVersion: 'latest' }, { contractPath: 'b.vy' }]) {
      const { status, json } = await visitor.post('/verify/vyper', { body: { ...body, ...wrong } });
      expect([status, json.message]).toEqual([
        400,
        'Error initializing Vyper compiler input, please check files and settings',
      ]);
    }
  });
});

describe('lookups', () => {
  beforeEach(async () => {
    await verify({ files: FILES, creatorTxHash: CREATOR });
    await verify({ address: OTHER, files: FILES });
  });

  const ask = async (url: string) => {
    const { status, json } = await visitor.get(url);
    return [status, json];
  };
  const failure = (message: string) => ({ error: message, message });

  it('says which addresses are verified', async () => {
    const list = [ADDRESS.toLowerCase(), OTHER, NONE].join('%2C');
    expect(await ask(`/check-by-addresses?addresses=${list}&chainIds=298,295`)).toEqual([
      200,
      [
        { address: ADDRESS, status: 'perfect', chainIds: ['298'] },
        { address: OTHER, status: 'false' },
        { address: NONE, status: 'false' },
      ],
    ]);
    expect(await ask(`/checkAllByAddresses?addresses=${list}&chainIds=298,295`)).toEqual([
      200,
      [
        { address: ADDRESS, chainIds: [{ chainId: '298', status: 'perfect' }] },
        { address: OTHER, chainIds: [{ chainId: '298', status: 'partial' }] },
        { address: NONE, status: 'false' },
      ],
    ]);
    const proxies = await visitor.get(`/check-all-by-addresses?addresses=${ADDRESS}&chainIds=298&resolveProxies=true`);
    expect(proxies.json[0].chainIds[0]).toEqual({
      chainId: '298',
      status: 'perfect',
      isProxy: false,
      proxyType: null,
      implementations: [],
    });
  });

  it('shows files, of full matches or of all', async () => {
    const folder = `contracts/full_match/298/${ADDRESS}`;
    const files = [
      { name: 'S.sol', path: `${folder}/sources/contracts/S.sol`, content: SOURCE },
      {
        name: 'metadata.json',
        path: `${folder}/metadata.json`,
        content: JSON.stringify(metadataFor(PATH, 'S', {})),
      },
      { name: 'creator-tx-hash.txt', path: `${folder}/creator-tx-hash.txt`, content: CREATOR },
    ];
    expect(await ask(`/files/any/298/${ADDRESS.toLowerCase()}`)).toEqual([200, { status: 'full', files }]);
    expect(await ask(`/files/298/${ADDRESS}`)).toEqual([200, files]);
    const urls = files.map(({ path }) => `http://localhost:80/repository/${path}`);
    expect(await ask(`/files/tree/298/${ADDRESS}`)).toEqual([200, urls]);
    expect(await ask(`/files/tree/any/298/${ADDRESS}`)).toEqual([200, { status: 'full', files: urls }]);
    expect((await ask(`/files/any/298/${OTHER}`))[1].status).toBe('partial');
    expect(await ask(`/files/298/${OTHER}`)).toEqual([404, failure('Files have not been found!')]);
    expect(await ask(`/files/any/298/${NONE}`)).toEqual([404, failure('Files have not been found!')]);
  });

  it('lists contracts', async () => {
    expect(await ask('/files/contracts/298')).toEqual([200, { full: [ADDRESS], partial: [OTHER] }]);
    expect(await ask('/files/contracts/295')).toEqual([404, failure('Contracts have not been found!')]);
    const page = {
      currentPage: 0,
      resultsPerPage: 1,
      resultsCurrentPage: 1,
      totalResults: 2,
      totalPages: 2,
      hasNextPage: true,
      hasPreviousPage: false,
    };
    expect(await ask('/files/contracts/any/298?limit=1&order=desc')).toEqual([
      200,
      { pagination: page, results: [OTHER] },
    ]);
    expect((await ask('/files/contracts/full/298?page=5&limit=2'))[1]).toMatchObject({
      results: [],
      pagination: { totalResults: 1, totalPages: 1, hasNextPage: false, hasPreviousPage: false },
    });
    expect((await ask('/files/contracts/any/298?page=1&limit=1'))[1]).toMatchObject({
      results: [OTHER],
      pagination: { currentPage: 1, hasNextPage: false, hasPreviousPage: true },
    });
    expect((await ask('/files/contracts/any/298?page=2&limit=1'))[1]).toMatchObject({
      results: [],
      pagination: { resultsCurrentPage: 0, hasPreviousPage: true },
    });
  });

  it('serves single files under their own kind of match only', async () => {
    const base = `/repository/contracts/full_match/298/${ADDRESS}`;
    const metadata = await visitor.get(`${base}/metadata.json`);
    expect(metadata.headers['content-type']).toBe('application/json; charset=utf-8');
    const source = await visitor.get(`${base}/sources/contracts/S.sol`);
    expect([source.text, source.headers['content-type']]).toEqual([SOURCE, 'text/plain; charset=utf-8']);
    expect(source.headers['x-content-type-options']).toBe('nosniff');
    for (const path of ['nope.txt', '../../../../etc/passwd', '..%2f..%2fetc%2fpasswd', 'sources', '']) {
      expect((await visitor.get(`${base}/${path}`)).status).toBe(404);
    }
    expect(await ask(`/repository/contracts/partial_match/298/${ADDRESS}/metadata.json`)).toEqual([
      404,
      failure('Resouce not found'),
    ]);
    expect((await ask(`/repository/contracts/any_match/298/${ADDRESS}/metadata.json`))[1].message).toBe(
      'request/params/matchType must match format "match-type"',
    );
  });

  it.each([
    ['/files/any/999/x', 'Chain 999 is not a Sourcify chain!'],
    ['/files/any/298/0x12', 'Invalid address: 0x12'],
    ['/files/contracts/any/298?limit=500', 'request/query/limit must be <= 200'],
    ['/files/contracts/any/298?page=x', 'request/query/page must be integer'],
    ['/files/contracts/any/298?order=up', 'request/query/order must be equal to one of the allowed values: asc, desc'],
    [`/check-by-addresses?addresses=${ADDRESS}&chainIds=298,999`, 'Invalid chainIds: 999'],
    [`/check-by-addresses?addresses=${ADDRESS}`, "request/query must have required property 'chainIds'"],
    ['/check-by-addresses?addresses=0x12%2C0x13&chainIds=298', 'Invalid addresses: 0x12, 0x13'],
    [
      '/check-by-addresses?addresses=0x12,0x13&chainIds=298',
      "Parameter 'addresses' must be url encoded. Its value may not contain reserved characters.",
    ],
  ])('refuses %s', async (url, message) => {
    const { status, json } = await visitor.get(url);
    expect([status, json.message]).toEqual([400, message]);
  });

  it('tells the chains and that it lives', async () => {
    expect((await visitor.get('/chains')).json[0]).toEqual({
      name: 'Local network',
      chainId: 298,
      rpc: [],
      supported: true,
      etherscanAPI: true,
    });
    expect((await visitor.get('/health')).text).toBe('Alive and kicking!');
  });
});
