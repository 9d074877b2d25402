import { describe, expect, it } from 'vitest';
import { toHex } from '../ledger/bytes.ts';
import { MAX_NANOS } from '../ledger/timestamp.ts';
import { parseAddressBook } from './address-book.ts';
import { readRecordFile } from './record-file.ts';
import { decodeSidecarRecord, readSidecarFile } from './sidecar-file.ts';
import { isPreReleaseSignature, readSignatureFile } from './signature-file.ts';
import { verifySignatureFile } from './signature-verification.ts';
import { hasRealStreams, type ManifestEntry, readReal, realManifest } from './testing/real-streams.fixture.ts';

const entries = (kind: string): ManifestEntry[] =>
  hasRealStreams ? realManifest().filter((entry) => entry.kind === kind && !entry.path.startsWith('balances/')) : [];

const saturated = (digits: string): bigint => (BigInt(digits) > MAX_NANOS ? MAX_NANOS : BigInt(digits));

describe.skipIf(!hasRealStreams)('real stream files', () => {
  it('reads every record file as the manifest describes it', () => {
    const files = entries('record').filter(({ path }) => path.startsWith('records/'));
    expect(files.length).toBe(77);
    for (const entry of files) {
      const file = readRecordFile(entry.path, readReal(entry.path));
      const { hapiVersion } = file;
      expect({
        path: entry.path,
        version: file.version,
        hapiVersion: hapiVersion && `${hapiVersion.major}.${hapiVersion.minor}.${hapiVersion.patch}`,
        transactions: file.items.length,
        fileHash: toHex(file.fileHash),
        metadataHash: file.metadataHash && toHex(file.metadataHash),
        hash: toHex(file.hash),
        previousHash: toHex(file.previousHash),
        blockNumber: file.blockNumber?.toString(),
        consensusStart: file.consensusStart,
        consensusEnd: file.consensusEnd,
        size: file.uncompressedSize,
      }).toEqual({
        path: entry.path,
        version: entry.version,
        hapiVersion: entry.hapiVersion,
        transactions: entry.transactions,
        fileHash: entry.fileHash,
        metadataHash: entry.metadataHash ?? null,
        hash: entry.hash,
        previousHash: entry.previousHash,
        blockNumber: entry.blockNumber,
        consensusStart: BigInt(entry.consensusStart),
        consensusEnd: saturated(entry.consensusEnd),
        size: entry.rawSize,
      });
    }
  });

  it('saturates the timestamp that overflows int64, and says that items are out of order', () => {
    const path = 'records/v2-timestamp-overflow/record0.0.3/2019-09-13T12_12_30.144357Z.rcd';
    const file = readRecordFile(path, readReal(path));
    expect(file.consensusEnd).toBe(9223372036854775807n);
    expect(file.outOfOrder).toBe(true);
  });

  it('reads every address book', () => {
    const books = entries('address-book');
    expect(books.length).toBe(11);
    for (const { path, nodes, firstNode } of books) {
      const book = parseAddressBook(readReal(path), { source: path, shard: 0n, realm: 0n });
      expect(book.entries.length, path).toBe(nodes);
      expect(book.entries.filter(({ publicKey }) => publicKey === null)).toEqual([]);
      expect(`0.0.${book.entries[0]?.accountId}`, path).toBe(firstNode.account);
    }
  });

  it('knows the pre-release signature files beside the large v5 files', () => {
    const path = 'records/v5-large/record0.0.3/2020-12-29T15_04_55.576899000Z.rcd_sig';
    expect(isPreReleaseSignature(readReal(path))).toBe(true);
    expect(() => readSignatureFile(path, readReal(path))).toThrow('pre-release v5 layout');
  });

  it('verifies the signatures of mainnet, and refuses them under another key', async () => {
    const book = parseAddressBook(readReal('records/mainnet-2025-07-23-v6/address_book.bin'));
    const path = 'records/mainnet-2025-07-23-v6/record0.0.21/2025-07-23T20_37_42.076472454Z.rcd_sig';
    const signature = readSignatureFile(path, readReal(path));
    expect(toHex(signature.file.hash)).toMatch(/^c998dda6ca7216881d0c0037e2b19897/);
    const own = book.byAccountId.get(21n)?.publicKey;
    const other = book.byAccountId.get(3n)?.publicKey;
    if (own == null || other == null) throw new Error('the address book lacks keys');
    await expect(verifySignatureFile(signature, own, 'node 18')).resolves.toBeUndefined();
    await expect(verifySignatureFile(signature, other, 'node 0')).rejects.toMatchObject({
      code: 'STREAM_BAD_SIGNATURE',
    });
  });

  it('proves and decodes every sidecar through its record file', () => {
    const sidecars = entries('sidecar').filter(({ path }) => path.startsWith('records/'));
    expect(sidecars.length).toBe(21);
    for (const { path, hash, records } of sidecars) {
      const recordPath = path.replace('/sidecar/', '/').replace('_01.rcd.gz', '.rcd.gz');
      const metadata = readRecordFile(recordPath, readReal(recordPath)).sidecars.find(({ id }) => id === 1);
      if (metadata === undefined) throw new Error(`${recordPath} has no sidecar`);
      const sidecar = readSidecarFile(path, readReal(path), metadata);
      expect(toHex(sidecar.hash), path).toBe(hash);
      expect(sidecar.records.length, path).toBe(records);
      for (const record of sidecar.records) {
        expect(decodeSidecarRecord(record, path).sidecarRecords?.$case).toMatch(/^(stateChanges|actions|bytecode)$/);
      }
    }
  });
});
