import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import { toHex } from '../../ledger/bytes.ts';
import { parseAddressBook } from '../address-book.ts';
import { blockContentOf } from '../compression.ts';
import { equalBytes } from '../equal-bytes.ts';
import { mutate, randomFrom } from '../testing/mutations.fixture.ts';
import { itemsFrom, makeNodes } from '../testing/network.fixture.ts';
import { hasRealStreams, readReal } from '../testing/real-streams.fixture.ts';
import type { Block } from './block.ts';
import { START_OF_CHAIN } from './chain.ts';
import { readBlock } from './read-block.ts';
import {
  closed,
  NO_TRUST,
  type OpenBlock,
  openChain,
  START,
  signedProof,
  signersOf,
  stateProof,
  testSignature,
  wrappedChain,
} from './testing/blocks.fixture.ts';
import type { BlockTrust, RecordSigners } from './trust.ts';
import { HINTS_KEY_BYTES, HINTS_SIGNATURE_BYTES } from './tss/hints-layout.ts';
import { claimedLedgerId } from './tss/wraps.ts';
import type { ChainState } from './verdict.ts';
import { BlockVerifier } from './verify-blocks.ts';
import { readWrappedRecordFile } from './wrapped-record-file.ts';
import { createThresholdSigner } from './write/threshold-signer.ts';

/** Mutations of each chain, and the seed that they follow from. `npm run nightly` makes 10,000 of another seed each time. */
const MUTATIONS = Number(process.env.KAGAMI_FUZZ_BLOCKS ?? 200);
const SEED = Number(process.env.KAGAMI_FUZZ_SEED ?? 13);
const LIMIT = 900_000 + MUTATIONS * 500;

interface Target {
  readonly what: string;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly trust: BlockTrust;
  readonly chain?: ChainState;
  /**
   * What their proofs leave open is told by the next block, which names the root hash: each is proven together with it. Of
   * blocks whose signers aren't known, the last one is only that.
   */
  readonly byNext?: boolean;
}

const verifier = await BlockVerifier.open();

/** Proves one block of a target where the chain stands; throws a stream error when it isn't proven. */
const prove = (name: string, bytes: Uint8Array, trust: BlockTrust, chain: ChainState, next?: Block) => {
  const blocks = [readBlock(name, bytes), ...(next === undefined ? [] : [next])];
  const { verdicts, chains, ledger } = verifier.verifyBlocks(blocks, trust, chain, true);
  // Blocks that nobody signed are as good as their links.
  const fault = verdicts.slice(0, trust.unsigned ? 2 : 1).find((verdict) => !verdict.proven);
  if (fault?.proven === false)
    throw new KagamiError(fault.fault.code, fault.fault.message, { details: fault.fault.details });
  return { chain: chains[0] as ChainState, ledger };
};

/** The record file that a block wraps, which its signatures cover, however the message around it is written. */
const wrappedBy = (block: Block): string => {
  const version = block.proofs.find((proof) => proof.kind === 'record-file')?.version ?? 0;
  const read = readWrappedRecordFile(block.name, block.recordFile as Uint8Array, version);
  const { recordFile, sidecars, amendments } = read;
  return [
    recordFile.name,
    toHex(recordFile.fileHash),
    ...sidecars.map(({ hash }) => toHex(hash)),
    amendments.length,
  ].join();
};

/** A mutant that is proven must be the block itself: only its proofs may differ, in bytes that no proof covers. */
const isSameBlock = (name: string, mutant: Uint8Array, original: Uint8Array, wraps: boolean): boolean => {
  const [a, b] = [mutant, original].map((bytes) => blockContentOf(name, bytes, 1 << 28).bytes) as [
    Uint8Array,
    Uint8Array,
  ];
  if (equalBytes(a, b)) return true;
  const [first, second] = [a, b].map((bytes) => readBlock(name, bytes));
  if (wraps) return wrappedBy(first as Block) === wrappedBy(second as Block);
  const covered = (block: typeof first): Buffer =>
    Buffer.concat((block?.items ?? []).filter(({ field }) => field !== 9 && field !== 12).map(({ bytes }) => bytes));
  const hashes = (block: typeof first): Buffer => Buffer.concat(Object.values(block?.footer ?? {}));
  return equalBytes(covered(first), covered(second)) && equalBytes(hashes(first), hashes(second));
};

