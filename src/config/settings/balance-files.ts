import { choice, duration, flag, integer, text } from '../setting.ts';

/** `...importer.downloader.balance.*`: balance files, which networks wrote until 2023. */
export const balanceDownloaderSettings = {
  enabled: flag(
    false,
    'Imports the balance files that lie next to the record files. Not together with `parser.record.historicalBalance.enabled`, which makes the ' +
      'same rows from transfers.',
  ),
  frequency: duration(30_000, 'Pause between two looks for new balance files.'),
};

/** `...importer.parser.balance.*` */
export const balanceParserSettings = {
  enabled: flag(true, 'Writes the balance files that are found; `downloader.balance.enabled` finds them.'),
  batchSize: integer(200_000, 'Most balances held in memory before they are written.', { min: 1, max: 2_000_000 }),
};

/** `...importer.reconciliation.*`: whether balance files agree with the transfers between them. */
export const reconciliationSettings = {
  enabled: flag(false, 'Compares balance files with transfers again and again; `kagami reconcile` does it at once.'),
  frequency: {
    ...duration(
      86_400_000,
      'From the start of one comparison to the start of the next, at least 1s; the first one is at the start.',
    ),
    min: 1_000,
  },
  cron: text(
    '',
    'Times at which comparisons start, in UTC: second, minute, hour, day of the month, month, day of the week, such as ' +
      '`0 0 0 * * *`. In place of `frequency`, unless empty.',
  ),
  delay: duration(1_000, 'Pause between two balance files.'),
  startDate: text('', 'Consensus time of the first balance file to compare, in ISO 8601; empty: the first there is.'),
  endDate: text('', 'Consensus time of the last balance file to compare, in ISO 8601, inclusive; empty: no end.'),
  remediationStrategy: choice(
    'FAIL',
    ['FAIL', 'RESET', 'ACCUMULATE'],
    'After a difference: stop there, go on with the balances of the file, or go on with the computed ones.',
  ),
  token: flag(false, 'Compares token balances too.'),
};
