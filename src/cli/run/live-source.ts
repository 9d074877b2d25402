/** Where `kagami start` gets its stream files from: a folder that others fill, or the simulated network. */
import { resolve } from 'node:path';
import { runSimulator } from '../../simulator/simulator.ts';
import type { ReadySettings } from '../command-context.ts';
import type { DataFolders } from './data-folders.ts';
import { sourceFolder } from './source-folder.ts';

export interface LiveSource {
  readonly folder: string;
  /** For people. */
  readonly description: string;
  /** Address book of the source itself; it counts more than one that is configured. */
  readonly addressBook?: string;
  /** The network that the source is, whatever is configured. */
  readonly network?: string;
  /** Tells that the file of this name and all before it are in the database. */
  imported(name: string): void;
  /** Ends the simulated network after the block in work. */
  stop(): Promise<void>;
}

/** Undefined when neither a folder nor the simulated network is wanted. */
export const openLiveSource = async (
  { settings, logger }: ReadySettings,
  folders: DataFolders,
  cwd: string,
): Promise<LiveSource | undefined> => {
  const { source, simulator } = settings.kagami;
  if (source.folder !== '') {
    const folder = sourceFolder(source.folder, cwd);
    return { folder, description: folder, imported: () => undefined, stop: async () => undefined };
  }
  if (!simulator.enabled) return undefined;
  const directory = simulator.directory === '' ? folders.network : resolve(cwd, simulator.directory);
  const running = await runSimulator({
    directory,
    seed: simulator.seed,
    tps: simulator.tps,
    mix: simulator.mix,
    nodes: simulator.nodes,
    blockIntervalMs: simulator.blockInterval,
    logger,
  });
  return {
    folder: running.directory,
    description: `simulated network, ${simulator.tps} transactions/s, ${simulator.nodes} nodes, seed ${simulator.seed}`,
    addressBook: running.addressBookFile,
    network: 'other',
    imported: running.imported,
    stop: running.stop,
  };
};
