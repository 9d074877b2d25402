import { decode, encode } from '@ethereumjs/rlp';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import { keccak256 } from '../../ledger/hash.ts';
import { ecdsaPrivateKey } from '../keys/account-key.ts';
import { type EthereumType, signEthereum } from './ethereum-transaction.ts';

const privateKey = ecdsaPrivateKey('seed', 'wallet');
const publicKey = toHex(secp256k1.getPublicKey(privateKey, true));
const fields = {
  chainId: 1_337n,
  nonce: 7n,
  gasPrice: 710_000_000_000n,
  gasLimit: 90_000n,
  to: new Uint8Array(20).fill(0xab),
  value: 10_000_000_000n,
  data: Uint8Array.of(0xd0, 0x9d, 0xe0, 0x8a),
};

const numberOf = (bytes: unknown): bigint => BigInt(`0x0${toHex(bytes as Uint8Array)}`);

/** The compressed public key of whoever signed. */
const signerOf = (digest: Uint8Array, parity: bigint, r: bigint, s: bigint): string =>
  toHex(new secp256k1.Signature(r, s, Number(parity)).recoverPublicKey(digest).toBytes(true));

describe('signEthereum', () => {
  it.each<[EthereumType, number]>([
    [1, 11],
    [2, 12],
    [4, 13],
  ])('makes a transaction of type %d with %d fields that its key has signed', (type, count) => {
    const { bytes, hash } = signEthereum({ ...fields, type }, privateKey);
    expect(bytes[0]).toBe(type);
    const list = decode(bytes.subarray(1)) as Uint8Array[];
    expect(list).toHaveLength(count);
    const [parity, r, s] = list.slice(-3).map(numberOf) as [bigint, bigint, bigint];
    const digest = keccak256(Buffer.concat([Uint8Array.of(type), encode(list.slice(0, -3))]));
    expect(signerOf(digest, parity, r, s)).toBe(publicKey);
    expect(numberOf(list[0])).toBe(1_337n);
    expect(toHex(hash)).toBe(toHex(keccak256(bytes)));
  });

  it('binds transactions without a type to the chain', () => {
    const { bytes, withoutData } = signEthereum({ ...fields, type: 0 }, privateKey);
    const list = decode(bytes) as Uint8Array[];
    expect(list).toHaveLength(9);
    const [v, r, s] = list.slice(-3).map(numberOf) as [bigint, bigint, bigint];
    expect([2_709n, 2_710n]).toContain(v);
    const digest = keccak256(encode([...list.slice(0, 6), 1_337n, 0, 0]));
    expect(signerOf(digest, v - 2_709n, r, s)).toBe(publicKey);
    expect((decode(withoutData) as Uint8Array[])[5]).toHaveLength(0);
  });
});
