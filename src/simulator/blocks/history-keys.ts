/**
 * The nodes' keys on BabyJubJub by which a ledger's genesis roster approves a hinTS key, and the ledger id that they make.
 * Keys follow from the seed, so whoever knows it can sign: they are for simulated networks alone.
 */
import { blake2s } from '@noble/hashes/blake2.js';
import {
  BABY_JUBJUB_ORDER,
  compressedJubjub,
  JUBJUB_GENERATOR,
  JUBJUB_IDENTITY,
  type JubjubPoint,
  timesJubjub,
  uncompressedJubjub,
} from '../../streams/block/tss/baby-jubjub.ts';
import { bigEndian, hashToField, littleEndian, littleEndianBytes, modulo } from '../../streams/block/tss/field.ts';
import { GENERATION_A } from '../../streams/block/tss/generation.ts';
import { hashOfKey } from '../../streams/block/tss/key-hash.ts';
import { rosterHash } from '../../streams/block/tss/roster-hash.ts';
import { MAX_ROSTER } from '../../streams/block/tss/schnorr.ts';
import { bytesFromSeed } from '../seed.ts';

const NONCE_BYTES = 48;
const CHALLENGE_BYTES = 31;

const secretOf = (seed: string, label: string): bigint =>
  1n + (bigEndian(bytesFromSeed(seed, label, NONCE_BYTES)) % (BABY_JUBJUB_ORDER - 1n));

/** A node's part in the roster. */
export interface HistoryKey {
  readonly nodeId: bigint;
  readonly weight: bigint;
  /** Public key and proof of possession, 192 bytes. */
  readonly key: Uint8Array;
  readonly secret: bigint;
  readonly point: JubjubPoint;
}

/** The key of a node: point, then commitment, challenge and response that prove its possession. */
const historyKey = (seed: string, nodeId: bigint, weight: bigint): HistoryKey => {
  const secret = secretOf(seed, `history key/${nodeId}`);
  const nonce = secretOf(seed, `history nonce/${nodeId}`);
  const point = timesJubjub(JUBJUB_GENERATOR, secret);
  const commitment = timesJubjub(JUBJUB_GENERATOR, nonce);
  const hashed = Buffer.concat([JUBJUB_GENERATOR, point, commitment].map(compressedJubjub));
  const challenge = hashToField(hashed, GENERATION_A.possessionDomain, BABY_JUBJUB_ORDER);
  const response = modulo(nonce + challenge * secret, BABY_JUBJUB_ORDER);
  const key = Buffer.concat([
    uncompressedJubjub(point),
    uncompressedJubjub(commitment),
    littleEndianBytes(challenge),
    littleEndianBytes(response),
  ]);
  return { nodeId, weight, key, secret, point };
};

export interface HistoryRoster {
  /** 32 bytes: the hash of the roster. */
  readonly ledgerId: Uint8Array;
  readonly keys: readonly HistoryKey[];
}

/** The genesis roster of a network: nodes with the given weights. */
export const historyRoster = (seed: string, weights: readonly bigint[]): HistoryRoster => {
  const keys = weights.map((weight, nodeId) => historyKey(seed, BigInt(nodeId), weight));
  return { ledgerId: rosterHash(keys), keys };
};

/** The Schnorr signature of all nodes together by which they approve a hinTS key, 192 bytes. */
export const approveHintsKey = (seed: string, { ledgerId, keys }: HistoryRoster, hintsKey: Uint8Array): Uint8Array => {
  const nonces = keys.map(({ nodeId }) => secretOf(seed, `approval nonce/${nodeId}`));
  const sum = (values: readonly bigint[]): bigint =>
    modulo(
      values.reduce((a, b) => a + b, 0n),
      BABY_JUBJUB_ORDER,
    );
  const aggregate = keys.reduce((point, key) => point.add(key.point), JUBJUB_IDENTITY);
  const nonce = sum(nonces);
  const digest = blake2s(
    Buffer.concat([
      uncompressedJubjub(aggregate),
      uncompressedJubjub(timesJubjub(JUBJUB_GENERATOR, nonce)),
      ledgerId,
      littleEndianBytes(hashOfKey(hintsKey, GENERATION_A)),
    ]),
  );
  const challenge = littleEndian(digest.subarray(0, CHALLENGE_BYTES));
  const response = modulo(nonce - challenge * sum(keys.map(({ secret }) => secret)), BABY_JUBJUB_ORDER);
  const flags = new Uint8Array(MAX_ROSTER).fill(1, 0, keys.length);
  return Buffer.concat([flags, littleEndianBytes(response), littleEndianBytes(challenge)]);
};
