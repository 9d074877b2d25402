/**
 * Length-prefixed messages, as gRPC and gRPC-Web carry them: a byte of flags, the length in four bytes, the message
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
 */
import { CallFailure, GrpcStatus } from './call-failure.ts';

export const HEADER_BYTES = 5;
export const COMPRESSED_FLAG = 0x01;

/** One message with its header, and flags of the caller's choice. */
export const frameOf = (content: Uint8Array, flags = 0): Buffer => {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + content.length);
  bytes.writeUInt8(flags, 0);
  bytes.writeUInt32BE(content.length, 1);
  bytes.set(content, HEADER_BYTES);
  return bytes;
};

/** Messages with their headers, one after the other, in memory of their own: they may be kept for long. */
export const framesOf = (messages: readonly Uint8Array[]): Buffer => {
  const bytes = Buffer.allocUnsafeSlow(messages.reduce((sum, { length }) => sum + HEADER_BYTES + length, 0));
  let position = 0;
  for (const message of messages) {
    bytes.writeUInt8(0, position);
    bytes.writeUInt32BE(message.length, position + 1);
    bytes.set(message, position + HEADER_BYTES);
    position += HEADER_BYTES + message.length;
  }
  return bytes;
};

/** @throws CallFailure RESOURCE_EXHAUSTED for a message that is longer than may be */
export const checkLength = (length: number, max: number): void => {
  if (length <= max) return;
  throw new CallFailure(GrpcStatus.RESOURCE_EXHAUSTED, `Received message larger than max (${length} vs ${max})`);
};

/** Takes what arrives apart into messages. */
export class MessageReader {
  readonly #maxBytes: number;
  readonly #decompress: ((bytes: Uint8Array) => Uint8Array) | undefined;
  /** What arrived of the next message, put together once it is complete: a client may send it byte by byte. */
  #parts: Buffer[] = [];
  #length = 0;
  #needed = HEADER_BYTES;

  /**
   * @param maxBytes of one message, also after it was decompressed
   * @param decompress undefined: no encoding was agreed on, so that compressed messages are a fault of the client
   */
  constructor(maxBytes: number, decompress?: (bytes: Uint8Array) => Uint8Array) {
    this.#maxBytes = maxBytes;
    this.#decompress = decompress;
  }

  /** Whether a message has begun and not ended. */
  get isWithin(): boolean {
    return this.#length > 0;
  }

  /**
   * The messages that are complete now.
   * @throws CallFailure RESOURCE_EXHAUSTED, INTERNAL
   */
  read(chunk: Buffer): readonly Uint8Array[] {
    this.#parts.push(chunk);
    this.#length += chunk.length;
    if (this.#length < this.#needed) return [];
    const bytes = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    const messages: Uint8Array[] = [];
    let position = 0;
    this.#needed = HEADER_BYTES;
    while (bytes.length - position >= HEADER_BYTES) {
      const length = bytes.readUInt32BE(position + 1);
      checkLength(length, this.#maxBytes);
      const end = position + HEADER_BYTES + length;
      if (end > bytes.length) {
        this.#needed = HEADER_BYTES + length;
        break;
      }
      const content = bytes.subarray(position + HEADER_BYTES, end);
      messages.push((bytes.readUInt8(position) & COMPRESSED_FLAG) === 0 ? content : this.#decompressed(content));
      position = end;
    }
    this.#parts = position === bytes.length ? [] : [bytes.subarray(position)];
    this.#length = bytes.length - position;
    return messages;
  }

  #decompressed(content: Buffer): Uint8Array {
    if (this.#decompress === undefined) {
      throw new CallFailure(GrpcStatus.INTERNAL, 'The message is compressed, but no encoding was named');
    }
    return this.#decompress(content);
  }
}
