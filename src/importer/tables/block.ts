/** One row for each block, and its sidecar files. */
import { inserted } from './definition.ts';
import { timedBy } from './retention.ts';

export const blockTables = {
  record_file: inserted('record_file', { retention: timedBy('consensus_end') }),
  sidecar_file: inserted('sidecar_file', { retention: timedBy('consensus_end') }),
};
