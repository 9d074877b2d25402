/** Writes docs/configuration.md from the declared settings. Run it after every change to src/config/settings. */
import { writeFileSync } from 'node:fs';
import { documentSettings, foremostSettings } from '../src/config/documentation.ts';
import { rootSettings } from '../src/config/settings/root.ts';

const target = new URL('../docs/configuration.md', import.meta.url);
writeFileSync(target, documentSettings(rootSettings, foremostSettings));
