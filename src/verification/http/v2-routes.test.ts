import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { serveVerification, type VerificationServer, type Visitor } from './testing/verification-server.fixture.ts';
import { fixtureVerifier, metadataFor, VERSION } from './testing/verifier.fixture.ts';

const ADDRESS = '0xb35b8b030a4BC592Ea8ccf3684512CE083f108dC';
const OTHER = '0x15452EC016c4dc8c549E7fe6Ff4b26324Ea8b7A4';
const NONE = '0x2222222222222222222222222222222222222222';
const SOURCE = 'contract S { }';
const PATH = 'a:b/S.sol';
const CREATOR = `0x${'04'.repeat(32)}`;
const stdJsonInput = { language: 'Solidity', sources: { [PATH]: { content: SOURCE } }, settings: {} };
const standard = { stdJsonInput, compilerVersion: `v${VERSION}`, contractIdentifier: `${PATH}:S` };
const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

const verifier = fixtureVerifier();
let server: VerificationServer;
let visitor: Visitor;

beforeAll(async () => {
  server = await serveVerification(verifier);
});
afterAll(() => server.close());
beforeEach(async () => {
  verifier.reset();
  await server.test.database.query('delete from kagami.verification_job');
  visitor = server.visitor();
  verifier.deploy({ address: ADDRESS, chainId: '298' }, [SOURCE], CREATOR);
  verifier.deploy({ address: OTHER, chainId: '298' }, [`${SOURCE} // as deployed`]);
});

const post = (path: string, body: unknown) => visitor.post(`/v2/verify${path}`, { body });

const ended = async (id: string) => {
  const job = async () => (await visitor.get(`/v2/verify/${id}`)).json;
  await expect.poll(async () => (await job()).isJobCompleted, { timeout: 20_000 }).toBe(true);
  return job();
};

const jobOf = async (path: string, body: unknown) => {
  const { status, json } = await post(path, body);
  expect([status, json]).toEqual([202, { verificationId: uuid }]);
  return ended(json.verificationId);
};

const unverified = (address: string) => ({
  match: null,
  creationMatch: null,
  runtimeMatch: null,
  chainId: '298',
  address,
});

