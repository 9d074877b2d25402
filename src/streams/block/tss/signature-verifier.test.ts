import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { KagamiError } from '../../../errors/kagami-error.ts';
import { fromHex, toHex } from '../../../ledger/bytes.ts';
import { hasRealStreams, realStreams } from '../../testing/real-streams.fixture.ts';
import type { LedgerTrust } from '../trust.ts';
import { createThresholdSigner } from '../write/threshold-signer.ts';
import { BLS_SCALAR_ORDER, hashToField, InvalidProof } from './field.ts';
import { poseidonHash } from './poseidon.ts';
import { rosterHash } from './roster-hash.ts';
import { SignatureVerifier } from './signature-verifier.ts';
import { claimedLedgerId } from './wraps.ts';
import { knownWrapsKeys } from './wraps-keys.ts';

const NODES = [0n, 1n, 2n, 3n].map((nodeId) => ({ nodeId, weight: 1000n + 7n * nodeId, signs: nodeId !== 1n }));
const MESSAGE = Buffer.alloc(48, 0x5a);

/** Parts of a signature: name, offset, length. */
const HINTS_PARTS: readonly (readonly [string, number, number])[] = (() => {
  let offset = 0;
  const part = (name: string, length: number): readonly [string, number, number] => {
    const start = offset;
    offset += length;
    return [name, start, length];
  };
  return [
    part('size', 8),
    part('total weight', 32),
    ...['g0', 'h0', 'h1', 'lagrange', 'weights', 'keys', 'vanishing'].map((name, i) =>
      part(name, [96, 192, 192, 96, 96, 192, 192][i] as number),
    ),
    part('aggregate key', 96),
    part('aggregate weight', 32),
    part('aggregate signature', 192),
    ...['b', 'qx', 'qxTau', 'qz', 'ps', 'q1', 'q3', 'q2', 'q4', 'openingR', 'openingNext'].map((name) =>
      part(name, 96),
    ),
    ...['psR', 'psNext', 'wR', 'bR', 'q1R', 'q3R', 'q2R', 'q4R'].map((name) => part(name, 32)),
  ];
})();
const PREFIX = 1096 + 1632;
const SCHNORR_PARTS = [
  ['flags', PREFIX, 4],
  ['flags beyond the roster', PREFIX + 4, 124],
  ['response', PREFIX + 128, 32],
  ['challenge', PREFIX + 160, 32],
] as const;
/** Offsets of the WRAPS proof's fields, whose ends are the next one's offsets. */
const WRAPS_OFFSETS = [
  0, 32, 40, 72, 104, 112, 144, 176, 184, 216, 248, 256, 288, 320, 352, 416, 448, 480, 512, 544, 576, 608, 640, 672,
  704,
];
const WRAPS_PARTS = WRAPS_OFFSETS.slice(1).map(
  (end, i) =>
    [
      `proof at ${WRAPS_OFFSETS[i]}`,
      PREFIX + (WRAPS_OFFSETS[i] as number),
      end - (WRAPS_OFFSETS[i] as number),
    ] as const,
);

/** Lowest and highest bit of a part, and one between. */
const mutantsOf = (
  signature: Uint8Array,
  parts: readonly (readonly [string, number, number])[],
): { readonly what: string; readonly mutant: Uint8Array }[] =>
  parts.flatMap(([what, offset, length]) =>
    [
      [0, 0x01],
      [length - 1, 0x80],
      [Math.floor(length / 2), 0x10],
    ].map(([at, mask]) => {
      const mutant = new Uint8Array(signature);
      const index = offset + (at as number);
      mutant[index] = (mutant[index] as number) ^ (mask as number);
      return { what: `${what}, byte ${at}`, mutant };
    }),
  );

const accepts = (
  verifier: SignatureVerifier,
  signature: Uint8Array,
  message: Uint8Array,
  ledger: LedgerTrust,
): boolean => {
  try {
    verifier.verify(signature, message, ledger);
    return true;
  } catch (error) {
    if (error instanceof InvalidProof || error instanceof KagamiError) return false;
    throw error;
  }
};

