import type { RosterEntry } from '../trust.ts';
import { BN254_SCALAR_ORDER, invalid, littleEndian, littleEndianBytes } from './field.ts';
import { poseidonHash } from './poseidon.ts';
import { HISTORY_KEY_BYTES, MAX_ROSTER } from './schnorr.ts';

/** What fills a roster up to 128 places; its node id is -1. */
const PAD_X = 12242143994000228932794072931472805933014698661472621875120544547182037447307n;
const PAD_Y = 18632581597336484007639911068407412014942769995951822776505801470647807372989n;
const PAD_NODE_ID = BN254_SCALAR_ORDER - 1n;

/**
 * The ledger id of a network: the Poseidon hash of its genesis roster, 32 bytes.
 * @throws InvalidProof when the roster doesn't fit.
 */
export const rosterHash = (roster: readonly RosterEntry[]): Uint8Array => {
  if (roster.length > MAX_ROSTER) invalid(`a roster of ${roster.length} nodes`);
  const places = Array.from({ length: MAX_ROSTER }, (_, index) => {
    const entry = roster[index];
    if (entry === undefined) return { x: PAD_X, y: PAD_Y, weight: 0n, nodeId: PAD_NODE_ID };
    const { key, weight, nodeId } = entry;
    if (key.length !== HISTORY_KEY_BYTES) invalid(`the history proof key of node ${nodeId} has ${key.length} bytes`);
    const [x, y] = [littleEndian(key.subarray(0, 32)), littleEndian(key.subarray(32, 64))];
    if (x >= BN254_SCALAR_ORDER || y >= BN254_SCALAR_ORDER)
      invalid(`the history proof key of node ${nodeId} is not canonical`);
    return { x, y, weight, nodeId };
  });
  const hash = poseidonHash([
    ...places.map(({ x }) => x),
    ...places.map(({ y }) => y),
    ...places.map(({ weight }) => weight),
    ...places.map(({ nodeId }) => nodeId),
  ]);
  return littleEndianBytes(hash);
};