describe('a job', () => {
  it('goes on after its request, and ends with the verified contract', async () => {
    const { started, release } = verifier.hold();
    const { json } = await post(`/298/${ADDRESS.toLowerCase()}`, { ...standard, creationTransactionHash: CREATOR });
    await started;
    const pending = await visitor.get(`/v2/verify/${json.verificationId}`);
    expect(pending.json).toEqual({
      isJobCompleted: false,
      verificationId: json.verificationId,
      jobStartTime: time,
      contract: unverified(ADDRESS),
    });
    const duplicate = await post(`/298/${ADDRESS}`, standard);
    expect(duplicate.status).toBe(429);
    expect(duplicate.json).toEqual({
      customCode: 'duplicate_verification_request',
      message: `Contract ${ADDRESS} on chain 298 is already being verified`,
      errorId: uuid,
    });
    release();
    expect(await ended(json.verificationId)).toEqual({
      isJobCompleted: true,
      verificationId: json.verificationId,
      jobStartTime: time,
      jobFinishTime: time,
      compilationTime: '12',
      contract: {
        match: 'exact_match',
        creationMatch: 'exact_match',
        runtimeMatch: 'exact_match',
        chainId: '298',
        address: ADDRESS,
        verifiedAt: '2026-01-01T00:00:00Z',
        matchId: '1',
      },
    });
    const again = await post(`/298/${ADDRESS}`, standard);
    expect([again.status, again.json.customCode]).toEqual([409, 'already_verified']);
  });

  it('tells why nothing matched, with the codes', async () => {
    const none = await jobOf(`/298/${NONE}`, standard);
    expect(none.error).toEqual({
      customCode: 'contract_not_deployed',
      message: `Chain #298 does not have a contract deployed at ${NONE}.`,
      errorId: uuid,
    });
    const sources = { [PATH]: { content: 'contract S { uint x; }' } };
    const other = await jobOf(`/298/${ADDRESS}`, { ...standard, stdJsonInput: { ...stdJsonInput, sources } });
    expect(other.contract).toEqual(unverified(ADDRESS));
    expect(other.error).toMatchObject({
      customCode: 'no_match',
      onchainRuntimeCode: `0x${Buffer.from(SOURCE).toString('hex')}`,
      recompiledRuntimeCode: `0x${Buffer.from('contract S { uint x; }').toString('hex')}`,
    });
  });

  it('verifies by metadata, names missing sources, and refuses what is no better', async () => {
    const body = { metadata: metadataFor(PATH, 'S', { [PATH]: SOURCE }), sources: { whatever: SOURCE } };
    expect((await jobOf(`/metadata/298/${OTHER}`, body)).contract.match).toBe('match');
    expect((await jobOf(`/metadata/298/${OTHER}`, body)).error).toEqual({
      customCode: 'already_verified',
      message: "The contract is already verified and the job didn't yield a better match.",
      errorId: uuid,
    });
    expect((await jobOf(`/metadata/298/${ADDRESS}`, { ...body, sources: {} })).error).toEqual({
      customCode: 'missing_source',
      message: `One or more sources are mentioned in the metadata but are not provided or could not be fetched. Missing sources: ${PATH}`,
      errorId: uuid,
      errorData: { missingSources: [PATH] },
    });
  });

  it('finds similar contracts', async () => {
    expect((await jobOf(`/similarity/298/${ADDRESS}`, {})).error).toMatchObject({
      customCode: 'no_similar_match_found',
    });
    await jobOf(`/298/${ADDRESS}`, standard);
    verifier.deploy({ address: NONE, chainId: '298' }, [SOURCE]);
    expect((await jobOf(`/similarity/298/${NONE}`, {})).contract.match).toBe('exact_match');
    const nowhere = `0x${'33'.repeat(20)}`;
    const absent = await post(`/similarity/298/${nowhere}`, {});
    expect([absent.status, absent.json.customCode]).toEqual([404, 'cannot_fetch_bytecode']);
  });

  it('takes contracts from an explorer', async () => {
    const refused = await post(`/etherscan/298/${ADDRESS}`, {});
    expect([refused.status, refused.json.customCode]).toEqual([400, 'etherscan_request_failed']);
    verifier.explorerSays({
      compilerVersion: VERSION,
      input: { language: 'Solidity', sources: { [PATH]: { content: SOURCE } }, settings: {} },
      path: PATH,
      name: 'S',
    });
    expect((await jobOf(`/etherscan/298/${ADDRESS}`, { apiKey: 'key' })).contract.match).toBe('exact_match');
  });

  it('is abandoned when its process has gone, which frees the contract', async () => {
    const id = '550e8400-e29b-41d4-a716-446655440000';
    await server.test.database.query(
      `insert into kagami.verification_job (id, chain_id, address, started_at, alive_until)
       values ($1, '298', $2, now() - interval '1 hour', now() - interval '1 minute')`,
      [id, ADDRESS],
    );
    const left = await visitor.get(`/v2/verify/${id}`);
    expect(left.json).toMatchObject({ isJobCompleted: true, error: { customCode: 'job_abandoned', errorId: id } });
    await server.test.database.query('update kagami.verification_job set finished_at = null');
    expect((await jobOf(`/298/${ADDRESS}`, standard)).contract.match).toBe('exact_match');
  });
});

describe('requests for jobs', () => {
  const sources = { [PATH]: {} };
  it.each([
    ['/999/', ADDRESS, standard, 'unsupported_chain', 'Chain 999 not found'],
    ['/298/', '0x12', standard, 'invalid_parameter', 'request/params/address must NOT have fewer than 42 characters'],
    ['/298/', `${ADDRESS.slice(0, -1)}c`, standard, 'invalid_parameter', `Invalid address: ${ADDRESS.slice(0, -1)}c`],
    [
      '/298/',
      ADDRESS,
      { ...standard, compilerVersion: undefined },
      'invalid_parameter',
      "request/body must have required property 'compilerVersion'",
    ],
    [
      '/298/',
      ADDRESS,
      { ...standard, compilerVersion: 'x' },
      'invalid_parameter',
      'request/body/compilerVersion must match pattern "^v?\\d+\\.\\d+\\.\\d+.*$"',
    ],
    [
      '/298/',
      ADDRESS,
      { ...standard, stdJsonInput: { ...stdJsonInput, language: undefined } },
      'invalid_parameter',
      'Standard JSON input must contain a language field.',
    ],
    [
      '/298/',
      ADDRESS,
      { ...standard, stdJsonInput: { ...stdJsonInput, sources } },
      'invalid_parameter',
      'Standard JSON input must contain a content field for each source.',
    ],
    [
      '/298/',
      ADDRESS,
      { ...standard, contractIdentifier: 'S' },
      'invalid_parameter',
      "The contractIdentifier must consist of the file path and the contract name separated by a ':'.",
    ],
  ])('refuse %s%s', async (path, address, body, customCode, message) => {
    const answer = await post(`${path}${address}`, body);
    expect([answer.status, answer.json]).toEqual([400, { customCode, message, errorId: uuid }]);
  });

  it('refuse hashes of no kind and take those of both', async () => {
    const at = (creationTransactionHash: string) => post(`/298/${NONE}`, { ...standard, creationTransactionHash });
    expect((await at('0x12')).json.message).toMatch(/^request\/body\/creationTransactionHash must match pattern/);
    for (const hash of [CREATOR, `0x${'04'.repeat(48)}`, '0.0.1234@1700000000.000000001']) {
      const { status, json } = await at(hash);
      expect(status).toBe(202);
      await ended(json.verificationId);
    }
  });

  it('have a body of JSON', async () => {
    const url = `/v2/verify/298/${ADDRESS}`;
    const empty = await visitor.post(url);
    expect([empty.status, empty.json.customCode]).toEqual([400, 'invalid_parameter']);
    const broken = await visitor.post(url, { raw: '{', headers: { 'content-type': 'application/json' } });
    expect([broken.status, broken.json.customCode]).toEqual([400, 'invalid_json']);
  });

  it('name jobs and routes that there are', async () => {
    const ask = async (url: string) => {
      const { status, json } = await visitor.get(url);
      return [status, json.customCode, json.message];
    };
    const id = '550e8400-e29b-41d4-a716-446655440000';
    expect(await ask(`/v2/verify/${id}`)).toEqual([404, 'job_not_found', `No verification job found for id ${id}`]);
    expect(await ask('/v2/verify/abc')).toEqual([
      400,
      'invalid_parameter',
      'request/params/verificationId must NOT have fewer than 36 characters',
    ]);
    expect(await ask('/v2/nope')).toEqual([404, 'route_not_found', 'There is no such route.']);
  });
});

