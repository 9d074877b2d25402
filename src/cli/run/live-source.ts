/** Where `kagami start` gets its stream files from: a folder that others fill, a bucket, or the simulated network. */
import { resolve } from 'node:path';
import { networkName } from '../../importer/networks/network-preset.ts';
import { createSubmissionHandler } from '../../node/handle-submission.ts';
import { nodeFiles } from '../../node/node-files.ts';
import { runSimulator, type SubmissionEntrance } from '../../simulator/simulator.ts';
import { describeLocation, type SourceLocation } from '../../sources/source-location.ts';
import type { ReadySettings } from '../command-context.ts';
import type { DataFolders } from './data-folders.ts';
import type { MirroredChain } from './mirrored-chain.ts';
import { chooseSource } from './source-choice.ts';

export interface LiveSource {
  readonly location: SourceLocation;
  /** For people. */
  readonly description: string;
  /** Address book of the source itself; it counts more than one that is configured. */
  readonly addressBook?: string;
  /** The network that the source is, whatever is configured. */
  readonly network?: string;
  /** Sidecar files are sure to be there, and are waited for. */
  readonly hasSidecars?: boolean;
  /** Consensus time in nanoseconds at which an empty database begins without `startDate`; absent: with the first file. */
  readonly beginsAt?: bigint;
  /** Tells that the file of this name and all before it are in the database. */
  imported(name: string): void;
  /** Set for a simulated network, with where transactions of clients go in, if it takes any. */
  readonly simulated?: { readonly entrance: SubmissionEntrance | undefined };
  /** Ends the simulated network after the block in work. */
  stop(): Promise<void>;
}

/**
 * Undefined when nothing is to be imported.
 * @param now milliseconds since the epoch
 */
export const openLiveSource = async (
  ready: ReadySettings,
  folders: DataFolders,
  cwd: string,
  chain: MirroredChain,
  now: number,
): Promise<LiveSource | undefined> => {
  const chosen = chooseSource(ready, cwd);
  if (chosen === undefined) return undefined;
  if (chosen === 'simulator') return openSimulator(ready, folders, cwd, chain);
  return {
    location: chosen,
    description: describeLocation(chosen),
    ...(beginsNow(chosen, ready.settings.hiero.mirror.importer.network) ? { beginsAt: BigInt(now) * 1_000_000n } : {}),
    imported: () => undefined,
    stop: async () => undefined,
  };
};

/** The streams of a network are followed from the start of the process on; `demo` has only old ones. */
export const beginsNow = ({ kind }: SourceLocation, network: string): boolean =>
  kind === 'bucket' && networkName(network) !== 'demo';

const openSimulator = async (
  { settings, logger }: ReadySettings,
  folders: DataFolders,
  cwd: string,
  { chainId, ledgerId }: MirroredChain,
): Promise<LiveSource> => {
  const { simulator } = settings.kagami;
  const directory = simulator.directory === '' ? folders.network : resolve(cwd, simulator.directory);
  const running = await runSimulator({
    directory,
    seed: simulator.seed,
    tps: simulator.tps,
    mix: simulator.mix,
    nodes: simulator.nodes,
    blockIntervalMs: simulator.blockInterval,
    chain: { chainId, ledgerId },
    development: { handleSubmission: createSubmissionHandler(), files: nodeFiles },
    logger,
  });
  return {
    location: { kind: 'folder', path: running.directory },
    description: `simulated network, ${simulator.tps} transactions/s, ${simulator.nodes} nodes, seed ${simulator.seed}`,
    addressBook: running.addressBookFile,
    network: 'other',
    hasSidecars: true,
    imported: running.imported,
    simulated: { entrance: running.entrance },
    stop: running.stop,
  };
};
