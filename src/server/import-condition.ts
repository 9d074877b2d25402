/** Whether blocks keep coming, as the health probes and the metrics tell it. */

/** Why no block comes. */
export interface ImportStandstill {
  /** waiting: for stream files. retrying: after a passing fault. stopped: until someone does something. ended: as asked. */
  readonly state: 'waiting' | 'retrying' | 'stopped' | 'ended';
  /** Code of the error that is the reason. */
  readonly code: string;
  /** Stream file that it concerns, if any. */
  readonly file: string | null;
  /** ISO 8601. */
  readonly since: string;
}

export interface ImportCondition {
  /** It is this process that imports, and not another one into the same database. */
  readonly own: boolean;
  /** Undefined while the import goes on. */
  readonly standstill: ImportStandstill | undefined;
}

export type ReadImportCondition = () => Promise<ImportCondition>;

/**
 * UP while blocks come, and after the last one that was asked for. UNKNOWN when there is just nothing new: the network may
 * be quiet. DOWN when something keeps blocks from coming.
 */
export const verdictOf = (standstill: ImportStandstill | undefined): 'UP' | 'DOWN' | 'UNKNOWN' => {
  if (standstill === undefined || standstill.state === 'ended') return 'UP';
  return standstill.code === 'SOURCE_SILENT' ? 'UNKNOWN' : 'DOWN';
};
