/** Where `kagami start` gets its stream files from: a folder that others fill, a bucket, or the simulated network. */
import { resolve } from 'node:path';
import { networkName } from '../../importer/networks/network-preset.ts';
import { createSubmissionHandler } from '../../node/handle-submission.ts';
import { nodeFiles } from '../../node/node-files.ts';
import { type RunningSimulator, runSimulator, type SubmissionEntrance } from '../../simulator/simulator.ts';
import { describeBlockStream } from '../../sources/block-stream-location.ts';
import { describeLocation, type SourceLocation } from '../../sources/source-location.ts';
import type { ReadySettings } from '../command-context.ts';
import { chooseStreams, type StreamChoice } from './block-choice.ts';
import type { DataFolders } from './data-folders.ts';
import type { MirroredChain } from './mirrored-chain.ts';

export interface LiveSource {
  /** Record files, blocks, or both. */
  readonly streams: StreamChoice;
  /** File with the ledger id that proves its blocks; it counts more than one that is configured. */
  readonly ledgerIdFile?: string;
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
  const chosen = await chooseStreams(ready, cwd);
  if (chosen === undefined) return undefined;
  if (chosen === 'simulator') return openSimulator(ready, folders, cwd, chain);
  const { records } = chosen;
  const { network } = ready.settings.hiero.mirror.importer;
  return {
    streams: chosen,
    description: describeStreams(chosen),
    ...(records !== undefined && beginsNow(records, network) ? { beginsAt: BigInt(now) * 1_000_000n } : {}),
    imported: () => undefined,
    stop: async () => undefined,
  };
};

/** For people. */
export const describeStreams = ({ records, blocks }: StreamChoice): string =>
  [records && describeLocation(records), blocks && describeBlockStream(blocks)].filter(Boolean).join(', then ');

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
  const asBlocks = settings.hiero.mirror.importer.block.enabled;
  const running = await runSimulator({
    directory,
    seed: simulator.seed,
    tps: simulator.tps,
    mix: simulator.mix,
    nodes: simulator.nodes,
    blockIntervalMs: simulator.blockInterval,
    chain: { chainId, ledgerId },
    development: { handleSubmission: createSubmissionHandler(), files: nodeFiles },
    ...(asBlocks ? { form: { format: 'block' }, blockNodePort: 0 } : {}),
    logger,
  });
  const written = asBlocks ? 'block stream' : 'record files';
  return {
    streams: asBlocks ? simulatedBlocks(running) : { records: { kind: 'folder', path: running.directory } },
    description: `simulated network, ${written}, ${simulator.tps} transactions/s, ${simulator.nodes} nodes, seed ${simulator.seed}`,
    addressBook: running.addressBookFile,
    ...(asBlocks ? { ledgerIdFile: running.ledgerIdFile } : {}),
    network: 'other',
    hasSidecars: true,
    imported: running.imported,
    simulated: { entrance: running.entrance },
    stop: running.stop,
  };
};

/** The block node of the simulated network, and its files where the node fails. */
const simulatedBlocks = ({ directory, blockNodePort }: RunningSimulator): StreamChoice => {
  const endpoint = { host: '127.0.0.1', port: blockNodePort ?? 0, requiresTls: false };
  return {
    blocks: {
      sourceType: 'AUTO',
      nodes: [{ priority: 0, status: endpoint, subscribe: endpoint }],
      discoversNodes: false,
      files: { kind: 'folder', path: directory },
      network: 'other',
    },
  };
};
