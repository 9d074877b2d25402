/** Clients that want more than their share, and files that want more than to be read. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { zipOf } from '../testing/zip.fixture.ts';
import { type LedgerServer, serveLedger } from './testing/ledger-server.fixture.ts';
import { type Sent, serveVerification, type VerificationServer } from './testing/verification-server.fixture.ts';
import { fixtureVerifier, metadataFor, VERSION } from './testing/verifier.fixture.ts';

const SOURCE = 'contract S { }';
const PATH = 'S.sol';
const FILES = { 'metadata.json': JSON.stringify(metadataFor(PATH, 'S', { [PATH]: SOURCE })), [PATH]: SOURCE };
const GREEDY = '203.0.113.1';
const MODEST = '203.0.113.2';
const addressOf = (n: number): string => `0x${n.toString().padStart(40, '0')}`;

describe('a client with many requests', () => {
  const verifier = fixtureVerifier();
  let server: VerificationServer;
  beforeAll(async () => {
    server = await serveVerification(verifier);
  });
  afterAll(() => server.close());
  beforeEach(() => {
    verifier.reset();
    for (let n = 1; n <= 50; n++) verifier.deploy({ address: addressOf(n), chainId: '298' }, [SOURCE]);
  });

  const post = (client: string, url: string, sent: Sent) =>
    server.visitor().post(url, { ...sent, headers: { 'x-forwarded-for': client } });
  const verify = (client: string, n: number) =>
    post(client, '/verify', { body: { address: addressOf(n), chain: '298', files: FILES } });

  it('waits, and is refused what is too much, while another is served', async () => {
    const { started, release } = verifier.hold(GREEDY);
    const greedy = Array.from({ length: 30 }, (_, i) => verify(GREEDY, i + 1));
    await started;
    const modest = await verify(MODEST, 40);
    expect([modest.status, modest.json.result[0].status]).toEqual([200, 'perfect']);
    expect(verifier.verifications).toBe(1);
    release();
    const answers = await Promise.all(greedy);
    const refused = answers.filter(({ status }) => status !== 200);
    // Four are at work, twenty wait.
    expect(refused).toHaveLength(6);
    for (const { status, json, headers } of refused) {
      const message = 'Too many requests at once; wait for the answers of earlier ones.';
      expect([status, json, headers['retry-after']]).toEqual([429, { error: message, message }, '5']);
    }
  });

  it('has so many jobs, while another has its own', async () => {
    const { release } = verifier.hold(GREEDY);
    const start = (client: string, n: number) =>
      post(client, `/v2/verify/298/${addressOf(n)}`, {
        body: {
          stdJsonInput: { language: 'Solidity', sources: { [PATH]: { content: SOURCE } }, settings: {} },
          compilerVersion: VERSION,
          contractIdentifier: `${PATH}:S`,
        },
      });
    const ids: string[] = [];
    for (let n = 1; n <= 20; n++) ids.push((await start(GREEDY, n)).json.verificationId);
    const refused = await start(GREEDY, 21);
    expect([refused.status, refused.json.customCode]).toEqual([429, 'too_many_requests']);
    const { json } = await start(MODEST, 22);
    const jobOf = async (id: string) => (await server.visitor().get(`/v2/verify/${id}`)).json;
    const isCompleted = (id: string) => expect.poll(async () => (await jobOf(id)).isJobCompleted, { timeout: 20_000 });
    await isCompleted(json.verificationId).toBe(true);
    expect((await jobOf(json.verificationId)).contract.match).toBe('exact_match');
    expect((await jobOf(ids[0] ?? '')).isJobCompleted).toBe(false);
    release();
    for (const id of ids) await isCompleted(id).toBe(true);
  });

  it('can not upload more parts, or larger ones, than fit a session', async () => {
    const boundary = 'x';
    const part = (n: number): string =>
      `--${boundary}\r\nContent-Disposition: form-data; name="files"; filename="${n}.sol"\r\n\r\n${n}\r\n`;
    const parts = Array.from({ length: 5_001 }, (_, n) => part(n));
    const raw = `${parts.join('')}--${boundary}--\r\n`;
    const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
    const message = 'request entity too large';
    const many = await server.visitor().post('/session/input-files', { raw, headers });
    expect([many.status, many.json]).toEqual([413, { error: message, message }]);
    const form = new FormData();
    for (const name of ['a', 'b', 'c']) form.append('files', new File(['a'.repeat(25 * 1024 * 1024)], name));
    const large = await server.visitor().post('/session/input-files', { form });
    expect([large.status, large.json]).toEqual([413, { error: message, message }]);
    const files = Object.fromEntries(Array.from({ length: 5_001 }, (_, n) => [`${n}.sol`, `${n}`]));
    const json = await server.visitor().post('/session/input-files', { body: { files } });
    expect([json.status, json.json.error]).toEqual([413, 'A request may carry at most 5000 files']);
  });
});

describe('files', () => {
  let server: LedgerServer;
  let asked: string[];
  const web = createServer((request: IncomingMessage, response: ServerResponse) => {
    asked.push(request.url ?? '');
    if (request.url === '/moved') response.writeHead(302, { location: '/S.sol' }).end();
    else if (request.url === '/named') {
      response.writeHead(200, { 'content-disposition': 'attachment; filename="Named.sol"' }).end(SOURCE);
    } else if (request.url === '/folder/S.sol') response.end(`${SOURCE}\n`);
    else response.writeHead(404).end();
  });
  let host: string;
  beforeAll(async () => {
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
    host = `127.0.0.1:${(web.address() as AddressInfo).port}`;
    server = await serveLedger((settings) => ({
      ...settings,
      http: { ...settings.http, importHosts: [host] },
      limits: { ...settings.limits, archiveBytes: 1024 * 1024 },
    }));
  });
  afterAll(async () => {
    await server?.close();
    web.close();
  });
  beforeEach(() => {
    asked = [];
  });

  it('named by metadata are never fetched', async () => {
    const metadata = metadataFor(PATH, 'S', { [PATH]: SOURCE }) as { sources: Record<string, { urls: string[] }> };
    const source = metadata.sources[PATH];
    if (source !== undefined) source.urls = [`http://${host}/S.sol`, `dweb:/ipfs/../../${host}/S.sol`];
    const visitor = server.visitor();
    const body = { files: { 'metadata.json': JSON.stringify(metadata) } };
    const { json } = await visitor.post('/session/input-files', { body });
    const [{ verificationId, files }] = json.contracts;
    expect(files.missing).toEqual([PATH]);
    const contract = { address: addressOf(1), chainId: '298' };
    const checked = await visitor.post('/session/verify-checked', {
      body: { contracts: [{ ...contract, verificationId }] },
    });
    expect(checked.json.contracts[0].statusMessage).toContain(`Missing sources: ${PATH}`);
    const single = await visitor.post('/verify', { body: { ...contract, ...body } });
    expect(single.status).toBe(400);
    const job = await visitor.post(`/v2/verify/metadata/298/${contract.address}`, { body: { metadata, sources: {} } });
    const ended = async () => (await visitor.get(`/v2/verify/${job.json.verificationId}`)).json;
    await expect.poll(async () => (await ended()).error?.customCode, { timeout: 20_000 }).toBe('missing_source');
    expect(asked).toEqual([]);
  });

  it('named by requests are fetched from listed hosts, not through redirects', async () => {
    const visitor = server.visitor();
    const fetched = async (url: string) => {
      const { status, json } = await visitor.post(`/session/input-files?url=${encodeURIComponent(url)}`, { body: {} });
      return [status, status === 200 ? json.files : json.message];
    };
    expect(await fetched(`http://${host}/named`)).toEqual([200, ['Named.sol']]);
    expect(await fetched(`http://${host}/folder/S.sol`)).toEqual([200, ['Named.sol', 'S.sol']]);
    for (const url of [`http://${host}/moved`, `http://${host}/none`, 'nonsense', `ftp://${host}/S.sol`]) {
      expect(await fetched(url)).toEqual([400, `Couldn't fetch from ${url}`]);
    }
    expect(await fetched('http://169.254.169.254/latest')).toEqual([400, 'Files are not fetched from 169.254.169.254']);
    expect(asked).toEqual(['/named', '/folder/S.sol', '/moved', '/none']);
  });

  it('in archives that unpack to too much are refused, and the session goes on', async () => {
    const visitor = server.visitor();
    const bomb = zipOf([{ name: 'bomb.sol', content: Buffer.alloc(8 * 1024 * 1024), claimed: 10 }]);
    const sendArchive = (content: Buffer) => {
      const form = new FormData();
      form.append('files', new File([new Uint8Array(content)], 'p.zip'));
      return visitor.post('/session/input-files', { form });
    };
    const message = 'Error while unzipping p.zip: its files have more than 1048576 bytes';
    const refused = await sendArchive(bomb);
    expect([refused.status, refused.json]).toEqual([400, { error: message, message }]);
    const { json } = await sendArchive(zipOf([{ name: '../../../etc/S.sol', content: SOURCE }]));
    expect([json.files, json.unused]).toEqual([['p.zip'], ['etc/S.sol']]);
  });
});
