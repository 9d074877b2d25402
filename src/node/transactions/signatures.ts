/** Which keys signed a transaction. */
import { createPublicKey, verify } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { evmAddressOfEcdsaKey } from '../../ledger/evm-address.ts';
import { keccak256 } from '../../ledger/hash.ts';
import type { Key, SignaturePair } from '../../protobuf/generated/services/basic_types.ts';
import type { SentTransaction } from './sent-transaction.ts';

type Kind = 'ed25519' | 'ECDSASecp256k1';

const ED25519_SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const ED25519_BYTES = 32;
const ECDSA_BYTES = 33;
const SIGNATURE_BYTES = 64;
/** Lists and thresholds may lie in each other so deep. */
const DEEPEST_KEY = 15;

const beginsWith = (bytes: Uint8Array, prefix: Uint8Array): boolean =>
  prefix.length <= bytes.length && Buffer.compare(bytes.subarray(0, prefix.length), prefix) === 0;

/** Whether a prefix equals or begins another one, so that a signature could be anybody's. */
export const hasAmbiguousPrefixes = (pairs: readonly SignaturePair[]): boolean => {
  const prefixes = pairs.map(({ pubKeyPrefix }) => pubKeyPrefix).toSorted(Buffer.compare);
  return prefixes.some((prefix, index) => {
    const next = prefixes[index + 1];
    return next !== undefined && beginsWith(next, prefix);
  });
};

const isValid = (kind: Kind, publicKey: Uint8Array, signature: Uint8Array, message: Uint8Array): boolean => {
  if (signature.length !== SIGNATURE_BYTES) return false;
  try {
    if (kind === 'ECDSASecp256k1') {
      return secp256k1.verify(signature, keccak256(message), publicKey, { prehash: false });
    }
    const key = createPublicKey({ key: Buffer.concat([ED25519_SPKI_PREFIX, publicKey]), format: 'der', type: 'spki' });
    return verify(null, message, key, signature);
  } catch {
    // A key that is no point of the curve.
    return false;
  }
};

/** Each signature is verified once, when it is asked for. */
export class Signatures {
  readonly #pairs: readonly SignaturePair[];
  readonly #message: Uint8Array;
  readonly #known = new Map<string, boolean>();

  constructor({ pairs, bodyBytes }: Pick<SentTransaction, 'pairs' | 'bodyBytes'>) {
    this.#pairs = pairs;
    this.#message = bodyBytes;
  }

  /** Whether those signed whom the key asks for; a key list asks for all, an empty one can't be satisfied. */
  satisfy(key: Key | undefined, depth = 0): boolean {
    const value = key?.key;
    if (depth > DEEPEST_KEY) return false;
    switch (value?.$case) {
      case 'ed25519':
        return this.#signedBy('ed25519', value.ed25519);
      case 'ECDSASecp256k1':
        return this.#signedBy('ECDSASecp256k1', value.ECDSASecp256k1);
      case 'keyList': {
        const { keys } = value.keyList;
        return keys.length > 0 && keys.every((one) => this.satisfy(one, depth + 1));
      }
      case 'thresholdKey': {
        const keys = value.thresholdKey.keys?.keys ?? [];
        const wanted = Math.min(Math.max(value.thresholdKey.threshold, 1), keys.length);
        return keys.length > 0 && keys.filter((one) => this.satisfy(one, depth + 1)).length >= wanted;
      }
      default:
        return false;
    }
  }

  /** The secp256k1 key with this EVM address, if it signed and its signature brings it along whole. */
  keyOfAddress(address: Uint8Array): Uint8Array | undefined {
    for (const { pubKeyPrefix, signature } of this.#pairs) {
      if (signature?.$case !== 'ECDSASecp256k1' || pubKeyPrefix.length !== ECDSA_BYTES) continue;
      const derived = evmAddressOfEcdsaKey(pubKeyPrefix);
      if (derived === undefined || Buffer.compare(derived, address) !== 0) continue;
      if (this.#signedBy('ECDSASecp256k1', pubKeyPrefix)) return pubKeyPrefix;
    }
    return undefined;
  }

  #signedBy(kind: Kind, publicKey: Uint8Array): boolean {
    if (publicKey.length !== (kind === 'ed25519' ? ED25519_BYTES : ECDSA_BYTES)) return false;
    const name = Buffer.from(publicKey).toString('hex');
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const signed = this.#pairs.some(({ pubKeyPrefix, signature }) => {
      if (signature?.$case !== kind || !beginsWith(publicKey, pubKeyPrefix)) return false;
      const bytes = signature.$case === 'ed25519' ? signature.ed25519 : signature.ECDSASecp256k1;
      return isValid(kind, publicKey, bytes, this.#message);
    });
    this.#known.set(name, signed);
    return signed;
  }
}
