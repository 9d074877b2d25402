import { describe, expect, it } from 'vitest';
import type { Key } from '../protobuf/generated/services/basic_types.ts';
import { keyCount, keyCountOf } from './key-count.ts';
import { ed25519 } from './testing/transaction.fixture.ts';

const list = (...keys: Key[]): Key => ({ key: { $case: 'keyList', keyList: { keys } } });
const threshold = (...keys: Key[]): Key => ({
  key: { $case: 'thresholdKey', thresholdKey: { threshold: 1, keys: { keys } } },
});
const contract: Key = {
  key: {
    $case: 'contractID',
    contractID: { shardNum: 0n, realmNum: 0n, contract: { $case: 'contractNum', contractNum: 5n } },
  },
};
const secp256k1: Key = { key: { $case: 'ECDSASecp256k1', ECDSASecp256k1: new Uint8Array(33) } };

describe('the count of keys', () => {
  it.each([
    ['a public key', ed25519(), 1n],
    ['a secp256k1 key', secp256k1, 1n],
    ['an ECDSA 384 key', { key: { $case: 'ecdsa384', ecdsa384: new Uint8Array(48) } } as Key, 1n],
    ['an RSA key', { key: { $case: 'rsa3072', rsa3072: new Uint8Array(384) } } as Key, 0n],
    ['a contract', contract, 0n],
    ['an empty key', { key: undefined } as Key, 0n],
    ['no key', undefined, 0n],
    ['an empty list', list(), 0n],
    ['nested lists', list(ed25519(), threshold(secp256k1, list(ed25519(), contract)), list()), 3n],
    ['a threshold without keys', { key: { $case: 'thresholdKey', thresholdKey: { threshold: 2 } } } as Key, 0n],
  ])('of %s', (_name, key, count) => expect(keyCount(key)).toBe(count));

  it('adds up', () => expect(keyCountOf([ed25519(), undefined, threshold(ed25519(), ed25519())])).toBe(3n));
});
