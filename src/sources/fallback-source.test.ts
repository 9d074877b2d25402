import { describe, expect, it } from 'vitest';
import { streamError } from '../streams/stream-error.ts';
import { FallbackSource } from './fallback-source.ts';
import type { NodeListing, StreamNode, StreamSource } from './stream-source.ts';

const node: StreamNode = { accountId: 3n, nodeId: 0n, place: 'node 0' };
const bytes = new Uint8Array([1]);
const failure = () => streamError('SOURCE_UNREADABLE', { file: 'x', rule: 'down' });
const resting = () => streamError('SOURCE_UNREADABLE', { file: 'x', rule: 'left alone', resting: true });

/** A source of which each answer is what `answer` gives, or throws. */
class ToldSource implements StreamSource {
  readonly description: string;
  answer: () => Uint8Array | undefined = () => bytes;
  asked = 0;

  constructor(description: string) {
    this.description = description;
  }

  nodes = async (): Promise<readonly StreamNode[]> => [node];
  list = async (): Promise<NodeListing> => ({ files: [], more: false });
  read = async (): Promise<Uint8Array | undefined> => {
    this.asked++;
    return this.answer();
  };
  readSidecar = async (): Promise<undefined> => undefined;
  waitForChange = async (): Promise<void> => undefined;
  close = (): void => undefined;
}

const setUp = () => {
  let time = 0;
  const [first, second] = [new ToldSource('a'), new ToldSource('b')];
  const source = new FallbackSource(
    [
      { store: first, backoffMs: 60_000 },
      { store: second, backoffMs: 60_000 },
    ],
    () => time,
  );
  const askedBy = async (action: () => Promise<unknown>): Promise<readonly [number, number]> => {
    [first.asked, second.asked] = [0, 0];
    await action();
    return [first.asked, second.asked];
  };
  return { source, first, second, read: () => source.read(node, 'x'), askedBy, wait: (ms: number) => (time += ms) };
};

describe('sources that stand in for each other', () => {
  it('are asked in order, and one is enough', async () => {
    const { source, read, askedBy } = setUp();
    expect(await askedBy(read)).toEqual([1, 0]);
    expect(source.description).toBe('a, else b');
    expect(await source.nodes({} as never)).toEqual([node]);
  });

  it('are left alone for their back-off after a failure', async () => {
    const { first, read, askedBy, wait } = setUp();
    first.answer = () => {
      throw failure();
    };
    expect(await askedBy(read)).toEqual([1, 1]);
    wait(59_999);
    expect(await askedBy(read)).toEqual([0, 1]);
    first.answer = () => bytes;
    wait(1);
    expect(await askedBy(read)).toEqual([1, 0]);
  });

  it('are asked although they rest when no other answers', async () => {
    const { first, second, read, askedBy } = setUp();
    first.answer = () => {
      throw failure();
    };
    await read();
    second.answer = () => {
      throw failure();
    };
    first.answer = () => bytes;
    expect(await askedBy(read)).toEqual([1, 1]);
    // The first is well again, the second rests.
    expect(await askedBy(read)).toEqual([1, 0]);
    first.answer = second.answer;
    await expect(read()).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  });

  it('may lack what another one has', async () => {
    const { first, second, read, askedBy } = setUp();
    first.answer = () => undefined;
    expect(await read()).toBe(bytes);
    expect(await askedBy(read)).toEqual([1, 1]);
    second.answer = () => undefined;
    expect(await read()).toBeUndefined();
  });

  it('do not rest because one of their nodes does', async () => {
    const { first, read, askedBy } = setUp();
    first.answer = () => {
      throw resting();
    };
    expect(await askedBy(read)).toEqual([1, 1]);
    expect(await askedBy(read)).toEqual([1, 1]);
  });

  it('are not replaced because of what they hold', async () => {
    const { first, read } = setUp();
    first.answer = () => {
      throw streamError('STREAM_OVERSIZED', { file: 'x', rule: 'large' });
    };
    await expect(read()).rejects.toMatchObject({ code: 'STREAM_OVERSIZED' });
  });
});
