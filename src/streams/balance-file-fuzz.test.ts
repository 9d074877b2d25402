import { describe, expect, it } from 'vitest';
import { isKagamiError } from '../errors/kagami-error.ts';
import type { AccountHoldings } from './balance-entry.ts';
import { readBalanceFile } from './balance-file.ts';
import { equalBytes } from './equal-bytes.ts';
import { balanceFileName, csvV1, csvV2, gzipped, inChunks, protobuf } from './testing/balance-file.fixture.ts';

const MUTATIONS = 2_000;
const T = 1_700_000_000_000_000_123n;

const ACCOUNTS = Array.from({ length: 12 }, (_, i) => ({
  num: BigInt(i + 1),
  balance: 4_166_666_666_666_666_67n * BigInt(i),
  tokens: Array.from({ length: i % 4 }, (_, k) => [BigInt(1000 + k), BigInt(k) * 1_000_003n] as const),
}));

/** Random numbers from a seed, so that a failure can be repeated: `next(n)` is in 0..n-1. */
const randomFrom = (seed: number): ((bound: number) => number) => {
  let state = seed >>> 0;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
};

/** One bit flipped, bytes overwritten, cut, inserted, removed or repeated, or a varint made long. */
const mutate = (original: Uint8Array, next: (bound: number) => number): Buffer => {
  const bytes = Buffer.from(original);
  const at = next(bytes.length);
  const span = 1 + next(20);
  const junk = Buffer.from(Array.from({ length: span }, () => next(256)));
  switch (next(7)) {
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
    case 5:
      return Buffer.concat([bytes.subarray(0, at + span), bytes.subarray(at)]);
    default:
      return bytes.fill(0xff, at, Math.min(bytes.length, at + span));
  }
};

describe.each([
  ['CSV version 1', 'csv', csvV1(T, ACCOUNTS)],
  ['CSV version 2', 'csv', csvV2(T, ACCOUNTS)],
  ['protobuf', 'pb', protobuf(T, ACCOUNTS)],
  ['compressed protobuf', 'pb.gz', gzipped(protobuf(T, ACCOUNTS))],
] as const)('damaged %s', (_, extension, bytes) => {
  const name = balanceFileName(T, extension);
  const read = async (content: Uint8Array, chunk: number) => {
    const list: AccountHoldings[] = [];
    const file = await readBalanceFile(name, inChunks(content, chunk), (accounts) => void list.push(...accounts));
    return { ...file, list };
  };

  it('is refused with file and rule, or told from the original by its hash', async () => {
    const original = await read(bytes, bytes.length);
    const next = randomFrom(bytes.length);
    let refused = 0;
    for (let i = 0; i < MUTATIONS; i++) {
      const mutated = mutate(bytes, next);
      try {
        const file = await read(mutated, 1 + next(bytes.length));
        if (equalBytes(file.fileHash, original.fileHash)) expect(file.list).toEqual(original.list);
        expect(file.list.every(({ balance }) => balance >= 0n && balance < 1n << 63n)).toBe(true);
      } catch (fault) {
        if (!isKagamiError(fault)) throw fault;
        expect(fault.code).toMatch(/^STREAM_/);
        expect(fault.details).toMatchObject({ file: name, rule: expect.any(String) });
        refused++;
      }
    }
    expect(refused).toBeGreaterThan(MUTATIONS / 4);
  });
});
