/** Non-negative big integers as bytes, most significant first. */

export const bitLength = (value: bigint): number => {
  if (value === 0n) return 0;
  const digits = value.toString(16);
  return 4 * digits.length - (Math.clz32(Number.parseInt(digits[0] as string, 16)) - 28);
};

export const bytesToInteger = (bytes: Uint8Array): bigint => {
  if (bytes.length === 0) return 0n;
  return BigInt(`0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('hex')}`);
};

/** @param length of the bytes, enough for the value */
export const integerToBytes = (value: bigint, length: number): Uint8Array => {
  const bytes = new Uint8Array(length);
  const digits = value.toString(16);
  const present = Buffer.from(digits.length % 2 === 0 ? digits : `0${digits}`, 'hex');
  bytes.set(present, length - present.length);
  return bytes;
};
