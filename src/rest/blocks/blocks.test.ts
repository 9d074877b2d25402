import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { followLinks, restRequests } from '../testing/rest-request.fixture.ts';
import { insertRows } from '../testing/rows.fixture.ts';
import { blockRoutes } from './blocks.ts';

const hashOf = (number: number): string => number.toString(16).padStart(2, '0').repeat(48);
const count = 12;

let test: TestDatabase;
let get: ReturnType<typeof restRequests>;

beforeAll(async () => {
  test = await createTestDatabase();
  await insertRows(
    test.database,
    'record_file',
    Array.from({ length: count }, (_, i) => ({
      name: `file ${i}`,
      load_start: 0,
      load_end: 0,
      hash: hashOf(i),
      prev_hash: hashOf(i + 100),
      consensus_start: 1_676_540_000_000_000_000n + 2_000_000_000n * BigInt(i),
      consensus_end: 1_676_540_001_999_999_999n + 2_000_000_000n * BigInt(i),
      count: i,
      digest_algorithm: 0,
      hapi_version_major: i === 0 ? null : 0,
      hapi_version_minor: i === 0 ? null : 64,
      hapi_version_patch: i === 0 ? null : i,
      version: 6,
      file_hash: hashOf(i),
      index: i,
      gas_used: i === 0 ? -1 : i * 1000,
      logs_bloom: i === 0 ? null : i === 1 ? '\\x' : '\\xab',
      bytes: i === 2 ? '\\x010203' : null,
      size: i === 2 ? null : i,
    })),
  );
  get = restRequests(blockRoutes, test.database);
});
afterAll(() => test?.drop());

const numbers = (pages: readonly { json: { blocks: { number: number }[] } }[]): number[] =>
  pages.flatMap(({ json }) => json.blocks.map(({ number }) => number));

describe('GET /api/v1/blocks', () => {
  it('gives the newest first', async () => {
    const answer = await get('/api/v1/blocks?limit=2');
    expect(numbers([answer])).toEqual([11, 10]);
    expect(answer.json.links.next).toBe('/api/v1/blocks?limit=2&block.number=lt:10');
    expect(answer.link).toBe(answer.json.links.next);
  });

  it.each([
    ['block.number=3', [3]],
    ['block.number=0x3', [3]],
    ['block.number=3&block.number=4', []],
    ['block.number=gt:3&block.number=lte:6&order=asc', [4, 5, 6]],
    ['block.number=lt:18&block.number=lte:2', [2, 1, 0]],
    ['block.number=gt:9223372036854775807', []],
    ['timestamp=1676540001.999999999', [0]],
    ['timestamp=lt:1676540003.999999999', [0]],
    ['timestamp=lte:1676540003.999999999&block.number=gte:1', [1]],
    ['timestamp=gte:1676540019&timestamp=ne:1676540023.999999999', [10, 9]],
    ['timestamp=gt:9999999999.999999999', []],
    ['timestamp=gt:1676540005&timestamp=lt:1676540004', []],
  ])('?%s', async (query, expected) => {
    expect(numbers([await get(`/api/v1/blocks?${query}`)])).toEqual(expected);
  });

  it('links through all blocks in both orders', async () => {
    const upwards = Array.from({ length: count }, (_, i) => i);
    for (const limit of [1, 5, 6, 12]) {
      expect(numbers(await followLinks(get, `/api/v1/blocks?limit=${limit}&order=asc`))).toEqual(upwards);
      expect(numbers(await followLinks(get, `/api/v1/blocks?limit=${limit}`))).toEqual(upwards.toReversed());
      expect(
        numbers(await followLinks(get, `/api/v1/blocks?block.number=gte:3&block.number=lt:9&limit=${limit}`)),
      ).toEqual([8, 7, 6, 5, 4, 3]);
      expect(
        numbers(await followLinks(get, `/api/v1/blocks?timestamp=gt:1676540004&order=asc&limit=${limit}`)),
      ).toEqual(upwards.slice(2));
    }
  });

  it('refuses ne on numbers', async () => {
    expect(await get('/api/v1/blocks?block.number=ne:3')).toMatchObject({
      status: 400,
      messages: ['Invalid parameter: block.number'],
    });
  });
});

describe('GET /api/v1/blocks/{hashOrNumber}', () => {
  it('writes every field', async () => {
    expect((await get('/api/v1/blocks/3')).json).toEqual({
      count: 3,
      gas_used: 3000,
      hapi_version: '0.64.3',
      hash: `0x${hashOf(3)}`,
      logs_bloom: `0x${'ab'.padStart(512, '0')}`,
      name: 'file 3',
      number: 3,
      previous_hash: `0x${hashOf(103)}`,
      size: 3,
      timestamp: { from: '1676540006.000000000', to: '1676540007.999999999' },
    });
  });

  it('shows what is not known as null', async () => {
    expect((await get('/api/v1/blocks/0')).json).toMatchObject({
      gas_used: null,
      hapi_version: null,
      logs_bloom: null,
    });
    expect((await get('/api/v1/blocks/1')).json.logs_bloom).toBe('0x');
    expect((await get('/api/v1/blocks/2')).json.size).toBe(3);
  });

  it('finds by hash, whole or its first 32 bytes', async () => {
    for (const hash of [
      hashOf(7),
      `0x${hashOf(7).toUpperCase()}`,
      hashOf(7).slice(0, 64),
      `0x${hashOf(7).slice(0, 64)}`,
    ]) {
      expect((await get(`/api/v1/blocks/${hash}`)).json.number).toBe(7);
    }
  });

  it.each([
    ['99', 404, 'Not found'],
    [hashOf(200), 404, 'Not found'],
    ['abc', 400, 'Invalid parameter: hashOrNumber'],
    ['-1', 400, 'Invalid parameter: hashOrNumber'],
    ['9223372036854775808', 400, 'Invalid parameter: hashOrNumber'],
    ['1?limit=2&limit=3', 400, 'Unknown query parameter: limit'],
  ])('%s: %i', async (path, status, message) => {
    expect(await get(`/api/v1/blocks/${path}`)).toMatchObject({ status, messages: [message] });
  });
});
