import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import { serveVerification, type VerificationServer, type Visitor } from './testing/verification-server.fixture.ts';
import { fixtureVerifier, metadataFor, VERSION } from './testing/verifier.fixture.ts';

const ADDRESS = '0xb35b8b030a4BC592Ea8ccf3684512CE083f108dC';
const OTHER = '0x15452EC016c4dc8c549E7fe6Ff4b26324Ea8b7A4';
const CREATOR = `0x${'04'.repeat(32)}`;
const DEP = 'contract Dep { }';
const IMM = 'import "./Dep.sol"; contract Imm is Dep { }';
const metadata = metadataFor('contracts/Imm.sol', 'Imm', { 'contracts/Imm.sol': IMM, 'contracts/Dep.sol': DEP });
const FILES = { 'metadata.json': JSON.stringify(metadata), 'Imm.sol': IMM, 'Dep.sol': DEP };

/** A contract of one file, whose comment may differ from what stands on the chain. */
const single = (text: string) => ({
  'metadata.json': JSON.stringify(metadataFor('S.sol', 'S', { 'S.sol': text })),
  'S.sol': text,
});

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
});

const upload = (files: object) => visitor.post('/session/input-files', { body: { files } });
const claim = (verificationId: string, more: object = {}) => ({
  verificationId,
  address: ADDRESS,
  chainId: '298',
  ...more,
});

