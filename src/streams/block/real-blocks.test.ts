import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { PairingCurve } from '../../curves/pairing-curve.ts';
import { toHex } from '../../ledger/bytes.ts';
import { parseAddressBook } from '../address-book.ts';
import {
  hasRealStreams,
  type ManifestEntry,
  readReal,
  realManifest,
  realStreams,
} from '../testing/real-streams.fixture.ts';
import type { Block, MerklePath } from './block.ts';
import { START_OF_CHAIN } from './chain.ts';
import { parseLedgerPublication } from './ledger-publication.ts';
import { readBlock } from './read-block.ts';
import { blockRoots } from './root-hash.ts';
import { followStateProof } from './state-proof.ts';
import { NO_TRUST } from './testing/blocks.fixture.ts';
import type { BlockTrust, RecordSigners } from './trust.ts';
import { GENERATION_A } from './tss/generation.ts';
import { prepareHintsKey, verifyHints } from './tss/hints.ts';
import { HINTS_KEY_BYTES, HINTS_SIGNATURE_BYTES } from './tss/hints-layout.ts';
import { rosterHash } from './tss/roster-hash.ts';
import { SignatureVerifier } from './tss/signature-verifier.ts';
import { claimedLedgerId } from './tss/wraps.ts';
import { knownWrapsKeys } from './tss/wraps-keys.ts';
import { BlockVerifier, type VerifiedBatch } from './verify-blocks.ts';
import { readWrappedRecordFile } from './wrapped-record-file.ts';

interface BlockEntry extends ManifestEntry {
  readonly items: number;
  readonly blockTimestamp: string;
  readonly record?: ManifestEntry;
}

const entries = (kind: string): BlockEntry[] =>
  hasRealStreams ? (realManifest() as BlockEntry[]).filter((entry) => entry.kind === kind) : [];

const read = (path: string): Block => readBlock(path, readReal(path));

const verifier = await BlockVerifier.open();
const signatures = await SignatureVerifier.open();

const verify = (paths: readonly string[], trust: Partial<BlockTrust> = {}): VerifiedBatch =>
  verifier.verifyBlocks(paths.map(read), { ...NO_TRUST, ...trust }, START_OF_CHAIN);

const findings = ({ verdicts }: VerifiedBatch): string[] =>
  verdicts.map((verdict) =>
    verdict.proven ? verdict.by + (verdict.throughStateProof ? ' through state proof' : '') : verdict.fault.code,
  );

const paths = (folder: string, ...numbers: readonly number[]): string[] =>
  numbers.map((number) => `blocks/${folder}/${number}.blk.gz`);

const signersOf = (path: string): RecordSigners => {
  const book = parseAddressBook(readReal(path));
  return {
    nodes: book.entries.map(({ nodeId, publicKeyHex }) => ({ nodeId, publicKeyHex, weight: 1n })),
    totalWeight: BigInt(book.entries.length),
    ratio: { numerator: 1n, denominator: 3n },
  };
};

