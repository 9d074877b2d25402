/** Files by which the network tells its own settings (exchange rates, fee schedules), as the ledger holds them. */
import type { RestSettings } from '../config/settings/rest.ts';
import type { RestJavaSettings } from '../config/settings/restjava.ts';
import { fileContentSql } from '../database/file-content.ts';
import { encodeEntityId } from '../ledger/entity-id.ts';
import type { RouteContext } from './route.ts';

/** The content of a system file, and the time of its last part as digits. */
export interface SystemFile<T> {
  readonly content: T;
  readonly consensusTimestamp: string;
}

/** Consensus timestamps in nanoseconds, both inclusive. */
interface TimeSpan {
  readonly lower: bigint;
  readonly upper: bigint;
}

interface FileRow {
  readonly content: Buffer | null;
  readonly consensus_timestamp: string | null;
}

const contentSql = fileContentSql({ file: '$1', from: '$2', until: '$3' });

interface FileContext extends Pick<RouteContext, 'db' | 'shard' | 'realm'> {
  readonly settings?: { readonly query: Pick<RestSettings['query'], 'maxFileAttempts'> };
  readonly javaSettings: Pick<RestJavaSettings, 'query'>;
}

/** The same setting stands in both groups; whoever lowered either of them meant it. */
const attemptsOf = ({ settings, javaSettings }: FileContext): number =>
  Math.min(javaSettings.query.maxFileAttempts, settings?.query.maxFileAttempts ?? Number.POSITIVE_INFINITY);

/**
 * The newest content of a system file within the span that `decode` can read. When it throws, the last part is left
 * out and the rest tried again, `query.maxFileAttempts` times in all, so that a file that is still being appended to
 * falls back to its last complete version. Undefined when there is none.
 */
export const findSystemFile = async <T>(
  context: FileContext,
  fileNumber: bigint,
  span: TimeSpan,
  decode: (bytes: Uint8Array) => T,
): Promise<SystemFile<T> | undefined> => {
  const fileId = encodeEntityId(context.shard, context.realm, fileNumber).toString();
  let upper = span.upper;
  const attempts = attemptsOf(context);
  for (let attempt = 0; attempt < attempts; attempt++) {
    const [row] = await context.db.query<FileRow>(
      contentSql,
      [fileId, span.lower.toString(), upper.toString()],
      'system_file',
    );
    if (row === undefined || row.consensus_timestamp === null) return undefined;
    try {
      return { content: decode(row.content ?? Buffer.alloc(0)), consensusTimestamp: row.consensus_timestamp };
    } catch {
      upper = BigInt(row.consensus_timestamp) - 1n;
    }
  }
  return undefined;
};