describe('verified contracts', () => {
  beforeEach(async () => {
    await jobOf(`/298/${ADDRESS}`, { ...standard, creationTransactionHash: CREATOR });
    await jobOf(`/298/${OTHER}`, standard);
  });

  const short = {
    match: 'exact_match',
    creationMatch: 'exact_match',
    runtimeMatch: 'exact_match',
    chainId: '298',
    address: ADDRESS,
    verifiedAt: '2026-01-01T00:00:00Z',
    matchId: '1',
  };
  const get = async (query: string) => (await visitor.get(`/v2/contract/298/${ADDRESS}${query}`)).json;

  it('are shown in short, in part and in full', async () => {
    expect(await get('')).toEqual(short);
    expect(await get('?fields=deployment,compilation.name,sources')).toEqual({
      ...short,
      deployment: { transactionHash: CREATOR, blockNumber: '7', transactionIndex: '3', deployer: null },
      compilation: { name: 'S' },
      sources: stdJsonInput.sources,
    });
    const all = await get('?fields=all');
    expect(all.compilation.fullyQualifiedName).toBe(`${PATH}:S`);
    expect(all.stdJsonInput).toEqual(stdJsonInput);
    const without = await get('?omit=abi,compilation.name');
    expect(Object.keys(all).filter((name) => !(name in without))).toEqual(['abi']);
    expect(without.compilation).not.toHaveProperty('name');
  });

  it('have signatures with their hashes', async () => {
    const { signatures } = await get('?fields=signatures');
    expect(signatures.function).toHaveLength(1);
    expect(signatures.function[0]).toMatchObject({ signature: 'get((uint256)[])' });
    expect(signatures.function[0].signatureHash32.slice(0, 10)).toBe(signatures.function[0].signatureHash4);
  });

  it.each([
    ['?fields=nope', 'Field selector nope is not a valid field'],
    ['?fields=abi&omit=abi', 'Cannot specify both fields and omit'],
    ['?fields=a.b.c', 'Field selector cannot have more than one level subselectors: a.b.c'],
    ['?fields=compilation.nope', 'Field selector compilation.nope is not a valid field'],
    ['?fields=constructor', 'Field selector constructor is not a valid field'],
  ])('refuse %s', async (query, message) => {
    expect(await get(query)).toEqual({ customCode: 'invalid_parameter', message, errorId: uuid });
  });

  it('are found on all chains and listed', async () => {
    expect((await visitor.get(`/v2/contract/all-chains/${ADDRESS}`)).json).toEqual({ results: [short] });
    const none = await visitor.get(`/v2/contract/all-chains/${NONE}`);
    expect([none.status, none.json]).toEqual([404, { results: [] }]);
    const absent = await visitor.get(`/v2/contract/298/${NONE}`);
    expect([absent.status, absent.json]).toEqual([404, unverified(NONE)]);
    const newest = await visitor.get('/v2/contracts/298?limit=1');
    expect(newest.json.results.map(({ address }: { address: string }) => address)).toEqual([OTHER]);
    expect((await visitor.get('/v2/contracts/298?sort=desc&afterMatchId=2')).json).toEqual({ results: [short] });
    expect((await visitor.get('/v2/contracts/295')).json).toEqual({ results: [] });
    expect((await visitor.get('/v2/contracts/298?limit=500')).json.message).toBe('request/query/limit must be <= 200');
  });
});
