import { gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { isKagamiError } from '../../errors/kagami-error.ts';
import { type BlockItem, BlockItemField as Field } from './block.ts';
import { readBlock } from './read-block.ts';
import {
  blockBytes,
  blockItem,
  bytesField,
  closed,
  headerItem,
  numberField,
  type OpenBlock,
  openChain,
  proofItem,
  START,
  stateProof,
  testSignature,
} from './testing/blocks.fixture.ts';

const NAME = '0000/0000/0000/0000/001.blk.zstd';
const chain = openChain({ count: 3 });
const block = chain[1] as OpenBlock;
const proof = testSignature(block);
const items: readonly BlockItem[] = [...block.items, proof];
const bytes = blockBytes(items);

const refusal = (content: Uint8Array, name = NAME, options = {}): unknown => {
  try {
    readBlock(name, content, options);
  } catch (error) {
    if (isKagamiError(error)) return { code: error.code, ...error.details };
    throw error;
  }
  return 'accepted';
};

/** The block with its items changed. */
const changed = (change: (list: BlockItem[]) => readonly BlockItem[]): Buffer => blockBytes(change([...items]));

describe('reading blocks', () => {
  it('gives header, items, footer and proofs', () => {
    const read = readBlock(NAME, bytes);
    expect({ ...read, items: read.items.length, header: read.header.field }).toEqual({
      name: NAME,
      number: 1n,
      hapiVersion: { major: 0, minor: 78, patch: 0 },
      softwareVersion: { major: 0, minor: 78, patch: 0 },
      timestamp: START + 2_000_000_000n,
      timestampBytes: new Uint8Array(block.timestamp),
      items: 20,
      header: 1,
      recordFile: null,
      footer: {
        previousRootHash: new Uint8Array(chain[0]?.rootHash ?? []),
        allPreviousRootsHash: new Uint8Array(chain[0]?.rootHash ?? []),
        startStateRootHash: new Uint8Array(48).fill(2),
      },
      proofs: [{ kind: 'signed', signature: new Uint8Array(proof.payload.slice(-48)) }],
      size: bytes.length,
      uncompressedSize: bytes.length,
      compression: 'none',
    });
    expect(read.items.map(({ field }) => field)).toEqual(items.map(({ field }) => field));
    expect(read.items.map(({ bytes: item }) => Buffer.from(item))).toEqual(
      items.map((item) => Buffer.from(item.bytes)),
    );
    expect(read.items.map(({ payload }) => Buffer.from(payload))).toEqual(
      items.map(({ payload }) => Buffer.from(payload)),
    );
  });

  it('reads gzip and zstd, told by content', () => {
    for (const [compression, content, trailing] of [
      ['gzip', gzipSync(bytes), Buffer.alloc(20)],
      ['zstd', zstdCompressSync(bytes), zstdCompressSync(bytes)],
    ] as const) {
      expect(readBlock('1.blk', content)).toMatchObject({ number: 1n, compression, uncompressedSize: bytes.length });
      expect(refusal(content.subarray(0, content.length - 9))).toMatchObject({ code: 'STREAM_TRUNCATED' });
      expect(refusal(Buffer.concat([content, trailing]))).toMatchObject({ code: 'STREAM_TRAILING_BYTES', file: NAME });
      const damaged = Buffer.from(content);
      damaged[20] = (damaged[20] as number) ^ 0xff;
      expect(['STREAM_BAD_COMPRESSION', 'STREAM_MALFORMED', 'STREAM_TRUNCATED']).toContain(
        (refusal(damaged) as { code: string }).code,
      );
    }
  });

  it('refuses what unpacks to more than the limit', () => {
    const bomb = Buffer.alloc(3_000_000);
    for (const content of [gzipSync(bomb), zstdCompressSync(bomb)]) {
      expect(content.length).toBeLessThan(4000);
      expect(refusal(content, NAME, { maxContentBytes: 1_000_000 })).toEqual({
        code: 'STREAM_OVERSIZED',
        file: NAME,
        rule: 'decompresses to more than 1000000 bytes',
      });
    }
    expect(refusal(bytes, NAME, { maxItems: 10 })).toMatchObject({
      code: 'STREAM_OVERSIZED',
      block: 1n,
      item: 10,
      rule: 'more than 10 items',
    });
  });

  it('says of a cut block what is missing', () => {
    const without = (count: number): Buffer => blockBytes(items.slice(0, items.length - count));
    expect(refusal(without(1))).toMatchObject({
      code: 'STREAM_TRUNCATED',
      block: 1n,
      rule: 'the block proof is missing',
    });
    expect(refusal(without(2))).toMatchObject({
      code: 'STREAM_TRUNCATED',
      item: 18,
      rule: 'the block footer is missing',
    });
    expect(refusal(blockBytes([]))).toMatchObject({ code: 'STREAM_TRUNCATED', rule: 'the file is empty' });
    expect(refusal(bytes.subarray(0, bytes.length - 7))).toMatchObject({
      code: 'STREAM_TRUNCATED',
      block: 1n,
      item: 19,
      rule: 'field 1 reaches 7 bytes beyond its message',
    });
  });

  it.each<[string, Buffer, number, string]>([
    ['no header first', changed(([, ...rest]) => rest), 0, 'the first item is roundHeader, must be blockHeader'],
    ['two blocks in one', Buffer.concat([bytes, closed(chain[2] as OpenBlock)]), 20, 'a second blockHeader'],
    [
      'a second header',
      changed(([first, ...rest]) => [first, first, ...rest] as BlockItem[]),
      1,
      'a second blockHeader',
    ],
    [
      'a proof before the footer',
      changed((list) => [...list.slice(0, -2), proof, block.items.at(-1) as BlockItem]),
      18,
      'a blockProof before the blockFooter',
    ],
    [
      'a second footer',
      changed((list) => [...list.slice(0, -1), block.items.at(-1) as BlockItem, proof]),
      19,
      'blockFooter after the blockFooter',
    ],
    [
      'an item after the proof',
      changed((list) => [...list, list[3] as BlockItem]),
      20,
      'signedTransaction after the blockFooter',
    ],
    [
      'a result first',
      changed(([first, ...rest]) => [first, blockItem(Field.transactionResult, Buffer.of()), ...rest] as BlockItem[]),
      1,
      'transactionResult before any signedTransaction',
    ],
    [
      'an output first',
      changed(([first, ...rest]) => [first, blockItem(Field.transactionOutput, Buffer.of()), ...rest] as BlockItem[]),
      1,
      'transactionOutput before any transactionResult',
    ],
    [
      'trace data first',
      changed(([first, ...rest]) => [first, blockItem(Field.traceData, Buffer.of()), ...rest] as BlockItem[]),
      1,
      'traceData before any transactionResult',
    ],
    [
      'a filtered item',
      changed(([first, ...rest]) => [first, blockItem(Field.filteredSingleItem, Buffer.of()), ...rest] as BlockItem[]),
      1,
      'filteredSingleItem: part of the block was left out',
    ],
    [
      'a redacted item',
      changed(([first, ...rest]) => [first, blockItem(Field.redactedItem, Buffer.of()), ...rest] as BlockItem[]),
      1,
      'redactedItem: part of the block was left out',
    ],
    [
      'an unknown item',
      changed(([first, ...rest]) => [first, blockItem(24, Buffer.of()), ...rest] as BlockItem[]),
      1,
      'field 24 of an item is not known',
    ],
    [
      'an empty item',
      changed(
        ([first, ...rest]) => [first, { field: 0, bytes: Buffer.of(), payload: Buffer.of() }, ...rest] as BlockItem[],
      ),
      1,
      'the item is empty',
    ],
    [
      'two fields in an item',
      changed(
        ([first, second, ...rest]) =>
          [
            first,
            { ...second, bytes: Buffer.concat([(second as BlockItem).bytes, bytesField(4, Buffer.of(1))]) },
            ...rest,
          ] as BlockItem[],
      ),
      1,
      'the item holds field 4 beside field 3',
    ],
    [
      'a record file beside rounds',
      changed((list) => [...list.slice(0, -2), blockItem(Field.recordFile, Buffer.of()), ...list.slice(-2)]),
      18,
      'a record file beside rounds or transactions',
    ],
    [
      'the proof of another block',
      changed((list) => [...list.slice(0, -1), proofItem(2n, 2, bytesField(1, Buffer.of(1)))]),
      19,
      'the proof is one of block 2',
    ],
    [
      'a proof without proof',
      changed((list) => [...list.slice(0, -1), blockItem(Field.blockProof, numberField(1, 1n))]),
      19,
      'a block proof holds no proof',
    ],
    [
      'a hash of 47 bytes',
      changed((list) => [...list.slice(0, -2), blockItem(Field.blockFooter, bytesField(1, Buffer.alloc(47))), proof]),
      18,
      'hash 1 of the footer has 47 bytes, must have 48',
    ],
  ])('refuses %s', (_, content, item, rule) => {
    expect(refusal(content)).toMatchObject({ code: 'STREAM_MALFORMED', file: NAME, item, rule });
  });

  it('refuses other hash algorithms and headers without version or time', () => {
    const header = headerItem(1n, { major: 0, minor: 78, patch: 0 }, START).payload;
    const withHeader = (payload: Uint8Array): Buffer =>
      changed(([, ...rest]) => [blockItem(Field.blockHeader, payload), ...rest]);
    expect(refusal(withHeader(Buffer.concat([header, numberField(5, 1n)])))).toMatchObject({
      rule: 'hash algorithm 1, must be SHA2_384',
    });
    expect(refusal(withHeader(numberField(3, 1n)))).toMatchObject({ rule: 'the block header has no HAPI version' });
    expect(refusal(withHeader(bytesField(1, Buffer.of())))).toMatchObject({
      rule: 'the block header has no timestamp',
    });
    expect(refusal(withHeader(Buffer.concat([header, numberField(3, -1n)])))).toMatchObject({
      rule: 'the block number exceeds 2^63 - 1',
    });
  });

  it('refuses preview formats by name', () => {
    const old = openChain({ count: 1, hapiVersion: { major: 0, minor: 69, patch: 2 } })[0] as OpenBlock;
    expect(refusal(closed(old, testSignature(old)), '0.blk')).toMatchObject({
      code: 'STREAM_UNKNOWN_VERSION',
      block: 0n,
      rule: 'block stream of HAPI 0.69.2, a preview format; blocks of HAPI 0.71 and later are read',
    });
  });

  it('holds the number that a path states against the header', () => {
    expect(refusal(bytes, '0000/0000/0000/0000/002.blk.zstd')).toEqual({
      code: 'STREAM_WRONG_NAME',
      file: '0000/0000/0000/0000/002.blk.zstd',
      block: 1n,
      rule: 'the name states block 2, the header block 1',
    });
    expect(readBlock('some-block.blk.gz', bytes).number).toBe(1n);
  });

  it('reads several proofs, and keeps kinds that it does not know', () => {
    const signature = Buffer.alloc(2920, 5);
    const several = closed(block, proofItem(1n, 7, Buffer.of(1)), stateProof(chain, 1, 2, signature), proof);
    const { proofs } = readBlock(NAME, several);
    expect(proofs.map(({ kind }) => kind)).toEqual(['unknown', 'state', 'signed']);
    expect(proofs[0]).toEqual({ kind: 'unknown', field: 7 });
    const state = proofs[1];
    if (state?.kind !== 'state') throw new Error('no state proof');
    expect(state.paths.map(({ leaf, siblings, nextPathIndex }) => [leaf.kind, siblings.length, nextPathIndex])).toEqual(
      [
        ['timestamp', 0, 2],
        ['hash', 4, 2],
        ['none', 0, -1],
      ],
    );
    expect(Buffer.from(state.signature)).toEqual(signature);
  });
});