/** Mutates the blocks of a chain in turn, each where it stands in the chain; returns the codes of the refusals. */
const fuzz = (
  { what, files, trust, chain = START_OF_CHAIN, byNext = false }: Target,
  seed: number,
): Map<string, number> => {
  const next = randomFrom(seed);
  const refusals = new Map<string, number>();
  const stands: { readonly chain: ChainState; readonly trust: BlockTrust }[] = [{ chain, trust }];
  const blocks = files.map(({ name, bytes }) => readBlock(name, bytes));
  const nextOf = (index: number): Block | undefined => (byNext ? blocks[index + 1] : undefined);
  for (const [i, { name, bytes }] of files.entries()) {
    const last = stands.at(-1) as (typeof stands)[number];
    const after = prove(name, bytes, last.trust, last.chain, nextOf(i));
    stands.push({ chain: after.chain, trust: { ...trust, ledger: after.ledger } });
  }
  const mutable = trust.unsigned ? files.length - 1 : files.length;
  for (let i = 0; i < MUTATIONS; i++) {
    const index = i % mutable;
    const { name, bytes } = files[index] as (typeof files)[number];
    const stand = stands[index] as (typeof stands)[number];
    const mutant = mutate(bytes, next);
    let fault: unknown;
    try {
      prove(name, mutant, stand.trust, stand.chain, nextOf(index));
    } catch (error) {
      fault = error;
    }
    const which = `mutation ${i} of ${what}, of ${name}, by seed ${seed}`;
    if (fault === undefined) {
      const wraps = blocks[index]?.recordFile !== null;
      expect(isSameBlock(name, mutant, bytes, wraps), `${which}, is proven`).toBe(true);
    } else {
      if (!(fault instanceof KagamiError)) throw new Error(which, { cause: fault });
      expect(fault.code, which).toMatch(/^STREAM_/);
      refusals.set(fault.code, (refusals.get(fault.code) ?? 0) + 1);
    }
  }
  return refusals;
};

const total = (counts: Map<string, number>): number => [...counts.values()].reduce((sum, count) => sum + count, 0);

const generated = (): Target[] => {
  const signer = createThresholdSigner(
    [0n, 1n, 2n].map((nodeId) => ({ nodeId, weight: 10n })),
    'fuzz',
  );
  const chain = openChain({ count: 3, ledger: signer.ledger });
  const last = signer.sign((chain[2] as OpenBlock).rootHash);
  const signed = chain.map((block, i) => ({
    name: `${i}.blk`,
    bytes: closed(block, i === 2 ? signedProof(2n, last) : stateProof(chain, i, 2, last)),
  }));
  const plain = openChain({ count: 2, form: 'eight-leaves' }).map((block, i) => ({
    name: `${i}.blk`,
    bytes: closed(block, testSignature(block)),
  }));
  const nodes = makeNodes(3);
  const wrapped = wrappedChain({ count: 2, nodes, itemsOf: (i) => itemsFrom(START + BigInt(i) * 2_000_000_000n, 3) });
  return [
    { what: 'threshold signatures', files: signed, trust: NO_TRUST },
    { what: 'test signatures', files: plain, trust: { ...NO_TRUST, testSignatures: true } },
    {
      what: 'compressed blocks',
      files: plain.map(({ name, bytes }) => ({ name, bytes: gzipSync(bytes) })),
      trust: { ...NO_TRUST, testSignatures: true },
    },
    {
      what: 'wrapped record blocks',
      files: wrapped.map(({ bytes, number }) => ({ name: `${number}.blk`, bytes })),
      trust: { ...NO_TRUST, recordSigners: signersOf(nodes) },
      byNext: true,
    },
  ];
};

