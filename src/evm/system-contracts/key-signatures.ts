/**
 * Signatures by which contracts ask whether an account agrees ([HIP-632](https://hips.hedera.com/hip/hip-632)): real
 * cryptography, never assumed.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { keccak256 } from '../../ledger/hash.ts';
import type { Key, SignatureMap, SignaturePair } from '../../protobuf/generated/services/basic_types.ts';

/** Compact length of a signature; contracts pass longer ones, with the recovery value after it. */
const SIGNATURE_BYTES = 64;

/** Whether a 32-byte hash was signed by this compressed secp256k1 key, in the form with the smaller `s`. */
export const ecdsaSigned = (publicKey: Uint8Array, hash: Uint8Array, signature: Uint8Array): boolean => {
  try {
    return secp256k1.verify(signature.subarray(0, SIGNATURE_BYTES), hash, publicKey, { prehash: false, lowS: true });
  } catch {
    return false;
  }
};

export const ed25519Signed = (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  try {
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
};

type SimpleKey = { readonly kind: 'ed25519' | 'ECDSASecp256k1'; readonly bytes: Uint8Array };

const simpleKey = ({ key }: Key): SimpleKey | undefined => {
  if (key?.$case === 'ed25519') return { kind: 'ed25519', bytes: key.ed25519 };
  return key?.$case === 'ECDSASecp256k1' ? { kind: 'ECDSASecp256k1', bytes: key.ECDSASecp256k1 } : undefined;
};

/** Keys of a list or threshold, and how many of them must have signed. */
const membersOf = ({ key }: Key): { readonly keys: readonly Key[]; readonly required: number } | undefined => {
  if (key?.$case === 'keyList') return { keys: key.keyList.keys, required: key.keyList.keys.length };
  if (key?.$case !== 'thresholdKey') return undefined;
  const keys = key.thresholdKey.keys?.keys ?? [];
  return { keys, required: Math.min(Math.max(key.thresholdKey.threshold, 1), keys.length) };
};

/** How many public keys a key structure holds. */
export const countSimpleKeys = (key: Key): number =>
  simpleKey(key) === undefined
    ? (membersOf(key)?.keys ?? []).reduce((sum, member) => sum + countSimpleKeys(member), 0)
    : 1;

const isPrefix = (prefix: Uint8Array, bytes: Uint8Array): boolean =>
  prefix.length <= bytes.length && prefix.every((byte, i) => byte === bytes[i]);

/** The signature whose prefix fits the key best: only that one is tried, so that work is bounded by the keys. */
const signatureFor = ({ kind, bytes }: SimpleKey, pairs: readonly SignaturePair[]): Uint8Array | undefined => {
  let best: SignaturePair | undefined;
  for (const pair of pairs) {
    if (pair.signature?.$case !== kind || !isPrefix(pair.pubKeyPrefix, bytes)) continue;
    if (best === undefined || pair.pubKeyPrefix.length > best.pubKeyPrefix.length) best = pair;
  }
  if (best?.signature?.$case === 'ed25519') return best.signature.ed25519;
  return best?.signature?.$case === 'ECDSASecp256k1' ? best.signature.ECDSASecp256k1 : undefined;
};

/** Whether the signatures satisfy the key; contract keys never sign, an empty list is never satisfied. */
export const keySigned = (key: Key, message: Uint8Array, signatures: SignatureMap): boolean => {
  const hash = keccak256(message);
  const satisfied = (part: Key): boolean => {
    const simple = simpleKey(part);
    if (simple !== undefined) {
      const signature = signatureFor(simple, signatures.sigPair);
      if (signature === undefined) return false;
      return simple.kind === 'ed25519'
        ? ed25519Signed(simple.bytes, message, signature)
        : ecdsaSigned(simple.bytes, hash, signature);
    }
    const members = membersOf(part);
    if (members === undefined || members.keys.length === 0) return false;
    return members.keys.filter(satisfied).length >= members.required;
  };
  return satisfied(key);
};
