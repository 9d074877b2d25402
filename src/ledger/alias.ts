const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const VALUES = new Map([...ALPHABET].map((character, value) => [character, value]));

/** Base32 (RFC 4648 alphabet, upper case, no padding) of an account alias, as REST and its paths write it. */
export const encodeAlias = (bytes: Uint8Array): string => {
  let text = '';
  let buffer = 0;
  let bits = 0;
  for (const byte of bytes) {
    buffer = ((buffer << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += ALPHABET[(buffer >> bits) & 31];
    }
  }
  return bits > 0 ? text + ALPHABET[(buffer << (5 - bits)) & 31] : text;
};

/**
 * Bytes of a base32 alias; undefined when the text has other characters, an impossible length, or bits set beyond its last
 * byte, as a text cut short has.
 */
export const decodeAlias = (text: string): Uint8Array | undefined => {
  const bytes = new Uint8Array(Math.floor((text.length * 5) / 8));
  if (Math.ceil((bytes.length * 8) / 5) !== text.length) return undefined;
  let buffer = 0;
  let bits = 0;
  let position = 0;
  for (const character of text) {
    const value = VALUES.get(character);
    if (value === undefined) return undefined;
    buffer = ((buffer << 5) | value) & 0xfff;
    bits += 5;
    if (bits >= 8) {
      bits -= 8;
      bytes[position++] = (buffer >> bits) & 255;
    }
  }
  if ((buffer & ((1 << bits) - 1)) !== 0) return undefined;
  return bytes;
};
