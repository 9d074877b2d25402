/** What a file of the network held at a time: `file_data` has a row for each creation, update and append. */
import { TransactionType } from '../ledger/transaction-type.ts';

/** SQL expressions. */
export interface FileVersion {
  readonly file: string;
  /** Consensus timestamps in nanoseconds, both inclusive; without them all that is known counts. */
  readonly from?: string;
  readonly until?: string;
}

/**
 * A statement of one row: `content`, and `consensus_timestamp` of its last part; both null where there is none. The content
 * begins with the newest creation, or the newest update that brought any, and goes on with what was appended since. An update
 * without content changes other properties of the file.
 */
export const fileContentSql = ({ file, from, until }: FileVersion): string => {
  const partsOf = (name: string): string =>
    [
      `${name}.entity_id = ${file}`,
      ...(from === undefined ? [] : [`${name}.consensus_timestamp >= ${from}`]),
      ...(until === undefined ? [] : [`${name}.consensus_timestamp <= ${until}`]),
      `(${name}.transaction_type <> ${TransactionType.FILEUPDATE} or length(${name}.file_data) > 0)`,
    ].join(' and ');
  return `
    select string_agg(part.file_data, ''::bytea order by part.consensus_timestamp) as content,
      max(part.consensus_timestamp) as consensus_timestamp
    from file_data part
    where ${partsOf('part')} and part.consensus_timestamp >= (
      select first.consensus_timestamp from file_data first
      where ${partsOf('first')} and first.transaction_type in (${TransactionType.FILECREATE}, ${TransactionType.FILEUPDATE})
      order by first.consensus_timestamp desc limit 1)`;
};
