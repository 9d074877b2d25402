import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { KagamiError } from '../../errors/kagami-error.ts';
import { parseAddressBook } from '../address-book.ts';
import { blockContentOf } from '../compression.ts';
import { equalBytes } from '../equal-bytes.ts';
import { mutate, randomFrom } from '../testing/mutations.fixture.ts';
import { itemsFrom, makeNodes } from '../testing/network.fixture.ts';
import { hasRealStreams, readReal } from '../testing/real-streams.fixture.ts';
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
import type { BlockTrust } from './trust.ts';
import type { ChainState } from './verdict.ts';
import { BlockVerifier } from './verify-blocks.ts';
import { createThresholdSigner } from './write/threshold-signer.ts';

/**
 * Mutations of each chain. The full run, `KAGAMI_FUZZ_BLOCKS=10000 npx vitest run src/streams/block/block-fuzz.test.ts`,
 * takes some ten minutes of one core.
 */
const MUTATIONS = Number(process.env.KAGAMI_FUZZ_BLOCKS ?? 200);
const LIMIT = 900_000 + MUTATIONS * 500;

interface Target {
  readonly what: string;
  readonly files: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  readonly trust: BlockTrust;
  readonly chain?: ChainState;
}

const verifier = await BlockVerifier.open();

/** Proves one block of a target where the chain stands; throws a stream error when it isn't proven. */
const prove = (name: string, bytes: Uint8Array, trust: BlockTrust, chain: ChainState) => {
  const block = readBlock(name, bytes);
  const { verdict, ...after } = verifier.verifyBlock(block, trust, chain);
  if (verdict.proven) return { ...after, rootHashes: verdict.rootHashes };
  throw new KagamiError(verdict.fault.code, verdict.fault.message, { details: verdict.fault.details });
};

/** A mutant that is proven must be the block itself: only its proofs may differ, in bytes that no proof covers. */
const isSameBlock = (name: string, mutant: Uint8Array, original: Uint8Array, wraps: boolean): boolean => {
  const [a, b] = [mutant, original].map((bytes) => blockContentOf(name, bytes, 1 << 28).bytes) as [
    Uint8Array,
    Uint8Array,
  ];
  if (equalBytes(a, b)) return true;
  const [first, second] = [a, b].map((bytes) => readBlock(name, bytes));
  // The signatures of a wrapped record block cover its record file.
  if (wraps) return equalBytes(first?.recordFile as Uint8Array, second?.recordFile as Uint8Array);
  const covered = (block: typeof first): Buffer =>
    Buffer.concat((block?.items ?? []).filter(({ field }) => field !== 9 && field !== 12).map(({ bytes }) => bytes));
  const hashes = (block: typeof first): Buffer => Buffer.concat(Object.values(block?.footer ?? {}));
  return equalBytes(covered(first), covered(second)) && equalBytes(hashes(first), hashes(second));
};

/** Mutates the blocks of a chain in turn, each where it stands in the chain; returns the codes of the refusals. */
const fuzz = ({ what, files, trust, chain = START_OF_CHAIN }: Target, seed: number): Map<string, number> => {
  const next = randomFrom(seed);
  const refusals = new Map<string, number>();
  const stands: { readonly chain: ChainState; readonly trust: BlockTrust }[] = [{ chain, trust }];
  for (const { name, bytes } of files) {
    const last = stands.at(-1) as (typeof stands)[number];
    const after = prove(name, bytes, last.trust, last.chain);
    stands.push({ chain: after.chain, trust: { ...trust, ledger: after.ledger } });
  }
  for (let i = 0; i < MUTATIONS; i++) {
    const index = i % files.length;
    const { name, bytes } = files[index] as (typeof files)[number];
    const stand = stands[index] as (typeof stands)[number];
    const mutant = mutate(bytes, next);
    try {
      prove(name, mutant, stand.trust, stand.chain);
      const wraps = readBlock(name, bytes).recordFile !== null;
      if (!isSameBlock(name, mutant, bytes, wraps)) throw new Error(`mutation ${i} of ${what} ${name} was accepted`);
    } catch (error) {
      if (!(error instanceof KagamiError)) throw error;
      expect(error.code).toMatch(/^STREAM_/);
      refusals.set(error.code, (refusals.get(error.code) ?? 0) + 1);
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
    },
  ];
};

const real = (): Target[] => {
  const chainOf = (folder: string, count: number, trust: BlockTrust): Target => ({
    what: folder,
    files: Array.from({ length: count }, (_, i) => {
      const path = `${folder}/${i}.blk.gz`;
      return { name: path, bytes: blockContentOf(path, readReal(path), 1 << 28).bytes };
    }),
    trust,
  });
  const book = parseAddressBook(readReal('addressbooks/test/test-v6-4n.bin'));
  const recordSigners = {
    nodes: book.entries.map(({ nodeId, publicKeyHex }) => ({ nodeId, publicKeyHex, weight: 1n })),
    totalWeight: BigInt(book.entries.length),
    ratio: { numerator: 1n, denominator: 3n },
  };
  const alpha = 'blocks/0.73-alpha/0000/0000/0000/0000/007.blk.zstd';
  return [
    chainOf('blocks/0.71-mock', 2, { ...NO_TRUST, testSignatures: true }),
    { what: alpha, files: [{ name: alpha, bytes: readReal(alpha) }], trust: { ...NO_TRUST, testSignatures: true } },
    chainOf('blocks/0.73-schnorr', 5, NO_TRUST),
    chainOf('blocks/0.78-schnorr', 6, NO_TRUST),
    chainOf('wrapped/solo-0.78', 5, { ...NO_TRUST, recordSigners }),
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
  expect(total(refusals), `${target.what}: ${[...refusals]}`).toBeGreaterThan(0.7 * MUTATIONS);
};

const named = (targets: readonly Target[]) => targets.map((target) => [target.what, target] as const);

describe(`${MUTATIONS} mutations of a chain are refused, each with a stream error`, () => {
  it.each(named(generated()))('%s', (_, target) => refusesMutations(target, 20_261_122), LIMIT);

  it.each(named(hasRealStreams ? real() : []))('%s', (_, target) => refusesMutations(target, 13), LIMIT);
});
