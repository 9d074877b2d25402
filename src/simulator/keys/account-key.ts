import { createPrivateKey, createPublicKey } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Key } from '../../protobuf/generated/services/basic_types.ts';
import { publishedSecret } from './published-secrets.ts';
import { bytesFromSeed } from './seed.ts';

export type AccountKeyKind = 'ed25519' | 'ecdsa';

/**
 * Public half of a simulated key. The private half is never kept: it follows from the network's seed and the label, or
 * from the label alone where it is published.
 */
export interface AccountKey {
  readonly kind: AccountKeyKind;
  readonly label: string;
  /**
   * The serialized Key, which also is the alias of the key ([HIP-32](https://hips.hedera.com/hip/hip-32)): a tag, a
   * length, and the public half.
   */
  readonly bytes: Uint8Array;
}

const TAGS = { ed25519: 0x12, ecdsa: 0x3a } as const;
const BEFORE_PUBLIC_KEY = 2;

const ED25519_PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const ED25519_PUBLIC_KEY_BYTES = 32;

export const ed25519PrivateKey = (seed: string, label: string) =>
  createPrivateKey({
    key: Buffer.concat([ED25519_PKCS8_PREFIX, publishedSecret(label) ?? bytesFromSeed(seed, `ed25519/${label}`, 32)]),
    format: 'der',
    type: 'pkcs8',
  });

/** 32 bytes; a digest that isn't below the group order is too unlikely to matter. */
export const ecdsaPrivateKey = (seed: string, label: string): Uint8Array =>
  new Uint8Array(publishedSecret(label) ?? bytesFromSeed(seed, `ecdsa/${label}`, 32));

const keyBytes = (kind: AccountKeyKind, publicKey: Uint8Array): Uint8Array =>
  Uint8Array.of(TAGS[kind], publicKey.length, ...publicKey);

/** 32 bytes (ed25519) or 33 (compressed secp256k1), of the key's own memory. */
export const publicKeyOf = ({ bytes }: AccountKey): Uint8Array => bytes.subarray(BEFORE_PUBLIC_KEY);

export const accountKeyFromSeed = (seed: string, kind: AccountKeyKind, label: string): AccountKey => {
  if (kind === 'ecdsa') {
    return { kind, label, bytes: keyBytes(kind, secp256k1.getPublicKey(ecdsaPrivateKey(seed, label), true)) };
  }
  const spki = createPublicKey(ed25519PrivateKey(seed, label)).export({ format: 'der', type: 'spki' });
  return { kind, label, bytes: keyBytes(kind, spki.subarray(spki.length - ED25519_PUBLIC_KEY_BYTES)) };
};

/** The key as a protobuf Key. */
export const protobufKey = (key: AccountKey): Key =>
  Key.fromPartial({
    key:
      key.kind === 'ed25519'
        ? { $case: 'ed25519', ed25519: publicKeyOf(key) }
        : { $case: 'ECDSASecp256k1', ECDSASecp256k1: publicKeyOf(key) },
  });
