/** What the sidecar files of a block say about its transactions, found by consensus timestamp and decoded when asked for. */
import type { Nanos } from '../../ledger/timestamp.ts';
import type { TransactionSidecarRecord } from '../../protobuf/generated/streams/sidecar_file.ts';
import { decodeSidecarRecord, type SidecarFile, type SidecarRecord } from '../../streams/sidecar-file.ts';

/** Sidecar records of a block's transactions. */
export interface SidecarRecords {
  /**
   * Those of the transaction of exactly that time, in the order of the files.
   * @throws KagamiError STREAM_MALFORMED
   */
  of(consensusTimestamp: Nanos): readonly TransactionSidecarRecord[];
}

const NONE: readonly TransactionSidecarRecord[] = [];

export const NO_SIDECARS: SidecarRecords = { of: () => NONE };

type Content = NonNullable<TransactionSidecarRecord['sidecarRecords']>;

/** Numbers by which record files and settings name the kinds of sidecar records. */
const TYPE_OF: Readonly<Record<Content['$case'], number>> = { stateChanges: 1, actions: 2, bytecode: 3 };

interface FiledRecord {
  readonly file: string;
  readonly record: SidecarRecord;
}

/** The records of these files that are of one of the `types`, or of any type when `types` is empty. */
export const sidecarRecordsOf = (files: readonly SidecarFile[], types: readonly number[]): SidecarRecords => {
  if (files.length === 0) return NO_SIDECARS;
  const byTime = new Map<Nanos, FiledRecord[]>();
  for (const { name, records } of files) {
    for (const record of records) {
      const same = byTime.get(record.consensusTimestamp);
      if (same === undefined) byTime.set(record.consensusTimestamp, [{ file: name, record }]);
      else same.push({ file: name, record });
    }
  }
  const isWanted = ({ sidecarRecords: content }: TransactionSidecarRecord): boolean =>
    content !== undefined && (types.length === 0 || types.includes(TYPE_OF[content.$case]));
  return {
    of: (consensusTimestamp) =>
      byTime
        .get(consensusTimestamp)
        ?.map(({ file, record }) => decodeSidecarRecord(record, file))
        .filter(isWanted) ?? NONE,
  };
};
