import { secp256k1 } from '@noble/curves/secp256k1.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Key } from '../protobuf/generated/services/basic_types.ts';
import { decodeAlias, encodeAlias } from './alias.ts';
import { fromHex, leftPad, toHex, trimLeadingZeros } from './bytes.ts';
import { evmAddressOfEcdsaKey, longZeroAddress, numOfLongZeroAddress } from './evm-address.ts';
import { keccak256, sha384 } from './hash.ts';
import { evmAddressOfAlias, keyJson, primitivePublicKey } from './key.ts';

// The public key of private key 1, whose Ethereum address is well known.
const KEY_ONE = secp256k1.getPublicKey(fromHex('01'.padStart(64, '0')) as Uint8Array, true);
const ADDRESS_ONE = '7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const ED25519 = new Uint8Array(32).fill(7);

const ecdsaKey = Key.fromPartial({ key: { $case: 'ECDSASecp256k1', ECDSASecp256k1: KEY_ONE } });
const ed25519Key = Key.fromPartial({ key: { $case: 'ed25519', ed25519: ED25519 } });
const listOf = (...keys: Key[]) => Key.fromPartial({ key: { $case: 'keyList', keyList: { keys } } });
const bytesOf = (key: Key) => Key.encode(key).finish();

describe('EVM address', () => {
  it('is derived from a compressed secp256k1 key', () => {
    expect(toHex(evmAddressOfEcdsaKey(KEY_ONE) as Uint8Array)).toBe(ADDRESS_ONE);
    expect(evmAddressOfEcdsaKey(new Uint8Array(33))).toBeUndefined();
    expect(evmAddressOfEcdsaKey(new Uint8Array(32))).toBeUndefined();
  });

  it('holds a num as long-zero address', () => {
    expect(toHex(longZeroAddress(1001n))).toBe('00000000000000000000000000000000000003e9');
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 63n) - 1n }), (num) => {
        expect(numOfLongZeroAddress(longZeroAddress(num))).toBe(num);
      }),
    );
  });

  it('has no num when it is a real address', () => {
    expect(numOfLongZeroAddress(fromHex(ADDRESS_ONE) as Uint8Array)).toBeUndefined();
    expect(numOfLongZeroAddress(new Uint8Array(19))).toBeUndefined();
    expect(numOfLongZeroAddress(fromHex('000000000000000000000000ffffffffffffffff') as Uint8Array)).toBeUndefined();
  });

  it('comes from an alias that is an address or an ECDSA key', () => {
    expect(toHex(evmAddressOfAlias(bytesOf(ecdsaKey)) as Uint8Array)).toBe(ADDRESS_ONE);
    const address = fromHex(ADDRESS_ONE) as Uint8Array;
    expect(evmAddressOfAlias(address)).toBe(address);
    expect(evmAddressOfAlias(bytesOf(ed25519Key))).toBeUndefined();
    expect(evmAddressOfAlias(new Uint8Array(40).fill(255))).toBeUndefined();
  });
});

describe('alias', () => {
  it('is written in base32 without padding', () => {
    expect(encodeAlias(new TextEncoder().encode('foobar'))).toBe('MZXW6YTBOI');
    expect(decodeAlias('MZXW6YTBOI')).toEqual(new TextEncoder().encode('foobar'));
  });

  it('round-trips for all bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(decodeAlias(encodeAlias(bytes))).toEqual(bytes);
      }),
    );
  });

  it.each(['A', 'AAA', 'abc', 'A1', 'MZXW6YTBOI=', 'M0', 'MZXW6YTBOJ', 'AB'])('is not read from %s', (text) => {
    expect(decodeAlias(text)).toBeUndefined();
  });
});

describe('key', () => {
  it('shows a single key by its kind, also inside a list of one', () => {
    expect(keyJson(bytesOf(ed25519Key))).toEqual({ _type: 'ED25519', key: '07'.repeat(32) });
    expect(keyJson(bytesOf(ecdsaKey))).toEqual({ _type: 'ECDSA_SECP256K1', key: toHex(KEY_ONE) });
    expect(keyJson(bytesOf(listOf(ed25519Key)))).toEqual({ _type: 'ED25519', key: '07'.repeat(32) });
    expect(primitivePublicKey(listOf(ecdsaKey))).toBe(toHex(KEY_ONE));
  });

  it('shows anything else as encoded protobuf', () => {
    const two = bytesOf(listOf(ed25519Key, ecdsaKey));
    expect(keyJson(two)).toEqual({ _type: 'ProtobufEncoded', key: toHex(two) });
    expect(keyJson(Uint8Array.of(1, 2, 3))).toEqual({ _type: 'ProtobufEncoded', key: '010203' });
    expect(keyJson(null)).toBeNull();
    expect(primitivePublicKey(listOf(ed25519Key, ecdsaKey))).toBeUndefined();
    expect(primitivePublicKey(listOf(listOf(ed25519Key)))).toBeUndefined();
    expect(primitivePublicKey(listOf())).toBeUndefined();
  });
});

describe('bytes and hashes', () => {
  it('convert hex both ways', () => {
    fc.assert(
      fc.property(fc.uint8Array(), (bytes) => {
        expect(fromHex(toHex(bytes))).toEqual(bytes);
      }),
    );
    expect(fromHex('0xFF')).toEqual(Uint8Array.of(255));
    expect(fromHex('f')).toBeUndefined();
    expect(fromHex('zz')).toBeUndefined();
  });

  it('trim and pad', () => {
    expect(trimLeadingZeros(Uint8Array.of(0, 0, 1, 0))).toEqual(Uint8Array.of(1, 0));
    expect(trimLeadingZeros(new Uint8Array(4))).toEqual(new Uint8Array(0));
    expect(leftPad(Uint8Array.of(1), 3)).toEqual(Uint8Array.of(0, 0, 1));
    expect(leftPad(Uint8Array.of(1, 2), 1)).toEqual(Uint8Array.of(1, 2));
  });

  it('hash the concatenation of chunks', () => {
    const [a, b] = [Uint8Array.of(1, 2), Uint8Array.of(3)];
    expect(sha384(a, b)).toEqual(sha384(Uint8Array.of(1, 2, 3)));
    expect(sha384(new Uint8Array(0)).toString('hex').slice(0, 16)).toBe('38b060a751ac9638');
    expect(toHex(keccak256(new Uint8Array(0)))).toBe(
      'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470',
    );
  });
});
