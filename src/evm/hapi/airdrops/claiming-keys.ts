import { Key } from '../../../protobuf/generated/services/basic_types.ts';

const canSign = ({ key }: Key): boolean => {
  switch (key?.$case) {
    case 'ed25519':
    case 'ECDSASecp256k1':
    case 'contractID':
      return true;
    case 'keyList':
      return key.keyList.keys.every(canSign);
    case 'thresholdKey': {
      const { keys, threshold } = key.thresholdKey;
      return (keys?.keys ?? []).filter(canSign).length >= threshold;
    }
    default:
      return false;
  }
};

/** Whether the owner of a serialized key could ever sign a claim; hollow accounts and contracts without key can. */
export const canClaim = (key: Uint8Array | undefined): boolean => {
  if (key === undefined) return true;
  try {
    return canSign(Key.decode(key));
  } catch {
    return false;
  }
};
