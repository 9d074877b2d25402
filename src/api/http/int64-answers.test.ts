import { afterEach, describe, expect, it } from 'vitest';
import { badRequest } from '../problem.ts';
import type { RestAnswer, Route } from '../route.ts';
import type { Application } from './application.ts';
import { applicationOver, noDatabase } from './testing/application.fixture.ts';

const schema = {
  type: 'object',
  properties: { fee: { type: 'integer', format: 'int64' }, nonce: { type: 'integer', format: 'int32' } },
};

const made: string[] = [];

const route = (path: string, answer: RestAnswer, rest: Partial<Route> = {}): Route => ({
  method: 'GET',
  path,
  flavour: 'js',
  cacheSeconds: 60,
  operation: {
    operationId: 'test',
    summary: 'Test',
    tags: [],
    parameters: [],
    answer: { description: 'Test.', schema },
    problems: [400],
  },
  handle: async ({ query }) => {
    made.push(path);
    if (query.length > 0) throw badRequest('Unknown query parameter: x');
    return answer;
  },
  ...rest,
});

const body = '{"fee":9007199254740993,"nonce":5}';
const link = '/js?next';

let application: Application;
const start = (): Application['fastify'] => {
  made.length = 0;
  application = applicationOver({
    db: noDatabase,
    routes: [
      route('/js', { status: 200, body, link }),
      route('/java', { status: 200, body }, { flavour: 'java' }),
      route('/text', { status: 200, body: '5', contentType: 'text/plain;charset=UTF-8' }),
    ],
  });
  return application.fastify;
};

afterEach(() => application.fastify.close());

const accept = 'application/json; int64=string';

describe('Accept: application/json; int64=string', () => {
  it('gives 64-bit integers as strings and says so', async () => {
    const answer = await start().inject({ url: '/js', headers: { accept } });
    expect(answer.body).toBe('{"fee":"9007199254740993","nonce":5}');
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; int64=string; charset=utf-8',
      'cache-control': 'public, max-age=60',
      'content-length': '36',
      link: '</js?next>; rel="next"',
      vary: 'Accept, Accept-Encoding',
    });
  });

  it('speaks the dialect of the route', async () => {
    const answer = await start().inject({ url: '/java', headers: { accept } });
    expect(answer.body).toBe('{"fee":"9007199254740993","nonce":5}');
    expect(answer.headers['content-type']).toBe('application/json;int64=string;charset=UTF-8');
  });

  it('leaves the default, plain text and problems as they are', async () => {
    const fastify = start();
    const plain = await fastify.inject({ url: '/js', headers: { accept: 'application/json' } });
    expect(plain.body).toBe(body);
    expect(plain.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      vary: 'Accept, Accept-Encoding',
    });
    const text = await fastify.inject({ url: '/text', headers: { accept } });
    expect([text.body, text.headers['content-type']]).toEqual(['5', 'text/plain;charset=UTF-8']);
    const problem = await fastify.inject({ url: '/js?x=1', headers: { accept } });
    expect(problem.statusCode).toBe(400);
    expect(problem.headers['content-type']).toBe('application/json; charset=utf-8');
  });

  it('is kept apart from the default, under an ETag of its own', async () => {
    const fastify = start();
    const ask = (headers: Record<string, string>) => fastify.inject({ url: '/js', headers });
    const plain = await ask({});
    const strings = await ask({ accept });
    expect(made).toEqual(['/js', '/js']);
    expect([(await ask({})).body, (await ask({ accept })).body]).toEqual([plain.body, strings.body]);
    expect(made).toEqual(['/js', '/js']);
    const tag = String(strings.headers.etag);
    expect(tag).not.toBe(plain.headers.etag);
    expect((await ask({ accept, 'if-none-match': tag })).statusCode).toBe(304);
    expect((await ask({ 'if-none-match': tag })).statusCode).toBe(200);
  });
});
