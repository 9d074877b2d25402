import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import { acceptsMissingSidecars, importerSettingsFor } from './importer-settings.ts';

const ready = (env: Record<string, string> = {}) =>
  loadSettings({ cwd: '/', env, files: [], readFile: () => undefined });

describe('settings of the importer for a source', () => {
  it('have sidecars read, and missing ones accepted where nobody asks for them', () => {
    const name = 'HIERO_MIRROR_IMPORTER_PARSER_RECORD_SIDECAR_ENABLED';
    expect(importerSettingsFor(ready(), {}).parser.record.sidecar.enabled).toBe(true);
    expect(importerSettingsFor(ready({ [name]: 'false' }), {}).parser.record.sidecar.enabled).toBe(false);
    expect(acceptsMissingSidecars(ready())).toBe(true);
    expect(acceptsMissingSidecars(ready({ [name]: 'true' }))).toBe(false);
    expect(acceptsMissingSidecars(ready(), { hasSidecars: true })).toBe(false);
  });

  it('take the network of the source', () => {
    expect(importerSettingsFor(ready(), {}).network).toBe('demo');
    expect(importerSettingsFor(ready(), { network: 'other' }).network).toBe('other');
  });
});
