import { verify } from 'node:crypto';
import { parseRsaKey } from '../address-book.ts';
import { tally, type VerifiedSignature } from '../consensus.ts';
import { streamError } from '../stream-error.ts';
import type { BlockProof } from './block.ts';
import type { RecordSigners } from './trust.ts';

/**
 * Proves the record file that a block wraps by the RSA signatures of its nodes over the file's hash, as signature files
 * do; the metadata hash isn't signed here. Each takes about 50 microseconds.
 * @throws KagamiError STREAM_UNSIGNED without any signature, STREAM_BAD_SIGNATURE when none of them verifies,
 * STREAM_NO_CONSENSUS when too little weight signed.
 */
export const verifyRecordSignatures = (
  file: string,
  proof: Extract<BlockProof, { kind: 'record-file' }>,
  fileHash: Uint8Array,
  signers: RecordSigners,
): void => {
  if (proof.signatures.length === 0) {
    throw streamError('STREAM_UNSIGNED', { file, rule: 'no node signed the record file that the block wraps' });
  }
  const keys = new Map(signers.nodes.map(({ nodeId, publicKeyHex }) => [nodeId, publicKeyHex]));
  const verified: VerifiedSignature[] = [];
  const tried = new Set<bigint>();
  for (const { nodeId, signature } of proof.signatures) {
    if (tried.has(nodeId)) continue;
    tried.add(nodeId);
    const key = parseRsaKey(keys.get(nodeId) ?? '');
    if (key !== null && verify('sha384', fileHash, key, signature)) {
      verified.push({ nodeId, fileHash, metadataHash: null });
    }
  }
  if (verified.length === 0) {
    const rule = `none of ${tried.size} signatures is one of a node of the address book`;
    throw streamError('STREAM_BAD_SIGNATURE', { file, rule });
  }
  const weights = {
    total: signers.totalWeight,
    byNode: new Map(signers.nodes.map(({ nodeId, weight }) => [nodeId, weight])),
  };
  const { agreed, required, groups } = tally(verified, weights, signers.ratio);
  if (agreed !== undefined) return;
  const rule = `nodes with weight ${groups[0]?.weight ?? 0n} of ${weights.total} signed, ${required} are needed`;
  throw streamError('STREAM_NO_CONSENSUS', { file, rule });
};
