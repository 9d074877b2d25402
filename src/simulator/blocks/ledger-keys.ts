/** The keys by which a simulated ledger proves its blocks, and the identity that it publishes for that. */
import { LedgerIdPublicationTransactionBody } from '../../protobuf/generated/services/auxiliary/tss/ledger_id_publication.ts';
import { WRAPS_KEY_HASHES } from '../../streams/block/tss/generation.ts';
import { knownWrapsKeys } from '../../streams/block/tss/wraps-keys.ts';
import { createThresholdSigner } from '../../streams/block/write/threshold-signer.ts';
import type { BlockSignature } from './block-chain.ts';

/** Weight of node 0; each further node has a little more. */
const FIRST_WEIGHT = 1_000n;
const WEIGHT_STEP = 37n;

export interface LedgerKeys {
  /** What the network publishes: ledger id, WRAPS key and roster. */
  readonly publication: LedgerIdPublicationTransactionBody;
  /** A hinTS signature whose key the genesis roster approved: 2,920 bytes in all. */
  readonly sign: BlockSignature;
}

/** The keys of a network of that many nodes; they follow from the seed. */
export const ledgerKeys = (seed: string, nodeCount: number): LedgerKeys => {
  const nodes = Array.from({ length: nodeCount }, (_, nodeId) => ({
    nodeId: BigInt(nodeId),
    weight: FIRST_WEIGHT + WEIGHT_STEP * BigInt(nodeId),
  }));
  const { ledger, sign } = createThresholdSigner(nodes, seed);
  return {
    publication: LedgerIdPublicationTransactionBody.fromPartial({
      ledgerId: ledger.id,
      // Proofs over later rosters would need it; the simulated roster never changes.
      historyProofVerificationKey: knownWrapsKeys().get(WRAPS_KEY_HASHES.generationA) ?? new Uint8Array(),
      nodeContributions: (ledger.roster ?? []).map(({ nodeId, weight, key }) => ({
        nodeId,
        weight,
        historyProofKey: key,
      })),
    }),
    sign,
  };
};
