import { gzipSync } from 'node:zlib';
import { sha384 } from '../../ledger/hash.ts';
import { SemanticVersion } from '../../protobuf/generated/services/basic_types.ts';
import { HashAlgorithm, HashObject } from '../../protobuf/generated/streams/hash_object.ts';
import { RecordStreamFile, type SidecarType } from '../../protobuf/generated/streams/record_stream_file.ts';
import type { HapiVersion, RecordFileItem, SidecarMetadata } from '../record-file-content.ts';
import { metadataHashV6 } from '../record-file-v6.ts';
import { HASH_BYTES, RunningHash } from '../running-hash.ts';
import { fieldBytes, WireWriter } from './wire-writer.ts';

export interface RecordFileV6Content {
  readonly hapiVersion: HapiVersion;
  /** End running hash of the previous file, 48 bytes; zeros for the first. */
  readonly startRunningHash: Uint8Array;
  readonly blockNumber: bigint;
  /** Serialized messages in ascending consensus time. */
  readonly items: readonly RecordFileItem[];
  readonly sidecars?: readonly SidecarMetadata[];
  /** zlib level of the gzip container, 1 by default (fastest); null writes the content uncompressed. */
  readonly compressionLevel?: number | null;
}

export interface WrittenRecordFile {
  /** What stands in the file. */
  readonly bytes: Uint8Array;
  readonly fileHash: Uint8Array;
  readonly metadataHash: Uint8Array;
  readonly endRunningHash: Uint8Array;
}

const HAPI_VERSION_FIELD = 1;
const START_HASH_FIELD = 2;
const ITEM_FIELD = 3;
const TRANSACTION_FIELD = 1;
const RECORD_FIELD = 2;

/** Writes a record file v6 with its running hash and both hashes that nodes sign. */
export const writeRecordFileV6 = (content: RecordFileV6Content): WrittenRecordFile => {
  const { items, startRunningHash, blockNumber, hapiVersion } = content;
  const version = SemanticVersion.encode(SemanticVersion.fromPartial(hapiVersion)).finish();
  const startHash = hashMessage(startRunningHash);
  const itemBytes = items.map(({ transaction, record }) => fieldBytes(transaction.length) + fieldBytes(record.length));
  let size = 4 + fieldBytes(version.length) + fieldBytes(startHash.length);
  for (const bytes of itemBytes) size += fieldBytes(bytes);

  const running = new RunningHash(startRunningHash);
  const head = Buffer.allocUnsafe(size);
  head.writeInt32BE(6, 0);
  const writer = new WireWriter(head, 4);
  writer.bytes(HAPI_VERSION_FIELD, version);
  writer.bytes(START_HASH_FIELD, startHash);
  items.forEach(({ transaction, record }, i) => {
    writer.header(ITEM_FIELD, itemBytes[i] as number);
    writer.bytes(TRANSACTION_FIELD, transaction);
    writer.bytes(RECORD_FIELD, record);
    running.add(record, transaction);
  });

  const endRunningHash = running.value();
  const plain = Buffer.concat([head, tail(content, endRunningHash)]);
  const { compressionLevel = 1 } = content;
  return {
    bytes: compressionLevel === null ? plain : gzipSync(plain, { level: compressionLevel }),
    fileHash: sha384(plain),
    metadataHash: metadataHashV6(hapiVersion, startRunningHash, endRunningHash, blockNumber),
    endRunningHash,
  };
};

/** The fields after the items. */
const tail = ({ blockNumber, sidecars = [] }: RecordFileV6Content, endRunningHash: Uint8Array): Uint8Array =>
  RecordStreamFile.encode(
    RecordStreamFile.fromPartial({
      endObjectRunningHash: hashObject(endRunningHash),
      blockNumber,
      sidecars: sidecars.map(({ id, types, hash }) => ({ id, types: types as SidecarType[], hash: hashObject(hash) })),
    }),
  ).finish();

const hashObject = (hash: Uint8Array): { algorithm: HashAlgorithm; length: number; hash: Uint8Array } => ({
  algorithm: HashAlgorithm.SHA_384,
  length: HASH_BYTES,
  hash,
});

const hashMessage = (hash: Uint8Array): Uint8Array =>
  HashObject.encode(HashObject.fromPartial(hashObject(hash))).finish();
