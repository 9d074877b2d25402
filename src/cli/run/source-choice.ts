/** Which source of streams the settings mean: the simulated network, a folder or a bucket. */
import { resolve } from 'node:path';
import type { LoadedSettings } from '../../config/load.ts';
import type { RootSettings } from '../../config/settings/root.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { networkPreset } from '../../importer/networks/network-preset.ts';
import type { SourceLocation } from '../../sources/source-location.ts';
import { bucketLocation, isLocalStore, parseBucketUrl } from './bucket-location.ts';
import { sourceFolder } from './source-folder.ts';

type SourceSettings = Pick<LoadedSettings<RootSettings>, 'settings' | 'origins'>;

/** Undefined when nothing is to be imported. @throws KagamiError CONFIG_INVALID, SOURCE_UNSUPPORTED. */
export const chooseSource = (ready: SourceSettings, cwd: string): SourceLocation | 'simulator' | undefined => {
  const { kind, folder } = ready.settings.kagami.source;
  switch (kind) {
    case 'folder':
      if (folder === '') throw missing('kagami.source.kind is folder, but kagami.source.folder is empty');
      return namedSource(folder, ready, cwd);
    case 'bucket':
      return parseBucketUrl(folder) === undefined ? configuredStore(ready, cwd) : namedSource(folder, ready, cwd);
    case 'auto':
      if (folder !== '') return namedSource(folder, ready, cwd);
      if (wantsStore(ready)) return configuredStore(ready, cwd);
      break;
    default:
  }
  return ready.settings.kagami.simulator.enabled ? 'simulator' : undefined;
};

/** The folder or bucket to be read once. @throws KagamiError CONFIG_INVALID when none is named. */
export const chooseStoredSource = (ready: SourceSettings, cwd: string): SourceLocation => {
  const chosen = chooseSource(ready, cwd);
  if (chosen === undefined || chosen === 'simulator') {
    throw missing('no source: name a folder or bucket, or the public --network whose bucket is meant');
  }
  return chosen;
};

/** The network that someone named; nobody means the default by leaving it out. */
export const namedNetwork = ({ settings, origins }: SourceSettings): string | undefined =>
  origins.has('hiero.mirror.importer.network') ? settings.hiero.mirror.importer.network : undefined;

const wantsStore = (ready: SourceSettings): boolean => {
  const network = namedNetwork(ready);
  const { downloader } = ready.settings.hiero.mirror.importer;
  return (
    downloader.bucketName !== '' ||
    isLocalStore(downloader) ||
    (network !== undefined && networkPreset(network) !== undefined)
  );
};

const namedSource = (named: string, { settings }: SourceSettings, cwd: string): SourceLocation => {
  const url = parseBucketUrl(named);
  if (url === undefined) return { kind: 'folder', path: sourceFolder(named, cwd) };
  const { importer, common } = settings.hiero.mirror;
  return bucketLocation(importer, common.shard, url);
};

/** Folder of a local store in the folder of its data. */
const LOCAL_STORE = 'streams';

const configuredStore = ({ settings }: SourceSettings, cwd: string): SourceLocation => {
  const { importer, common } = settings.hiero.mirror;
  return isLocalStore(importer.downloader)
    ? { kind: 'folder', path: resolve(cwd, importer.dataPath, LOCAL_STORE) }
    : bucketLocation(importer, common.shard);
};

const missing = (message: string): KagamiError =>
  new KagamiError('CONFIG_INVALID', message, { details: { setting: 'kagami.source' } });
