import { WireReader } from '../../streams/wire.ts';

/** The fields of a message that are messages themselves, by their numbers, with the fields of those. */
export interface MessageFields {
  readonly [field: number]: MessageFields;
}

const walk = (reader: WireReader, fields: MessageFields): void => {
  while (reader.next()) {
    const inner = fields[reader.field];
    if (inner !== undefined && reader.wireType === 2) walk(reader.message(), inner);
  }
};

/**
 * Checks that no message reaches beyond the one that holds it, which generated codecs do not notice. A file that is still
 * being uploaded may end, or go on, in the middle of a message.
 * @throws Error whose kind tells nothing
 */
export const checkNesting = (bytes: Uint8Array, fields: MessageFields): void =>
  walk(new WireReader(bytes, 'file'), fields);
