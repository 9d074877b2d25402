/** Entry of the thread that proves blocks and turns them into record files. */
import { parentPort } from 'node:worker_threads';
import { recordFileOfBlock } from '../../blocks/block-record-file.ts';
import { recordFileOfWrappedBlock } from '../../blocks/wrapped-block.ts';
import { isKagamiError } from '../../errors/kagami-error.ts';
import type { Block } from '../../streams/block/block.ts';
import { START_OF_CHAIN } from '../../streams/block/chain.ts';
import { readBlock } from '../../streams/block/read-block.ts';
import type { BlockTrust } from '../../streams/block/trust.ts';
import type { ChainState, ProofFault } from '../../streams/block/verdict.ts';
import { BlockVerifier } from '../../streams/block/verify-blocks.ts';
import type { ProveAnswer, ProveOrder, ReadBlockOutcome } from './block-reader.ts';
import { packRecordFile, transferablesOf } from './packed-record-file.ts';

const verifier = await BlockVerifier.open();
let chain: ChainState = START_OF_CHAIN;
let trust: BlockTrust | undefined;

const prove = (order: ProveOrder): ReadBlockOutcome[] => {
  if (order.chain !== undefined) chain = order.chain;
  // The ledger that blocks have published since counts more than the one that was believed at first.
  if (order.trust !== undefined) trust = { ...order.trust, ledger: trust?.ledger ?? order.trust.ledger };
  if (trust === undefined) throw new TypeError('nobody is believed yet');
  const { blocks, fault } = readAll(order);
  const outcomes: ReadBlockOutcome[] = [];
  let rest = blocks;
  while (rest.length > 0) {
    const known: ChainState = chain;
    const first = rest[0] as Block;
    const skips = known.last !== null && first.number > known.last.number + 1n;
    if (skips && order.acceptGaps) chain = START_OF_CHAIN;
    // A gap that is accepted within a batch begins another chain.
    const end = order.acceptGaps ? endOfRun(rest) : rest.length;
    const run = rest.slice(0, end);
    const before = chain;
    const linked = before.last !== null;
    const batch = verifier.verifyBlocks(run, trust, chain, order.moreToCome && end === rest.length);
    const chains = batch.chains.map(detached);
    chain = chains.at(-1) ?? chain;
    trust = { ...trust, ledger: batch.ledger };
    for (const [i, verdict] of batch.verdicts.entries()) {
      if (!verdict.proven) return [...outcomes, { fault: verdict.fault }];
      const block = run[i] as Block;
      const outcome = convert(block, verdict.rootHashes);
      if ('fault' in outcome) {
        // Its root hash is right, its items are not as the ledger has them: another copy follows the block before.
        chain = i === 0 ? before : (chains[i - 1] as ChainState);
        return [...outcomes, outcome];
      }
      outcomes.push({ ...outcome, number: block.number, linked: linked || i > 0, chain: chains[i] as ChainState });
    }
    rest = rest.slice(end);
  }
  return fault === undefined ? outcomes : [...outcomes, { fault }];
};

/** What outlives the bytes of its blocks, which are handed over. */
const detached = ({ last, tree }: ChainState): ChainState => ({
  last: last && {
    ...last,
    rootHashes: last.rootHashes.map((hash) => new Uint8Array(hash)),
    recordHash: last.recordHash && new Uint8Array(last.recordHash),
  },
  tree: tree && { ...tree, pending: tree.pending.map((hash) => new Uint8Array(hash)) },
});

const endOfRun = (blocks: readonly Block[]): number => {
  const gap = blocks.findIndex((block, i) => i > 0 && block.number !== (blocks[i - 1] as Block).number + 1n);
  return gap < 0 ? blocks.length : gap;
};

/** The blocks up to the first that can't be read. */
const readAll = ({
  blocks,
  limits,
}: ProveOrder): { readonly blocks: readonly Block[]; readonly fault?: ProofFault } => {
  const read: Block[] = [];
  for (const { name, bytes } of blocks) {
    try {
      read.push(readBlock(name, bytes, limits));
    } catch (error) {
      if (!isKagamiError(error)) throw error;
      const { code, message, details } = error;
      return { blocks: read, fault: { code, message, details } };
    }
  }
  return { blocks: read };
};

type Converted = Pick<Extract<ReadBlockOutcome, { packed: unknown }>, 'packed' | 'wrapped' | 'genesis'>;

const convert = (block: Block, rootHashes: readonly Uint8Array[]): Converted | { readonly fault: ProofFault } => {
  const wrapped = block.recordFile !== null;
  const read = wrapped ? recordFileOfWrappedBlock : recordFileOfBlock;
  try {
    const { recordFile, sidecars, genesis } = read(block, rootHashes[0] as Uint8Array);
    return { packed: packRecordFile(recordFile, sidecars), wrapped, genesis };
  } catch (error) {
    if (!isKagamiError(error)) throw error;
    const { code, message, details } = error;
    return { fault: { code, message, details } };
  }
};

parentPort?.on('message', (order: ProveOrder) => {
  const outcomes = prove(order);
  const moved = new Set(outcomes.flatMap((outcome) => ('packed' in outcome ? transferablesOf(outcome.packed) : [])));
  parentPort?.postMessage({ outcomes } satisfies ProveAnswer, [...moved]);
});
