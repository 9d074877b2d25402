/** Errors that the interfaces document and that no other test of theirs brings about. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { CompilationTarget } from '../model.ts';
import {
  type Answer,
  type Sent,
  serveVerification,
  type VerificationServer,
  type Visitor,
} from './testing/verification-server.fixture.ts';
import { fixtureVerifier, metadataFor, VERSION } from './testing/verifier.fixture.ts';

const ADDRESS = '0xb35b8b030a4BC592Ea8ccf3684512CE083f108dC';
const SOURCE = 'contract S { }';
const PATH = 'contracts/S.sol';
const FILES = { 'metadata.json': JSON.stringify(metadataFor(PATH, 'S', { [PATH]: SOURCE })), 'S.sol': SOURCE };
const input: CompilationTarget['input'] = {
  language: 'Solidity',
  sources: { [PATH]: { content: SOURCE } },
  settings: {},
};
const standard = { stdJsonInput: input, compilerVersion: VERSION, contractIdentifier: `${PATH}:S` };
const contract = { address: ADDRESS, chainId: '298' };
/** Tail of code: CBOR of an IPFS hash of 34 bytes and of a compiler's version, and its length. */
const CID_TAIL = `a2646970667358221220${'ab'.repeat(32)}64736f6c634300081a0033`;
const NO_CID_TAIL = 'a164736f6c634300081a000a';

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
  verifier.deploy(contract, [SOURCE]);
});

const both = (message: string) => ({ error: message, message });
const required = (name: string, where = '/body') => ({
  message: `request${where} must have required property '${name}'`,
  errors: [
    {
      path: `${where}/${name}`,
      message: `must have required property '${name}'`,
      errorCode: 'required.openapi.validation',
    },
  ],
});
const shown = ({ status, json }: Answer) => [status, json];

