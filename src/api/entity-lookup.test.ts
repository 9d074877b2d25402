import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { encodeEntityId } from '../ledger/entity-id.ts';
import { lookupAccountId, lookupKnownAccountId } from './entity-lookup.ts';
import { HttpProblem } from './problem.ts';

const alias = 'KGNABD5L3ZGSRVUCSPDR7TONZSRY3D5OMEBKQMVTD2AC6JL72HMQ';
const aliasBytes = '519a008fabde4d28d68293c71fcdcdcca38d8fae6102a832b31e802f257fd1d9';
const address = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';
const twice = 'HIQQEXWKW53RKN4W6XXC4Q232SYNZ3SZANVZZSUME5B5PRGXL663UAQA';

let test: TestDatabase;

beforeAll(async () => {
  test = await createTestDatabase();
  const entity = (num: number, columns: string, values: string): string =>
    `insert into entity (id, num, realm, shard, timestamp_range, type, ${columns}) values (${num}, ${num}, 0, 0, '[1,)', 'ACCOUNT', ${values})`;
  await test.database.query(
    [
      entity(8, 'alias, evm_address, deleted', `'\\x${aliasBytes}', '\\x${address}', false`),
      entity(9, 'alias, evm_address, deleted', `'\\x${aliasBytes}', '\\x${address}', true`),
      entity(
        10,
        'alias',
        "decode('3a210212f6ca7b3c5a6a5dc0b7dcd5cd8f1d7d0a5c0f36a8c4a1e0a9aa0aa8bd7e3b7dba02', 'hex')",
      ),
      entity(11, 'alias, deleted', "decode('00', 'hex'), null"),
      entity(12, 'alias, deleted', "decode('00', 'hex'), false"),
    ].join(';'),
  );
});
afterAll(() => test?.drop());

const home = { shard: 0n, realm: 0n };
const lookup = (text: string, realm = home) => lookupAccountId(text, { db: test.database, ...realm });

const problemOf = async (text: string): Promise<[number, string]> => {
  try {
    await lookup(text);
  } catch (error) {
    if (error instanceof HttpProblem) return [error.status, error.message];
    throw error;
  }
  throw new Error('found');
};

describe('lookupAccountId', () => {
  it.each([alias, `0.${alias}`, `0.0.${alias}`, address, `0x${address}`, `0.0.${address.toUpperCase()}`])(
    'finds the live account behind %s',
    async (text) => {
      expect(await lookup(text)).toBe(8n);
    },
  );

  it('does not look up ids', async () => {
    expect(await lookup('777')).toBe(777n);
    expect(await lookup('777', { shard: 1n, realm: 2n })).toBe(encodeEntityId(1n, 2n, 777n));
    expect(await lookup('0x0000000000000000000000000000000000000309')).toBe(777n);
  });

  it.each([
    [twice, 404, 'No account with a matching alias found'],
    [address.replace('a', 'b'), 404, 'Not found'],
    ['x', 400, 'Invalid parameter: idOrAliasOrEvmAddress'],
    ['AA', 500, 'Internal error'],
  ])('%s: %i %s', async (text, status, message) => {
    expect(await problemOf(text)).toEqual([status, message]);
  });
});

describe('lookupKnownAccountId', () => {
  const known = (text: string) => lookupKnownAccountId(text, { db: test.database, ...home });

  it('finds accounts by id, alias and address', async () => {
    expect(await Promise.all(['8', '0.0.8', `0x${'8'.padStart(40, '0')}`, alias, address].map(known))).toEqual([
      8n,
      8n,
      8n,
      8n,
      8n,
    ]);
  });

  it('finds deleted accounts by their id', async () => {
    expect(await known('9')).toBe(9n);
  });

  it.each([
    ['777', 404, 'Not found'],
    [twice, 404, 'No account with a matching alias found'],
    ['x', 400, 'Invalid parameter: idOrAliasOrEvmAddress'],
  ])('%s: %i %s', async (text, status, message) => {
    const refused = await known(text).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HttpProblem);
    expect(refused).toMatchObject({ status, message });
  });
});
