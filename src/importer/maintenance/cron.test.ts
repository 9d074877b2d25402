import { describe, expect, it } from 'vitest';
import { cronSchedule } from './cron.ts';

const HOUR = 3_600_000;
const until = (expression: string, now: string) => cronSchedule(expression, 'reconciliation.cron')(new Date(now));

describe('cronSchedule', () => {
  it('waits for the next time in UTC that six fields name', () => {
    expect(until('0 0 0 * * *', '2026-03-01T21:00:00Z')).toBe(3 * HOUR);
    expect(until('30 15 6 * * MON-FRI', '2026-03-06T06:15:30.250Z')).toBe(3 * 24 * HOUR - 250);
  });

  it('takes five fields without seconds, steps, and what stands for whole days', () => {
    expect(until('*/20 * * * *', '2026-03-01T21:30:00Z')).toBe(HOUR / 6);
    expect(until('@daily', '2026-03-01T00:00:00Z')).toBe(24 * HOUR);
  });

  it('names the setting of an expression that it cannot read', () => {
    for (const expression of ['daily', '0 0 25 * * *', '* *', '0 0 0 30 2 *']) {
      expect(() => cronSchedule(expression, 'reconciliation.cron')).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          message: expect.stringContaining('hiero.mirror.importer.reconciliation.cron'),
        }),
      );
    }
  });
});
