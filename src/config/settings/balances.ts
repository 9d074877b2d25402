import { duration, flag } from '../setting.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** `hiero.mirror.importer.parser.record.historicalBalance.*`: snapshots of balances. */
export const historicalBalanceSettings = {
  enabled: flag(true, 'Takes snapshots of all balances, which answer questions about balances of the past.'),
  initialDelay: {
    ...duration(
      2 * MINUTE,
      'Consensus time added to `minFrequency` before the first snapshot of a database; at least 2m.',
    ),
    min: 2 * MINUTE,
  },
  minFrequency: {
    ...duration(15 * MINUTE, 'Least consensus time between two snapshots; 15m to 7d.'),
    min: 15 * MINUTE,
    max: 7 * DAY,
  },
  tokenBalances: flag(true, 'Balances of tokens belong to the snapshots.'),
  transactionTimeout: {
    ...duration(
      10 * MINUTE,
      'Longest time that one snapshot may take before it is given up and tried again; at least 30s.',
    ),
    min: 30_000,
  },
};
