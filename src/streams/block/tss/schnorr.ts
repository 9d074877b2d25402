import { blake2s } from '@noble/hashes/blake2.js';
import type { RosterEntry } from '../trust.ts';
import {
  BABY_JUBJUB_ORDER,
  compressedJubjub,
  JUBJUB_GENERATOR,
  JUBJUB_IDENTITY,
  type JubjubPoint,
  jubjubPoint,
  timesJubjub,
  uncompressedJubjub,
} from './baby-jubjub.ts';
import { canonical, hashToField, invalid, littleEndian, littleEndianBytes } from './field.ts';
import type { Generation } from './generation.ts';
import { hashOfKey } from './key-hash.ts';

/** Places of a signature's participants, whatever the roster's size. */
export const MAX_ROSTER = 128;
export const SCHNORR_BYTES = MAX_ROSTER + 64;
export const HISTORY_KEY_BYTES = 192;

const CHALLENGE_BYTES = 31;

/** The key of a node that has none; it is exempt from the proof of possession. */
const SENTINEL_X = 6920711939553923913704084943758410605317685431754228119541520748680721639445n;
const SENTINEL_Y = 15864855719970161306208030973550124391814615182611152827202991785986622293039n;

/** The public keys of a roster, each with its proof of possession checked. */
export interface CheckedRoster {
  readonly entries: readonly { readonly weight: bigint; readonly key: JubjubPoint }[];
  readonly totalWeight: bigint;
}

/**
 * Checks the keys of a genesis roster: of the curve's prime subgroup, and with a valid proof of possession.
 * @throws InvalidProof.
 */
export const checkRoster = (roster: readonly RosterEntry[], generation: Generation): CheckedRoster => {
  if (roster.length === 0 || roster.length > MAX_ROSTER) invalid(`a roster of ${roster.length} nodes`);
  const entries = roster.map(({ nodeId, weight, key }) => ({ weight, key: checkKey(key, nodeId, generation) }));
  const totalWeight = entries.reduce((sum, { weight }) => sum + weight, 0n);
  return { entries, totalWeight };
};

/** Key, then commitment, challenge and response of its proof of possession. */
const checkKey = (bytes: Uint8Array, nodeId: bigint, generation: Generation): JubjubPoint => {
  const what = `the history proof key of node ${nodeId}`;
  if (bytes.length !== HISTORY_KEY_BYTES) invalid(`${what} has ${bytes.length} bytes`);
  const key = jubjubPoint(bytes.subarray(0, 64), what);
  const { x, y } = key.toAffine();
  if (x === SENTINEL_X && y === SENTINEL_Y) return key;
  const commitment = jubjubPoint(bytes.subarray(64, 128), what);
  const challenge = canonical(bytes.subarray(128, 160), BABY_JUBJUB_ORDER, what);
  const response = canonical(bytes.subarray(160, 192), BABY_JUBJUB_ORDER, what);
  const hashed = Buffer.concat([JUBJUB_GENERATOR, key, commitment].map(compressedJubjub));
  const isValid =
    challenge === hashToField(hashed, generation.possessionDomain, BABY_JUBJUB_ORDER) &&
    timesJubjub(JUBJUB_GENERATOR, response).equals(commitment.add(timesJubjub(key, challenge)));
  return isValid ? key : invalid(`${what} has no valid proof of possession`);
};

/**
 * Verifies the signature of 192 bytes by which nodes with more than half of the genesis roster's weight approve a hinTS
 * key: a flag for each place of the roster, response and challenge.
 * @throws InvalidProof.
 */
export const verifySchnorr = (
  signature: Uint8Array,
  roster: CheckedRoster,
  ledgerId: Uint8Array,
  hintsKey: Uint8Array,
  generation: Generation,
): void => {
  const flags = signature.subarray(0, MAX_ROSTER);
  if (flags.some((flag) => flag > 1)) invalid('a flag of the Schnorr signature is neither 0 nor 1');
  // The reference ignores these; nodes never set them.
  if (flags.subarray(roster.entries.length).some((flag) => flag !== 0)) invalid('a flag beyond the roster is set');
  const response = canonical(signature.subarray(MAX_ROSTER, MAX_ROSTER + 32), BABY_JUBJUB_ORDER, 'the response');
  const challenge = canonical(signature.subarray(MAX_ROSTER + 32), BABY_JUBJUB_ORDER, 'the challenge');
  let aggregate = JUBJUB_IDENTITY;
  let weight = 0n;
  roster.entries.forEach((entry, index) => {
    if (flags[index] !== 1) return;
    aggregate = aggregate.add(entry.key);
    weight += entry.weight;
  });
  if (2n * weight <= roster.totalWeight) {
    invalid(`the Schnorr signature holds ${weight} of the weight ${roster.totalWeight}, must hold more than half`);
  }
  const commitment = timesJubjub(JUBJUB_GENERATOR, response).add(timesJubjub(aggregate, challenge));
  const digest = blake2s(
    Buffer.concat([
      uncompressedJubjub(aggregate),
      uncompressedJubjub(commitment),
      ledgerId,
      littleEndianBytes(hashOfKey(hintsKey, generation)),
    ]),
  );
  if (challenge !== littleEndian(digest.subarray(0, CHALLENGE_BYTES))) invalid('the Schnorr signature does not verify');
};
