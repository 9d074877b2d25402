import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { importerSettingsFor } from './importer-settings.ts';

const ready = (env: Record<string, string> = {}) =>
  loadSettings({ cwd: '/', env, files: [], readFile: () => undefined });

const sidecars = (env: Record<string, string>, hasSidecars?: boolean): boolean =>
  importerSettingsFor(ready(env), hasSidecars === undefined ? {} : { hasSidecars }).parser.record.sidecar.enabled;

describe('settings of the importer for a source', () => {
  it('read sidecars that are sure to be there, unless somebody says otherwise', () => {
    expect(sidecars({})).toBe(false);
    expect(sidecars({}, true)).toBe(true);
    const name = 'HIERO_MIRROR_IMPORTER_PARSER_RECORD_SIDECAR_ENABLED';
    expect(sidecars({ [name]: 'false' }, true)).toBe(false);
    expect(sidecars({ [name]: 'true' })).toBe(true);
  });

  it('take the network of the source', () => {
    expect(importerSettingsFor(ready(), {}).network).toBe('demo');
    expect(importerSettingsFor(ready(), { network: 'other' }).network).toBe('other');
  });
});
