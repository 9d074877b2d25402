import { BinaryReader } from '@bufbuild/protobuf/wire';
import { WireReader } from '../streams/wire.ts';

/** The part of a generated codec that reads. */
export interface Decoder<T> {
  decode(reader: BinaryReader): T;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Decodes a message that must fill the bytes to their end. Generated codecs stop without a word at a tag that ends a
 * group, and take any bytes for text; here both are faults.
 * @throws Error whose kind tells nothing
 */
export const decodeWhole = <T>(codec: Decoder<T>, bytes: Uint8Array): T => {
  const fields = new WireReader(bytes, 'message');
  while (fields.next());
  const reader = new BinaryReader(bytes, (text) => utf8.decode(text));
  const message = codec.decode(reader);
  if (reader.pos !== bytes.length) throw new RangeError('the last field reaches beyond the message');
  return message;
};
