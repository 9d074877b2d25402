import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import type { Database } from '../../database/connection.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { badRequest, reasonedProblem } from '../problem.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../route.ts';
import { type AnsweredRequest, type Application, createApplication } from './application.ts';

const operation = {
  operationId: 'test',
  summary: 'Test',
  tags: ['test'],
  parameters: [],
  answer: { description: 'Test.', schema: {} },
  problems: [],
};

type Handle = (request: RestRequest, context: RouteContext) => RestAnswer | Promise<RestAnswer>;

const route = (path: string, handle: Handle, rest: Partial<Route> = {}): Route => ({
  method: 'GET',
  path,
  flavour: 'js',
  operation,
  handle: async (request, context) => handle(request, context),
  ...rest,
});

const noDatabase: Database = {
  query: () => Promise.reject(new KagamiError('SCHEMA_NOT_READY', 'no table')),
  transaction: () => Promise.reject(new Error('unused')),
  cells: () => Promise.reject(new Error('unused')),
  copyOut: () => Promise.reject(new Error('unused')),
  withClient: () => Promise.reject(new Error('unused')),
  listen: () => Promise.reject(new Error('unused')),
  close: () => Promise.resolve(),
};

const open: Application[] = [];

interface Given {
  readonly routes: readonly Route[];
  readonly rest?: object;
  readonly onAnswered?: (request: AnsweredRequest) => void;
}

const applicationOf = ({ routes, rest = {}, onAnswered }: Given): Application => {
  const { hiero } = loadSettings({
    cwd: '/',
    env: {},
    files: ['/test.yml'],
    readFile: (path) => (path === '/test.yml' ? JSON.stringify({ hiero: { mirror: { rest } } }) : undefined),
  }).settings;
  const application = createApplication({
    routes,
    db: noDatabase,
    settings: hiero.mirror.rest,
    javaSettings: hiero.mirror.restJava,
    shard: 0n,
    realm: 0n,
    clock: () => 1_700_000_000_000_000_000n,
    log: { error: () => undefined, debug: () => undefined },
    ...(onAnswered === undefined ? {} : { onAnswered }),
  });
  open.push(application);
  return application;
};

afterEach(async () => {
  await Promise.all(open.splice(0).map(({ fastify }) => fastify.close()));
});

const ok = (body: unknown = {}): RestAnswer => ({ status: 200, body: JSON.stringify(body) });
const problem = (message: string, detail?: string) => ({
  _status: { messages: [detail === undefined ? { message } : { message, detail }] },
});

describe('matching', () => {
  const routes = [
    route('/api/v1/accounts/{idOrAlias}', (request) => ok({ path: request.path, ...request.pathParameters })),
    route('/api/v1/network/nodes', () => ok(), { flavour: 'java', cacheSeconds: 60 }),
  ];

  it('takes paths in any letter case and with a trailing slash, and keeps the case of parameters', async () => {
    const { fastify } = applicationOf({ routes });
    const answer = await fastify.inject('/API/v1/Accounts/HIQQe%41/');
    expect(answer.json()).toEqual({ path: '/API/v1/Accounts/HIQQe%41/', idOrAlias: 'HIQQeA' });
  });

  it('answers 404 for unknown paths, and for other methods of the js flavour', async () => {
    const { fastify } = applicationOf({ routes });
    for (const request of [
      { method: 'GET' as const, url: '/api/v1/hedera/0.0.7' },
      { method: 'POST' as const, url: '/api/v1/accounts/5', payload: '{}', headers: { 'content-type': 'x/y' } },
    ]) {
      const answer = await fastify.inject(request);
      expect(answer.statusCode).toBe(404);
      expect(answer.json()).toEqual(problem('Not found'));
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
      expect(answer.headers['cache-control']).toBeUndefined();
    }
  });

  it('answers 405 for other methods of the java flavour', async () => {
    const { fastify } = applicationOf({ routes });
    const answer = await fastify.inject({ method: 'DELETE', url: '/api/v1/network/nodes' });
    expect(answer.statusCode).toBe(405);
    expect(answer.json()).toEqual(problem('Method Not Allowed', "Request method 'DELETE' is not supported"));
    expect(answer.headers.allow).toBe('GET, HEAD');
  });

  it('answers 400 for a malformed path', async () => {
    const { fastify } = applicationOf({ routes });
    const answer = await fastify.inject('/api/v1/accounts/%zz');
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual(problem('Malformed path'));
    expect(answer.headers['access-control-allow-origin']).toBe('*');
  });

  it('takes long parameters', async () => {
    const { fastify } = applicationOf({ routes });
    const long = 'A'.repeat(500);
    expect((await fastify.inject(`/api/v1/accounts/${long}`)).json().idOrAlias).toBe(long);
  });
});

