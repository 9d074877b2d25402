/** Random numbers from a seed, so that a failure can be repeated: `next(n)` is in 0..n-1. */
export const randomFrom = (seed: number): ((bound: number) => number) => {
  let state = seed;
  return (bound) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % bound;
  };
};

const EXTREME_LENGTHS = [0, 1, 47, 49, 0x7f, 0x80, 0xffff, 0x10001, 0x7fffffff, 0x80000000, 0xffffffff];

/** Bit flips, overwrites, truncations, insertions, removals, swaps, repetitions and lengths made extreme. */
export const mutate = (original: Uint8Array, next: (bound: number) => number): Uint8Array => {
  const bytes = Buffer.from(original);
  const at = next(bytes.length);
  const other = next(bytes.length);
  const span = 1 + next(Math.min(64, bytes.length));
  const junk = Buffer.from(Array.from({ length: span }, () => next(256)));
  const [from, to] = at < other ? [at, other] : [other, at];
  switch (next(9)) {
    case 0:
      bytes[at] = (bytes[at] as number) ^ (1 << next(8));
      return bytes;
    case 1:
      junk.copy(bytes, at);
      return bytes;
    case 2:
      return bytes.subarray(0, at);
    case 3:
      return Buffer.concat([bytes.subarray(0, at), junk, bytes.subarray(at)]);
    case 4:
      return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + span)]);
    case 5: {
      const length = Math.min(span, to - from);
      const second = bytes.subarray(to, to + length);
      const first = bytes.subarray(from, from + second.length);
      return Buffer.concat([
        bytes.subarray(0, from),
        second,
        bytes.subarray(from + first.length, to),
        first,
        bytes.subarray(to + second.length),
      ]);
    }
    case 6:
      return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from, to), bytes.subarray(to)]);
    case 7:
      if (at + 4 <= bytes.length) bytes.writeUInt32BE(EXTREME_LENGTHS[next(EXTREME_LENGTHS.length)] as number, at);
      return bytes;
    default:
      return Buffer.concat([bytes, junk]);
  }
};
