/** Whether block streams are read, beside record files or in their place, and from where. */
import { resolve } from 'node:path';
import type { LoadedSettings } from '../../config/load.ts';
import type { RootSettings } from '../../config/settings/root.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { networkName, networkPreset } from '../../importer/networks/network-preset.ts';
import { holdsBlocks } from '../../sources/block-files/block-folder.ts';
import type { BlockNodeAddress, BlockNodeEndpoint } from '../../sources/block-node/block-node-address.ts';
import type { BlockStreamLocation } from '../../sources/block-stream-location.ts';
import { findNodeFolders } from '../../sources/folder-layout.ts';
import { isSourceFailure } from '../../sources/source-failure.ts';
import type { SourceLocation } from '../../sources/source-location.ts';
import { bucketLocation, isLocalStore, parseBucketUrl } from './bucket-location.ts';
import { chooseSource, localStore, namedNetwork } from './source-choice.ts';
import { sourceFolder } from './source-folder.ts';

type SourceSettings = Pick<LoadedSettings<RootSettings>, 'settings' | 'origins'>;

/** Record files, blocks, or both: then the import goes over from those to these when the network does. */
export interface StreamChoice {
  readonly records?: SourceLocation;
  readonly blocks?: BlockStreamLocation;
}

const BLOCK_SETTING = 'hiero.mirror.importer.block';
const RECORD_ENABLED = 'hiero.mirror.importer.downloader.record.enabled';

/** Public networks that go over to block streams. */
const CUTOVER_NETWORKS: ReadonlySet<string> = new Set(['mainnet', 'testnet']);

/**
 * Undefined when nothing is to be imported.
 * @throws KagamiError CONFIG_INVALID, SOURCE_UNSUPPORTED
 */
export const chooseStreams = async (
  ready: SourceSettings,
  cwd: string,
): Promise<StreamChoice | 'simulator' | undefined> => {
  const { importer } = ready.settings.hiero.mirror;
  if (importer.block.enabled) {
    if (ready.origins.has(RECORD_ENABLED) && importer.downloader.record.enabled) {
      throw invalid('enabled', 'record files and blocks cannot both be read: set downloader.record.enabled to false');
    }
    if (!namesBlocks(ready)) {
      const chosen = chooseSource(ready, cwd);
      if (chosen === undefined || chosen === 'simulator') return chosen;
    }
    return { blocks: blockStream(ready, cwd) };
  }
  if (!importer.downloader.record.enabled) return undefined;
  const records = chooseSource(ready, cwd);
  if (records === undefined || records === 'simulator') return records;
  if (records.kind === 'folder' && (await hasOnlyBlocks(records.path, networkName(importer.network)))) {
    return { blocks: { ...blockStream(ready, cwd), sourceType: 'FILE' } };
  }
  const blocks = await cutoverStream(ready, cwd, records);
  return blocks === undefined ? { records } : { records, blocks };
};

/** The streams to be read once. @throws KagamiError CONFIG_INVALID when none is named */
export const chooseStoredStreams = async (ready: SourceSettings, cwd: string): Promise<StreamChoice> => {
  const chosen = await chooseStreams(ready, cwd);
  if (chosen === undefined || chosen === 'simulator') {
    throw new KagamiError(
      'CONFIG_INVALID',
      'no source: name a folder or bucket, a block node, or the public --network whose bucket is meant',
      { details: { setting: 'kagami.source' } },
    );
  }
  return chosen;
};

/** The place beside whose files an address book may lie. */
export const placeOfFiles = ({ records, blocks }: StreamChoice): SourceLocation | undefined => records ?? blocks?.files;

/** Whether it is said where blocks come from; the simulated network takes the place of what nobody named. */
const namesBlocks = ({ settings, origins }: SourceSettings): boolean => {
  const { source, simulator } = settings.kagami;
  if (source.kind === 'simulator' || (simulator.enabled && origins.has('kagami.simulator.enabled'))) return false;
  const { block } = settings.hiero.mirror.importer;
  return block.nodes.length > 0 || source.folder !== '' || block.bucketName !== '';
};