const signersIn = (book: string): RecordSigners => {
  const { entries } = parseAddressBook(readReal(book));
  return {
    nodes: entries.map(({ nodeId, publicKeyHex }) => ({ nodeId, publicKeyHex, weight: 1n })),
    totalWeight: BigInt(entries.length),
    ratio: { numerator: 1n, denominator: 3n },
  };
};

/** Every chain, and every block that stands alone. */
const real = (): Target[] => {
  const chainOf = (what: string, paths: readonly string[], trust: Partial<BlockTrust>): Target => ({
    what,
    files: paths.map((path) => ({ name: path, bytes: blockContentOf(path, readReal(path), 1 << 28).bytes })),
    trust: { ...NO_TRUST, ...trust },
  });
  const from = (folder: string, first: number, last: number): string[] =>
    Array.from({ length: last - first + 1 }, (_, i) => `${folder}/${first + i}.blk.gz`);
  const alpha = (...numbers: readonly string[]): string[] =>
    numbers.map((number) => `blocks/0.73-alpha/0000/0000/0000/0000/${number}.blk.zstd`);
  const testSignatures = { testSignatures: true };
  const [wraps] = from('blocks/0.78-wraps', 391, 391) as [string];
  const [proof] = readBlock(wraps, readReal(wraps)).proofs;
  if (proof?.kind !== 'signed') throw new Error('no signature');
  const id = claimedLedgerId(proof.signature.subarray(HINTS_KEY_BYTES + HINTS_SIGNATURE_BYTES));
  const samples = [
    [2, 'addressbooks/networks/mainnet'],
    [5, 'addressbooks/networks/mainnet'],
    [6, 'records/mainnet-2025-07-23-v6/address_book.bin'],
  ] as const;
  return [
    chainOf('blocks/0.71-mock', from('blocks/0.71-mock', 0, 1), testSignatures),
    chainOf('blocks/0.73-alpha 7 and 8', alpha('007', '008'), testSignatures),
    chainOf('blocks/0.73-alpha 16', alpha('016'), testSignatures),
    chainOf('blocks/0.73-schnorr', from('blocks/0.73-schnorr', 0, 4), {}),
    chainOf('blocks/0.78-schnorr', from('blocks/0.78-schnorr', 0, 5), {}),
    chainOf('blocks/0.78-wraps 391', [wraps], { ledger: { id, roster: null, wrapsKey: null } }),
    { ...chainOf('blocks/0.78-wraps 1 to 4', from('blocks/0.78-wraps', 1, 4), { unsigned: true }), byNext: true },
    {
      ...chainOf('wrapped/solo-0.78', from('wrapped/solo-0.78', 0, 4), {
        recordSigners: signersIn('addressbooks/test/test-v6-4n.bin'),
      }),
      byNext: true,
    },
    ...samples.map(([version, book]) => {
      const path = `wrapped/mainnet-samples/v${version}-block.blk.gz`;
      return chainOf(path, [path], { recordSigners: signersIn(book) });
    }),
  ];
};

/** Says how mutations were refused where that is a long run's result. */
const report = (what: string, refusals: Map<string, number>): void => {
  if (process.env.KAGAMI_FUZZ_BLOCKS === undefined) return;
  console.log(`${what}: ${MUTATIONS} mutations, ${total(refusals)} refused`, Object.fromEntries(refusals));
};

const refusesMutations = (target: Target, seed: number): void => {
  const refusals = fuzz(target, seed);
  report(target.what, refusals);
  expect(total(refusals), `${target.what}: ${[...refusals]}`).toBeGreaterThan(MUTATIONS / 2);
};

const named = (targets: readonly Target[]) => targets.map((target) => [target.what, target] as const);

describe(`${MUTATIONS} mutations of a chain are refused, each with a stream error`, () => {
  it.each(named(generated()))(`%s, seed ${SEED}`, (_, target) => refusesMutations(target, SEED), LIMIT);

  it.each(named(hasRealStreams ? real() : []))(
    `%s, seed ${SEED}`,
    (_, target) => refusesMutations(target, SEED),
    LIMIT,
  );
});
