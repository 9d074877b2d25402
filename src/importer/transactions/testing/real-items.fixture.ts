/** Real transactions with their records, as far as this machine has them. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { Transaction } from '../../../protobuf/generated/services/transaction.ts';
import { readRecordFile } from '../../../streams/record-file.ts';
import { hasRealStreams, readReal, realManifest } from '../../../streams/testing/real-streams.fixture.ts';
import type { RecordItem } from '../../record-item.ts';
import { decodeRecordItems } from '../../record-items.ts';

const SNAPSHOTS = new URL('../../../../../shared/streams/snapshots/', import.meta.url);

/** A run of consecutive transactions. */
export interface RealLedger {
  readonly name: string;
  readonly items: readonly RecordItem[];
}

interface EncodedItem {
  readonly b64Body: string;
  readonly b64Record: string;
}

interface SnapshotFile {
  readonly specSnapshots: Readonly<Record<string, { readonly encodedItems: readonly EncodedItem[] }>>;
}

const noProblem = (_: RecordItem, message: string): void => {
  throw new TypeError(message);
};

const rawItem = ({ b64Body, b64Record }: EncodedItem) => ({
  transaction: Transaction.encode(Transaction.fromPartial({ bodyBytes: Buffer.from(b64Body, 'base64') })).finish(),
  record: new Uint8Array(Buffer.from(b64Record, 'base64')),
});

export const hasSnapshots = existsSync(SNAPSHOTS);

/** Bodies and records that tests of a network left, by name of the test. */
export function* snapshotLedgers(): Generator<RealLedger> {
  for (const file of readdirSync(SNAPSHOTS)) {
    const { specSnapshots } = JSON.parse(readFileSync(new URL(file, SNAPSHOTS), 'utf8')) as SnapshotFile;
    for (const [name, { encodedItems }] of Object.entries(specSnapshots)) {
      const hapiVersion = { major: 0, minor: 45, patch: 0 };
      yield { name, items: decodeRecordItems({ name, hapiVersion, items: encodedItems.map(rawItem) }, noProblem) };
    }
  }
}

export const hasRecordFiles = hasRealStreams;

/** Twenty thousand messages of one topic, which add nothing but time. */
const REPETITIVE = 'records/v2-performance/';

/** Every other record file, each once. */
export function* recordFileLedgers(): Generator<RealLedger> {
  const seen = new Set<string>();
  for (const { kind, path, fileHash } of realManifest()) {
    if (kind !== 'record' || !path.startsWith('records/') || path.startsWith(REPETITIVE)) continue;
    if (seen.has(fileHash)) continue;
    seen.add(fileHash);
    yield { name: path, items: decodeRecordItems(readRecordFile(path, readReal(path)), noProblem) };
  }
}
