/** Signatures of scheduled transactions: who signed what. */

import { toHex } from '../../ledger/bytes.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import type { SignaturePair } from '../../protobuf/generated/services/basic_types.ts';
import type { RecordItem } from '../record-item.ts';
import type { HandlerContext } from '../transaction-handler.ts';
import { orNull } from './ids.ts';

interface Signature {
  /** Field number in SignaturePair. */
  readonly type: number;
  readonly bytes: Uint8Array;
}

const LENGTH_DELIMITED = 2;

/** The bytes of a length-delimited field as the codec keeps unknown ones: with their length in front. */
const withoutLength = (field: Uint8Array): Uint8Array => {
  let start = 0;
  while (start < field.length && (field[start] as number) >= 0x80) start++;
  return field.subarray(start + 1);
};

/** A kind of signature that is not known yet: the one unknown field that holds exactly one byte string. */
const unknownSignature = (pair: SignaturePair): Signature | undefined => {
  for (const [tag, values] of Object.entries(pair._unknownFields ?? {})) {
    const [only] = values;
    const isBytes = (Number(tag) & 7) === LENGTH_DELIMITED;
    if (only !== undefined && values.length === 1 && isBytes) {
      return { type: Number(tag) >>> 3, bytes: withoutLength(only) };
    }
  }
  return undefined;
};

const signatureOf = (pair: SignaturePair): Signature | undefined => {
  const { signature } = pair;
  switch (signature?.$case) {
    case 'contract':
      return { type: 2, bytes: signature.contract };
    case 'ed25519':
      return { type: 3, bytes: signature.ed25519 };
    case 'rsa3072':
      return { type: 4, bytes: signature.rsa3072 };
    case 'ecdsa384':
      return { type: 5, bytes: signature.ecdsa384 };
    case 'ECDSASecp256k1':
      return { type: 6, bytes: signature.ECDSASecp256k1 };
    default:
      return unknownSignature(pair);
  }
};

/** Inserts one row for each public key prefix of the signature map; the first signature of a prefix counts. */
export const insertSignatures = (item: RecordItem, entityId: EntityId, context: HandlerContext): void => {
  const prefixes = new Set<string>();
  for (const pair of item.signatures) {
    const signature = signatureOf(pair);
    if (signature === undefined) {
      context.problem(item, 'a signature has no known kind');
      continue;
    }
    const prefix = toHex(pair.pubKeyPrefix);
    if (prefixes.has(prefix)) continue;
    prefixes.add(prefix);
    context.batch.insert('transaction_signature', {
      consensus_timestamp: item.consensusTimestamp,
      public_key_prefix: pair.pubKeyPrefix,
      entity_id: orNull(entityId),
      signature: signature.bytes,
      type: signature.type,
    });
  }
};
