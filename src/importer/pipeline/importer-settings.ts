import type { SettingsOf } from '../../config/setting.ts';
import type { importerSettings } from '../../config/settings/importer.ts';

/** `hiero.mirror.importer.*` */
export type ImporterSettings = SettingsOf<typeof importerSettings>;
