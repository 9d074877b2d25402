import { fees } from '../fee-schedule.ts';
import { type Activity, treasury } from './choose.ts';

/** A node changes its description; the address book file follows separately, as on real networks. */
export const updateNode: Activity = (builder) => {
  const { random, settings, consensusTime } = builder;
  const nodeId = random.below(settings.nodeCount);
  builder.submit({
    payer: treasury(builder),
    fee: fees.nodeUpdate,
    data: {
      $case: 'nodeUpdate',
      nodeUpdate: { nodeId: BigInt(nodeId), description: `Simulated node ${nodeId}, since ${consensusTime}` },
    },
    receipt: { nodeId: BigInt(nodeId) },
  });
  return true;
};
