/** The bytes of copies that are wrong: damaged ones, and forgeries that are well-formed and truly signed by their node. */
import type { KeyObject } from 'node:crypto';
import { nanosToStreamName } from '../../ledger/timestamp.ts';
import { readRecordFile } from '../../streams/record-file.ts';
import type { RecordFile } from '../../streams/record-file-content.ts';
import { writeRecordFileV6 } from '../../streams/write/record-file-v6.ts';
import { writeSignatureFileV6 } from '../../streams/write/signature-file.ts';
import type { Harm } from './fault-plan.fixture.ts';

export type DamagingHarm = Exclude<
  Harm,
  'folder in its place' | 'signature of another node' | 'signature of another block'
>;

export const damaged = (bytes: Uint8Array, harm: DamagingHarm): Uint8Array => {
  switch (harm) {
    case 'truncated':
      return bytes.subarray(0, Math.floor(bytes.length * 0.6));
    case 'bit flipped': {
      const flipped = Uint8Array.from(bytes);
      const at = Math.floor(bytes.length / 2);
      flipped[at] = (flipped[at] as number) ^ 0x10;
      return flipped;
    }
    case 'garbage':
      // The beginning of a gzip container, then nothing that decompresses.
      return Uint8Array.from({ length: bytes.length }, (_, i) => [0x1f, 0x8b, 8][i] ?? (i * 151) % 256);
    case 'empty':
      return new Uint8Array();
  }
};

export interface ForgedFiles {
  readonly base: string;
  readonly record: Uint8Array;
  readonly signature: Uint8Array;
}

interface Content {
  readonly items: RecordFile['items'];
  readonly previousHash: Uint8Array;
  readonly blockNumber: bigint;
}

const write = (base: string, { items, previousHash, blockNumber }: Content, privateKey: KeyObject): ForgedFiles => {
  const written = writeRecordFileV6({
    hapiVersion: { major: 0, minor: 71, patch: 0 },
    startRunningHash: previousHash,
    blockNumber,
    items,
  });
  return { base, record: written.bytes, signature: writeSignatureFileV6({ ...written, privateKey }) };
};

/** The block without its last transaction, in its place in the chain. */
export const forgedBlock = (name: string, bytes: Uint8Array, privateKey: KeyObject): ForgedFiles => {
  const file = readRecordFile(name, bytes);
  const items = file.items.length > 1 ? file.items.slice(0, -1) : [...file.items, ...file.items];
  const { previousHash } = file;
  return write(
    name.slice(0, name.indexOf('Z') + 1),
    { items, previousHash, blockNumber: file.blockNumber ?? 0n },
    privateKey,
  );
};

/** A block that follows the given one before the true next one does, with its transactions once more. */
export const inventedBlock = (name: string, bytes: Uint8Array, privateKey: KeyObject): ForgedFiles => {
  const file = readRecordFile(name, bytes);
  const content = { items: file.items, previousHash: file.hash, blockNumber: (file.blockNumber ?? 0n) + 1n };
  return write(nanosToStreamName(file.consensusEnd + 1n), content, privateKey);
};
