import { describe, expect, it } from 'vitest';
import { loadSettings } from '../load.ts';

const load = (env: Readonly<Record<string, string>>) => loadSettings({ cwd: '/srv', env, readFile: () => undefined });

describe('the settings of reconciliation', () => {
  it('say that a cron expression has no effect', () => {
    const { settings, warnings } = load({ HIERO_MIRROR_IMPORTER_RECONCILIATION_CRON: '0 0 0 * * *' });
    expect(warnings).toEqual([
      'hiero.mirror.importer.reconciliation.cron (environment variable HIERO_MIRROR_IMPORTER_RECONCILIATION_CRON) ' +
        'is not a setting of Kagami and has no effect',
    ]);
    expect(settings.hiero.mirror.importer.reconciliation.frequency).toBe(86_400_000);
  });

  it('refuse comparisons without a pause', () => {
    expect(() => load({ HIERO_MIRROR_IMPORTER_RECONCILIATION_FREQUENCY: '10ms' })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});
