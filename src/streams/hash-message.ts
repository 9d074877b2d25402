import { HASH_BYTES } from './running-hash.ts';
import type { WireReader } from './wire.ts';

const SHA_384_ALGORITHM = 1;

/**
 * The 48 bytes of the protobuf HashObject {1 algorithm, 2 length, 3 hash} that `fields` stands on.
 * @throws KagamiError STREAM_MALFORMED when it isn't a SHA-384.
 */
export const readHashMessage = (fields: WireReader, what: string): Uint8Array => {
  const message = fields.message();
  let algorithm = 0;
  let length = 0;
  let hash: Uint8Array | undefined;
  while (message.next()) {
    if (message.field === 1) algorithm = message.int32();
    else if (message.field === 2) length = message.int32();
    else if (message.field === 3) hash = message.slice();
  }
  if (algorithm !== SHA_384_ALGORITHM || length !== HASH_BYTES || hash?.length !== HASH_BYTES) {
    fields.refuse(`${what} is not a SHA-384 hash of 48 bytes`);
  }
  return hash;
};
