import { primitivePublicKey } from '../../ledger/key.ts';
import { Key } from '../../protobuf/generated/services/basic_types.ts';

export interface KeyColumns {
  key?: Uint8Array;
  /** Lower-case hex, or '' for a key that is not one public key: the merge clears the column then. */
  public_key?: string;
}

/** Serialized form of a key; undefined for a key that is not given, which changes nothing. */
export const keyBytes = (key: Key | undefined): Uint8Array | undefined =>
  key === undefined ? undefined : Key.encode(key).finish();

/** Columns `key` and `public_key` of an entity; none for a key that is not given. */
export const keyColumns = (key: Key | undefined): KeyColumns =>
  key === undefined ? {} : { key: Key.encode(key).finish(), public_key: primitivePublicKey(key) ?? '' };

const publicKeyIn = (bytes: Uint8Array): string => {
  try {
    return primitivePublicKey(Key.decode(bytes)) ?? '';
  } catch {
    return '';
  }
};

/** The same for a key given as serialized bytes, as aliases and the key lists of files are. */
export const serializedKeyColumns = (bytes: Uint8Array): KeyColumns => ({ key: bytes, public_key: publicKeyIn(bytes) });
