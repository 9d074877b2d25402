/** A simulated ledger of blocks, and the files that it has. */

import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { type SimulatedLedger, simulateLedger } from '../../simulator/simulate-ledger.ts';
import { flatName, nestedPath } from '../../sources/block-files/block-file-name.ts';
import type { BlockFaultPlan } from './block-fault-plan.fixture.ts';

export interface LedgerSize {
  /** Blocks of activity; genesis, founding and early days come before them. */
  readonly blocks: number;
  readonly tps: number;
  readonly users: number;
  readonly nodes: number;
  readonly mix: string;
}

export interface BlockLedger {
  readonly folder: string;
  readonly simulated: SimulatedLedger;
  /** Uncompressed, by number; of a cutover, record files are wrapped. */
  readonly blocks: readonly Uint8Array[];
  readonly addressBook: string;
  /** File with the publication of the ledger id, where there is one. */
  readonly ledgerIdFile: string;
}

export const simulateBlockLedger = async (
  folder: string,
  plan: Pick<BlockFaultPlan, 'format' | 'ledger' | 'cutoverAt'>,
  size: LedgerSize,
): Promise<BlockLedger> => {
  const { format, ledger: seed, cutoverAt } = plan;
  const form = { format, cutoverAt: BigInt(cutoverAt) };
  const simulated = await simulateLedger({ out: folder, seed, form, ...size });
  return {
    folder,
    simulated,
    blocks: simulated.blocks.map(({ blockBytes }) => blockBytes as Uint8Array),
    addressBook: simulated.addressBookFile,
    ledgerIdFile: format === 'wrapped' ? '' : join(folder, 'ledgerIdPublication.bin'),
  };
};

/** Path of a block's file below its folder. */
export const blockFilePath = (
  number: bigint,
  { layout, extension }: Pick<BlockFaultPlan, 'layout' | 'extension'>,
): string => (layout === 'nested' ? nestedPath(number) + extension : flatName(number, { digits: 1, extension }));

/** A block as its file holds it. */
export const blockFileBytes = (block: Uint8Array, extension: string): Uint8Array => {
  if (extension === '.blk') return block;
  return extension === '.blk.gz' ? gzipSync(block, { level: 1 }) : zstdCompressSync(block);
};
