import type { Key } from '../protobuf/generated/services/basic_types.ts';

/** How many public keys a key is made of, at any depth. Contracts, RSA keys and empty keys are none. */
export const keyCount = (key: Key | undefined): bigint => {
  switch (key?.key?.$case) {
    case 'ed25519':
    case 'ECDSASecp256k1':
    case 'ecdsa384':
      return 1n;
    case 'keyList':
      return keyCountOf(key.key.keyList.keys);
    case 'thresholdKey':
      return keyCountOf(key.key.thresholdKey.keys?.keys ?? []);
    default:
      return 0n;
  }
};

export const keyCountOf = (keys: readonly (Key | undefined)[]): bigint =>
  keys.reduce((count, key) => count + keyCount(key), 0n);
