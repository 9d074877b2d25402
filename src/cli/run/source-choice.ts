/** Which source of streams the settings mean: the simulated network, a folder or a bucket. */
import { join, resolve } from 'node:path';
import type { LoadedSettings } from '../../config/load.ts';
import type { RootSettings } from '../../config/settings/root.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { networkPreset } from '../../importer/networks/network-preset.ts';
import type { SourceLocation } from '../../sources/source-location.ts';
import { bucketLocation, isLocalStore, parseBucketUrl } from './bucket-location.ts';
import { externalTarget, placeOf } from './database-target.ts';
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
  if (!ready.settings.kagami.simulator.enabled) return undefined;
  if (!isSimulatorNamed(ready)) refuseUnaskedSimulation(ready);
  return 'simulator';
};

/** `--simulate`, or the same in a file. */
const isSimulatorNamed = ({ settings, origins }: SourceSettings): boolean =>
  settings.kagami.source.kind === 'simulator' || origins.has('kagami.simulator.enabled');

/** A simulated network takes the place of a source that nobody named; not of one that somebody meant to. */
const refuseUnaskedSimulation = (ready: SourceSettings): void => {
  const network = namedNetwork(ready);
  if (network !== undefined) {
    throw invalid(
      'hiero.mirror.importer.network',
      `the network ${network} has no bucket that is known, and no source is named: give --source with its folder or ` +
        'bucket (or downloader.bucketName), the name of a public network, or --simulate for a simulated one',
    );
  }
  const external = externalTarget(ready);
  if (external !== undefined) {
    throw invalid(
      'kagami.simulator.enabled',
      `no source is named, and ${placeOf(external.writer)} would be filled with the transactions of a simulated ` +
        'network: give --source or --network, --simulate if that is what is meant, or --no-simulator',
    );
  }
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

/** Folder of a local store, in the folder of its data. */
export const localStore = ({ dataPath }: { readonly dataPath: string }): string => join(dataPath, 'streams');

const configuredStore = ({ settings }: SourceSettings, cwd: string): SourceLocation => {
  const { importer, common } = settings.hiero.mirror;
  return isLocalStore(importer.downloader)
    ? { kind: 'folder', path: resolve(cwd, localStore(importer)) }
    : bucketLocation(importer, common.shard);
};

const missing = (message: string): KagamiError => invalid('kagami.source', message);

const invalid = (setting: string, message: string): KagamiError =>
  new KagamiError('CONFIG_INVALID', message, { details: { setting } });
