import { BlockFolder } from '../blocks/block-folder.ts';
import { type LedgerFormOptions, ledgerFormOf } from '../blocks/ledger-form.ts';
import { BlockNode, type BlockNodeHooks } from './block-node.ts';
import { BlockStore } from './block-store.ts';
import { readKnownLedger } from './known-ledger.ts';

/** Starts a block node that serves the blocks of a simulated ledger's folder; port 0 is any that is free. */
export const serveBlocks = async (
  directory: string,
  form: LedgerFormOptions,
  port: number,
  hooks: BlockNodeHooks = {},
): Promise<BlockNode> => {
  const { network, layout, format, cutoverAt } = ledgerFormOf(form);
  const store = await BlockStore.open(new BlockFolder(directory, network, layout));
  const ledger = await readKnownLedger(directory, format === 'cutover' ? cutoverAt : 0n);
  return BlockNode.start({ store, ledger, port, hooks });
};
