/** The identity of the ledger, which proves its blocks. */
import { TransactionType } from '../../../ledger/transaction-type.ts';
import { int64, jsonText } from '../column-values.ts';
import { defineHandler } from '../handler.ts';

export const ledgerIdPublication = defineHandler(TransactionType.LEDGERIDPUBLICATION, 'ledgerIdPublication', {
  success(call) {
    const { historyProofVerificationKey, ledgerId, nodeContributions } = call.body;
    const contributions = nodeContributions.map(({ historyProofKey, nodeId, weight }) => ({
      history_proof_key: Buffer.from(historyProofKey).toString('base64'),
      node_id: int64(nodeId),
      weight: int64(weight),
    }));
    call.context.batch.stage('ledger', {
      consensus_timestamp: call.timestamp,
      history_proof_verification_key: historyProofVerificationKey,
      ledger_id: ledgerId,
      node_contributions: jsonText(contributions),
    });
  },
});
