import { describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import type { Block, BlockItem, MerklePath } from './block.ts';
import { START_OF_CHAIN } from './chain.ts';
import { readBlock } from './read-block.ts';
import { blockRoots, type RootForm } from './root-hash.ts';
import { followStateProof } from './state-proof.ts';
import {
  closed,
  NO_TRUST,
  type OpenBlock,
  openChain,
  proofItem,
  publicationItems,
  roundItems,
  signedProof,
  stateProof,
  testSignature,
} from './testing/blocks.fixture.ts';
import type { BlockTrust } from './trust.ts';
import { InvalidProof } from './tss/field.ts';
import type { ChainState } from './verdict.ts';
import { BlockVerifier, type VerifiedBatch } from './verify-blocks.ts';
import { createThresholdSigner } from './write/threshold-signer.ts';

const NODES = [0n, 1n, 2n, 3n].map((nodeId) => ({ nodeId, weight: 1000n + nodeId, signs: nodeId !== 2n }));
const signer = createThresholdSigner(NODES, 'verify-blocks');
const { ledger } = signer;
const chain = openChain({ count: 5, ledger });
const signatures = chain.map(({ rootHash }) => signer.sign(rootHash));
const signatureOf = (index: number): Uint8Array => signatures[index] as Uint8Array;

const read = (block: OpenBlock, ...proofs: BlockItem[]): Block =>
  readBlock(`${block.number}.blk`, closed(block, ...proofs));

const signedBlocks = chain.map((block, i) => read(block, signedProof(block.number, signatureOf(i))));

const verifier = await BlockVerifier.open();

const verify = (
  blocks: readonly Block[],
  trust: Partial<BlockTrust> = {},
  before: ChainState = START_OF_CHAIN,
): VerifiedBatch => verifier.verifyBlocks(blocks, { ...NO_TRUST, ...trust }, before);

/** How each block was proven, or why not. */
const findings = ({ verdicts }: VerifiedBatch): string[] =>
  verdicts.map((verdict) =>
    verdict.proven ? verdict.by + (verdict.throughStateProof ? ' through state proof' : '') : verdict.fault.code,
  );

const rulesOf = ({ verdicts }: VerifiedBatch): unknown[] =>
  verdicts.map((verdict) => (verdict.proven ? null : verdict.fault.details.rule));

/** Where the paths of a state proof lead from a block; nothing when they are refused. */
const reached = (block: Block, paths: readonly MerklePath[]): Uint8Array => {
  const [root] = blockRoots(block);
  try {
    return followStateProof(paths, root?.hash as Uint8Array, block.footer);
  } catch (error) {
    if (error instanceof InvalidProof) return Buffer.of();
    throw error;
  }
};

/** A block with one bit of its `part` changed. */
const flipped = (block: Block, bytes: (block: Block) => Uint8Array): Block => {
  const items = block.items.map(({ field, bytes, payload }) => ({ field, bytes, payload }));
  const copy = structuredClone({ ...block, items, header: items[0] as BlockItem });
  const part = bytes(copy);
  part[part.length - 1] = (part.at(-1) as number) ^ 1;
  return copy;
};

describe('proof of blocks', () => {
  it('proves a chain from block 0 on by the signature of its last block', () => {
    const batch = verify(signedBlocks);
    expect(findings(batch)).toEqual(['later-block', 'later-block', 'later-block', 'later-block', 'schnorr']);
    expect(batch.chain.last).toEqual({ number: 4n, rootHashes: [chain[4]?.rootHash], recordHash: null });
    expect(batch.chain.tree?.count).toBe(4n);
    expect(batch.ledger && toHex(batch.ledger.id)).toBe(toHex(ledger.id));
    const published = batch.verdicts.map((verdict) => verdict.proven && verdict.ledger !== null);
    expect(published).toEqual([true, false, false, false, false]);
  });

  it('goes on where a batch ended', () => {
    let state = START_OF_CHAIN;
    let believed: BlockTrust['ledger'] = null;
    for (const block of signedBlocks) {
      const { verdict, ...after } = verifier.verifyBlock(block, { ...NO_TRUST, ledger: believed }, state);
      expect(verdict).toMatchObject({ proven: true, by: 'schnorr', throughStateProof: false });
      state = structuredClone(after.chain);
      believed = structuredClone(after.ledger);
    }
    expect(state.last?.number).toBe(4n);
  });

  it('proves a single block of a known ledger, wherever the chain stands', () => {
    const batch = verify([signedBlocks[3] as Block], { ledger });
    expect(findings(batch)).toEqual(['schnorr']);
    expect(batch.chain).toEqual({
      last: { number: 3n, rootHashes: [chain[3]?.rootHash], recordHash: null },
      tree: null,
    });
  });

  it.each<[string, boolean, RootForm]>([
    ['of HAPI 0.78', false, 'sixteen-leaves'],
    ['of HAPI 0.77', false, 'eight-leaves'],
    ['of HAPI 0.73', true, 'eight-leaves'],
  ])('follows state proofs %s', (_, old, form) => {
    const blocks = openChain({ count: 4, form, ledger });
    const signature = signer.sign((blocks[3] as OpenBlock).rootHash);
    for (const index of [0, 1, 2]) {
      const block = read(blocks[index] as OpenBlock, stateProof(blocks, index, 3, signature, old));
      const trust = { ledger };
      expect(findings(verify([block], trust))).toEqual(['schnorr through state proof']);
      const state = block.proofs[0];
      if (state?.kind !== 'state') throw new Error('no state proof');
      const last = (blocks[3] as OpenBlock).rootHash;
      expect(toHex(reached(block, state.paths))).toBe(toHex(last));
      state.paths[1]?.siblings.forEach((_sibling, i) => {
        const changed = structuredClone(state.paths);
        const sibling = changed[1]?.siblings[i];
        if (sibling?.hash.length === 48) sibling.hash[7] = (sibling.hash[7] as number) ^ 4;
        else Object.assign(sibling as object, { hash: new Uint8Array(48) });
        expect(toHex(reached(block, changed))).not.toBe(toHex(last));
      });
    }
    const second = blocks[2] as OpenBlock;
    const { proofs } = read(second, stateProof(blocks, 2, 3, signature, old));
    const other = { ...read(blocks[1] as OpenBlock, testSignature(blocks[1] as OpenBlock)), proofs };
    expect(findings(verify([other], { ledger }))).toEqual(['STREAM_BAD_PROOF']);
  });

  it('tries the other form of the root where the version says the first', () => {
    const early = openChain({
      count: 3,
      form: 'sixteen-leaves',
      hapiVersion: { major: 0, minor: 77, patch: 0 },
      ledger,
    });
    const last = early[2] as OpenBlock;
    const blocks = early.map((block) =>
      block === last ? read(block, signedProof(2n, signer.sign(block.rootHash))) : read(block, testSignature(block)),
    );
    expect(findings(verify(blocks))).toEqual(['later-block', 'later-block', 'schnorr']);
    expect(findings(verify([blocks[2] as Block], { ledger }))).toEqual(['schnorr']);
  });

  it.each<[string, (block: Block) => Uint8Array]>([
    ['a transaction', ({ items }) => items[3]?.bytes as Uint8Array],
    ['an output', ({ items }) => items[5]?.bytes as Uint8Array],
    ['a state change', ({ items }) => items[7]?.bytes as Uint8Array],
    ['trace data', ({ items }) => items[6]?.bytes as Uint8Array],
    ['a round header', ({ items }) => items[1]?.bytes as Uint8Array],
    ['the header', ({ header }) => header.bytes],
    ['the timestamp', ({ timestampBytes }) => timestampBytes],
    ['the start state', ({ footer }) => footer.startStateRootHash],
  ])('refuses a block of which %s was changed', (_, part) => {
    const block = flipped(signedBlocks[3] as Block, part);
    expect(findings(verify([block], { ledger }))).toEqual(['STREAM_BAD_PROOF']);
  });

  it('refuses a changed block within a chain, and what is linked to it', () => {
    const [first, second, third, fourth, fifth] = signedBlocks as [Block, Block, Block, Block, Block];
    const changed = flipped(third, ({ items }) => items[3]?.bytes as Uint8Array);
    const batch = verify([first, second, changed, fourth, fifth]);
    // The fourth names another root hash; only the proof of the second still holds.
    expect(findings(batch)).toEqual([
      'later-block',
      'schnorr',
      'STREAM_BAD_PROOF',
      'STREAM_CHAIN_BROKEN',
      'STREAM_CHAIN_BROKEN',
    ]);
    expect(batch.chain.last?.number).toBe(1n);
    expect(rulesOf(batch)[4]).toBe('block 4: a block before it is refused');
  });

  it('falls back to the newest proof that holds', () => {
    const wrong = read(chain[4] as OpenBlock, signedProof(4n, signatureOf(3)));
    const batch = verify([...signedBlocks.slice(0, 4), wrong]);
    expect(findings(batch)).toEqual(['later-block', 'later-block', 'later-block', 'schnorr', 'STREAM_BAD_PROOF']);
    expect(batch.chain.last?.number).toBe(3n);
  });

  it('refuses blocks out of order, of another chain and with a wrong tree', () => {
    const { chain: state } = verify(signedBlocks.slice(0, 2));
    const ruleAfter = (block: Block): unknown => rulesOf(verify([block], { ledger }, state))[0];
    expect(ruleAfter(signedBlocks[3] as Block)).toBe('block 3: follows block 1');
    expect(ruleAfter(signedBlocks[1] as Block)).toBe('block 1: follows block 1');
    const third = signedBlocks[2] as Block;
    expect(ruleAfter(flipped(third, ({ footer }) => footer.previousRootHash))).toMatch(
      /^block 2: names [0-9a-f]{96} as root hash of the block before, which has [0-9a-f]{96}$/,
    );
    expect(ruleAfter(flipped(third, ({ footer }) => footer.allPreviousRootsHash))).toMatch(
      /^block 2: names [0-9a-f]{96} as root of all blocks before it, which have [0-9a-f]{96}$/,
    );
    const zero = flipped(signedBlocks[0] as Block, ({ footer }) => footer.previousRootHash);
    expect(rulesOf(verify([zero]))[0]).toBe('block 0: names a block before the first');
  });

  it('needs a ledger', () => {
    const batch = verify([signedBlocks[1] as Block]);
    expect(findings(batch)).toEqual(['STREAM_UNKNOWN_LEDGER']);
    const onlyId = verify([signedBlocks[1] as Block], { ledger: { id: ledger.id, roster: null, wrapsKey: null } });
    expect(findings(onlyId)).toEqual(['STREAM_UNKNOWN_LEDGER']);
    expect(rulesOf(onlyId)[0]).toMatch(/the genesis roster, which its Schnorr signature needs, is not known/);
    const trusted = verify(signedBlocks.slice(1, 3), { unsigned: true });
    expect(findings(trusted)).toEqual(['trusted', 'trusted']);
    expect(trusted.chain.last?.number).toBe(2n);
  });

  it('refuses the publication of another ledger, and one whose roster is not its own', () => {
    const other = createThresholdSigner(NODES, 'another network').ledger;
    expect(findings(verify(signedBlocks, { ledger: other }))[0]).toBe('STREAM_WRONG_LEDGER');
    const forged = openChain({ count: 1, ledger: { ...ledger, roster: other.roster } })[0] as OpenBlock;
    const batch = verify([read(forged, signedProof(0n, signer.sign(forged.rootHash)))]);
    expect(findings(batch)).toEqual(['STREAM_WRONG_LEDGER']);
    expect(rulesOf(batch)[0]).toMatch(
      /^block 0 publishes a ledger id: the roster is not the one of ledger [0-9a-f]{64}$/,
    );
  });

  it('believes a publication only in block 0, and only if it succeeded', () => {
    const publishing = (at: number, status: bigint): Block[] =>
      openChain({
        count: 2,
        itemsOf: (index) => [...roundItems(index, 1), ...(index === at ? publicationItems(ledger, status) : [])],
      }).map((block) => read(block, signedProof(block.number, signer.sign(block.rootHash))));
    expect(findings(verify(publishing(0, 22n)))).toEqual(['later-block', 'schnorr']);
    expect(findings(verify(publishing(0, 10n)))).toEqual(['STREAM_UNKNOWN_LEDGER', 'STREAM_UNKNOWN_LEDGER']);
    expect(findings(verify(publishing(1, 22n)))).toEqual(['STREAM_UNKNOWN_LEDGER', 'STREAM_UNKNOWN_LEDGER']);
    expect(findings(verify(publishing(1, 22n), { ledger }))).toEqual(['later-block', 'schnorr']);
  });

  it('accepts test signatures where they are allowed, and only then', () => {
    const blocks = openChain({ count: 3, form: 'zero-hashes' }).map((block) => read(block, testSignature(block)));
    expect(findings(verify(blocks, { testSignatures: true }))).toEqual([
      'later-block',
      'later-block',
      'test-signature',
    ]);
    expect(findings(verify(blocks))).toEqual(['STREAM_UNSIGNED', 'STREAM_UNSIGNED', 'STREAM_UNSIGNED']);
    expect(findings(verify(blocks, { unsigned: true }))).toEqual(['trusted', 'trusted', 'trusted']);
    const wrong = flipped(blocks[2] as Block, ({ proofs: [proof] }) =>
      proof?.kind === 'signed' ? proof.signature : new Uint8Array(1),
    );
    expect(findings(verify([wrong], { testSignatures: true, unsigned: true }))).toEqual(['STREAM_BAD_PROOF']);
  });

  it('says of kinds of proof and lengths of signatures that it does not know them', () => {
    const block = chain[1] as OpenBlock;
    const unknown = read(block, proofItem(1n, 9, Buffer.of(1, 2, 3)));
    expect(findings(verify([unknown], { ledger }))).toEqual(['STREAM_UNKNOWN_PROOF']);
    expect(findings(verify([unknown], { ledger, unsigned: true }))).toEqual(['trusted']);
    const length = read(block, signedProof(1n, Buffer.alloc(2921)));
    expect(findings(verify([length], { ledger }))).toEqual(['STREAM_UNKNOWN_PROOF']);
    const beside = read(block, proofItem(1n, 9, Buffer.of(1)), signedProof(1n, signatureOf(1)));
    expect(findings(verify([beside], { ledger }))).toEqual(['schnorr']);
    const wrongBeside = read(block, proofItem(1n, 9, Buffer.of(1)), signedProof(1n, signatureOf(2)));
    expect(findings(verify([wrongBeside], { ledger, unsigned: true }))).toEqual(['STREAM_BAD_PROOF']);
  });
});
