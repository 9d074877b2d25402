import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeEntityId, formatEntityId, MAX_ENTITY_NUM } from '../ledger/entity-id.ts';
import {
  entityIdBounds,
  entityIdFilters,
  isEntityIdText,
  isEvmAddressText,
  readAccountReference,
  readEntityReference,
  readPathEntityId,
  readPathReference,
} from './entity-reference.ts';
import { HttpProblem } from './problem.ts';

const mainnet = { shard: 0n, realm: 0n };
const other = { shard: 1n, realm: 2n };

const refusal = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 400) return error.message;
    throw error;
  }
  throw new Error('not refused');
};

const longZero = (num: bigint): string => num.toString(16).padStart(40, '0');

describe('forms', () => {
  it.each(['5', '0.5', '0.0.5', '-5', '1023.65535.274877906943', '9223372036854775807'])('%s is an id', (text) => {
    expect(isEntityIdText(text)).toBe(true);
  });

  it.each(['', 'x', '0.0.0.5', '0.1.2.3', '-92233720368547758080', '0.-1', '0.0.-1', '0.0.x', '.5', '5.', '10000.0.1'])(
    '%s is none',
    (text) => {
      expect(isEntityIdText(text)).toBe(false);
    },
  );

  const address = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';
  it.each([
    [address, true, true, true, false],
    [`0x${address}`, true, true, false, false],
    [`0.${address}`, true, false, true, false],
    [`0.0.${address}`, true, false, true, false],
    [`0.0.0x${address}`, false, false, false, false],
    [longZero(18n), true, true, true, true],
    [`0x${longZero(18n)}`, true, true, false, true],
    [`0.0.${longZero(18n)}`, true, false, true, true],
    [longZero(MAX_ENTITY_NUM + 1n), true, true, true, false],
    [address.slice(1), false, false, false, false],
  ])('%s', (text, any, bare, prefixed, longZeroOnly) => {
    expect([
      isEvmAddressText(text, 'any'),
      isEvmAddressText(text, 'bare'),
      isEvmAddressText(text, 'prefixed'),
      isEvmAddressText(text, 'longZero'),
    ]).toEqual([any, bare, prefixed, longZeroOnly]);
  });
});

describe('readEntityReference', () => {
  it.each([
    ['9', mainnet, 9n],
    ['0.9', mainnet, 9n],
    ['9', other, encodeEntityId(1n, 2n, 9n)],
    ['2.9', other, encodeEntityId(1n, 2n, 9n)],
    ['1.2.9', other, encodeEntityId(1n, 2n, 9n)],
    ['0.0.9', other, 9n],
    [longZero(9n), other, encodeEntityId(1n, 2n, 9n)],
    [`0x${longZero(9n)}`, mainnet, 9n],
    [`1.2.${longZero(9n)}`, other, encodeEntityId(1n, 2n, 9n)],
  ])('%s', (text, home, id) => {
    expect(readEntityReference(text, home)).toEqual({ id });
  });

  it('keeps an address that is no num', () => {
    expect(readEntityReference('0xAC384c53f03855fa1b3616052f8ba32c6c2a2fec', other)).toEqual({
      evmAddress: Buffer.from('ac384c53f03855fa1b3616052f8ba32c6c2a2fec', 'hex'),
    });
  });

  it.each([
    ['274877906944', mainnet, '0.0.274877906944'],
    ['1.274877906944', other, '1.1.274877906944'],
    ['-5', mainnet, '0.0.-5'],
    ['9223372036854775807', other, '1.2.9223372036854775807'],
    ['0.65536.1', mainnet, '0.65536.1'],
    ['1024.0.1', mainnet, '1024.0.1'],
    [`0.0.${longZero(9n)}`, other, `0.0.${longZero(9n)}`],
  ])('refuses %s', (text, home, named) => {
    expect(refusal(() => readEntityReference(text, home))).toBe(`Invalid entity ID "${named}"`);
  });

  it('reads what it formats', () => {
    fc.assert(
      fc.property(fc.bigInt(0n, 1023n), fc.bigInt(0n, 65_535n), fc.bigInt(0n, MAX_ENTITY_NUM), (shard, realm, num) => {
        const id = encodeEntityId(shard, realm, num);
        expect(readEntityReference(formatEntityId(id), mainnet)).toEqual({ id });
        expect(readEntityReference(`${num}`, { shard, realm })).toEqual({ id });
        expect(readEntityReference(longZero(num), { shard, realm })).toEqual({ id });
      }),
    );
  });
});

describe('path parameters', () => {
  it('names the parameter when an id is required', () => {
    expect(readPathEntityId('0.7', 'topic.id', mainnet)).toBe(7n);
    expect(refusal(() => readPathEntityId('abc', 'topic.id', mainnet))).toBe('Invalid parameter: topic.id');
    expect(refusal(() => readPathEntityId(longZero(7n), 'topic.id', mainnet))).toBe('Invalid parameter: topic.id');
    expect(readPathEntityId('0.0.9999999999', 'topic.id', mainnet)).toBe(9_999_999_999n);
    for (const text of ['10000000000', '0.0.10000000000', '0.274877906943']) {
      expect(
        refusal(() => readPathEntityId(text, 'topic.id', mainnet)),
        text,
      ).toBe('Invalid parameter: topic.id');
      expect(
        refusal(() => readPathReference(text, 'tokenid', mainnet)),
        text,
      ).toBe('Invalid parameter: tokenid');
    }
    for (const text of ['0.65536.1', '0.0.274877906944']) {
      expect(refusal(() => readPathEntityId(text, 'topic.id', mainnet))).toBe(`Invalid entity ID "${text}"`);
    }
  });

  const alias = 'KGNABD5L3ZGSRVUCSPDR7TONZSRY3D5OMEBKQMVTD2AC6JL72HMQ';
  it.each([alias, `0.${alias}`, `0.0.${alias}`])('reads alias %s', (text) => {
    const reference = readAccountReference(text, 'account', mainnet);
    expect('alias' in reference && Buffer.from(reference.alias).toString('hex')).toBe(
      '519a008fabde4d28d68293c71fcdcdcca38d8fae6102a832b31e802f257fd1d9',
    );
  });

  it.each(['x', '0.x', alias.slice(0, -3), 'ABC', '0.0.-1', '274877906944', `1.2.${alias}`, `5.${longZero(9n)}`])(
    'refuses account %s',
    (text) => {
      expect(refusal(() => readAccountReference(text, 'account', mainnet))).toBe('Invalid parameter: account');
    },
  );

  it('takes the shard and realm of the network', () => {
    expect('alias' in readAccountReference(`1.2.${alias}`, 'account', other)).toBe(true);
  });
});

describe('filters on ids', () => {
  const filter = (operator: 'eq' | 'gt', value: string) => ({ key: 'account.id', operator, value });
  const opaque = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';

  it('leaves out addresses that are no id', () => {
    const read = entityIdFilters([filter('eq', opaque), filter('eq', '8')], mainnet);
    expect(read).toEqual([
      { operator: 'eq', value: undefined },
      { operator: 'eq', value: 8n },
    ]);
    expect(entityIdBounds(read)?.equal).toEqual([8n]);
  });

  it('sees that nothing can match', () => {
    expect(entityIdBounds(entityIdFilters([filter('eq', opaque)], mainnet))).toBeUndefined();
    expect(entityIdBounds(entityIdFilters([filter('gt', opaque), filter('eq', '8')], mainnet))).toBeUndefined();
  });
});
