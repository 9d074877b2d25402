/** Lower-case hex without prefix. */
export const toHex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');

/** Bytes of a hex text (any case, optional `0x`); undefined when it isn't whole bytes of hex digits. */
export const fromHex = (text: string): Uint8Array | undefined => {
  const digits = text.startsWith('0x') ? text.slice(2) : text;
  if (digits.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(digits)) return undefined;
  return new Uint8Array(Buffer.from(digits, 'hex'));
};

/** `bytes` without its leading zero bytes; an all-zero input gives an empty array. */
export const trimLeadingZeros = (bytes: Uint8Array): Uint8Array => {
  let start = 0;
  while (start < bytes.length && bytes[start] === 0) start++;
  return start === 0 ? bytes : bytes.subarray(start);
};

/** `bytes` padded with zero bytes in front up to `length`; longer input is returned as it is. */
export const leftPad = (bytes: Uint8Array, length: number): Uint8Array => {
  if (bytes.length >= length) return bytes;
  const padded = new Uint8Array(length);
  padded.set(bytes, length - bytes.length);
  return padded;
};
