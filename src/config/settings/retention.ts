import { duration, flag, list, text } from '../setting.ts';

const DAY_MS = 86_400_000;
const table = text('', 'Name of a table.');

/** `...importer.retention.*`: how long the past is kept. */
export const retentionSettings = {
  enabled: flag(false, 'Deletes transactions and their rows, and superseded versions of entities, after `period`.'),
  period: duration(90 * DAY_MS, 'Age from which rows are deleted, counted back from the newest block.'),
  frequency: duration(DAY_MS, 'From the start of one pass over the database to the start of the next.'),
  batchPeriod: duration(DAY_MS, 'Longest stretch of the past that one database transaction deletes.'),
  include: list(
    table,
    [],
    'Tables to delete from; empty: all that hold transactions or superseded versions. `account_balance` and ' +
      '`token_balance` only lose rows when they are named here, whole months at a time.',
  ),
  exclude: list(table, [], 'Tables to keep whole.'),
};
