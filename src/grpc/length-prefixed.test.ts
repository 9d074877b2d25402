import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { frameOf, framesOf, MessageReader } from './length-prefixed.ts';

const bytes = fc.uint8Array({ maxLength: 40 });

describe('MessageReader', () => {
  it('finds the messages however their bytes are cut', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 8 }), fc.array(fc.nat(60), { maxLength: 20 }), (messages, cuts) => {
        const all = framesOf(messages);
        const reader = new MessageReader(40);
        const found: Uint8Array[] = [];
        let position = 0;
        for (const length of [...cuts, all.length]) {
          found.push(...reader.read(all.subarray(position, position + length)));
          position = Math.min(all.length, position + length);
        }
        expect(found.map((message) => [...message])).toEqual(messages.map((message) => [...message]));
        expect(reader.isWithin).toBe(false);
      }),
    );
  });

  it('knows a message that is too long by its header', () => {
    expect(() => new MessageReader(3).read(Buffer.from([0, 0, 0, 0, 4]))).toThrow(
      'Received message larger than max (4 vs 3)',
    );
  });

  it('tells whether a message has begun', () => {
    const reader = new MessageReader(10);
    expect(reader.read(frameOf(Uint8Array.of(1, 2)).subarray(0, 6))).toEqual([]);
    expect(reader.isWithin).toBe(true);
  });
});
