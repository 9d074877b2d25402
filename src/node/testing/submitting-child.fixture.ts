/** Process to be killed: a simulated network in the given folder whose node listens on a port that it prints. */

import { runSimulator, type SubmissionEntrance } from '../../simulator/simulator.ts';
import { createSubmissionHandler } from '../handle-submission.ts';
import { type NodeEndpoint, openNodeEndpoint } from '../node-endpoint.ts';
import { nodeFiles } from '../node-files.ts';

const [directory = ''] = process.argv.slice(2);
let endpoint: NodeEndpoint | undefined;
const running = await runSimulator({
  directory,
  seed: 'node',
  tps: 5,
  nodes: 2,
  users: 4,
  development: { handleSubmission: createSubmissionHandler(), files: nodeFiles },
  onBlock: ({ consensusEnd }) => endpoint?.mirrored(consensusEnd),
});
endpoint = await openNodeEndpoint({
  entrance: running.entrance as SubmissionEntrance,
  settings: { enabled: true, port: 0, maxConnections: 16, maxConcurrentCallsPerConnection: 100 },
  log: { warn: (details, message) => process.stderr.write(`${message} ${JSON.stringify(details)}\n`) },
  clock: () => BigInt(Date.now()) * 1_000_000n,
});
process.stdout.write(`${endpoint.port}\n`);
