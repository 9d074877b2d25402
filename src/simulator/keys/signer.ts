import { type KeyObject, sign } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak256 } from '../../ledger/hash.ts';
import { type AccountKey, ecdsaPrivateKey, ed25519PrivateKey } from './account-key.ts';
import { bytesFromSeed } from './seed.ts';

/** Signs transaction bodies for simulated accounts; the result has 64 bytes, valid until the next call. */
export interface Signer {
  sign(key: AccountKey, body: Uint8Array): Uint8Array;
}

/** Of 2.6 KiB each, most of them outside of the heap. */
const KEPT_KEYS = 512;
const FILLER_BYTES = 1 << 16;
const SIGNATURE_BYTES = 64;

/** Honest signatures: ed25519 over the body, secp256k1 (r || s) over its keccak-256. About 50 and 700 microseconds. */
export const createSigner = (seed: string): Signer => {
  const privateKeys = new Map<string, KeyObject>();
  const privateKeyOf = (label: string): KeyObject => {
    const known = privateKeys.get(label);
    if (known !== undefined) return known;
    if (privateKeys.size >= KEPT_KEYS) privateKeys.clear();
    const key = ed25519PrivateKey(seed, label);
    privateKeys.set(label, key);
    return key;
  };
  return {
    sign(key, body) {
      if (key.kind === 'ed25519') return sign(null, body, privateKeyOf(key.label));
      return secp256k1.sign(keccak256(body), ecdsaPrivateKey(seed, key.label), { prehash: false });
    },
  };
};

/**
 * Bytes in the place of signatures, for bulk ledgers whose point is their size: deterministic and as incompressible as
 * real ones, but not valid. Nothing in the record stream's own proof depends on account signatures.
 */
export const createFillerSigner = (seed: string): Signer => {
  const pool = bytesFromSeed(seed, 'filler', FILLER_BYTES);
  let offset = 0;
  return {
    sign(_key, body) {
      // The body's last bytes spread the offsets, so that one account does not always get the same signature.
      const spread = body.length < 2 ? 0 : (body[body.length - 1] as number) + 256 * (body[body.length - 2] as number);
      offset = (spread * 61 + body.length * 7) % (FILLER_BYTES - SIGNATURE_BYTES);
      return pool.subarray(offset, offset + SIGNATURE_BYTES);
    },
  };
};