describe.skipIf(!hasRealStreams)('real blocks', () => {
  it('reads and hashes every block as the manifest describes it', () => {
    const blocks = entries('block');
    expect(blocks.length).toBe(21);
    let known = 0;
    for (const entry of blocks) {
      const block = read(entry.path);
      const { major, minor, patch } = block.hapiVersion;
      expect({
        path: entry.path,
        number: block.number.toString(),
        hapiVersion: `${major}.${minor}.${patch}`,
        items: block.items.length,
        timestamp: block.timestamp.toString(),
        previousHash: toHex(block.footer.previousRootHash),
        size: block.uncompressedSize,
      }).toEqual({
        path: entry.path,
        number: entry.blockNumber,
        hapiVersion: entry.hapiVersion?.split('-')[0],
        items: entry.items,
        timestamp: entry.blockTimestamp,
        previousHash: entry.previousHash,
        size: entry.rawSize,
      });
      if (entry.hash === undefined) continue;
      known++;
      expect(toHex(blockRoots(block)[0]?.hash as Uint8Array), entry.path).toBe(entry.hash);
    }
    expect(known).toBe(17);
  });

  it('reads and hashes every wrapped record block', () => {
    const blocks = entries('wrapped-record-block');
    expect(blocks.length).toBe(8);
    for (const { path, record } of blocks) {
      const block = read(path);
      const [proof] = block.proofs;
      if (proof?.kind !== 'record-file') throw new Error('no record file proof');
      const { recordFile } = readWrappedRecordFile(path, block.recordFile as Uint8Array, proof.version);
      expect(toHex(recordFile.fileHash), path).toBe(record?.fileHash);
      expect(recordFile.items.length).toBe(record?.transactions);
      expect(toHex(recordFile.previousHash)).toBe(record?.previousHash);
    }
  });

  it('proves the chains of HAPI 0.73 and 0.78 from their block 0 on', () => {
    for (const [folder, last] of [
      ['0.73-schnorr', 4],
      ['0.78-schnorr', 5],
    ] as const) {
      const all = paths(folder, ...Array(last + 1).keys());
      const batch = verify(all);
      expect(findings(batch)).toEqual([...Array(last).fill('later-block'), 'schnorr']);
      const { chain, ledger } = batch;
      expect([chain.last?.number, chain.tree?.count]).toEqual([BigInt(last), BigInt(last)]);
      expect(toHex(rosterHash(ledger?.roster ?? []))).toBe(toHex(ledger?.id as Uint8Array));
      const own = all.map((path) => findings(verify([path], { ledger }))[0]);
      const skipped = Array(last - 1).fill('schnorr through state proof');
      expect(own).toEqual(['schnorr', ...skipped, 'schnorr']);
    }
  }, 120_000);

  it('proves the WRAPS block by the ledger id alone, which its own proof names', async () => {
    const [path] = paths('0.78-wraps', 391) as [string];
    const [proof] = read(path).proofs;
    if (proof?.kind !== 'signed') throw new Error('no signature');
    const id = claimedLedgerId(proof.signature.subarray(HINTS_KEY_BYTES + HINTS_SIGNATURE_BYTES));
    expect(toHex(id)).toMatch(/^17fbc01a/);
    const ledger = { id, roster: null, wrapsKey: null };
    expect(findings(verify([path], { ledger }))).toEqual(['wraps']);
    expect(findings(verify([path], { ledger: { ...ledger, id: Buffer.alloc(32, 7) } }))).toEqual(['STREAM_BAD_PROOF']);
    // Block 0 with the roster isn't in the set: of these only the half of the proof that signs the block can be checked.
    const blocks = paths('0.78-wraps', 1, 2, 3, 4);
    expect(findings(verify(blocks, { ledger }))).toEqual(Array(4).fill('STREAM_UNKNOWN_LEDGER'));
    const curve = await PairingCurve.open('bls12-381');
    for (const block of blocks.map(read)) {
      const signature = block.proofs[0]?.kind === 'signed' ? block.proofs[0].signature : Buffer.of();
      const key = prepareHintsKey(curve, signature.subarray(0, HINTS_KEY_BYTES));
      const hints = signature.subarray(HINTS_KEY_BYTES, HINTS_KEY_BYTES + HINTS_SIGNATURE_BYTES);
      verifyHints(key, hints, blockRoots(block)[0]?.hash as Uint8Array, GENERATION_A);
    }
  }, 120_000);

  it('accepts the test signatures of development networks only where they are allowed', () => {
    const alpha = ['007', '008'].map((number) => `blocks/0.73-alpha/0000/0000/0000/0000/${number}.blk.zstd`);
    for (const chain of [paths('0.71-mock', 0, 1), alpha]) {
      expect(findings(verify(chain, { testSignatures: true }))).toEqual(['later-block', 'test-signature']);
      expect(findings(verify(chain))).toEqual(['STREAM_UNSIGNED', 'STREAM_UNSIGNED']);
    }
    const alone = 'blocks/0.73-alpha/0000/0000/0000/0000/016.blk.zstd';
    expect(findings(verify([alone], { testSignatures: true }))).toEqual(['test-signature']);
  });

  it('proves wrapped record blocks by the signatures of their nodes', () => {
    const solo = [0, 1, 2, 3, 4].map((number) => `wrapped/solo-0.78/${number}.blk.gz`);
    const batch = verify(solo, { recordSigners: signersOf('addressbooks/test/test-v6-4n.bin') });
    expect(findings(batch)).toEqual(Array(5).fill('record-signatures'));
    expect(batch.chain.tree?.count).toBe(4n);
    const mainnet = { recordSigners: signersOf('addressbooks/networks/mainnet') };
    for (const version of [2, 5]) {
      expect(findings(verify([`wrapped/mainnet-samples/v${version}-block.blk.gz`], mainnet))).toEqual([
        'record-signatures',
      ]);
    }
    const later = { recordSigners: signersOf('records/mainnet-2025-07-23-v6/address_book.bin') };
    expect(findings(verify(['wrapped/mainnet-samples/v6-block.blk.gz'], later))).toEqual(['record-signatures']);
  });
});

