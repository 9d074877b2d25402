/** GET /api/v1/network/stake: the staking figures of the newest period. */
import { reasonedProblem } from '../../api/problem.ts';
import { one, oneAnswer } from '../../api/resource/endpoint.ts';
import { javaEndpoint } from '../../api/resource/java-endpoint.ts';
import { networkStake } from './network-stake.ts';

const newest = networkStake.statement(
  'select * from network_stake order by consensus_timestamp desc limit 1',
  'p.consensus_timestamp',
);

export const stakeRoute = javaEndpoint({
  path: '/api/v1/network/stake',
  cacheSeconds: 60,
  operationId: 'getNetworkStake',
  summary: 'Get the staking figures',
  description: 'Rates, thresholds and totals of staking in the newest staking period, in tinybars.',
  tag: 'network',
  parameters: {},
  answer: one(networkStake, 'The figures.'),
  problems: [404],

  handle: async (_ask, { db }) => {
    const [row] = await networkStake.read(db, newest, []);
    if (row === undefined) throw reasonedProblem(404, 'No network stake data found');
    return oneAnswer(row, networkStake.put);
  },
});