describe('sessions', () => {
  const post = async (path: string, sent: Sent) => shown(await visitor.post(path, sent));

  it('miss what a request needs, by its name', async () => {
    const address = { address: ADDRESS };
    expect(await post('/session/input-contract', { body: address })).toEqual([400, required('chainId')]);
    expect(await post('/session/input-contract', { form: address })).toEqual([400, required('chainId')]);
    expect(await post('/session/verify/explorer', { body: address })).toEqual([400, required('chainId')]);
    expect(await post('/verify/etherscan', { body: address })).toEqual([400, required('chain')]);
    const { json } = await visitor.post('/session/input-files', { body: { files: FILES } });
    const { verificationId } = json.contracts[0];
    const item = '/body/contracts/0';
    for (const [claim, name] of [
      [{ verificationId, chainId: '298' }, 'address'],
      [{ verificationId, address: ADDRESS }, 'chainId'],
      [contract, 'verificationId'],
    ] as const) {
      const answer = await post('/session/verify-checked', { body: { contracts: [claim] } });
      expect(answer).toEqual([400, required(name, item)]);
    }
  });

  it('take both names of a chain', async () => {
    const unconfigured = both('Requested chain 298 is not supported for importing from Etherscan.');
    for (const path of ['/session/verify/explorer', '/session/verify/etherscan', '/verify/etherscan']) {
      for (const chain of [{ chain: '298' }, { chainId: '298' }]) {
        expect(await post(path, { body: { address: ADDRESS, ...chain } })).toEqual([400, unconfigured]);
        expect(await post(path, { form: { address: ADDRESS, ...chain } })).toEqual([400, unconfigured]);
      }
    }
  });

  it('want files in forms too', async () => {
    const form = new FormData();
    form.append('compilerVersion', VERSION);
    const message = both('There should be files in the <files> field');
    expect(await post('/session/input-files', { form })).toEqual([400, message]);
    expect(await post('/session/input-solc-json', { form })).toEqual([400, message]);
  });

  it('find metadata by what code names only', async () => {
    const body = contract;
    verifier.deployCode(contract, `0x6001${NO_CID_TAIL}`);
    const none = both("The contract doesn't have a metadata IPFS CID");
    expect(await post('/session/input-contract', { body })).toEqual([400, none]);
    verifier.deployCode(contract, `0x6001${CID_TAIL}`);
    const [status, json] = await post('/session/input-contract', { body });
    expect(status).toBe(404);
    expect(json.message).toMatch(/^Could not retrieve metadata from Qm[1-9A-HJ-NP-Za-km-z]{44}$/);
    verifier.failWith(new KagamiError('VERIFICATION_FAILED', 'No node of chain 298 answers eth_getCode'));
    const unreachable = both(`Cannot fetch bytecode for chain #298 and address ${ADDRESS}.`);
    expect(await post('/session/input-contract', { body })).toEqual([502, unreachable]);
  });

  it('report a contract that somebody else verifies now', async () => {
    const { json } = await visitor.post('/session/input-files', { body: { files: FILES } });
    const { verificationId } = json.contracts[0];
    const { started, release } = verifier.hold();
    const other = server.visitor().post('/verify', { body: { ...contract, files: FILES } });
    await started;
    const answer = await visitor.post('/session/verify-checked', {
      body: { contracts: [{ ...contract, verificationId }] },
    });
    release();
    await other;
    expect([answer.status, answer.json.contracts[0].status, answer.json.contracts[0].statusMessage]).toEqual([
      200,
      'error',
      `The contract ${ADDRESS} on chainId 298 is already being verified, please wait`,
    ]);
  });

  it.each([
    ['VERIFICATION_BUSY', 503],
    ['VERIFICATION_TIMEOUT', 504],
    ['COMPILER_UNREACHABLE', 503],
  ] as const)('and requests without them tell %s', async (code, status) => {
    verifier.failWith(new KagamiError(code, `what ${code} says`));
    const answer = await visitor.post('/verify', { body: { ...contract, files: FILES } });
    expect(shown(answer)).toEqual([status, both(`what ${code} says`)]);
    expect(answer.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
  });

  it('tell nothing of faults within', async () => {
    verifier.failWith(new Error('password authentication failed for user mirror'));
    const answer = await visitor.post('/verify', { body: { ...contract, files: FILES } });
    expect(shown(answer)).toEqual([500, both('Internal error')]);
  });
});

describe('lookups', () => {
  it('let chain 0 through, and name what they miss', async () => {
    const ask = async (url: string) => shown(await visitor.get(url));
    expect(await ask(`/check-by-addresses?addresses=${ADDRESS}&chainIds=0`)).toEqual([
      200,
      [{ address: ADDRESS, status: 'false' }],
    ]);
    for (const path of ['/check-by-addresses', '/check-all-by-addresses']) {
      expect(await ask(`${path}?chainIds=298`)).toEqual([400, required('addresses', '/query')]);
      expect(await ask(`${path}?addresses=${ADDRESS}&chainIds=298,999`)).toEqual([400, both('Invalid chainIds: 999')]);
    }
    expect((await ask(`/check-all-by-addresses?addresses=${ADDRESS}&chainIds=298&resolveProxies=1`))[1].message).toBe(
      'request/query/resolveProxies must be boolean',
    );
  });

  it('list at most 200 contracts at once', async () => {
    for (let i = 0; i <= 200; i++) {
      const address = `0x${i.toString().padStart(40, '0')}`;
      verifier.deploy({ address, chainId: '298' }, [SOURCE]);
      const target = { compilerVersion: VERSION, input, path: PATH, name: 'S' };
      await verifier.repository.store(await verifier.verify({ address, chainId: '298', target }));
    }
    const message =
      'Cannot fetch more than 200 contracts (full), please use /contracts/{full|any|partial}/298 with pagination';
    expect(shown(await visitor.get('/files/contracts/298'))).toEqual([404, both(message)]);
    const { json } = await visitor.get('/files/contracts/full/298?page=1');
    expect([json.results.length, json.pagination.totalPages]).toEqual([1, 2]);
  });
});

const uuid = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);

describe('a stored contract', () => {
  it('that is the proxy of a beacon says why its implementations are not known', async () => {
    const target = { compilerVersion: VERSION, input, path: PATH, name: 'S' };
    const { details, ...match } = await verifier.verify({ ...contract, target });
    if (details === undefined) throw new Error('The contract was not verified');
    const beacon = '0x7fa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d5054f400a1f40002';
    await verifier.repository.store({ ...match, details: { ...details, onchainRuntimeBytecode: beacon } });
    const { json } = await visitor.get(`/v2/contract/298/${ADDRESS}?fields=proxyResolution`);
    expect(json.proxyResolution).toEqual({
      proxyResolutionError: {
        customCode: 'proxy_resolution_error',
        message: 'The implementations of beacon proxies and diamonds are told by calls only',
        errorId: uuid,
      },
    });
  });
});

