import type { Key } from '../../protobuf/generated/services/basic_types.ts';

const DEEPEST_KEY = 15;

const isList = (keys: readonly Key[], depth: number): boolean =>
  keys.length > 0 && keys.every((key) => isUsableKey(key, depth + 1));

/** Whether an entity may have the key: no part of it is empty, of another length than such keys have, or too deep. */
export const isUsableKey = (key: Key | undefined, depth = 1): boolean => {
  const value = key?.key;
  if (depth > DEEPEST_KEY) return false;
  switch (value?.$case) {
    case 'ed25519':
      return value.ed25519.length === 32;
    case 'ECDSASecp256k1': {
      const [first] = value.ECDSASecp256k1;
      return value.ECDSASecp256k1.length === 33 && (first === 2 || first === 3);
    }
    case 'keyList':
      return isList(value.keyList.keys, depth);
    case 'thresholdKey': {
      const keys = value.thresholdKey.keys?.keys ?? [];
      const { threshold } = value.thresholdKey;
      return threshold >= 1 && threshold <= keys.length && isList(keys, depth);
    }
    case 'contractID':
    case 'delegatableContractId':
      return true;
    default:
      return false;
  }
};

/** Whether there is no key in it at all. */
export const isEmptyKey = (key: Key | undefined): boolean => {
  const value = key?.key;
  switch (value?.$case) {
    case undefined:
      return true;
    case 'keyList':
      return value.keyList.keys.every(isEmptyKey);
    case 'thresholdKey':
      return (value.thresholdKey.keys?.keys ?? []).every(isEmptyKey);
    default:
      return false;
  }
};