describe('hashes of the threshold signature scheme', () => {
  it('hashes to a field as arkworks does', () => {
    expect(hashToField(Buffer.from('abc'), 'HINTS_SIG_BLS12381:FIAT_SHAMIR', BLS_SCALAR_ORDER)).toBe(
      0x10cdd4625eff188faae5b21e07df315eebe5a944d2abab31258cb3e38cc2158cn,
    );
  });

  it('has the Poseidon hash of the reference', () => {
    expect(poseidonHash([1n])).toBe(7195641749805210724996949585413696003422398574800331622160669465078063062672n);
    expect(poseidonHash([1n, 2n, 3n, 4n, 5n])).toBe(
      2006158340318488760025443826385193554248487533762005435528482214650964641219n,
    );
  });
});

describe('threshold signatures', () => {
  const signer = createThresholdSigner(NODES, 'signature-verifier');
  const signature = signer.sign(MESSAGE);
  const { ledger } = signer;

  it('verifies what nodes with more than half of the weight signed', async () => {
    expect(signature.length).toBe(2920);
    const verifier = await SignatureVerifier.open();
    expect(verifier.verify(signature, MESSAGE, ledger)).toBe('schnorr');
    const half = createThresholdSigner(
      NODES.map((node) => ({ ...node, weight: 5n, signs: node.nodeId < 2n })),
      'half',
    );
    expect(() => verifier.verify(half.sign(MESSAGE), MESSAGE, half.ledger)).toThrow(
      'the Schnorr signature holds 10 of the weight 20, must hold more than half',
    );
  });

  it('refuses other messages, ledgers and rosters', async () => {
    const verifier = await SignatureVerifier.open();
    expect(() => verifier.verify(signature, Buffer.alloc(48, 1), ledger)).toThrow(
      'the hinTS signature does not verify',
    );
    const other = createThresholdSigner(NODES, 'other').ledger;
    expect(() => verifier.verify(signature, MESSAGE, other)).toThrow('the Schnorr signature does not verify');
    expect(() => verifier.verify(signature, MESSAGE, { ...ledger, roster: other.roster })).toThrow(
      /^the roster is not the one of ledger/,
    );
    expect(() => verifier.verify(signature, MESSAGE, { ...ledger, roster: null })).toThrow(/genesis roster/);
    expect(() => verifier.verify(signature.subarray(1), MESSAGE, ledger)).toThrow(
      'a block signature of 2919 bytes is not known',
    );
    // A signature over another message beside the approval of the same key.
    expect(accepts(verifier, signature, MESSAGE, ledger)).toBe(true);
  });

  it('refuses a signature of which a bit was changed, in each of its parts', async () => {
    const verifier = await SignatureVerifier.open();
    const mutants = mutantsOf(signature, [...HINTS_PARTS, ...SCHNORR_PARTS]);
    expect(mutants.length).toBe(3 * (31 + 4));
    expect(mutants.filter(({ mutant }) => accepts(verifier, mutant, MESSAGE, ledger)).map(({ what }) => what)).toEqual(
      [],
    );
  }, 120_000);

  it('refuses infinite aggregates and points of another form', async () => {
    const verifier = await SignatureVerifier.open();
    const infinite = (offset: number, length: number): Uint8Array => {
      const copy = new Uint8Array(signature);
      copy.fill(0, offset, offset + length);
      copy[offset] = 0x40;
      return copy;
    };
    expect(() => verifier.verify(infinite(1096, 96), MESSAGE, ledger)).toThrow(
      'the aggregate key or signature is infinite',
    );
    expect(() => verifier.verify(infinite(1224, 192), MESSAGE, ledger)).toThrow(
      'the aggregate key or signature is infinite',
    );
    for (const [, offset, length] of HINTS_PARTS.filter(([, , size]) => size > 32)) {
      expect(accepts(verifier, infinite(offset, length), MESSAGE, ledger)).toBe(false);
    }
  }, 120_000);

  it('believes only WRAPS keys that are known or configured', async () => {
    const [key] = knownWrapsKeys().values();
    const forged = new Uint8Array(key as Uint8Array);
    forged[1700] = (forged[1700] as number) ^ 1;
    const wraps = Buffer.concat([signature.subarray(0, PREFIX), Buffer.alloc(704)]);
    const verifier = await SignatureVerifier.open();
    expect(() => verifier.verify(wraps, MESSAGE, { ...ledger, wrapsKey: forged })).toThrow(
      /its WRAPS key is neither a known nor a configured one \(SHA-256 [0-9a-f]{64}\)$/,
    );
    expect(() => verifier.verify(wraps, MESSAGE, ledger)).toThrow(InvalidProof);
  });
});

