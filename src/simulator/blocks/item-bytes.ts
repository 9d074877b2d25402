/** Bytes of items of a block. */
import { WireWriter } from '../records/wire-writer.ts';

const LONGEST_HEADER = 11;

/** A field with a length: tag, length, content. */
export const lengthDelimited = (field: number, content: Uint8Array): Uint8Array => {
  const writer = new WireWriter(content.length + LONGEST_HEADER);
  writer.varint(field * 8 + 2);
  writer.varint(content.length);
  writer.raw(content);
  return writer.bytes.subarray(0, writer.position);
};

/** An item as it stands in the stream: the BlockItem message and what it holds. */
export interface EncodedItem {
  /** Field of BlockItem. */
  readonly field: number;
  /** The BlockItem message, which is hashed. */
  readonly bytes: Uint8Array;
  readonly payload: Uint8Array;
}

export const blockItem = (field: number, payload: Uint8Array): EncodedItem => ({
  field,
  bytes: lengthDelimited(field, payload),
  payload,
});

const ITEMS_FIELD = 1;

/** The Block message: all items, in order. */
export const blockBytes = (items: readonly { readonly bytes: Uint8Array }[]): Uint8Array => {
  let size = 0;
  for (const { bytes } of items) size += bytes.length + LONGEST_HEADER;
  const writer = new WireWriter(size);
  for (const { bytes } of items) {
    writer.varint(ITEMS_FIELD * 8 + 2);
    writer.varint(bytes.length);
    writer.raw(bytes);
  }
  return writer.bytes.subarray(0, writer.position);
};
