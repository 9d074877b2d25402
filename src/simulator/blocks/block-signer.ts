/** Signs the blocks of a block stream, or only some of them: those between are proven by the next one that is signed. */
import { type BlockSignature, type ClosedBlock, closeBlock, type LinkedBlock, stateProof } from './block-chain.ts';

export class BlockSigner {
  readonly #sign: BlockSignature;
  readonly #every: bigint;
  /** Blocks that nothing proves yet. */
  #waiting: LinkedBlock[] = [];

  /** @param every signs each so many blocks; 1: all of them */
  constructor(sign: BlockSignature, every: number) {
    this.#sign = sign;
    this.#every = BigInt(every);
  }

  /** The blocks that are proven by now, in order: none while the newest one waits for a later signature. */
  add(block: LinkedBlock): readonly ClosedBlock[] {
    this.#waiting.push(block);
    return (block.number + 1n) % this.#every === 0n ? this.flush() : [];
  }

  /** Signs the newest block out of turn, so that none is left without proof. */
  flush(): readonly ClosedBlock[] {
    const blocks = this.#waiting;
    const newest = blocks.at(-1);
    if (newest === undefined) return [];
    this.#waiting = [];
    const blockSignature = this.#sign(newest.rootHash);
    return blocks.map((block, i) =>
      block === newest
        ? closeBlock(block, { $case: 'signedBlockProof', signedBlockProof: { blockSignature } })
        : closeBlock(block, stateProof(block.rootHash, blocks.slice(i + 1), blockSignature)),
    );
  }
}
