import { Key } from '../protobuf/generated/services/basic_types.ts';
import { toHex } from './bytes.ts';
import { EVM_ADDRESS_LENGTH, evmAddressOfEcdsaKey } from './evm-address.ts';

/** The bytes and kind of a key that is one public key, not a list, threshold or contract. */
interface PrimitiveKey {
  readonly kind: 'ed25519' | 'ECDSASecp256k1' | 'ecdsa384' | 'rsa3072';
  readonly bytes: Uint8Array;
}

const directPrimitive = (key: Key): PrimitiveKey | undefined => {
  switch (key.key?.$case) {
    case 'ed25519':
      return { kind: 'ed25519', bytes: key.key.ed25519 };
    case 'ECDSASecp256k1':
      return { kind: 'ECDSASecp256k1', bytes: key.key.ECDSASecp256k1 };
    case 'ecdsa384':
      return { kind: 'ecdsa384', bytes: key.key.ecdsa384 };
    case 'rsa3072':
      return { kind: 'rsa3072', bytes: key.key.rsa3072 };
    default:
      return undefined;
  }
};

/** The primitive in `key` itself, or in a key list or threshold key that holds exactly one key; one level deep. */
const primitiveOf = (key: Key): PrimitiveKey | undefined => {
  const direct = directPrimitive(key);
  if (direct !== undefined) return direct;
  const nested =
    key.key?.$case === 'keyList'
      ? key.key.keyList.keys
      : key.key?.$case === 'thresholdKey'
        ? key.key.thresholdKey.keys?.keys
        : undefined;
  const [only] = nested ?? [];
  return only !== undefined && nested?.length === 1 ? directPrimitive(only) : undefined;
};

/** Lower-case hex of the one public key in `key`; undefined when there is no such key or it is empty. */
export const primitivePublicKey = (key: Key): string | undefined => {
  const primitive = primitiveOf(key);
  return primitive === undefined || primitive.bytes.length === 0 ? undefined : toHex(primitive.bytes);
};

/** A key as REST shows it. */
export interface KeyJson {
  readonly _type: 'ED25519' | 'ECDSA_SECP256K1' | 'ProtobufEncoded';
  readonly key: string;
}

const ED25519_LENGTH = 32;
const SECP256K1_LENGTH = 33;

/**
 * The REST form of a serialized Key: the bare hex of a single ed25519 or secp256k1 key (also inside a one-element list
 * or a threshold key), otherwise the hex of all bytes. Null for no bytes.
 */
export const keyJson = (bytes: Uint8Array | null): KeyJson | null => {
  if (bytes === null) return null;
  const primitive = decodeKey(bytes);
  if (primitive?.kind === 'ed25519' && primitive.bytes.length === ED25519_LENGTH) {
    return { _type: 'ED25519', key: toHex(primitive.bytes) };
  }
  if (primitive?.kind === 'ECDSASecp256k1' && primitive.bytes.length === SECP256K1_LENGTH) {
    return { _type: 'ECDSA_SECP256K1', key: toHex(primitive.bytes) };
  }
  return { _type: 'ProtobufEncoded', key: toHex(bytes) };
};

const decodeKey = (bytes: Uint8Array): PrimitiveKey | undefined => {
  try {
    return primitiveOf(Key.decode(bytes));
  } catch {
    return undefined;
  }
};

/**
 * EVM address of an account alias: the alias itself when it has 20 bytes, else derived from its secp256k1 key
 * ([HIP-583](https://hips.hedera.com/hip/hip-583)).
 */
export const evmAddressOfAlias = (alias: Uint8Array): Uint8Array | undefined => {
  if (alias.length === EVM_ADDRESS_LENGTH) return alias;
  if (alias.length < SECP256K1_LENGTH) return undefined;
  try {
    const key = Key.decode(alias).key;
    return key?.$case === 'ECDSASecp256k1' ? evmAddressOfEcdsaKey(key.ECDSASecp256k1) : undefined;
  } catch {
    return undefined;
  }
};
