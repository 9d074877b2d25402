import { describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import { sha384 } from '../../ledger/hash.ts';
import { itemAt, itemsFrom, makeNodes, sidecarRecordAt } from '../testing/network.fixture.ts';
import { writeRecordFileV2 } from '../write/record-file-v2.ts';
import { writeRecordFileV5 } from '../write/record-file-v5.ts';
import { type BlockItem, BlockItemField as Field } from './block.ts';
import { START_OF_CHAIN } from './chain.ts';
import { readBlock } from './read-block.ts';
import {
  blockItem,
  bytesField,
  closed,
  NO_TRUST,
  numberField,
  type OpenBlock,
  openChain,
  recordFileProof,
  START,
  signersOf,
  testSignature,
  timestampBytes,
  versionBytes,
  wrappedChain,
} from './testing/blocks.fixture.ts';
import type { BlockTrust } from './trust.ts';
import { BlockVerifier, type VerifiedBatch } from './verify-blocks.ts';
import { amendedItems, readWrappedRecordFile } from './wrapped-record-file.ts';

const NODES = makeNodes(4);
const STEP = 2_000_000_000n;
const itemsOf = (index: number) => itemsFrom(START + BigInt(index) * STEP, 3);
const read = ({ number }: { readonly number: bigint }, bytes: Uint8Array) => readBlock(`${number}.blk`, bytes);

const verifier = await BlockVerifier.open();

const verify = (blocks: Parameters<BlockVerifier['verifyBlocks']>[0], trust: Partial<BlockTrust> = {}): VerifiedBatch =>
  verifier.verifyBlocks(blocks, { ...NO_TRUST, recordSigners: signersOf(NODES), ...trust }, START_OF_CHAIN);

const findings = ({ verdicts }: VerifiedBatch): string[] =>
  verdicts.map((verdict) => (verdict.proven ? verdict.by : verdict.fault.code));

/** A RecordStreamFile message as a block holds older files. */
const contentsOf = (
  hapiVersion: { major: number; minor: number; patch: number },
  start: Uint8Array,
  end: Uint8Array,
  items: ReturnType<typeof itemsOf>,
): Buffer => {
  const hash = (bytes: Uint8Array): Buffer =>
    Buffer.concat([numberField(1, 1n), numberField(2, 48n), bytesField(3, bytes)]);
  return Buffer.concat([
    bytesField(1, versionBytes(hapiVersion)),
    bytesField(2, hash(start)),
    ...items.map(({ transaction, record }) =>
      bytesField(3, Buffer.concat([bytesField(1, transaction), bytesField(2, record)])),
    ),
    bytesField(4, hash(end)),
    numberField(5, 77n),
  ]);
};

const recordFileItem = (contents: Uint8Array): Buffer =>
  Buffer.concat([bytesField(1, timestampBytes(START)), bytesField(2, contents)]);

describe('record files in blocks', () => {
  it('rebuilds versions 2 and 5 byte for byte', () => {
    const items = itemsOf(0);
    const start = Buffer.alloc(48, 9);
    const v2 = writeRecordFileV2({ version: 2, previousHash: start, items });
    const two = readWrappedRecordFile(
      'two',
      recordFileItem(contentsOf({ major: 0, minor: 3, patch: 0 }, start, Buffer.alloc(48), items)),
      2,
    );
    expect(toHex(two.recordFile.fileHash)).toBe(toHex(v2.fileHash));
    expect(two.recordFile).toMatchObject({ version: 2, hapiVersion: null, uncompressedSize: v2.bytes.length });

    const hapiVersion = { major: 0, minor: 11, patch: 4 };
    const v5 = writeRecordFileV5({ hapiVersion, startRunningHash: start, items });
    const contents = contentsOf(hapiVersion, start, v5.endRunningHash, items);
    const five = readWrappedRecordFile('five', recordFileItem(contents), 5);
    expect(toHex(five.recordFile.fileHash)).toBe(toHex(v5.fileHash));
    expect(five.recordFile).toMatchObject({ version: 5, hapiVersion, name: '2026-05-28T20_26_40.000000000Z.rcd' });
    expect(() => readWrappedRecordFile('five', recordFileItem(contents), 4)).toThrow(
      'record file version 4 in a block',
    );
    const wrong = contentsOf(hapiVersion, start, Buffer.alloc(48, 3), items);
    expect(() => readWrappedRecordFile('five', recordFileItem(wrong), 5)).toThrow(/running hash/);
  });

  it('proves sidecars by their hashes', () => {
    const content = bytesField(1, sidecarRecordAt(START));
    const metadata = { id: 1, types: [3], hash: sha384(content) };
    const [block] = wrappedChain({ count: 1, nodes: NODES, itemsOf, sidecarsOf: () => [{ content, metadata }] });
    const { recordFile } = read({ number: 0n }, block?.bytes as Uint8Array);
    const { sidecars } = readWrappedRecordFile('0.blk', recordFile as Uint8Array, 6);
    expect(sidecars.map(({ name, id, size, records }) => [name, id, size, records.length])).toEqual([
      ['2026-05-28T20_26_40.000000000Z_01.rcd', 1, content.length, 1],
    ]);
    const wrongMetadata = { ...metadata, hash: Buffer.alloc(48, 1) };
    const wrong = wrappedChain({
      count: 1,
      nodes: NODES,
      itemsOf,
      sidecarsOf: () => [{ content, metadata: wrongMetadata }],
    });
    const batch = verify([read({ number: 0n }, wrong[0]?.bytes as Uint8Array)]);
    expect(findings(batch)).toEqual(['STREAM_SIDECAR_HASH_MISMATCH']);
  });

  it('puts amendments where their time says, after hashing', () => {
    const replaced = itemAt(START + 1000n, 55);
    const inserted = [itemAt(START + 5000n, 9), itemAt(START + 500n, 9), itemAt(START - 1n, 9)];
    const amendmentsOf = () => [...inserted, replaced];
    const [block] = wrappedChain({ count: 1, nodes: NODES, itemsOf, amendmentsOf });
    const bytes = read({ number: 0n }, block?.bytes as Uint8Array);
    expect(findings(verify([bytes]))).toEqual(['record-signatures']);
    const wrapped = readWrappedRecordFile('0.blk', bytes.recordFile as Uint8Array, 6);
    const [first, , third] = itemsOf(0);
    const plain = (items: readonly { readonly record: Uint8Array }[]): string[] =>
      items.map(({ record }) => toHex(record));
    expect(plain(wrapped.recordFile.items)).toEqual(plain(itemsOf(0)));
    expect(plain(amendedItems(wrapped))).toEqual(
      plain([inserted[2], first, inserted[1], replaced, third, inserted[0]] as ReturnType<typeof itemsOf>),
    );
  });

  it('refuses creation times that no name can state', () => {
    const contents = contentsOf({ major: 0, minor: 3, patch: 0 }, Buffer.alloc(48), Buffer.alloc(48), itemsOf(0));
    const payload = Buffer.concat([bytesField(1, numberField(1, -1n)), bytesField(2, contents)]);
    expect(() => readWrappedRecordFile('two', payload, 2)).toThrow(
      'a record file created at -1000000000 ns has no name',
    );
  });
});

describe('proof of wrapped record blocks', () => {
  it.each(['sixteen-leaves', 'eight-leaves'] as const)(
    'proves a chain of %s by the signatures of its nodes',
    (form) => {
      const chain = wrappedChain({ count: 3, form, nodes: NODES.slice(0, 2), itemsOf });
      const batch = verify(chain.map((block) => read(block, block.bytes)));
      expect(findings(batch)).toEqual(['record-signatures', 'record-signatures', 'record-signatures']);
      const { last } = batch.chain;
      expect(last?.number).toBe(2n);
      // Nothing tells the form of the last one yet.
      expect(last?.rootHashes.map(toHex)).toContain(toHex(chain[2]?.rootHash as Uint8Array));
      expect(last?.rootHashes.length).toBe(2);
      expect(toHex(last?.recordHash as Uint8Array)).toMatch(/^[0-9a-f]{96}$/);
    },
  );

  it('refuses record files that too few nodes, or other ones, signed', () => {
    const [block] = wrappedChain({ count: 1, nodes: NODES.slice(0, 1), itemsOf });
    const single = read({ number: 0n }, block?.bytes as Uint8Array);
    expect(findings(verify([single]))).toEqual(['STREAM_NO_CONSENSUS']);
    expect(findings(verify([single], { recordSigners: signersOf(makeNodes(4)) }))).toEqual(['STREAM_BAD_SIGNATURE']);
    expect(findings(verify([single], { recordSigners: null }))).toEqual(['STREAM_UNSIGNED']);
    expect(findings(verify([single], { recordSigners: null, unsigned: true }))).toEqual(['trusted']);
    // Signatures of one node count once.
    const twice = recordFileProof(0n, block?.fileHash as Uint8Array, [NODES[0], NODES[0], NODES[0]] as typeof NODES);
    expect(findings(verify([read({ number: 0n }, closed(block as OpenBlock, twice))]))).toEqual([
      'STREAM_NO_CONSENSUS',
    ]);
    const none = recordFileProof(0n, block?.fileHash as Uint8Array, []);
    expect(findings(verify([read({ number: 0n }, closed(block as OpenBlock, none))]))).toEqual(['STREAM_UNSIGNED']);
  });

  it('refuses a block that follows another record file', () => {
    const chain = wrappedChain({ count: 2, nodes: NODES, itemsOf });
    const other = wrappedChain({
      count: 2,
      nodes: NODES,
      itemsOf: (index) => itemsFrom(START + BigInt(index) * STEP, 5),
    });
    const [first, second] = [chain[0], other[1]].map((block) => read(block as OpenBlock, block?.bytes as Uint8Array));
    const batch = verify([first, second] as Parameters<typeof verify>[0]);
    expect(findings(batch)).toEqual(['record-signatures', 'STREAM_CHAIN_BROKEN']);
    const state = { last: { number: 0n, rootHashes: [], recordHash: Buffer.alloc(48, 1) }, tree: null };
    const after = verifier.verifyBlock(
      second as Parameters<BlockVerifier['verifyBlock']>[0],
      { ...NO_TRUST, recordSigners: signersOf(NODES) },
      state,
    );
    expect(after.verdict).toMatchObject({ proven: false, fault: { code: 'STREAM_CHAIN_BROKEN' } });
  });

  it('proves them whole by a later block that covers its root hash', () => {
    const wrapped = wrappedChain({ count: 2, nodes: [], itemsOf });
    const items: BlockItem[][] = wrapped.map((block) => block.items.slice(1, -1));
    const chain = openChain({
      count: 3,
      hapiVersion: { major: 0, minor: 78, patch: 0 },
      itemsOf: (index) => items[index] ?? [blockItem(Field.roundHeader, numberField(1, 1n))],
    });
    const blocks = chain.map((block, i) => {
      const proof = i < 2 ? recordFileProof(block.number, Buffer.alloc(48), []) : testSignature(block);
      return read(block, closed(block, proof));
    });
    expect(findings(verify(blocks, { testSignatures: true }))).toEqual([
      'later-block',
      'later-block',
      'test-signature',
    ]);
    expect(findings(verify(blocks.slice(0, 2), { testSignatures: true }))).toEqual([
      'STREAM_UNSIGNED',
      'STREAM_UNSIGNED',
    ]);
  });
});
