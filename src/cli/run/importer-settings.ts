import type { ReadySettings } from '../command-context.ts';
import type { LiveSource } from './live-source.ts';

type ImporterSettings = ReadySettings['settings']['hiero']['mirror']['importer'];

const SIDECAR_SETTING = 'hiero.mirror.importer.parser.record.sidecar.enabled';

/** The importer's settings for a source: its network, and whether its sidecars are read where nobody said so. */
export const importerSettingsFor = (
  { settings, origins }: Pick<ReadySettings, 'settings' | 'origins'>,
  { network, hasSidecars }: Pick<LiveSource, 'network' | 'hasSidecars'>,
): ImporterSettings => {
  const { importer } = settings.hiero.mirror;
  const named = network === undefined ? importer : { ...importer, network };
  if (hasSidecars !== true || origins.has(SIDECAR_SETTING)) return named;
  const { parser } = named;
  const record = { ...parser.record, sidecar: { ...parser.record.sidecar, enabled: true } };
  return { ...named, parser: { ...parser, record } };
};
