import { describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import { longZeroAddress } from '../../ledger/evm-address.ts';
import { keccak256 } from '../../ledger/hash.ts';
import {
  INCREMENT_CALL,
  INCREMENTED_TOPIC,
  INIT_CODE,
  logBloom,
  RUNTIME_CODE,
  trimmedWord,
  word,
} from './counter-contract.ts';

describe('the counter contract', () => {
  it('has init code that deploys exactly its runtime code', () => {
    expect(RUNTIME_CODE).toHaveLength(56);
    // PUSH1 length, DUP1, PUSH1 offset, PUSH1 0, CODECOPY, PUSH1 0, RETURN
    expect(toHex(INIT_CODE.subarray(0, 11))).toBe('603880600b6000396000f3');
    expect(INIT_CODE.subarray(0x0b, 0x0b + 0x38).equals(RUNTIME_CODE)).toBe(true);
  });

  it('is called by the selector of increment()', () => {
    expect(toHex(INCREMENT_CALL)).toBe('d09de08a');
  });

  it('sets three bits for the address and each topic', () => {
    const bloom = logBloom(longZeroAddress(1_234n), [INCREMENTED_TOPIC]);
    const bits = new Set<number>();
    for (const entry of [longZeroAddress(1_234n), INCREMENTED_TOPIC]) {
      const digest = Buffer.from(keccak256(entry));
      for (const at of [0, 2, 4]) bits.add(digest.readUInt16BE(at) % 2_048);
    }
    const set = [...bloom].flatMap((byte, index) =>
      [0, 1, 2, 3, 4, 5, 6, 7].filter((bit) => (byte & (1 << bit)) !== 0).map((bit) => (255 - index) * 8 + bit),
    );
    expect(set.toSorted((a, b) => a - b)).toEqual([...bits].toSorted((a, b) => a - b));
  });

  it('writes words whole and trimmed', () => {
    expect(toHex(word(258n))).toBe(`${'00'.repeat(30)}0102`);
    expect(toHex(trimmedWord(258n))).toBe('0102');
    expect(trimmedWord(0n)).toHaveLength(0);
  });
});
