import { describe, expect, it } from 'vitest';
import { decodeSidecarRecord, readSidecarFile } from './sidecar-file.ts';
import { recordName, sidecarRecordAt, timestampOf } from './testing/network.fixture.ts';
import { writeSidecarFile } from './write/sidecar-file.ts';

const START = 1_700_000_000_000_000_000n;
const NAME = recordName(START, '_01.rcd.gz');
const { bytes, metadata } = writeSidecarFile({ id: 1, types: [3], records: [START, START + 5n].map(sidecarRecordAt) });

describe('sidecar files', () => {
  it('reads and decodes what was written', () => {
    const file = readSidecarFile(NAME, bytes, metadata);
    expect(file).toMatchObject({ name: NAME, id: 1, types: [3], hash: metadata.hash, size: bytes.length });
    expect(file.records.map(({ consensusTimestamp }) => consensusTimestamp)).toEqual([START, START + 5n]);
    const [record] = file.records;
    expect(record && decodeSidecarRecord(record, NAME)).toMatchObject({
      consensusTimestamp: timestampOf(START),
      sidecarRecords: { $case: 'bytecode' },
    });
  });

  it('refuses another content, another number and a bomb', () => {
    const other = writeSidecarFile({ id: 1, types: [3], records: [sidecarRecordAt(START)] });
    expect(() => readSidecarFile(NAME, other.bytes, metadata)).toThrowError(
      expect.objectContaining({ code: 'STREAM_SIDECAR_HASH_MISMATCH' }),
    );
    expect(() => readSidecarFile(recordName(START, '_02.rcd.gz'), bytes, metadata)).toThrowError(
      expect.objectContaining({ code: 'STREAM_WRONG_NAME' }),
    );
    expect(() => readSidecarFile(NAME, bytes, metadata, 10)).toThrowError(
      expect.objectContaining({ code: 'STREAM_OVERSIZED' }),
    );
  });

  it('names the file of a record that does not decode', () => {
    const broken = { consensusTimestamp: START, bytes: Buffer.from('2a0cffffffffffffffffffffffff', 'hex') };
    expect(() => decodeSidecarRecord(broken, NAME)).toThrowError(
      expect.objectContaining({ code: 'STREAM_MALFORMED', details: expect.objectContaining({ file: NAME }) }),
    );
  });
});
