import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KagamiError } from '../errors/kagami-error.ts';
import { parseAddressBook } from './address-book.ts';
import { contentOf } from './compression.ts';
import { ONE_THIRD, tally, type VerifiedSignature, weighNodes } from './consensus.ts';
import { equalBytes } from './equal-bytes.ts';
import { readRecordFile } from './record-file.ts';
import { readSidecarFile } from './sidecar-file.ts';
import { readSignatureFile } from './signature-file.ts';
import { verifySignatureFile } from './signature-verification.ts';
import { checkSignedHashes } from './signed-hashes.ts';
import { mutate, randomFrom } from './testing/mutations.fixture.ts';
import { addressBookBytes, itemsFrom, makeNodes, recordName, sidecarRecordAt } from './testing/network.fixture.ts';
import { hasRealStreams, readReal } from './testing/real-streams.fixture.ts';
import { writeRecordFileV2 } from './write/record-file-v2.ts';
import { writeRecordFileV5 } from './write/record-file-v5.ts';
import { writeRecordFileV6 } from './write/record-file-v6.ts';
import { writeSidecarFile } from './write/sidecar-file.ts';
import { writeSignatureFileV4, writeSignatureFileV5, writeSignatureFileV6 } from './write/signature-file.ts';

const MUTATIONS = 10_000;
const START = 1_700_000_000_000_000_000n;

interface Target {
  readonly what: string;
  readonly bytes: Uint8Array;
  /** Returns normally only when `bytes` are accepted as proven. */
  readonly prove: (bytes: Uint8Array) => void | Promise<void>;
  /** Whether accepted bytes carry the very same content, as a changed gzip header does. */
  readonly same: (bytes: Uint8Array) => boolean;
}

const NODES = makeNodes(3);
const BOOK = parseAddressBook(addressBookBytes(NODES));
const WEIGHTS = weighNodes(BOOK, undefined);

const sameContent =
  (original: Uint8Array): Target['same'] =>
  (bytes) =>
    equalBytes(contentOf('f', bytes).bytes, contentOf('f', original).bytes);

const recordTarget = (what: string, name: string, bytes: Uint8Array): Target => {
  const { fileHash, metadataHash } = readRecordFile(name, bytes);
  return {
    what,
    bytes,
    prove: (mutated) => checkSignedHashes(readRecordFile(name, mutated), { fileHash, metadataHash }),
    same: sameContent(bytes),
  };
};

const sidecarTarget = (
  what: string,
  name: string,
  bytes: Uint8Array,
  metadata: Parameters<typeof readSidecarFile>[2],
): Target => ({
  what,
  bytes,
  prove: (mutated) => {
    readSidecarFile(name, mutated, metadata);
  },
  same: sameContent(bytes),
});

/** A mutated signature must not carry any other hash to consensus; that its own hash stays signed is no forgery. */
const signatureTarget = (what: string, bytes: Uint8Array): Target => {
  const name = recordName(START, '.rcd_sig');
  const original = readSignatureFile(name, bytes);
  return {
    what,
    bytes,
    prove: async (mutated) => {
      const signature = readSignatureFile(name, mutated);
      const key = BOOK.byNodeId.get(0n)?.publicKey;
      if (key == null) throw new Error('the test node has no key');
      await verifySignatureFile(signature, key, 'node 0');
      const vote: VerifiedSignature = {
        nodeId: 0n,
        fileHash: signature.file.hash,
        metadataHash: signature.metadata?.hash ?? null,
      };
      expect(tally([vote], WEIGHTS, ONE_THIRD).agreed?.nodeIds).toEqual([0n]);
    },
    same: (mutated) => {
      const signature = readSignatureFile(name, mutated);
      return (
        equalBytes(signature.file.hash, original.file.hash) &&
        equalBytes(signature.metadata?.hash ?? Buffer.of(), original.metadata?.hash ?? Buffer.of())
      );
    },
  };
};

