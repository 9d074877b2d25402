/**
 * Signs blocks as a network with threshold signatures does before its first WRAPS proof: hinTS key, hinTS signature and
 * the Schnorr signature by which the genesis roster approves the key (2920 bytes, generation A). All secrets come from a
 * seed, the trapdoor of the setup among them; so this is for simulated networks and tests only.
 */
import { hash } from 'node:crypto';
import { blake2s } from '@noble/hashes/blake2.js';
import type { LedgerTrust } from '../trust.ts';
import {
  BABY_JUBJUB_ORDER,
  compressedJubjub,
  JUBJUB_GENERATOR,
  JUBJUB_IDENTITY,
  timesJubjub,
  uncompressedJubjub,
} from '../tss/baby-jubjub.ts';
import { bigEndian, hashToField, littleEndian, littleEndianBytes, modulo } from '../tss/field.ts';
import { GENERATION_A } from '../tss/generation.ts';
import { hashOfKey } from '../tss/key-hash.ts';
import { rosterHash } from '../tss/roster-hash.ts';
import { MAX_ROSTER } from '../tss/schnorr.ts';
import { HintsSigner, type SigningNode } from './hints-signer.ts';

export interface ThresholdSigner {
  /** The ledger that its signatures are verified against; its WRAPS key is not made. */
  readonly ledger: LedgerTrust;
  /** Signs a root hash: 2920 bytes. Takes about a tenth of a second. */
  readonly sign: (message: Uint8Array) => Uint8Array;
}

/** Makes the keys of a network and its approved hinTS key; `seed` is any text. Fewer than 128 nodes. */
export const createThresholdSigner = (nodes: readonly SigningNode[], seed: string): ThresholdSigner => {
  const secret = (purpose: string, order: bigint): bigint =>
    1n + (bigEndian(hash('sha512', `${seed}/${purpose}`, 'buffer')) % (order - 1n));
  const keys = nodes.map(({ nodeId }) => secret(`history key ${nodeId}`, BABY_JUBJUB_ORDER));
  const roster = nodes.map(({ nodeId, weight }, i) => ({
    nodeId,
    weight,
    key: historyKey(keys[i] as bigint, secret(`possession ${nodeId}`, BABY_JUBJUB_ORDER)),
  }));
  const id = rosterHash(roster);
  const hints = new HintsSigner(nodes, secret);
  const participants = nodes.map(({ signs = true }) => signs);
  const approval = approve(keys, participants, id, hints.key, secret('approval', BABY_JUBJUB_ORDER));
  return {
    ledger: { id, roster, wrapsKey: null },
    sign: (message) => Buffer.concat([hints.key, hints.sign(message), approval]),
  };
};

/** Public key with its proof of possession, 192 bytes. */
const historyKey = (secret: bigint, nonce: bigint): Uint8Array => {
  const key = timesJubjub(JUBJUB_GENERATOR, secret);
  const commitment = timesJubjub(JUBJUB_GENERATOR, nonce);
  const hashed = Buffer.concat([JUBJUB_GENERATOR, key, commitment].map(compressedJubjub));
  const challenge = hashToField(hashed, GENERATION_A.possessionDomain, BABY_JUBJUB_ORDER);
  const response = modulo(nonce + challenge * secret, BABY_JUBJUB_ORDER);
  return Buffer.concat([
    uncompressedJubjub(key),
    uncompressedJubjub(commitment),
    littleEndianBytes(challenge),
    littleEndianBytes(response),
  ]);
};

/** The Schnorr signature of the participants over ledger id and hinTS key, 192 bytes. */
const approve = (
  keys: readonly bigint[],
  participants: readonly boolean[],
  ledgerId: Uint8Array,
  hintsKey: Uint8Array,
  nonce: bigint,
): Uint8Array => {
  const flags = Buffer.alloc(MAX_ROSTER);
  let secret = 0n;
  let aggregate = JUBJUB_IDENTITY;
  keys.forEach((key, i) => {
    if (participants[i] !== true) return;
    flags[i] = 1;
    secret += key;
    aggregate = aggregate.add(timesJubjub(JUBJUB_GENERATOR, key));
  });
  const digest = blake2s(
    Buffer.concat([
      uncompressedJubjub(aggregate),
      uncompressedJubjub(timesJubjub(JUBJUB_GENERATOR, nonce)),
      ledgerId,
      littleEndianBytes(hashOfKey(hintsKey, GENERATION_A)),
    ]),
  );
  const challenge = littleEndian(digest.subarray(0, 31));
  const response = modulo(nonce - challenge * secret, BABY_JUBJUB_ORDER);
  return Buffer.concat([flags, littleEndianBytes(response), littleEndianBytes(challenge)]);
};