interface Vector {
  readonly generation: string;
  readonly library: string;
  readonly wrapsVerificationKeySha256: string;
  readonly ledgerId: string;
  readonly message: string;
  readonly roster: readonly { readonly nodeId: number; readonly weight: number; readonly key: string }[];
  readonly signatureWithSchnorr: string;
  readonly signatureWithWraps: string;
}

const hex = (text: string): Uint8Array => fromHex(text) ?? new Uint8Array(0);

const ledgerOf = ({ ledgerId, roster, wrapsVerificationKeySha256 }: Vector): LedgerTrust => ({
  id: hex(ledgerId),
  roster: roster.map(({ nodeId, weight, key }) => ({ nodeId: BigInt(nodeId), weight: BigInt(weight), key: hex(key) })),
  wrapsKey: knownWrapsKeys().get(wrapsVerificationKeySha256) ?? null,
});

describe.skipIf(!hasRealStreams)('vectors of the threshold signature scheme', () => {
  const { vectors } = hasRealStreams
    ? (JSON.parse(readFileSync(`${realStreams}/../reference/tss-vectors.json`, 'utf8')) as { vectors: Vector[] })
    : { vectors: [] };

  it('has the rosters that the ledger ids are hashes of', () => {
    expect(vectors.map(({ library }) => library)).toEqual(['3.7.2-3.7.7', '3.7.8-3.7.11', '3.8.0-3.15.0', '3.15.1']);
    for (const vector of vectors) expect(toHex(rosterHash(ledgerOf(vector).roster ?? []))).toBe(vector.ledgerId);
  });

  it('verifies every generation with both approvals', async () => {
    const verifier = await SignatureVerifier.open();
    for (const vector of vectors) {
      const ledger = ledgerOf(vector);
      const message = hex(vector.message);
      for (const known of [ledger, { ...ledger, wrapsKey: null }]) {
        expect(verifier.verify(hex(vector.signatureWithSchnorr), message, known)).toBe('schnorr');
        expect(verifier.verify(hex(vector.signatureWithWraps), message, known)).toBe('wraps');
      }
      const other = new Uint8Array(message);
      other[31] = (other[31] as number) ^ 1;
      expect(accepts(verifier, hex(vector.signatureWithSchnorr), other, ledger)).toBe(false);
      expect(toHex(claimedLedgerId(hex(vector.signatureWithWraps).subarray(PREFIX)))).toBe(vector.ledgerId);
      const wrongId = { ...ledger, id: Buffer.alloc(32, 1) };
      expect(accepts(verifier, hex(vector.signatureWithWraps), message, wrongId)).toBe(false);
    }
  }, 120_000);

  it('refuses every vector as one of another generation', async () => {
    const verifier = await SignatureVerifier.open();
    const keys = [...knownWrapsKeys()];
    for (const vector of vectors) {
      const others = keys.filter(([name]) => name !== vector.wrapsVerificationKeySha256);
      for (const [, wrapsKey] of others) {
        expect(
          accepts(verifier, hex(vector.signatureWithWraps), hex(vector.message), { ...ledgerOf(vector), wrapsKey }),
        ).toBe(false);
      }
    }
  }, 120_000);

  it('refuses every vector of which a bit was changed, in each of its parts', async () => {
    for (const vector of vectors) {
      const verifier = await SignatureVerifier.open();
      const ledger = ledgerOf(vector);
      const schnorr = mutantsOf(hex(vector.signatureWithSchnorr), [...HINTS_PARTS, ...SCHNORR_PARTS]);
      const wraps = mutantsOf(hex(vector.signatureWithWraps), WRAPS_PARTS);
      expect(wraps.length).toBe(3 * 24);
      const accepted = [...schnorr, ...wraps].filter(({ mutant }) =>
        accepts(verifier, mutant, hex(vector.message), ledger),
      );
      expect(accepted.map(({ what }) => `${vector.library}: ${what}`)).toEqual([]);
    }
  }, 300_000);
});