describe('jobs', () => {
  const refused = (customCode: string, message: string) => ({ customCode, message, errorId: uuid });
  const post = async (path: string, body: unknown) => shown(await visitor.post(`/v2/verify${path}`, { body }));
  const errorOfJob = async (path: string, body: unknown) => {
    const { status, json } = await visitor.post(`/v2/verify${path}`, { body });
    expect([status, json]).toEqual([202, { verificationId: uuid }]);
    const job = async () => (await visitor.get(`/v2/verify/${json.verificationId}`)).json;
    await expect.poll(async () => (await job()).isJobCompleted, { timeout: 20_000 }).toBe(true);
    return (await job()).error;
  };

  it.each([
    ['EXPLORER_NOT_CONFIGURED', 400, 'etherscan_request_failed'],
    ['EXPLORER_MALFORMED', 400, 'malformed_etherscan_response'],
    ['EXPLORER_NOT_VERIFIED', 404, 'not_etherscan_verified'],
    ['EXPLORER_RATE_LIMITED', 429, 'etherscan_limit'],
    ['EXPLORER_FAILED', 502, 'etherscan_request_failed'],
    ['EXPLORER_UNREACHABLE', 502, 'etherscan_request_failed'],
  ] as const)('are not begun when the explorer gives %s', async (code, status, customCode) => {
    verifier.explorerSays(new KagamiError(code, `what ${code} says`));
    expect(await post(`/etherscan/298/${ADDRESS}`, {})).toEqual([status, refused(customCode, `what ${code} says`)]);
  });

  it('are not begun when no node gives the code', async () => {
    verifier.failWith(new KagamiError('VERIFICATION_FAILED', 'No node of chain 298 answers eth_getCode'));
    const message = `Cannot fetch bytecode for chain #298 and address ${ADDRESS}.`;
    expect(await post(`/similarity/298/${ADDRESS}`, {})).toEqual([502, refused('failed_to_get_bytecode', message)]);
  });

  it('are refused for the form of a body first, then for the chain, the address and the input', async () => {
    const wrong = `${ADDRESS.slice(0, -1)}c`;
    const { language: _left, ...unnamed } = input;
    const bodies = [{ stdJsonInput: input }, { ...standard, stdJsonInput: unnamed }];
    expect((await post(`/999/${wrong}`, bodies[0]))[1].message).toBe(
      "request/body must have required property 'compilerVersion'",
    );
    expect(await post(`/999/${wrong}`, bodies[1])).toEqual([400, refused('unsupported_chain', 'Chain 999 not found')]);
    expect((await post(`/298/${wrong}`, bodies[1]))[1].message).toBe(`Invalid address: ${wrong}`);
    expect((await post(`/298/${ADDRESS}`, bodies[1]))[1].message).toBe(
      'Standard JSON input must contain a language field.',
    );
    expect((await post(`/x/${ADDRESS}`, standard))[1].message).toBe(
      'request/params/chainId must match pattern "^\\d{1,20}$"',
    );
    const { sources: _sources, ...empty } = input;
    expect(await post(`/298/${ADDRESS}`, { ...standard, stdJsonInput: empty })).toEqual([
      400,
      refused('invalid_parameter', 'Standard JSON input must contain a sources field.'),
    ]);
    expect((await post(`/298/${ADDRESS}?foo=1`, standard))[1]).toEqual(
      refused('invalid_parameter', "Unknown query parameter 'foo'"),
    );
  });

  it('end with what is known only then', async () => {
    const fails = async (body: unknown, path = '') => errorOfJob(`${path}/298/${ADDRESS}`, body);
    const stdJsonInput = { ...input, language: 'LLVM' };
    expect(await fails({ ...standard, stdJsonInput })).toEqual(
      refused('unsupported_language', 'The language LLVM is not supported.'),
    );
    const invalid = { 'A.sol': { expectedHash: '0x1', calculatedHash: '0x2', msg: '' } };
    const { inspect } = verifier;
    verifier.inspect = async (files) => {
      const { contracts, unused } = await inspect(files);
      return { contracts: contracts.map((one) => ({ ...one, invalid })), unused };
    };
    const metadata = metadataFor(PATH, 'S', { [PATH]: SOURCE });
    const error = await fails({ metadata, sources: {} }, '/metadata');
    verifier.inspect = inspect;
    expect(error).toMatchObject({
      customCode: 'missing_or_invalid_source',
      errorData: { missingSources: [PATH], invalidSources: ['A.sol'] },
    });
    for (const [code, customCode] of [
      ['COMPILER_TIMEOUT', 'compiler_timeout'],
      ['COMPILER_OUT_OF_MEMORY', 'compiler_out_of_memory'],
      ['COMPILER_UNAVAILABLE', 'unsupported_compiler_version'],
    ] as const) {
      verifier.failWith(new KagamiError(code, `what ${code} says`));
      expect(await fails(standard)).toEqual(refused(customCode, `what ${code} says`));
    }
    verifier.failWith(new Error('secret'));
    expect(await fails(standard)).toEqual(refused('internal_error', 'Internal error'));
  });
});
