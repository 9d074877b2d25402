/** The growing buffer that binary COPY rows are written into. */

const smallest = 16_384;

export interface CopyBuffer {
  bytes: Buffer;
  view: DataView;
  /** Where the next byte goes. */
  position: number;
}

const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** @param size bytes of the first allocation; rows beyond it make the buffer grow */
export const createCopyBuffer = (size: number): CopyBuffer => {
  const bytes = Buffer.allocUnsafeSlow(Math.max(size, smallest));
  return { bytes, view: viewOf(bytes), position: 0 };
};

/** Makes sure that `count` more bytes fit. Views and positions read before may be stale afterwards. */
export const reserve = (buffer: CopyBuffer, count: number): void => {
  const needed = buffer.position + count;
  if (needed > buffer.bytes.length) grow(buffer, needed);
};

const grow = (buffer: CopyBuffer, needed: number): void => {
  const bytes = Buffer.allocUnsafeSlow(Math.max(needed, buffer.bytes.length * 2));
  buffer.bytes.copy(bytes, 0, 0, buffer.position);
  buffer.bytes = bytes;
  buffer.view = viewOf(bytes);
};

/**
 * Frees the memory of what `take` gave, or of a buffer's bytes, once nothing reads it. The collector, which sees only a
 * small object, would let it lie until there are many.
 */
export const free = ({ buffer }: Buffer): void => {
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
};

/**
 * Takes what was written and starts afresh in new memory of `size` bytes: the socket may still be reading the old one.
 */
export const take = (buffer: CopyBuffer, size: number): Buffer => {
  const taken = buffer.bytes.subarray(0, buffer.position);
  buffer.bytes = Buffer.allocUnsafeSlow(size);
  buffer.view = viewOf(buffer.bytes);
  buffer.position = 0;
  return taken;
};
