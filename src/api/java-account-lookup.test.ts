import { describe, expect, it } from 'vitest';
import { encodeEntityId } from '../ledger/entity-id.ts';
import { readJavaAccountReference, resolveJavaReference } from './java-account-lookup.ts';
import { HttpProblem } from './problem.ts';

const home = { shard: 1n, realm: 2n };
const address = 'ac384c53f03855fa1b3616052f8ba32c6c2a2fec';
const alias = 'KGNABD5L3ZGSRVUCSPDR7TONZSRY3D5OMEBKQMVTD2AC6JL72HMQ';

/** A database in which a statement finds these rows. */
const finding = (...ids: readonly string[]) => ({
  query: <R>() => Promise.resolve(ids.map((id) => ({ id })) as R[]),
});

describe('readJavaAccountReference', () => {
  it.each([
    ['5', encodeEntityId(1n, 2n, 5n)],
    ['7.5', encodeEntityId(1n, 7n, 5n)],
    ['0.0.5', 5n],
  ])('reads the id %s', (text, id) => {
    expect(readJavaAccountReference(text, home)).toEqual({ id });
  });

  it('reads addresses, whatever stands before them, and aliases', () => {
    const evmAddress = Buffer.from(address, 'hex');
    for (const text of [address, `0x${address}`, `2.${address}`, `9.9.${address.toUpperCase()}`]) {
      expect(readJavaAccountReference(text, home)).toEqual({ evmAddress });
    }
    const longZero = '3e9'.padStart(40, '0');
    expect(readJavaAccountReference(longZero, home)).toEqual({ evmAddress: Buffer.from(longZero, 'hex') });
    for (const text of [alias, `0.${alias}`, `0.0.${alias}`]) {
      expect(readJavaAccountReference(text, home)).toEqual({
        alias: Uint8Array.from(Buffer.from('519a008fabde4d28d68293c71fcdcdcca38d8fae6102a832b31e802f257fd1d9', 'hex')),
      });
    }
  });

  it.each([
    'abc',
    'a.b.c',
    '0.0.',
    '0.65536.1001',
    '0.0.-1001',
    '9223372036854775807',
    `0.0x${address}`,
    'AABBCC22',
    `${address}0`,
  ])('does not read %s', (text) => {
    expect(() => readJavaAccountReference(text, home)).toThrow("Bad Request: Failed to convert 'id'");
  });
});

describe('resolveJavaReference', () => {
  const evmAddress = Buffer.from(address, 'hex');

  it('looks up addresses and aliases, not ids', async () => {
    expect(await resolveJavaReference(finding('8'), { evmAddress })).toBe(8n);
    expect(await resolveJavaReference(finding('8'), { alias: new Uint8Array(1) })).toBe(8n);
    expect(await resolveJavaReference(finding(), { id: 5n })).toBe(5n);
  });

  it.each([
    [[], 404, 'Not Found: No account found for the given ID'],
    [['8', '9'], 500, 'Internal Server Error'],
  ])('with %j found it answers %i', async (ids, status, text) => {
    const refused = await resolveJavaReference(finding(...ids), { evmAddress }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HttpProblem);
    expect(refused).toMatchObject({ status, message: text });
  });
});