describe('requests', () => {
  it('hands the query over as sent', async () => {
    const routes = [route('/q', ({ query }) => ok(query))];
    const { fastify } = applicationOf({ routes });
    expect((await fastify.inject('/q?Limit=5&limit=6&order=%64esc&x=%zz')).json()).toEqual([
      ['Limit', '5'],
      ['limit', '6'],
      ['order', 'desc'],
      ['x', '%zz'],
    ]);
  });

  it('hands over the bytes of a POST', async () => {
    const routes = [
      route(
        '/p',
        ({ body, headers }) => ok({ hex: Buffer.from(body).toString('hex'), type: headers['content-type'] }),
        {
          method: 'POST',
        },
      ),
    ];
    const { fastify } = applicationOf({ routes });
    const answer = await fastify.inject({
      method: 'POST',
      url: '/p',
      payload: Buffer.from('00ff80', 'hex'),
      headers: { 'content-type': 'application/protobuf' },
    });
    expect(answer.json()).toEqual({ hex: '00ff80', type: 'application/protobuf' });
  });

  it('takes bodies of the types and the length that a route allows', async () => {
    const requestBody = { description: 'Bytes.', content: { 'application/protobuf': {} } };
    let handled = 0;
    const routes = [
      route('/p', () => ok({ handled: ++handled }), {
        method: 'POST',
        flavour: 'java',
        maxBodyBytes: 4,
        operation: { ...operation, requestBody },
      }),
    ];
    const { fastify } = applicationOf({ routes });
    const post = (type: string, length: number) =>
      fastify.inject({
        method: 'POST',
        url: '/p',
        payload: Buffer.alloc(length),
        headers: { 'content-type': type },
      });
    expect((await post('application/protobuf', 4)).statusCode).toBe(200);
    const tooLong = await post('application/protobuf', 5);
    expect([tooLong.statusCode, tooLong.json()]).toEqual([413, problem('Payload Too Large')]);
    // The type is looked at before the body is read.
    const wrong = await post('text/plain', 5);
    expect([wrong.statusCode, wrong.json()]).toEqual([
      415,
      problem('Unsupported Media Type', "Content-Type 'text/plain' is not supported"),
    ]);
    expect(wrong.headers['access-control-allow-origin']).toBe('*');
    expect(handled).toBe(1);
  });

  it('refuses a key that is repeated too often, at js endpoints', async () => {
    const rest = { query: { maxRepeatedQueryParameters: 2 } };
    const routes = [route('/js', () => ok()), route('/java', () => ok(), { flavour: 'java' })];
    const { fastify } = applicationOf({ routes, rest });
    expect((await fastify.inject('/js?a=1&a=2')).statusCode).toBe(200);
    const refused = await fastify.inject('/js?a=1&a=2&a=3');
    expect(refused.statusCode).toBe(400);
    expect(refused.json()).toEqual(problem('Array limit exceeded. Only 2 elements allowed in an array.'));
    expect((await fastify.inject('/java?a=1&a=2&a=3')).statusCode).toBe(200);
  });

  it('names the user, and refuses unknown ones before the handler', async () => {
    const rest = { users: [{ username: 'premium', password: 'secret', limit: 3 }] };
    const routes = [route('/u', ({ user }) => ok(user ?? null))];
    const { fastify } = applicationOf({ routes, rest });
    const ask = (credentials: string) =>
      fastify.inject({
        url: '/u',
        headers: { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` },
      });
    expect((await ask('premium:secret')).json()).toEqual({ username: 'premium', limit: 3 });
    const refused = await ask('premium:wrong');
    expect(refused.statusCode).toBe(401);
    expect(refused.json()).toEqual(problem('Invalid credentials'));
    expect((await fastify.inject('/u')).json()).toBeNull();
  });

  it('puts the host before links when the settings say so', async () => {
    const routes = [route('/l', ({ linkPrefix }) => ok({ linkPrefix }))];
    const headers = { host: 'mirror.example:5551' };
    const plain = applicationOf({ routes }).fastify;
    expect((await plain.inject({ url: '/l', headers })).json()).toEqual({ linkPrefix: '' });
    const withHost = applicationOf({ routes, rest: { response: { includeHostInLink: true } } }).fastify;
    expect((await withHost.inject({ url: '/l', headers })).json()).toEqual({
      linkPrefix: 'http://mirror.example:5551',
    });
  });
});

describe('answers', () => {
  const link = '/api/v1/blocks?limit=1&block.number=lt:5';
  const routes = [
    route('/js', () => ({ ...ok({ a: 1 }), link })),
    route('/java', () => ok({ a: 1 }), { flavour: 'java', cacheSeconds: 60 }),
    route('/long', () => ({ ...ok({ a: 'x'.repeat(5000) }), cacheSeconds: 600 })),
    route('/long-java', () => ok({ a: 'x'.repeat(5000) }), { flavour: 'java' }),
    route('/text', () => ({ status: 200, body: '5', contentType: 'text/plain;charset=UTF-8' }), { flavour: 'java' }),
    route('/partial', () => ({ ...ok(), status: 206 })),
    route('/uncached', () => ({ ...ok(), cacheSeconds: null })),
  ];

  it('carry the headers of the js flavour', async () => {
    const { headers, body } = await applicationOf({ routes }).fastify.inject('/js');
    expect(body).toBe('{"a":1}');
    expect(headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'public, max-age=1',
      'access-control-allow-origin': '*',
      'content-length': '7',
      link: `<${link}>; rel="next"`,
      vary: 'Accept, Accept-Encoding',
    });
    expect(headers.etag).toMatch(/^W\/"7-[\w-]{27}"$/);
  });

  it('carry the headers of the java flavour', async () => {
    const { headers } = await applicationOf({ routes }).fastify.inject('/java');
    expect(headers).toMatchObject({
      'content-type': 'application/json;charset=UTF-8',
      'cache-control': 'public, max-age=60',
    });
    expect(headers.etag).toMatch(/^"0[0-9a-f]{32}"$/);
    expect(headers.link).toBeUndefined();
  });

  it('take their own content type, status and cache-control', async () => {
    const { fastify } = applicationOf({ routes });
    expect((await fastify.inject('/text')).headers['content-type']).toBe('text/plain;charset=UTF-8');
    expect((await fastify.inject('/partial')).statusCode).toBe(206);
    expect((await fastify.inject('/long')).headers['cache-control']).toBe('public, max-age=600');
    expect((await fastify.inject('/uncached')).headers['cache-control']).toBeUndefined();
  });

  it('take default headers from the settings', async () => {
    const rest = { response: { headers: { default: { 'cache-control': 'public, max-age=3', 'x-mirror': 'a' } } } };
    const { headers } = await applicationOf({ routes, rest }).fastify.inject('/js');
    expect(headers).toMatchObject({ 'cache-control': 'public, max-age=3', 'x-mirror': 'a' });
  });

  it('are 304 without a body for who has them', async () => {
    const { fastify } = applicationOf({ routes });
    for (const url of ['/js', '/java']) {
      const etag = String((await fastify.inject(url)).headers.etag);
      const again = await fastify.inject({ url, headers: { 'if-none-match': etag } });
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag]);
      expect((await fastify.inject({ url, headers: { 'if-none-match': '"other"' } })).statusCode).toBe(200);
    }
  });

  it('to HEAD have the headers and no body', async () => {
    const { fastify } = applicationOf({ routes });
    const get = await fastify.inject('/long');
    const head = await fastify.inject({ method: 'HEAD', url: '/long', headers: { 'accept-encoding': 'gzip' } });
    expect(head.statusCode).toBe(200);
    expect(head.body).toBe('');
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
    expect(head.headers.etag).toBe(get.headers.etag);
  });

  it('to OPTIONS are 204 with what is allowed', async () => {
    const answer = await applicationOf({ routes }).fastify.inject({
      method: 'OPTIONS',
      url: '/anything',
      headers: { origin: 'https://a.example', 'access-control-request-headers': 'x-api-key' },
    });
    expect(answer.statusCode).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': 'GET,HEAD,POST',
      'access-control-allow-headers': 'x-api-key',
    });
  });

  it('are compressed when long and welcome', async () => {
    const { fastify } = applicationOf({ routes });
    const plain = await fastify.inject('/long');
    for (const [coding, decompress] of [
      ['gzip', gunzipSync],
      ['br', brotliDecompressSync],
    ] as const) {
      for (let round = 0; round < 2; round++) {
        const answer = await fastify.inject({ url: '/long', headers: { 'accept-encoding': coding } });
        expect(answer.headers['content-encoding']).toBe(coding);
        expect(answer.rawPayload.length).toBeLessThan(200);
        expect(decompress(answer.rawPayload).toString()).toBe(plain.body);
      }
    }
    const short = await fastify.inject({ url: '/js', headers: { 'accept-encoding': 'gzip' } });
    expect(short.headers['content-encoding']).toBeUndefined();
    const java = await fastify.inject({ url: '/long-java', headers: { 'accept-encoding': 'gzip' } });
    expect(java.headers.etag).toMatch(/^W\/"0[0-9a-f]{32}"$/);
    const off = applicationOf({ routes, rest: { response: { compression: false } } }).fastify;
    const uncompressed = await off.inject({ url: '/long', headers: { 'accept-encoding': 'gzip' } });
    expect(uncompressed.headers['content-encoding']).toBeUndefined();
  });
});

describe('problems', () => {
  const routes = [
    route('/js', () => {
      throw badRequest('Invalid parameter: limit');
    }),
    route(
      '/java',
      () => {
        throw reasonedProblem(404, 'File 0.0.112 not found');
      },
      { flavour: 'java', cacheSeconds: 60 },
    ),
    route('/database', async (_request, { db }) => ok(await db.query('select 1'))),
    route('/fault', () => {
      throw new TypeError('secret internals');
    }),
  ];

  it('of the js flavour carry no cache-control', async () => {
    const answer = await applicationOf({ routes }).fastify.inject('/js');
    expect(answer.statusCode).toBe(400);
    expect(answer.json()).toEqual(problem('Invalid parameter: limit'));
    expect(answer.headers['cache-control']).toBeUndefined();
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('of the java flavour carry the one of their route', async () => {
    const answer = await applicationOf({ routes }).fastify.inject('/java');
    expect(answer.statusCode).toBe(404);
    expect(answer.json()).toEqual(problem('Not Found', 'File 0.0.112 not found'));
    expect(answer.headers['cache-control']).toBe('public, max-age=60');
    expect(answer.headers['content-type']).toBe('application/json;charset=UTF-8');
  });

  it('carry no entity tag in either flavour, and are never 304', async () => {
    const { fastify } = applicationOf({ routes });
    for (const url of ['/js', '/java', '/database', '/fault', '/unknown']) {
      const answer = await fastify.inject({ url, headers: { 'if-none-match': '*' } });
      expect([url, answer.statusCode >= 400, answer.headers.etag]).toEqual([url, true, undefined]);
    }
  });

  it('tell that the schema is not there', async () => {
    const answer = await applicationOf({ routes }).fastify.inject('/database');
    expect(answer.statusCode).toBe(503);
    expect(answer.json()).toEqual(
      problem(
        'Service Unavailable',
        'The database has no schema yet. It is served as soon as the migrations have run.',
      ),
    );
  });

  it('tell nothing of faults of ours', async () => {
    const answer = await applicationOf({ routes }).fastify.inject('/fault');
    expect(answer.statusCode).toBe(500);
    expect(answer.json()).toEqual(problem('Internal error'));
  });
});

describe('the cache', () => {
  const counting = () => {
    let count = 0;
    const next = () => ok({ count: ++count });
    return [
      route('/plain', next),
      route('/clock', (_request, { clock }) => ok({ count: ++count, now: clock().toString() })),
      route('/failing', () => {
        count++;
        throw badRequest(String(count));
      }),
      route('/partial', () => ({ ...next(), status: 206 })),
      route('/uncached', () => ({ ...next(), cacheSeconds: null })),
      route('/post', next, { method: 'POST' }),
    ];
  };

  it('gives an answer again until a block commits', async () => {
    const { fastify, onBlockCommitted } = applicationOf({ routes: counting() });
    const ask = async (url: string) => (await fastify.inject(url)).json().count;
    expect([await ask('/plain'), await ask('/plain'), await ask('/plain?a=1')]).toEqual([1, 1, 2]);
    onBlockCommitted();
    expect(await ask('/plain')).toBe(3);
  });

  it.each(['/clock', '/partial', '/uncached'])('keeps nothing of %s', async (url) => {
    const { fastify } = applicationOf({ routes: counting() });
    expect((await fastify.inject(url)).json().count).toBe(1);
    expect((await fastify.inject(url)).json().count).toBe(2);
  });

  it('keeps neither problems nor answers to POST', async () => {
    const { fastify } = applicationOf({ routes: counting() });
    await fastify.inject('/failing');
    expect((await fastify.inject('/failing')).json()).toEqual(problem('2'));
    expect((await fastify.inject({ method: 'POST', url: '/post' })).json().count).toBe(3);
    expect((await fastify.inject({ method: 'POST', url: '/post' })).json().count).toBe(4);
  });

  it('keeps answers of users with other limits apart', async () => {
    const rest = { users: [{ username: 'a', password: 'b', limit: 7 }] };
    const routes = [route('/limit', ({ user }) => ok({ limit: user?.limit ?? null }))];
    const { fastify } = applicationOf({ routes, rest });
    const headers = { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` };
    expect((await fastify.inject('/limit')).json()).toEqual({ limit: null });
    expect((await fastify.inject({ url: '/limit', headers })).json()).toEqual({ limit: 7 });
    expect((await fastify.inject('/limit')).json()).toEqual({ limit: null });
  });

  it('can be turned off', async () => {
    const { fastify } = applicationOf({ routes: counting(), rest: { cache: { response: { enabled: false } } } });
    expect((await fastify.inject('/plain')).json().count).toBe(1);
    expect((await fastify.inject('/plain')).json().count).toBe(2);
  });
});

describe('an answer without the framework, kept or not', () => {
  const routes = [
    route('/short', () => ({ ...ok({ a: 1 }), link: '/short?next' })),
    route('/long', () => ok({ a: 'x'.repeat(5000) }), { flavour: 'java', cacheSeconds: 60 }),
    route('/of/{one}/and/{other}', ({ pathParameters }) => ok(pathParameters)),
    route('/refused', () => Promise.reject(badRequest('Invalid parameter: x')), { flavour: 'java', cacheSeconds: 5 }),
    route('/broken', () => Promise.reject(new Error('broken'))),
    route('/down', (_request, { db }) => db.query('select') as never),
    route('/live', () => ok(), { isLive: () => true }),
    route('/call', () => ok(), { flavour: 'web3' }),
  ];

  it.each([
    ['/short', {}],
    ['/short?limit=%31', {}],
    ['/short', { authorization: 'Basic bm9ib2R5Om5vdGhpbmc=' }],
    [`/short?${'a=1&'.repeat(101)}`, {}],
    ['/short', { accept: 'application/json;int64=string' }],
    ['/long', {}],
    ['/long', { 'accept-encoding': 'gzip' }],
    ['/long', { 'accept-encoding': 'br' }],
    ['/short', { 'if-none-match': '*' }],
    ['/long', { 'if-none-match': '"0", *' }],
    ['/of/0.0.5/and/a-b@c_d', {}],
    ['/refused', {}],
    ['/broken', {}],
    ['/down', {}],
    ['/live', {}],
    ['/call', {}],
  ])('is the one that the framework gives: %s %j', async (url, headers) => {
    const seen: AnsweredRequest[] = [];
    const { fastify, listener } = applicationOf({ routes, onAnswered: (request) => seen.push(request) });
    await fastify.ready();
    const server = createServer(listener);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const ask = (path: string) =>
      new Promise<object>((resolve, reject) => {
        get({ host: '127.0.0.1', port, path, headers }, async (incoming) => {
          const bytes = await incoming.toArray();
          const names = incoming.rawHeaders.filter((_text, index) => index % 2 === 0);
          const { date: _date, ...rest } = incoming.headers;
          resolve({ status: incoming.statusCode, names, headers: rest, body: Buffer.concat(bytes).toString('hex') });
        }).on('error', reject);
      });
    const [path = '', query] = url.split('?');
    // A slash at the end is left to the framework.
    const through = await ask(query === undefined ? `${path}/` : `${path}/?${query}`);
    expect([await ask(url), await ask(url)]).toEqual([through, through]);
    const { status } = through as { status: number };
    const pattern = path.startsWith('/of/') ? '/of/{one}/and/{other}' : path;
    expect(seen.map((one) => [one.method, one.route, one.status])).toEqual(Array(3).fill(['GET', pattern, status]));
    expect(new Set(seen.map(({ responseBytes }) => responseBytes)).size).toBe(1);
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('observation', () => {
  it('reports every answered request', async () => {
    const seen: AnsweredRequest[] = [];
    const { fastify } = applicationOf({
      routes: [route('/a/{b}', () => ok())],
      onAnswered: (request) => seen.push(request),
    });
    await fastify.inject('/a/5?c=1');
    await fastify.inject('/none');
    expect(seen).toMatchObject([
      { method: 'GET', route: '/a/{b}', flavour: 'js', target: '/a/5?c=1', status: 200, responseBytes: 2 },
      { method: 'GET', route: undefined, flavour: undefined, target: '/none', status: 404 },
    ]);
    expect(seen[0]?.elapsedMs).toBeGreaterThan(0);
  });
});