interface StateVector {
  readonly block: number;
  readonly blockHash: string;
  readonly expectedRootHash: string;
  readonly merklePaths: readonly {
    readonly nextPathIndex: number;
    readonly timestampLeaf?: string;
    readonly hash?: string;
    readonly siblings?: readonly { readonly isLeft?: boolean; readonly hash?: string }[];
  }[];
}

const base64 = (text: string | undefined): Uint8Array => Buffer.from(text ?? '', 'base64');

const pathsOf = ({ merklePaths }: StateVector): MerklePath[] =>
  merklePaths.map(({ nextPathIndex, timestampLeaf, hash, siblings = [] }) => ({
    leaf:
      timestampLeaf !== undefined
        ? { kind: 'timestamp', bytes: base64(timestampLeaf) }
        : { kind: hash === undefined ? 'none' : 'hash', bytes: base64(hash) },
    siblings: siblings.map((sibling) => ({ isLeft: sibling.isLeft ?? false, hash: base64(sibling.hash) })),
    nextPathIndex: nextPathIndex | 0,
  }));

const readJson = (path: string): unknown => JSON.parse(readFileSync(`${realStreams}/${path}`, 'utf8'));

describe.skipIf(!hasRealStreams)('vectors of block proofs', () => {
  const footer = { previousRootHash: Buffer.of(), allPreviousRootsHash: Buffer.of(), startStateRootHash: Buffer.of() };

  it('follows every state proof to the root hash that was signed, and none with a bit changed', () => {
    const vectors = readJson('proofs/state/stateProofTestArtifact.json') as StateVector[];
    expect(vectors.map(({ block }) => block)).toEqual([0, 1, 2, 3, 4]);
    for (const vector of vectors) {
      const root = base64(vector.blockHash);
      const expected = toHex(base64(vector.expectedRootHash));
      const reached = (merklePaths: readonly MerklePath[], from = root): string | undefined => {
        try {
          return toHex(followStateProof(merklePaths, from, footer));
        } catch {
          return undefined;
        }
      };
      expect(reached(pathsOf(vector))).toBe(expected);
      const parts = pathsOf(vector).flatMap(({ leaf, siblings }) => [
        leaf.bytes.length,
        ...siblings.map(({ hash }) => hash.length),
      ]);
      parts.forEach((length, part) => {
        for (const at of new Set([0, length >> 1, length - 1])) {
          if (length === 0) continue;
          const changed = pathsOf(vector);
          const bytes = changed.flatMap(({ leaf, siblings }) => [leaf.bytes, ...siblings.map(({ hash }) => hash)])[
            part
          ] as Uint8Array;
          bytes[at] = (bytes[at] as number) ^ 2;
          expect(reached(changed)).not.toBe(expected);
        }
      });
      const other = Buffer.from(root);
      other[9] = (other[9] as number) ^ 1;
      expect(reached(pathsOf(vector), other)).toBeUndefined();
    }
  });

  it('verifies the test artifact of the threshold signatures', () => {
    const artifact = readJson('proofs/tss/tssTestArtifact.json') as Readonly<
      Record<'ledgerId' | 'message' | 'signatureWithSchnorr' | 'signatureWithWraps', string>
    > & {
      readonly nodeContributions: readonly {
        readonly historyProofKey: string;
        readonly nodeId: number;
        readonly weight: number;
      }[];
    };
    const bytes = (text: string): Uint8Array => Buffer.from(text, 'hex');
    const roster = artifact.nodeContributions.map(({ historyProofKey, nodeId, weight }) => ({
      nodeId: BigInt(nodeId),
      weight: BigInt(weight),
      key: bytes(historyProofKey),
    }));
    const ledger = { id: bytes(artifact.ledgerId), roster, wrapsKey: null };
    const message = bytes(artifact.message);
    expect(signatures.verify(bytes(artifact.signatureWithSchnorr), message, ledger)).toBe('schnorr');
    expect(signatures.verify(bytes(artifact.signatureWithWraps), message, ledger)).toBe('wraps');
  }, 60_000);

  it('knows that the bundled publication of mainnet is a placeholder', () => {
    const ledger = parseLedgerPublication(readReal('proofs/networkledger/mainnet.bin'), 'mainnet.bin');
    expect([ledger.id.length, ledger.wrapsKey?.length, ledger.roster?.map(({ key }) => key.length)]).toEqual([
      32,
      64,
      [64, 64],
    ]);
    expect(() => signatures.checkLedger(ledger)).toThrow(/the history proof key of node \d+ has 64 bytes/);
    expect(knownWrapsKeys().size).toBe(3);
  });
});