const blockStream = (ready: SourceSettings, cwd: string): BlockStreamLocation => {
  const { importer } = ready.settings.hiero.mirror;
  const { sourceType, autoDiscoveryEnabled } = importer.block;
  const nodes = importer.block.nodes.map(nodeAddress);
  const files = filesOf(ready, cwd);
  if (sourceType === 'FILE' && files === undefined) {
    throw invalid(
      'sourceType',
      'no block files are known: name a folder (--source) or bucketName, or a public network',
    );
  }
  if (files === undefined && nodes.length === 0) {
    throw invalid('nodes', 'no block node is named, and no folder or bucket with block files is known');
  }
  return { sourceType, nodes, discoversNodes: autoDiscoveryEnabled, files, network: networkName(importer.network) };
};

/** Where the blocks come from that follow the record files; undefined where no cutover is expected. */
const cutoverStream = async (
  ready: SourceSettings,
  cwd: string,
  records: SourceLocation,
): Promise<BlockStreamLocation | undefined> => {
  const { importer } = ready.settings.hiero.mirror;
  const { enabled } = importer.block.cutover;
  if (enabled === 'false') return undefined;
  if (enabled === 'true' || CUTOVER_NETWORKS.has(networkName(namedNetwork(ready) ?? '')))
    return blockStream(ready, cwd);
  const holdsBoth = records.kind === 'folder' && (await holdsAnyBlocks(records.path, networkName(importer.network)));
  return holdsBoth ? blockStream(ready, cwd) : undefined;
};

const filesOf = (ready: SourceSettings, cwd: string): BlockStreamLocation['files'] => {
  const { importer, common } = ready.settings.hiero.mirror;
  const { folder } = ready.settings.kagami.source;
  const { bucketName } = importer.block;
  if (folder !== '') {
    const url = parseBucketUrl(folder);
    return url === undefined
      ? { kind: 'folder', path: sourceFolder(folder, cwd) }
      : bucketLocation(importer, common.shard, url);
  }
  if (isLocalStore(importer.downloader)) return { kind: 'folder', path: resolve(cwd, localStore(importer)) };
  const network = namedNetwork(ready);
  const preset = network === undefined ? undefined : networkPreset(network);
  const bucket = bucketName || preset?.blockBucket;
  if (bucket === undefined || bucket === '') return undefined;
  const { pathPrefix: prefix } = importer.downloader;
  const known = bucket === preset?.blockBucket && preset.anonymous;
  return bucketLocation(importer, common.shard, { bucket, prefix: prefix.replace(/^\/+|\/+$/g, ''), anonymous: known });
};

type NodeSettings = RootSettings['hiero']['mirror']['importer']['block']['nodes'][number];

const nodeAddress = (node: NodeSettings, index: number): BlockNodeAddress => {
  const { priority, host, port, requiresTls, endpoints } = node;
  const setting = `nodes[${index}]`;
  const short = { host: host.trim(), port, requiresTls, apis: ['STATUS', 'SUBSCRIBE_STREAM'] as const };
  const all = short.host === '' ? endpoints : [short, ...endpoints];
  const serving = (api: 'STATUS' | 'SUBSCRIBE_STREAM'): BlockNodeEndpoint => {
    const endpoint = all.find(({ apis }) => apis.includes(api));
    if (endpoint === undefined) throw invalid(setting, `${setting} has no endpoint with ${api}: give it a host`);
    if (endpoint.host.trim() === '') throw invalid(setting, `an endpoint of ${setting} has no host`);
    return { host: endpoint.host.trim(), port: endpoint.port, requiresTls: endpoint.requiresTls };
  };
  return { priority, status: serving('STATUS'), subscribe: serving('SUBSCRIBE_STREAM') };
};

/** Whether a folder holds block files and no record files. */
const hasOnlyBlocks = async (path: string, network: string): Promise<boolean> =>
  (await holdsAnyBlocks(path, network)) && !(await holdsRecordFiles(path));

const holdsAnyBlocks = (path: string, network: string): Promise<boolean> => isTold(() => holdsBlocks(path, network));

const holdsRecordFiles = (path: string): Promise<boolean> =>
  isTold(async () => (await findNodeFolders(path)).length > 0);

/** False of a folder that can't be listed, which is found out about later. */
const isTold = async (question: () => Promise<boolean>): Promise<boolean> => {
  try {
    return await question();
  } catch (error) {
    if (isSourceFailure(error)) return false;
    throw error;
  }
};

const invalid = (setting: string, message: string): KagamiError =>
  new KagamiError('CONFIG_INVALID', `${BLOCK_SETTING}: ${message}`, {
    details: { setting: `${BLOCK_SETTING}.${setting}` },
  });
