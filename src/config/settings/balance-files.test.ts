import { describe, expect, it } from 'vitest';
import { loadSettings } from '../load.ts';

const load = (env: Readonly<Record<string, string>>) => loadSettings({ cwd: '/srv', env, readFile: () => undefined });

describe('the settings of reconciliation', () => {
  it('take a cron expression as it is', () => {
    const { settings, warnings } = load({ HIERO_MIRROR_IMPORTER_RECONCILIATION_CRON: '0 0 0 * * *' });
    expect(warnings).toEqual([]);
    expect(settings.hiero.mirror.importer.reconciliation).toMatchObject({ cron: '0 0 0 * * *', frequency: 86_400_000 });
  });

  it('refuse comparisons without a pause', () => {
    expect(() => load({ HIERO_MIRROR_IMPORTER_RECONCILIATION_FREQUENCY: '10ms' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});
