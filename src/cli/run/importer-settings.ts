import type { ReadySettings } from '../command-context.ts';
import type { LiveSource } from './live-source.ts';

type ImporterSettings = ReadySettings['settings']['hiero']['mirror']['importer'];

const SIDECAR_SETTING = 'hiero.mirror.importer.parser.record.sidecar.enabled';

/** The importer's settings for a source, whose network counts more than the configured one. */
export const importerSettingsFor = (
  { settings }: Pick<ReadySettings, 'settings'>,
  { network }: Pick<LiveSource, 'network'>,
): ImporterSettings => {
  const { importer } = settings.hiero.mirror;
  return network === undefined ? importer : { ...importer, network };
};

/** Whether sidecar files may be missing: nobody has said that they are wanted, and nothing tells that they are there. */
export const acceptsMissingSidecars = (
  { origins }: Pick<ReadySettings, 'origins'>,
  { hasSidecars = false }: Pick<LiveSource, 'hasSidecars'> = {},
): boolean => !hasSidecars && !origins.has(SIDECAR_SETTING);
