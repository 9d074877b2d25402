import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { LedgerValues } from './ledger-values.ts';
import { comparedRoutes, missingFrom, requestGenerator } from './request-generator.ts';

const routes = comparedRoutes(join(import.meta.dirname, '../../openapi/openapi.yml'));

const values: LedgerValues = {
  scenes: new Map([
    ['/api/v1/tokens/{tokenId}/nfts', [{ tokenId: '0.0.700', 'account.id': '0.0.1001', serialnumber: '7' }]],
    ['/api/v1/blocks/{hashOrNumber}', [{ hashOrNumber: '12' }]],
  ]),
  spellings: new Map([['0.0.1001', ['0x00000000000000000000000000000000000003e9']]]),
};

const some = (seed: string, length: number) => {
  const generate = requestGenerator(routes, values, seed);
  return Array.from({ length }, (_, number) => generate(number));
};

test('one seed gives the same requests, another one others', () => {
  expect(some('a', 200)).toEqual(some('a', 200));
  expect(some('b', 200)).not.toEqual(some('a', 200));
});

test('every route of the OpenAPI document is asked with every parameter', () => {
  const missing = missingFrom(routes, some('a', 20_000));
  expect(missing.filter((request) => !/=(?:eq|gte?|lte?|ne):$/.test(request))).toEqual([]);
});

test('requests are made of values of the ledger, in all their spellings, with operators, bounds and wrong ones', () => {
  const urls = some('a', 20_000)
    .filter(({ route }) => route === '/api/v1/tokens/{tokenId}/nfts')
    .map(({ url }) => url);
  for (const part of [
    /\/tokens\/0\.0\.700\/nfts/,
    /\/tokens\/0\.0\.0\/nfts/,
    /serialnumber=(?:eq:)?7(?:&|$)/,
    /serialnumber=gte:/,
    /serialnumber=\w*:?9223372036854775808/,
    /serialnumber=\w*:?(?:x|-1|1\.5)(?:&|$)/,
    /account\.id=0\.0\.1001/,
    /account\.id=\w*:?0x00000000000000000000000000000000000003e9/,
    /limit=100/,
    /order=desc/,
  ]) {
    expect(urls.some((url) => part.test(url)) ? part : `nothing like ${part}`).toBe(part);
  }
});