describe('a session', () => {
  it('is empty at first and named by a signed cookie', async () => {
    const { status, json, headers } = await visitor.get('/session/data');
    expect(status).toBe(200);
    expect(json).toEqual({ contracts: [], unused: [], files: [] });
    expect(headers['set-cookie']).toMatch(
      /^sourcify_vid=s%3A[\w-]{32}\.[\w%]+; Path=\/; Expires=[^;]+; HttpOnly; SameSite=Lax$/,
    );
    expect(headers.deprecation).toBe('true');
  });

  it('gathers files until nothing is missing', async () => {
    const first = await upload({ 'Dep.sol': DEP, 'README.md': 'hello' });
    expect(first.json).toEqual({ contracts: [], unused: ['Dep.sol', 'README.md'], files: ['Dep.sol', 'README.md'] });
    const second = await upload({ 'metadata.json': JSON.stringify(metadata) });
    expect(second.json.contracts).toEqual([
      {
        verificationId: expect.stringMatching(/^[0-9a-f]{40}$/),
        compiledPath: 'contracts/Imm.sol',
        name: 'Imm',
        compilerVersion: VERSION,
        files: { found: ['contracts/Dep.sol'], missing: ['contracts/Imm.sol'], invalid: {} },
        status: 'error',
      },
    ]);
    const form = new FormData();
    form.append('files', new File([IMM], 'Imm.sol'));
    form.append('files', new File([DEP], 'a copy.sol'));
    const third = await visitor.post('/session/input-files?dryrun=true', { form });
    expect(third.json.contracts[0].files).toEqual({
      found: ['contracts/Imm.sol', 'contracts/Dep.sol'],
      missing: [],
      invalid: {},
    });
    expect(third.json.unused).toEqual(['README.md']);
    expect(third.json.files).toEqual(['Dep.sol', 'README.md', 'metadata.json', 'Imm.sol']);
    expect((await visitor.get('/session-data')).json).toEqual(third.json);
  });

  it('takes the JSON of Buffers', async () => {
    const { json } = await upload({
      'Dep.sol': Buffer.from(DEP),
      'metadata.json': Buffer.from(JSON.stringify(metadata)),
    });
    expect(json.contracts[0].files.found).toEqual(['contracts/Dep.sol']);
  });

  it('belongs to its cookie alone, and a forged one has none', async () => {
    await upload(FILES);
    expect((await server.visitor().get('/session/data')).json.files).toEqual([]);
    const forger = server.visitor();
    forger.cookie = `${visitor.cookie?.slice(0, -3)}abc`;
    expect((await forger.get('/session/data')).json.files).toEqual([]);
    expect((await visitor.get('/session/data')).json.files).toHaveLength(3);
  });

  it('ends with clear', async () => {
    await upload(FILES);
    const cleared = await visitor.post('/session/clear');
    expect(cleared.status).toBe(200);
    expect(cleared.text).toBe('Session successfully cleared');
    expect(cleared.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(cleared.headers['set-cookie']).toBeUndefined();
    expect((await visitor.get('/session/data')).json.files).toEqual([]);
  });

  it('ends when its time is over', async () => {
    await upload(FILES);
    await server.test.database.query("update kagami.verification_session set expires_at = now() - interval '1 second'");
    expect((await visitor.get('/session/data')).json.files).toEqual([]);
    expect((await upload({ 'Dep.sol': DEP })).json.files).toEqual(['Dep.sol']);
  });

  it('shows unusable metadata as unused', async () => {
    const two = { ...metadata, settings: { compilationTarget: { 'a.sol': 'A', 'b.sol': 'B' } } };
    const { json } = await upload({ 'm.json': JSON.stringify(two), 'x.sol': 'x' });
    expect(json).toEqual({ contracts: [], unused: ['m.json', 'x.sol'], files: ['m.json', 'x.sol'] });
  });

  it('does not take broken archives', async () => {
    await upload({ 'Dep.sol': DEP });
    const { status, json } = await upload({ 'a.zip': 'PK and nothing more', 'b.sol': 'x' });
    expect([status, json.message]).toEqual([400, 'Error while unzipping a.zip: broken']);
    expect((await visitor.get('/session/data')).json.files).toEqual(['Dep.sol']);
    const [session] = await server.test.database.query<{ bytes: string }>(
      'select bytes from kagami.verification_session order by expires_at desc limit 1',
    );
    expect(session?.bytes).toBe('24');
  });

  it('keeps names with characters that a database does not', async () => {
    expect((await upload({ 'a\u0000b.sol': 'x' })).json.files).toEqual(['a\uFFFDb.sol']);
  });
});

describe('verify-checked', () => {
  const idOf = async (files: object = FILES): Promise<string> => (await upload(files)).json.contracts[0].verificationId;
  const check = (contracts: readonly object[], query = '') =>
    visitor.post(`/session/verify-checked${query}`, { body: { contracts } });

  it('tries in a dry run, then verifies and stores', async () => {
    verifier.deploy({ address: ADDRESS, chainId: '298' }, [IMM, DEP], CREATOR);
    const id = await idOf();
    const dry = await check([claim(id, { creatorTxHash: null })], '?dryrun=true');
    expect(dry.json.contracts[0]).toMatchObject({ status: 'perfect', address: ADDRESS, chainId: '298' });
    expect(dry.json.contracts[0]).not.toHaveProperty('storageTimestamp');
    expect((await visitor.get(`/files/any/298/${ADDRESS}`)).status).toBe(404);
    const real = await check([claim(id, { creatorTxHash: CREATOR })], '?dryrun=false');
    expect(real.json.contracts[0]).toMatchObject({ status: 'perfect', storageTimestamp: '2026-01-01T00:00:00.000Z' });
    const files = await visitor.get(`/files/tree/any/298/${ADDRESS}`);
    expect(files.json.files).toContain(
      `http://localhost:80/repository/contracts/full_match/298/${ADDRESS}/creator-tx-hash.txt`,
    );
    const again = await check([claim(id)]);
    expect(again.json.contracts[0]).toMatchObject({ status: 'perfect', storageTimestamp: '2026-01-01T00:00:00.000Z' });
    expect(verifier.verifications).toBe(2);
  });

  it('verifies only what it is asked for, and all of that in a dry run too', async () => {
    const text = 'contract S { }';
    verifier.deploy({ address: ADDRESS, chainId: '298' }, [text]);
    verifier.deploy({ address: OTHER, chainId: '298' }, [IMM, DEP]);
    const first = await idOf({ 'a.json': single(text)['metadata.json'], 'S.sol': text });
    const contracts = (await upload(FILES)).json.contracts;
    const second = contracts.find((contract: { name: string }) => contract.name === 'Imm').verificationId;
    const dry = await check([claim(first), claim(second, { address: OTHER })], '?dryrun=true');
    expect(dry.json.contracts.map(({ status }: { status: string }) => status)).toEqual(['perfect', 'perfect']);
    const before = verifier.verifications;
    await check([claim(first), claim('0'.repeat(40))]);
    expect(verifier.verifications).toBe(before + 1);
    expect((await visitor.get(`/check-by-addresses?addresses=${OTHER}&chainIds=298`)).json).toEqual([
      { address: OTHER, status: 'false' },
    ]);
  });

  it('says why a contract does not match, is not there or lacks sources', async () => {
    const id = await idOf();
    const absent = await check([claim(id)]);
    expect(absent.status).toBe(200);
    expect(absent.json.contracts[0].statusMessage).toBe(`Chain #298 does not have a contract deployed at ${ADDRESS}.`);
    verifier.deploy({ address: ADDRESS, chainId: '298' }, ['contract Other { }']);
    const different = await check([claim(id)]);
    expect(different.json.contracts[0]).toMatchObject({
      status: 'error',
      statusMessage: "The deployed and recompiled bytecode don't match.",
    });
    await visitor.post('/session/clear');
    const { 'Imm.sol': _left, ...incomplete } = FILES;
    const lacking = await check([claim(await idOf(incomplete))]);
    expect(lacking.json.contracts[0].statusMessage).toBe(
      'Invalid or missing sources in Imm:\nMissing sources: contracts/Imm.sol\nInvalid sources: ',
    );
  });

  it('does not store a second partial match, and takes a perfect one', async () => {
    const text = 'contract S { } // one';
    verifier.deploy({ address: ADDRESS, chainId: '298' }, [text]);
    const partial = await idOf(single('contract S { } // two'));
    expect((await check([claim(partial)])).json.contracts[0].status).toBe('partial');
    const conflict = (await check([claim(partial)])).json.contracts[0];
    expect(conflict.status).toBe('error');
    expect(conflict.statusMessage).toBe(
      `The contract ${ADDRESS} on chainId 298 is already partially verified. The provided new source code also yielded a partial match and will not be stored unless it's a full match`,
    );
    expect((await check([claim(partial)], '?dryrun=true')).json.contracts[0]).toMatchObject({
      status: 'partial',
      storageTimestamp: '2026-01-01T00:00:00.000Z',
    });
    const { json } = await upload({ 'm.json': single(text)['metadata.json'], 'S.sol': text });
    const perfect = json.contracts[1].verificationId;
    // The time of the better match, not of the one that it takes the place of.
    expect((await check([claim(perfect)])).json.contracts[1]).toMatchObject({
      status: 'perfect',
      storageTimestamp: '2026-01-02T00:00:00.000Z',
    });
  });

  it('has its older names', async () => {
    verifier.deploy({ address: ADDRESS, chainId: '298' }, [IMM, DEP]);
    const id = await idOf();
    for (const path of ['/session/verify-validated?dryrun=true', '/verify-validated?dryrun=true']) {
      const { json } = await visitor.post(path, { body: { contracts: [claim(id)] } });
      expect(json.contracts[0].status).toBe('perfect');
    }
  });

  it('takes addresses in every form that means one, and refuses others', async () => {
    const id = await idOf();
    for (const address of [ADDRESS.slice(2), ADDRESS.toLowerCase(), `0x${ADDRESS.slice(2).toUpperCase()}`]) {
      expect((await check([claim(id, { address })])).json.contracts[0].address).toBe(ADDRESS);
    }
    for (const address of ['0x12', `${ADDRESS.slice(0, -1)}c`, `0X${ADDRESS.slice(2)}`, '0.0.1234']) {
      const { status, json } = await check([claim(id, { address })]);
      expect(status).toBe(400);
      expect(json).toEqual({ error: `Invalid address: ${address}`, message: `Invalid address: ${address}` });
    }
  });

  it('refuses what it cannot use', async () => {
    expect((await check([])).json.message).toBe('There are currently no pending contracts.');
    expect((await visitor.post('/session/verify-checked', { body: {} })).json.message).toBe(
      'There are currently no pending contracts.',
    );
    const id = await idOf();
    const refusals: [unknown, number, object][] = [
      [
        {},
        400,
        {
          message: "request/body must have required property 'contracts'",
          errors: [
            {
              path: '/body/contracts',
              message: "must have required property 'contracts'",
              errorCode: 'required.openapi.validation',
            },
          ],
        },
      ],
      [
        { contracts: [claim(id, { chainId: 298 })] },
        400,
        {
          message: 'request/body/contracts/0/chainId must be string',
          errors: [
            {
              path: '/body/contracts/0/chainId',
              message: 'must be string',
              errorCode: 'type.openapi.validation',
            },
          ],
        },
      ],
      [
        { contracts: [claim(id, { chainId: '297' })] },
        400,
        {
          error: 'Chain 297 not supported for verification!',
          message: 'Chain 297 not supported for verification!',
        },
      ],
    ];
    for (const [body, status, json] of refusals) {
      const answer = await visitor.post('/session/verify-checked', { body });
      expect(answer.status).toBe(status);
      expect(answer.json).toEqual(json);
    }
    const message = async (url: string) => {
      const answer = await visitor.post(url, { body: { contracts: [] } });
      expect([answer.status, answer.headers['set-cookie']]).toEqual([400, undefined]);
      return answer.json;
    };
    expect(await message('/session/verify-checked?dryrun=banana')).toEqual({
      message: 'request/query/dryrun must be boolean',
      errors: [{ path: '/query/dryrun', message: 'must be boolean', errorCode: 'type.openapi.validation' }],
    });
    expect(await message('/session/verify-checked?foo=1')).toEqual({
      message: "Unknown query parameter 'foo'",
      errors: [{ path: '/query/foo', message: "Unknown query parameter 'foo'" }],
    });
  });

  it('verifies a contract once at a time', async () => {
    verifier.deploy({ address: ADDRESS, chainId: '298' }, [IMM, DEP]);
    const id = await idOf();
    const { started, release } = verifier.hold();
    const first = check([claim(id)], '?dryrun=true');
    await started;
    const body = { address: ADDRESS, chain: '298', files: FILES };
    const second = await server.visitor().post('/verify', { body });
    release();
    const message = `The contract ${ADDRESS} on chainId 298 is already being verified, please wait`;
    expect(second.status).toBe(429);
    expect(second.json).toEqual({ error: message, message });
    expect(second.headers['retry-after']).toBe('5');
    expect((await first).json.contracts[0].status).toBe('perfect');
  });
});

describe('files of a session', () => {
  it.each([
    ['no files', { body: {} }, 400, 'There should be files in the <files> field'],
    ['no such form', { raw: 'x', headers: { 'content-type': 'text/plain' } }, 415, 'unsupported media type text/plain'],
    ['nothing at all', {}, 415, 'unsupported media type undefined'],
    [
      'broken JSON',
      { raw: '{', headers: { 'content-type': 'application/json' } },
      400,
      "Expected property name or '}' in JSON at position 1 (line 1 column 2)",
    ],
    ['numbers as files', { body: { files: { 'a.sol': 5 } } }, 400, 'request/body/files/a.sol must be string'],
    ['a list of files', { body: { files: ['x'] } }, 400, 'request/body/files must be object'],
    ['a list as body', { body: [] }, 400, 'request/body must be object'],
  ])('refuses %s', async (_name, sent, status, message) => {
    const answer = await visitor.post('/session/input-files', sent);
    expect([answer.status, answer.json.message]).toEqual([status, message]);
  });

  it('does not fetch what it is not allowed to', async () => {
    const { status, json } = await visitor.post('/session/input-files?url=http://127.0.0.1:9/x', { body: {} });
    expect(status).toBe(400);
    expect(json.error).toBe('Files cannot be fetched from a URL here; send the files themselves.');
  });

  it('has a limit for a body, a file and a session', async () => {
    const large = JSON.stringify({ files: { 'a.txt': 'a'.repeat(31 * 1024 * 1024) } });
    const json = await visitor.post('/session/input-files', {
      raw: large,
      headers: { 'content-type': 'application/json' },
    });
    expect([json.status, json.json]).toEqual([
      413,
      { error: 'request entity too large', message: 'request entity too large' },
    ]);
    const form = new FormData();
    form.append('files', new File(['a'.repeat(31 * 1024 * 1024)], 'a.txt'));
    const multipart = await visitor.post('/session/input-files', { form });
    expect([multipart.status, multipart.text]).toEqual([413, 'File size limit has been reached']);
    expect((await upload({ 'a.txt': 'a'.repeat(20 * 1024 * 1024) })).json.files).toEqual(['a.txt']);
    const full = await upload({ 'b.txt': 'b'.repeat(20 * 1024 * 1024) });
    expect(full.status).toBe(413);
    expect(full.json.message).toBe('Too much session memory used. Delete some files or clear the session.');
    expect((await visitor.get('/session/data')).json.files).toEqual(['a.txt']);
    await visitor.post('/session/clear');
  });
});

describe('other ways into a session', () => {
  const input = { language: 'Solidity', sources: { 'contracts/S.sol': { content: 'contract S { }' } }, settings: {} };
  const standard = (file: unknown, compilerVersion: string | undefined = VERSION) =>
    visitor.post('/session/input-solc-json', {
      body: { files: { 'in.json': typeof file === 'string' ? file : JSON.stringify(file) }, compilerVersion },
    });

  it('reads standard JSON input', async () => {
    const { json } = await standard(input);
    expect(json.files).toEqual(['contracts/S.sol-metadata.json', 'contracts/S.sol']);
    expect(json.contracts[0]).toMatchObject({ compiledPath: 'contracts/S.sol', name: 'S', status: 'error' });
  });

  it('refuses standard JSON input that is none', async () => {
    const message = async (answer: ReturnType<typeof standard>) => [(await answer).status, (await answer).json.message];
    expect(await message(standard('{'))).toEqual([
      400,
      "Couldn't parse JSON in.json. Make sure the contents of the file are syntaxed correctly.",
    ]);
    expect(await message(standard({ ...input, language: 'Vyper' }))).toEqual([
      400,
      'Only Solidity is supported, the json has language: Vyper',
    ]);
    expect(await message(standard(input, '0.8.99+commit.aaaaaaaa'))).toEqual([
      400,
      'The compiler 0.8.99+commit.aaaaaaaa is not available.',
    ]);
    const post = (body: object) => visitor.post('/session/input-solc-json', { body });
    expect(await message(post({ files: {} }))).toEqual([
      400,
      "request/body must have required property 'compilerVersion'",
    ]);
    expect(await message(post({ compilerVersion: VERSION }))).toEqual([
      400,
      "request/body must have required property 'files'",
    ]);
    expect(await message(post({ compilerVersion: VERSION, files: {} }))).toEqual([
      400,
      'There should be files in the <files> field',
    ]);
  });

  it('takes a contract from an explorer, once', async () => {
    verifier.deploy({ address: ADDRESS, chainId: '298' }, ['contract S { }']);
    verifier.explorerSays({
      compilerVersion: VERSION,
      input: { ...input, language: 'Solidity' },
      path: 'contracts/S.sol',
      name: 'S',
    });
    const body = { address: ADDRESS, chainId: '298', apiKey: 'key' };
    const { json } = await visitor.post('/session/verify/explorer', { body });
    expect(json.contracts[0]).toMatchObject({ status: 'perfect', address: ADDRESS, chainId: '298' });
    expect(json.files).toEqual(['contracts/S.sol', 'metadata.json']);
    expect((await visitor.get(`/files/any/298/${ADDRESS}`)).json.status).toBe('full');
    const again = await visitor.post('/session/verify/etherscan', { form: { address: ADDRESS, chainId: '298' } });
    expect([again.status, again.json.error]).toEqual([400, "The contract didn't add any new file"]);
  });

  it.each([
    ['EXPLORER_NOT_CONFIGURED', 400],
    ['EXPLORER_MALFORMED', 400],
    ['EXPLORER_NOT_VERIFIED', 404],
    ['EXPLORER_RATE_LIMITED', 429],
    ['EXPLORER_FAILED', 502],
    ['EXPLORER_UNREACHABLE', 502],
  ] as const)('tells %s of an explorer', async (code, status) => {
    verifier.explorerSays(new KagamiError(code, `what ${code} says`));
    const answer = await visitor.post('/session/verify/explorer', { body: { address: ADDRESS, chainId: '298' } });
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({ error: `what ${code} says`, message: `what ${code} says` });
  });

  it('refuses a dry run of an explorer and a missing address', async () => {
    const dry = await visitor.post('/session/verify/explorer?dryrun=true', { body: {} });
    expect([dry.status, dry.json.message]).toEqual([400, "Unknown query parameter 'dryrun'"]);
    const missing = await visitor.post('/session/verify/explorer', { body: { chainId: '298' } });
    expect(missing.json.message).toBe("request/body must have required property 'address'");
  });

  it('knows that no code names no metadata', async () => {
    const { status, json } = await visitor.post('/session/input-contract', {
      body: { address: OTHER, chainId: '298' },
    });
    expect([status, json.message]).toEqual([400, 'Auxdata is not in the bytecode']);
  });
});

describe('pages of other origins', () => {
  it('may have sessions when they are listed', async () => {
    for (const origin of ['https://hashscan.io', 'https://test.hashscan.io', 'http://localhost:8080']) {
      const { headers } = await visitor.get('/session/data', { origin });
      expect(headers['access-control-allow-origin']).toBe(origin);
      expect(headers['access-control-allow-credentials']).toBe('true');
      expect(headers.vary).toBe('Origin');
    }
    for (const origin of ['https://evil.example', 'https://hashscan.io.evil.example', 'https://hashscanxio']) {
      const { status, headers } = await visitor.get('/session/data', { origin });
      expect(status).toBe(200);
      expect(headers['access-control-allow-origin']).toBeUndefined();
    }
  });

  it('may read everything else', async () => {
    const { headers } = await visitor.get('/chains', { origin: 'https://evil.example' });
    expect(headers['access-control-allow-origin']).toBe('*');
    expect(headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('ask beforehand', async () => {
    const { statusCode, headers } = await server.app.inject({
      method: 'OPTIONS',
      url: '/session/input-files',
      headers: { origin: 'https://hashscan.io', 'access-control-request-headers': 'content-type' },
    });
    expect(statusCode).toBe(204);
    expect(headers['access-control-allow-origin']).toBe('https://hashscan.io');
    expect(headers['access-control-allow-credentials']).toBe('true');
    expect(headers['access-control-allow-headers']).toBe('content-type');
  });
});
