import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type BatchAnswer, proveBatch, transferablesOf, unpackBlock } from './block-batch.ts';
import { START_OF_CHAIN } from './chain.ts';
import { readBlock } from './read-block.ts';
import { closed, NO_TRUST, openChain, stateProof, testSignature } from './testing/blocks.fixture.ts';
import { BlockVerifier } from './verify-blocks.ts';

const chain = openChain({ count: 3 });
const files = chain.map((block, i) => ({
  name: `${i}.blk.gz`,
  bytes: gzipSync(closed(block, ...(i === 1 ? [stateProof(chain, 1, 2, Buffer.alloc(5))] : []), testSignature(block))),
}));
const trust = { ...NO_TRUST, testSignatures: true };

/** As a thread's message arrives: copied, but for what is handed over. */
const delivered = (answer: BatchAnswer): BatchAnswer =>
  structuredClone(answer, { transfer: transferablesOf(answer) as ArrayBuffer[] });

describe('batches for a thread', () => {
  it('gives blocks back as they were read, with their verdicts', () => {
    const order = structuredClone({ files, trust, chain: START_OF_CHAIN });
    const answer = delivered(proveBatch(order, new BlockVerifier()));
    expect(answer.verdicts.map((verdict) => verdict.proven && verdict.by)).toEqual([
      'later-block',
      'later-block',
      'test-signature',
    ]);
    expect(answer.chain.last?.number).toBe(2n);
    answer.blocks.forEach((packed, i) => {
      if (packed === null) throw new Error('no block');
      const block = unpackBlock(packed);
      const { items, header, ...rest } = readBlock(files[i]?.name as string, files[i]?.bytes as Uint8Array);
      const { items: itemsBack, header: headerBack, ...restBack } = block;
      const plain = (item: (typeof items)[number]): unknown => [
        item.field,
        Buffer.from(item.bytes),
        Buffer.from(item.payload),
      ];
      expect(itemsBack.map(plain)).toEqual(items.map(plain));
      expect(plain(headerBack)).toEqual(plain(header));
      expect(JSON.stringify(restBack, bigintText)).toBe(JSON.stringify(rest, bigintText));
    });
  });

  it('ends at a block that cannot be read, and says why', () => {
    const [first, second, third] = files as [(typeof files)[0], (typeof files)[0], (typeof files)[0]];
    const cut = { ...second, bytes: second.bytes.subarray(0, 90) };
    const answer = delivered(
      proveBatch({ files: [first, cut, third], trust, chain: START_OF_CHAIN }, new BlockVerifier()),
    );
    expect(answer.blocks.map((packed) => packed !== null)).toEqual([true, false, false]);
    expect(answer.verdicts.map((verdict) => (verdict.proven ? verdict.by : verdict.fault.code))).toEqual([
      'test-signature',
      'STREAM_TRUNCATED',
      'STREAM_CHAIN_BROKEN',
    ]);
    expect(answer.chain.last?.number).toBe(0n);
  });
});

const bigintText = (_: string, value: unknown): unknown => {
  if (typeof value === 'bigint') return `${value}n`;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return value;
};
