import { reasonedProblem } from '../../api/problem.ts';
import type { RouteContext } from '../../api/route.ts';
import { encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import type { TimestampBounds } from './timestamp-bounds.ts';

export const feeScheduleFileNumber = 111n;
export const exchangeRateFileNumber = 112n;

/** The content of a system file, and the time of its last part as digits. */
export interface SystemFile<T> {
  readonly content: T;
  readonly consensusTimestamp: string;
}

interface FileRow {
  readonly file_data: Buffer | null;
  readonly consensus_timestamp: string | null;
}

/**
 * A file's version is the newest create (17) or non-empty update (19) within the bounds and whatever was appended (16)
 * to it up to the upper bound.
 */
const fileSql = `
  with first as (
    select consensus_timestamp from file_data
    where entity_id = $1 and consensus_timestamp between $2 and $3
      and (transaction_type = 17 or (transaction_type = 19 and length(file_data) > 0))
    order by consensus_timestamp desc limit 1
  )
  select string_agg(file_data, ''::bytea order by consensus_timestamp) as file_data,
    max(consensus_timestamp) as consensus_timestamp
  from file_data
  where entity_id = $1 and consensus_timestamp >= (select consensus_timestamp from first) and consensus_timestamp <= $3
    and (transaction_type <> 19 or length(file_data) > 0)`;

/**
 * The newest content of a system file within the bounds that `decode` can read. When it throws, the last part is left
 * out and the rest tried again, `query.maxFileAttempts` times in all, so that a file that is still being appended to
 * falls back to its last complete version.
 * Throws the 404 problem when there is none.
 */
export const readSystemFile = async <T>(
  context: RouteContext,
  fileNumber: bigint,
  bounds: TimestampBounds,
  decode: (bytes: Uint8Array) => T,
): Promise<SystemFile<T>> => {
  const fileId = encodeEntityId(context.shard, context.realm, fileNumber);
  let upper = bounds.upper;
  for (let attempt = 0; attempt < context.javaSettings.query.maxFileAttempts; attempt++) {
    const [row] = await context.db.query<FileRow>(
      fileSql,
      [fileId.toString(), bounds.lower.toString(), upper.toString()],
      'network_system_file',
    );
    if (row === undefined || row.consensus_timestamp === null) break;
    try {
      return { content: decode(row.file_data ?? Buffer.alloc(0)), consensusTimestamp: row.consensus_timestamp };
    } catch {
      upper = BigInt(row.consensus_timestamp) - 1n;
    }
  }
  throw reasonedProblem(404, `File ${formatEntityId(fileId)} not found`);
};
