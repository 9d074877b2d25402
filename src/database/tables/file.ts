/** Pieces of file contents, one row for each change. */
import { bytea, entityId, int2, nanosTimestamp, nullable, table } from '../column.ts';

export const fileData = table(
  'file_data',
  {
    file_data: nullable(bytea),
    consensus_timestamp: nanosTimestamp,
    entity_id: entityId,
    transaction_type: int2,
  },
  ['consensus_timestamp'],
);