const generatedTargets = (): Target[] => {
  const name = recordName(START);
  const items = itemsFrom(START, 5);
  const startRunningHash = Buffer.alloc(48, 9);
  const hapiVersion = { major: 0, minor: 64, patch: 1 };
  const sidecar = writeSidecarFile({
    id: 1,
    types: [3],
    records: [sidecarRecordAt(START), sidecarRecordAt(START + 9n)],
  });
  const v5 = writeRecordFileV5({ hapiVersion, startRunningHash, items });
  const v6 = writeRecordFileV6({
    hapiVersion,
    startRunningHash,
    blockNumber: 7n,
    items,
    sidecars: [sidecar.metadata],
    compressionLevel: null,
  });
  const privateKey = NODES[0]?.privateKey;
  if (privateKey === undefined) throw new Error('no test node');
  return [
    recordTarget('v1', name, writeRecordFileV2({ version: 1, previousHash: startRunningHash, items }).bytes),
    recordTarget('v2', name, writeRecordFileV2({ version: 2, previousHash: startRunningHash, items }).bytes),
    recordTarget('v5', name, v5.bytes),
    recordTarget('v6', name, v6.bytes),
    recordTarget('v6 compressed', name, gzipSync(v6.bytes)),
    sidecarTarget('sidecar', recordName(START, '_01.rcd.gz'), sidecar.bytes, sidecar.metadata),
    signatureTarget('v2 signature', writeSignatureFileV4({ fileHash: v5.fileHash, privateKey })),
    signatureTarget('v5 signature', writeSignatureFileV5({ ...v5, privateKey })),
    signatureTarget('v6 signature', writeSignatureFileV6({ ...v6, privateKey })),
  ];
};

const realTargets = (): Target[] => {
  const records = [
    'records/v1/record0.0.3/2019-07-01T14_13_00.317763Z.rcd',
    'records/mainnet-2019-09-13-v2/record0.0.3/2019-09-13T21_53_51.396440Z.rcd',
    'records/v2-to-v5/record0.0.3/2021-01-21T00_19_43.558496000Z.rcd',
    'records/v6-sidecars/record0.0.3/2022-07-13T08_46_11.304284003Z.rcd.gz',
    'records/mainnet-2025-07-23-v6/record0.0.3/2025-07-23T20_37_42.076472454Z.rcd.gz',
  ];
  const sidecar = 'records/v6-sidecars/record0.0.3/sidecar/2022-07-13T08_46_11.304284003Z_01.rcd.gz';
  const [metadata] = readRecordFile(records[3] as string, readReal(records[3] as string)).sidecars;
  if (metadata === undefined) throw new Error('the real record file has no sidecar');
  return [
    ...records.map((path) => recordTarget(path, path, readReal(path))),
    sidecarTarget(sidecar, sidecar, readReal(sidecar), metadata),
  ];
};

/** Mutates the targets in turn; returns how many mutants were refused, and by which codes. */
const fuzz = async (targets: readonly Target[], count: number, seed: number): Promise<Map<string, number>> => {
  const next = randomFrom(seed);
  const refusals = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const target = targets[i % targets.length] as Target;
    const mutant = mutate(target.bytes, next);
    if (equalBytes(mutant, target.bytes)) continue;
    try {
      await target.prove(mutant);
      if (!target.same(mutant)) throw new Error(`mutation ${i} of ${target.what} was accepted`);
    } catch (error) {
      if (!(error instanceof KagamiError)) throw error;
      expect(error.code).toMatch(/^STREAM_/);
      refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
    }
  }
  return refusals;
};

const total = (counts: Map<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

describe('mutated stream files', () => {
  it(`refuses ${MUTATIONS} random mutations of generated files, each with a stream error`, async () => {
    const refusals = await fuzz(generatedTargets(), MUTATIONS, 20_260_801);
    // The others left the content as it was: bytes of the gzip header, fields that a reader ignores.
    expect(total(refusals)).toBeGreaterThan(0.95 * MUTATIONS);
    expect([...refusals.keys()].sort()).toEqual([
      'STREAM_BAD_COMPRESSION',
      'STREAM_BAD_SIGNATURE',
      'STREAM_FILE_HASH_MISMATCH',
      'STREAM_MALFORMED',
      'STREAM_OVERSIZED',
      'STREAM_RUNNING_HASH_MISMATCH',
      'STREAM_SIDECAR_HASH_MISMATCH',
      'STREAM_TRAILING_BYTES',
      'STREAM_TRUNCATED',
      'STREAM_UNKNOWN_VERSION',
    ]);
  }, 300_000);

  it.skipIf(!hasRealStreams)(
    'refuses random mutations of real files',
    async () => {
      expect(total(await fuzz(realTargets(), 3000, 7))).toBeGreaterThan(0.95 * 3000);
    },
    300_000,
  );
});
