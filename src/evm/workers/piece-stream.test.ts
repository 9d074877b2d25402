import { MessageChannel } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { NotWantedError, PieceMaker, takePieces } from './piece-stream.ts';

const open = () => {
  const { port1, port2 } = new MessageChannel();
  return { maker: new PieceMaker(port2, performance.now() + 60_000), pieces: takePieces(port1), port2 };
};

const collect = async (pieces: AsyncIterable<string>): Promise<string[]> => {
  const texts: string[] = [];
  for await (const piece of pieces) texts.push(piece);
  return texts;
};

const long = (letter: string): string => letter.repeat(64 * 1024);

describe('pieces', () => {
  it('arrive whole and in order, small ones together', async () => {
    const { maker, pieces } = open();
    const taken = collect(pieces);
    await maker.write('[');
    for (const letter of 'abcdefgh') await maker.write(long(letter));
    await maker.write(']');
    await maker.end();
    const texts = await taken;
    expect(texts.join('')).toBe(`[${[...'abcdefgh'].map(long).join('')}]`);
    expect(texts).toHaveLength(9);
  });

  it('are not made faster than they are taken', async () => {
    const { maker, pieces } = open();
    let written = 0;
    const making = (async () => {
      for (let i = 0; i < 20; i++) {
        await maker.write(long('x'));
        written++;
      }
      await maker.end();
    })();
    await pieces.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(written).toBeLessThan(8);
    let taken = 1;
    for await (const piece of pieces) taken += piece.length > 0 ? 1 : 0;
    await making;
    expect(taken).toBe(20);
  });

  it('are not made for somebody who has gone', async () => {
    const { maker, pieces } = open();
    const making = (async () => {
      for (;;) await maker.write(long('x'));
    })();
    await pieces.next();
    await pieces.return(undefined);
    await expect(making).rejects.toBeInstanceOf(NotWantedError);
  });

  it('wait for nobody beyond the deadline', async () => {
    const { port1, port2 } = new MessageChannel();
    const maker = new PieceMaker(port2, performance.now());
    const making = (async () => {
      for (;;) await maker.write(long('x'));
    })();
    await expect(making).rejects.toMatchObject({ code: 'SIMULATION_TIMEOUT' });
    port1.close();
  });

  it('that break off are an error', async () => {
    const { maker, pieces, port2 } = open();
    await maker.write(long('x'));
    port2.close();
    expect((await pieces.next()).value).toBe(long('x'));
    await expect(pieces.next()).rejects.toThrow('The pieces ended before their end');
  });
});
