/** What travels over a real connection, of answers made anew and of kept ones: bytes, headers, and nothing after them. */
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** As sent, not decompressed. */
  readonly bytes: Buffer;
  /** The client's port: tells connections apart. */
  readonly connection: number;
}

let served: ServedLedger;
// One connection for all requests in turn: whatever one answer leaves on it spoils the next.
const agent = new Agent({ keepAlive: true, maxSockets: 1 });

beforeAll(async () => {
  served = await serveSimulatedLedger({ seed: 'http', transactions: 400, tps: 50, nodes: 3, users: 20 });
}, 60_000);
afterAll(async () => {
  agent.destroy();
  await served?.stop();
});

const send = (method: string, path: string, headers: Record<string, string> = {}): Promise<Received> =>
  new Promise((resolve, reject) => {
    const sent = request(`${served.origin}${path}`, { method, headers, agent }, (response) => {
      const { localPort = 0 } = response.socket;
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, headers: received } = response;
        resolve({ status: statusCode, headers: received, bytes: Buffer.concat(chunks), connection: localPort });
      });
    });
    sent.on('error', reject);
    sent.end();
  });

const long = ['/api/v1/transactions?limit=25', '/api/v1/blocks', '/api/v1/accounts?limit=20', '/api/v1/network/nodes'];
/** The first is made for it, the second kept from then; a commit in between makes the third anew. */
const rounds = ['made', 'kept', 'made again'] as const;

describe.each(long)('%s', (path) => {
  it('is the same in every coding, made or kept', async () => {
    const plain = await send('GET', path);
    expect([plain.status, plain.headers['content-encoding'], plain.headers['transfer-encoding']]).toEqual([
      200,
      undefined,
      undefined,
    ]);
    expect(plain.headers['content-length']).toBe(String(plain.bytes.length));
    for (const [accepted, coding, decompress] of [
      ['gzip, deflate', 'gzip', gunzipSync],
      ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ] as const) {
      for (const round of rounds) {
        if (round === 'made again') served.server.onBlockCommitted();
        const answer = await send('GET', path, { 'accept-encoding': accepted });
        expect([round, answer.status, answer.headers['content-encoding']]).toEqual([round, 200, coding]);
        expect(answer.headers['content-length']).toBe(String(answer.bytes.length));
        expect(answer.headers.vary).toMatch(/accept-encoding/i);
        expect(answer.bytes.length).toBeLessThan(plain.bytes.length / 2);
        expect(decompress(answer.bytes).equals(plain.bytes)).toBe(true);
      }
    }
    const refused = await send('GET', path, { 'accept-encoding': 'gzip;q=0, identity' });
    expect([refused.headers['content-encoding'], refused.bytes.equals(plain.bytes)]).toEqual([undefined, true]);
  });

  it('is 304 for who has it, until there is another', async () => {
    for (const round of rounds) {
      if (round === 'made again') served.server.onBlockCommitted();
      for (const coding of ['identity', 'gzip', 'br']) {
        const { headers, bytes } = await send('GET', path, { 'accept-encoding': coding });
        const again = await send('GET', path, { 'accept-encoding': coding, 'if-none-match': String(headers.etag) });
        expect([round, coding, again.status, again.bytes.length]).toEqual([round, coding, 304, 0]);
        // A strong tag is weak while its answer is compressed; what is compared is the rest of it.
        expect(again.headers.etag?.replace('W/', '')).toBe(headers.etag?.replace('W/', ''));
        expect(again.headers['cache-control']).toBe(headers['cache-control']);
        const other = await send('GET', path, { 'accept-encoding': coding, 'if-none-match': 'W/"other"' });
        expect([other.status, other.bytes.equals(bytes)]).toEqual([200, true]);
      }
    }
  });

  it('has for HEAD the headers of GET, and no body', async () => {
    for (const round of rounds) {
      if (round === 'made again') served.server.onBlockCommitted();
      const get = await send('GET', path);
      const head = await send('HEAD', path);
      expect([round, head.status, head.bytes.length]).toEqual([round, 200, 0]);
      for (const name of [
        'content-length',
        'content-type',
        'etag',
        'cache-control',
        'link',
        'access-control-allow-origin',
      ]) {
        expect([name, head.headers[name]]).toEqual([name, get.headers[name]]);
      }
    }
  });

  it('is open to pages of every origin', async () => {
    const origin = 'https://explorer.example';
    const asked = await send('OPTIONS', path, {
      origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'x-api-key',
    });
    expect([asked.status, asked.bytes.length]).toEqual([204, 0]);
    expect(asked.headers['access-control-allow-methods']).toContain('GET');
    expect(asked.headers['access-control-allow-headers']).toBe('x-api-key');
    for (const answer of [asked, await send('GET', path, { origin }), await send('HEAD', path, { origin })]) {
      expect(answer.headers['access-control-allow-origin']).toBe('*');
    }
  });
});

describe('the server', () => {
  it('says no with the same openness', async () => {
    for (const [path, status] of [
      ['/api/v1/blocks?limit=none', 400],
      ['/api/v1/blocks/999999', 404],
      ['/api/v1/nothing', 404],
      ['/nothing', 404],
      ['/api/v1/network/nodes?limit=none', 400],
    ] as const) {
      const answer = await send('GET', path, { origin: 'https://explorer.example', 'accept-encoding': 'gzip, br' });
      expect([path, answer.status, answer.headers['access-control-allow-origin']]).toEqual([path, status, '*']);
      expect(JSON.parse(answer.bytes.toString())).toHaveProperty('_status.messages.0.message');
    }
  });

  it('keeps one connection through all of this', async () => {
    const { connection } = await send('GET', '/api/v1/blocks');
    for (const [method, headers] of [
      ['HEAD', {}],
      ['OPTIONS', {}],
      ['GET', { 'accept-encoding': 'br' }],
      ['GET', { 'if-none-match': '*' }],
    ] as const) {
      expect([method, (await send(method, '/api/v1/blocks', headers)).connection]).toEqual([method, connection]);
    }
  });
});
