/** The keys by which a simulated ledger proves its blocks, and the identity that it publishes for that. */
import { LedgerIdPublicationTransactionBody } from '../../protobuf/generated/services/auxiliary/tss/ledger_id_publication.ts';
import { WRAPS_KEY_HASHES } from '../../streams/block/tss/generation.ts';
import { knownWrapsKeys } from '../../streams/block/tss/wraps-keys.ts';
import type { BlockProver } from './block-chain.ts';
import { HintsSigner } from './hints-signer.ts';
import { approveHintsKey, historyRoster } from './history-keys.ts';

/** Weight of node 0; each further node has a little more. */
const FIRST_WEIGHT = 1_000n;
const WEIGHT_STEP = 37n;

export interface LedgerKeys {
  /** What the network publishes: ledger id, WRAPS key and roster. */
  readonly publication: LedgerIdPublicationTransactionBody;
  /** Proves a block by a hinTS signature whose key the genesis roster approved: 2,920 bytes in all. */
  readonly prove: BlockProver;
}

/** The keys of a network of that many nodes; they follow from the seed. */
export const ledgerKeys = (seed: string, nodeCount: number): LedgerKeys => {
  const weights = Array.from({ length: nodeCount }, (_, nodeId) => FIRST_WEIGHT + WEIGHT_STEP * BigInt(nodeId));
  const roster = historyRoster(seed, weights);
  const hints = new HintsSigner(seed, weights);
  const approval = approveHintsKey(seed, roster, hints.key);
  return {
    publication: LedgerIdPublicationTransactionBody.fromPartial({
      ledgerId: roster.ledgerId,
      // Proofs over later rosters would need it; the simulated roster never changes.
      historyProofVerificationKey: knownWrapsKeys().get(WRAPS_KEY_HASHES.generationA) ?? new Uint8Array(),
      nodeContributions: roster.keys.map(({ nodeId, weight, key }) => ({ nodeId, weight, historyProofKey: key })),
    }),
    prove: (rootHash) => {
      const signature = hints.sign(rootHash, signersOf(rootHash, nodeCount));
      const blockSignature = Buffer.concat([hints.key, signature, approval]);
      return { $case: 'signedBlockProof', signedBlockProof: { blockSignature } };
    },
  };
};

/** All nodes, or all but one where the others are more than half: not every node's signature comes in time. */
const signersOf = (rootHash: Uint8Array, nodeCount: number): number[] => {
  const nodes = Array.from({ length: nodeCount }, (_, nodeId) => nodeId);
  const late = (rootHash[0] as number) % (nodeCount + 1);
  return nodeCount < 3 ? nodes : nodes.filter((nodeId) => nodeId !== late);
};
