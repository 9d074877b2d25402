import { configuredLedger } from '../../importer/pipeline/block-trust.ts';
import type { BlockStreamTask } from '../../importer/pipeline/importer-messages.ts';
import type { ImporterSettings } from '../../importer/pipeline/importer-settings.ts';
import type { StreamChoice } from './block-choice.ts';

/**
 * What the importer's thread is told of a block stream; undefined where there is none.
 * @param ledgerId a file with the publication of the ledger id, or the id; empty: none
 * @throws KagamiError CONFIG_INVALID
 */
export const blockStreamTask = async (
  { blocks }: StreamChoice,
  ledgerId: string,
  cwd: string,
): Promise<BlockStreamTask | undefined> =>
  blocks === undefined ? undefined : { location: blocks, ledger: await configuredLedger(ledgerId, cwd) };

/** When the blocks of an empty database were made, nanoseconds: lately, unless they are to begin with the first one. */
export const blocksBegin = (
  { records, blocks }: StreamChoice,
  { startBlockNumber }: Pick<ImporterSettings, 'startBlockNumber'>,
): bigint | undefined =>
  records !== undefined || blocks?.files?.kind === 'folder' || startBlockNumber === 0n
    ? undefined
    : BigInt(Date.now()) * 1_000_000n;
