import { hash } from 'node:crypto';

/** Base field of BLS12-381. */
export const BLS_FIELD_ORDER =
  0x1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaabn;
/** Order of the scalar field of BLS12-381. */
export const BLS_SCALAR_ORDER = 0x73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001n;
/** Base field of BN254. */
export const BN254_FIELD_ORDER = 0x30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47n;
/** Order of the scalar field of BN254, which is the base field of BabyJubJub. */
export const BN254_SCALAR_ORDER = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;

/** What makes a proof invalid: an encoding that isn't canonical, a point off its curve, an equation that doesn't hold. */
export class InvalidProof extends Error {}

export const invalid = (reason: string): never => {
  throw new InvalidProof(reason);
};

/** The little-endian number of `bytes`. */
export const littleEndian = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

export const bigEndian = (bytes: Uint8Array): bigint =>
  bytes.length === 0 ? 0n : BigInt(`0x${Buffer.from(bytes).toString('hex')}`);

/** `value` in 32 little-endian bytes. */
export const littleEndianBytes = (value: bigint): Uint8Array =>
  Buffer.from(value.toString(16).padStart(64, '0'), 'hex').reverse();

/** @throws InvalidProof unless the number of `bytes` is below `order`. */
export const canonical = (bytes: Uint8Array, order: bigint, what: string): bigint => {
  const value = littleEndian(bytes);
  return value < order ? value : invalid(`${what} is not below its modulus`);
};

export const modulo = (value: bigint, order: bigint): bigint => {
  const rest = value % order;
  return rest < 0n ? rest + order : rest;
};

export const power = (base: bigint, exponent: bigint, order: bigint): bigint => {
  let result = 1n;
  let square = modulo(base, order);
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % order;
    square = (square * square) % order;
  }
  return result;
};

/** @throws InvalidProof for 0. */
export const inverse = (value: bigint, order: bigint): bigint => {
  let [a, b] = [modulo(value, order), order];
  if (a === 0n) invalid('a division by zero');
  let [x, y] = [1n, 0n];
  while (a !== 0n) {
    const quotient = b / a;
    [b, a] = [a, b - quotient * a];
    [y, x] = [x, y - quotient * x];
  }
  return modulo(y, order);
};

const ELEMENT_BYTES = 48;

/**
 * Hash to one field element as arkworks' default hasher does: RFC 9380 `expand_message_xmd` over SHA-256, but padded to
 * the 48 bytes of an element where the RFC pads to the 64 of a block.
 */
export const hashToField = (message: Uint8Array, domain: string, order: bigint): bigint => {
  const tag = Buffer.concat([Buffer.from(domain, 'latin1'), Buffer.of(domain.length)]);
  const sha256 = (...parts: readonly Uint8Array[]): Buffer => hash('sha256', Buffer.concat(parts), 'buffer');
  const b0 = sha256(Buffer.alloc(ELEMENT_BYTES), message, Buffer.of(0, ELEMENT_BYTES, 0), tag);
  const b1 = sha256(b0, Buffer.of(1), tag);
  const mixed = Buffer.from(b0.map((byte, i) => byte ^ (b1[i] as number)));
  const b2 = sha256(mixed, Buffer.of(2), tag);
  return bigEndian(Buffer.concat([b1, b2]).subarray(0, ELEMENT_BYTES)) % order;
};
