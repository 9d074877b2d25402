/** Public keys as texts: bare hex, or the DER form that SDKs of the network print. */
import { createPublicKey, verify } from 'node:crypto';
import { fromHex, toHex } from '../../ledger/bytes.ts';
import type { Key } from '../../protobuf/generated/services/basic_types.ts';

/** SubjectPublicKeyInfo up to the bytes of the key: ed25519 (RFC 8410), and compressed secp256k1 (RFC 5480). */
const ED25519_DER = '302a300506032b6570032100';
const SECP256K1_DER = '302d300706052b8104000a032200';
const ED25519_BYTES = 32;
const SECP256K1_BYTES = 33;

const withoutPrefix = (text: string, prefix: string, length: number): Uint8Array | undefined => {
  const bytes = fromHex(text);
  if (bytes === undefined) return undefined;
  if (bytes.length === length) return bytes;
  const isDer = bytes.length === prefix.length / 2 + length && toHex(bytes).startsWith(prefix);
  return isDer ? bytes.subarray(prefix.length / 2) : undefined;
};

/** The 32 bytes of an ed25519 key; undefined when the text is none. */
export const parseEd25519Key = (text: string): Uint8Array | undefined =>
  withoutPrefix(text, ED25519_DER, ED25519_BYTES);

/** Undefined when the text is neither an ed25519 nor a compressed secp256k1 key. */
export const parseKey = (text: string): Key | undefined => {
  const ed25519 = parseEd25519Key(text);
  if (ed25519 !== undefined) return { key: { $case: 'ed25519', ed25519 } };
  const ECDSASecp256k1 = withoutPrefix(text, SECP256K1_DER, SECP256K1_BYTES);
  const isPoint = ECDSASecp256k1?.[0] === 2 || ECDSASecp256k1?.[0] === 3;
  return ECDSASecp256k1 && isPoint ? { key: { $case: 'ECDSASecp256k1', ECDSASecp256k1 } } : undefined;
};

/** Hex of the DER form; undefined for keys of other kinds. */
export const formatKey = ({ key }: Key): string | undefined => {
  if (key?.$case === 'ed25519') return `${ED25519_DER}${toHex(key.ed25519)}`;
  return key?.$case === 'ECDSASecp256k1' ? `${SECP256K1_DER}${toHex(key.ECDSASecp256k1)}` : undefined;
};

export const verifyEd25519 = (key: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean => {
  const der = Buffer.from(`${ED25519_DER}${toHex(key)}`, 'hex');
  try {
    return verify(null, message, createPublicKey({ key: der, format: 'der', type: 'spki' }), signature);
  } catch {
    return false;
  }
};
