import { describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import { sha384 } from '../../ledger/hash.ts';
import { type BlockItem, BlockItemField as Field } from './block.ts';
import { EMPTY_HASH, HashTree, TreeHasher } from './hash-tree.ts';
import { hashItems, rootFormsOf, rootHashOf } from './root-hash.ts';
import { blockItem, timestampBytes } from './testing/blocks.fixture.ts';

const leaf = (bytes: Uint8Array): Buffer => sha384(Buffer.concat([Buffer.of(0), bytes]));
const single = (child: Uint8Array): Buffer => sha384(Buffer.concat([Buffer.of(1), child]));
const node = (left: Uint8Array, right: Uint8Array): Buffer => sha384(Buffer.concat([Buffer.of(2), left, right]));

const EMPTY = leaf(Buffer.of());
const ZERO = Buffer.alloc(48);

describe('trees of hashes', () => {
  it('knows the hash of nothing', () => {
    expect(toHex(EMPTY_HASH)).toMatch(/^bec021b4f368e3069134e012c2b43070/);
    expect(toHex(EMPTY)).toBe(toHex(EMPTY_HASH));
  });

  it('joins equal subtrees at once and folds what is left from the right', () => {
    const leaves = Array.from({ length: 7 }, (_, i) => leaf(Buffer.of(i)));
    const [a, b, c, d, e, f, g] = leaves as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    const abcd = node(node(a, b), node(c, d));
    const roots = [
      EMPTY,
      a,
      node(a, b),
      node(node(a, b), c),
      abcd,
      node(abcd, e),
      node(abcd, node(e, f)),
      node(abcd, node(node(e, f), g)),
    ];
    const tree = new HashTree(new TreeHasher());
    expect(toHex(tree.root(EMPTY))).toBe(toHex(EMPTY));
    leaves.forEach((hash, i) => {
      tree.add(hash);
      expect(toHex(tree.root(EMPTY))).toBe(toHex(roots[i + 1] as Buffer));
    });
  });

  it('goes on from its state', () => {
    const whole = new HashTree(new TreeHasher());
    let resumed = new HashTree(new TreeHasher());
    for (let i = 0; i < 40; i++) {
      whole.add(leaf(Buffer.of(i)));
      resumed = new HashTree(new TreeHasher(), structuredClone(resumed.state()));
      resumed.add(leaf(Buffer.of(i)));
      expect(toHex(resumed.root(EMPTY))).toBe(toHex(whole.root(EMPTY)));
    }
    expect(whole.state().count).toBe(40n);
    expect(whole.state().pending.length).toBe(2);
  });

  it('hashes leaves longer than its buffer', () => {
    const hasher = new TreeHasher();
    const long = Buffer.alloc(200_000, 3);
    expect(toHex(hasher.leaf(long))).toBe(toHex(leaf(long)));
    expect(toHex(hasher.leaf(Buffer.of(1)))).toBe(toHex(leaf(Buffer.of(1))));
  });
});

describe('root hashes of blocks', () => {
  const footer = {
    previousRootHash: Buffer.alloc(48, 1),
    allPreviousRootsHash: Buffer.alloc(48, 2),
    startStateRootHash: Buffer.of(),
  };
  const time = timestampBytes(1_700_000_000_000_000_009n);
  const item = (field: number): BlockItem => blockItem(field, Buffer.of(field));
  const items = [
    Field.blockHeader,
    Field.roundHeader,
    Field.eventHeader,
    Field.signedTransaction,
    Field.transactionResult,
    Field.stateChanges,
    Field.blockFooter,
    Field.blockProof,
  ].map(item);
  const root = (form: Parameters<typeof rootHashOf>[1]): string =>
    toHex(rootHashOf({ timestampBytes: time, footer, trees: hashItems(items) }, form));
  const of = (field: number): Buffer => leaf(item(field).bytes);
  const leaves = (empty: Uint8Array): readonly Uint8Array[] => [
    footer.previousRootHash,
    footer.allPreviousRootsHash,
    empty,
    node(of(Field.roundHeader), of(Field.eventHeader)),
    of(Field.signedTransaction),
    node(of(Field.blockHeader), of(Field.transactionResult)),
    of(Field.stateChanges),
    empty,
  ];
  const eight = (empty: Uint8Array): Buffer => {
    const [a, b, c, d, e, f, g, h] = leaves(empty) as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    return node(node(node(a, b), node(c, d)), node(node(e, f), node(g, h)));
  };

  it('joins eight leaves below a node of one child up to HAPI 0.77', () => {
    expect(root('eight-leaves')).toBe(toHex(node(leaf(time), single(eight(EMPTY)))));
    expect(root('zero-hashes')).toBe(toHex(node(leaf(time), single(eight(ZERO)))));
  });

  it('joins sixteen leaves, eight of them empty, from HAPI 0.78 on', () => {
    const quarter = node(node(EMPTY, EMPTY), node(EMPTY, EMPTY));
    expect(root('sixteen-leaves')).toBe(toHex(node(leaf(time), node(eight(EMPTY), node(quarter, quarter)))));
  });

  it('chooses the form by the version of the producer', () => {
    const first = (minor: number, wraps = false, major = 0): string | undefined =>
      rootFormsOf({ major, minor, patch: 0 }, wraps)[0];
    expect([71, 72, 77, 78].map((minor) => first(minor))).toEqual([
      'zero-hashes',
      'eight-leaves',
      'eight-leaves',
      'sixteen-leaves',
    ]);
    expect(first(0, false, 1)).toBe('sixteen-leaves');
    expect([3, 63, 75, 78].map((minor) => first(minor, true))).toEqual([
      'sixteen-leaves',
      'sixteen-leaves',
      'eight-leaves',
      'sixteen-leaves',
    ]);
  });
});
