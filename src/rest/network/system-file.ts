import { reasonedProblem } from '../../api/problem.ts';
import type { RouteContext } from '../../api/route.ts';
import { findSystemFile, type SystemFile } from '../../api/system-file.ts';
import { encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import type { TimestampBounds } from './timestamp-bounds.ts';

export const feeScheduleFileNumber = 111n;
export const exchangeRateFileNumber = 112n;

/** The newest content of a system file within the bounds that `decode` can read. Throws the 404 problem when there is none. */
export const readSystemFile = async <T>(
  context: RouteContext,
  fileNumber: bigint,
  bounds: TimestampBounds,
  decode: (bytes: Uint8Array) => T,
): Promise<SystemFile<T>> => {
  const file = await findSystemFile(context, fileNumber, bounds, decode);
  if (file !== undefined) return file;
  const fileId = encodeEntityId(context.shard, context.realm, fileNumber);
  throw reasonedProblem(404, `File ${formatEntityId(fileId)} not found`);
};
