import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { parseRawQuery } from '../http/raw-query.ts';
import type { HttpProblem } from '../problem.ts';
import type { RestRequest, RouteContext } from '../route.ts';
import { endpoint } from './endpoint.ts';
import { entityIds, flag, integers, limit, order, timestamps, waitSeconds, words } from './parameter.ts';

const { settings } = loadSettings({ cwd: '/', env: {}, files: [], readFile: () => undefined });
const context = { settings: settings.hiero.mirror.rest, shard: 0n, realm: 0n } as unknown as RouteContext;

const request = (query: string, id = '7'): RestRequest => ({
  method: 'GET',
  path: '/things',
  linkPrefix: '',
  pathParameters: { id },
  query: parseRawQuery(query),
  headers: {},
  body: new Uint8Array(),
});

const seen: string[] = [];

const things = endpoint({
  path: '/things/{id}',
  flavour: 'js',
  operationId: 'getThings',
  summary: 'List things',
  tag: 'things',
  refusals: 'sorted',
  pathParameters: { id: { description: 'The id.', schema: { type: 'string' } } },
  parameters: {
    amount: integers('How much.'),
    balance: flag('Whether balances are shown.', true),
    limit,
    order: order('asc'),
    owner: entityIds('Who has it.'),
    size: {
      accepts: () => true,
      read: (filters) => {
        seen.push('size');
        return filters.length;
      },
      doc: { description: 'How big.', schema: { type: 'string' } },
    },
    timestamp: timestamps,
    wait: waitSeconds('Seconds.'),
    word: words('A word.', ['one', 'two']),
  },
  answer: { description: 'Things.', schema: { type: 'object' } },
  problems: [400],
  resolve: async ({ path: { id } }) => {
    if (id === 'no') throw new Error('no such path');
    return { id };
  },
  handle: async ({ query, subject, path }) => ({
    status: 200,
    body: JSON.stringify(
      {
        id: subject.id,
        amount: [query.amount.lower, query.amount.upper],
        balance: query.balance,
        limit: query.limit,
        order: query.order,
        owner: query.owner,
        size: path.id === 'unread' ? undefined : [query.size, query.size],
        from: query.timestamp.lower,
        wait: query.wait,
        word: query.word,
      },
      (_key, value) => (typeof value === 'bigint' ? value.toString() : value),
    ),
  }),
});

const ask = async (query: string, id?: string) =>
  JSON.parse(String((await things.handle(request(query, id), context)).body));

describe('endpoint', () => {
  it('gives the values of the query to its handler', async () => {
    expect(
      await ask(
        'amount=gte:5&AMOUNT=lt:9&balance=False&limit=2000&order=DESC&owner=0.0.3&timestamp=gt:1&wait=5&word=ONE',
      ),
    ).toMatchObject({
      id: '7',
      amount: ['5', '8'],
      balance: false,
      limit: 100,
      order: 'desc',
      owner: [{ operator: 'eq', value: '3' }],
      from: '1000000001',
      wait: 5,
      word: ['one'],
    });
  });

  it('has defaults', async () => {
    expect(await ask('')).toMatchObject({ amount: [null, null], balance: true, limit: 25, order: 'asc', word: [] });
  });

  it('reads each value once, and only when it is asked for', async () => {
    seen.length = 0;
    expect((await ask('size=1&size=2')).size).toEqual([2, 2]);
    expect(seen).toEqual(['size']);
    seen.length = 0;
    await ask('size=1', 'unread');
    expect(seen).toEqual([]);
  });

  it('refuses what its parameters do not take, and what it does not know', async () => {
    const refused = (await things
      .handle(request('unknown=1&limit=0&wait=100000&word=three'), context)
      .catch((problem: unknown) => problem)) as HttpProblem;
    expect(refused.status).toBe(400);
    expect(refused.messages.map(({ message }) => message)).toEqual([
      'Invalid parameter: limit',
      'Invalid parameter: wait',
      'Invalid parameter: word',
      'Unknown query parameter: unknown',
    ]);
  });

  it('looks at the path first', async () => {
    await expect(ask('limit=0', 'no')).rejects.toThrow('no such path');
  });

  it('documents its parameters', () => {
    expect(things.operation.parameters.map(({ name, in: place }) => `${place} ${name}`)).toEqual([
      'path id',
      'query amount',
      'query balance',
      'query limit',
      'query order',
      'query owner',
      'query size',
      'query timestamp',
      'query wait',
      'query word',
    ]);
    expect(things.operation.parameters[0]).toMatchObject({ required: true, description: 'The id.' });
  });
});
