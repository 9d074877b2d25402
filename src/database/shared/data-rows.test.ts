import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tapDataRows } from './data-rows.ts';

const message = (type: string, body: string): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + Buffer.byteLength(body));
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
};

/** A stream of messages, cut anywhere; while the driver's last message was `1`, rows are taken. */
const received = (messages: readonly Buffer[], cuts: readonly number[]) => {
  const stream = new EventEmitter();
  const driver: string[] = [];
  const taken: string[] = [];
  stream.on('data', (bytes: Buffer) => {
    let at = 0;
    while (at < bytes.length) {
      const end = at + 1 + bytes.readInt32BE(at + 1);
      driver.push(bytes.toString('utf8', at, at + 1) + bytes.toString('utf8', at + 5, end));
      at = end;
    }
    expect(at).toBe(bytes.length);
  });
  tapDataRows(stream, () =>
    driver.findLast((text) => !text.startsWith('D')) === 'C1'
      ? {
          addMessage: (bytes, start) => {
            taken.push(bytes.toString('utf8', start, start - 4 + bytes.readInt32BE(start - 4)));
          },
        }
      : undefined,
  );
  const whole = Buffer.concat(messages);
  const places = [...new Set([0, ...cuts.map((cut) => cut % (whole.length + 1)), whole.length])].sort((a, b) => a - b);
  for (let i = 1; i < places.length; i++) stream.emit('data', Buffer.from(whole.subarray(places[i - 1], places[i])));
  return { driver, taken };
};

describe('tapDataRows', () => {
  it('takes the rows that are asked for and gives the driver everything else, however the stream is cut', () => {
    const sent = fc.array(fc.record({ type: fc.constantFrom('D', 'C', 'Z'), body: fc.string({ maxLength: 40 }) }));
    fc.assert(
      fc.property(sent, fc.array(fc.boolean()), fc.array(fc.nat()), (all, asked, cuts) => {
        const bodies = all.map(({ type, body }, i) => ({ type, body: type === 'C' ? (asked[i] ? '1' : '0') : body }));
        let isTaking = false;
        const expected: { driver: string[]; taken: string[] } = { driver: [], taken: [] };
        for (const { type, body } of bodies) {
          if (type === 'D' && isTaking) expected.taken.push(body);
          else expected.driver.push(type + body);
          if (type !== 'D') isTaking = type === 'C' && body === '1';
        }
        const outcome = received(
          bodies.map(({ type, body }) => message(type, body)),
          cuts,
        );
        expect(outcome).toEqual(expected);
      }),
    );
  });

  it('puts a long message together once', () => {
    const body = 'x'.repeat(1_000_000);
    const cuts = Array.from({ length: 200 }, (_, i) => i * 5_000);
    expect(received([message('C', '1'), message('D', body), message('Z', 'I')], cuts)).toEqual({
      driver: ['C1', 'ZI'],
      taken: [body],
    });
  });
});
