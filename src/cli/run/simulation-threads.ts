/** The threads that simulate contract calls, for the database and the network at hand. */
import { openSimulationThreads, type SimulationThreads } from '../../evm/workers/simulation-threads.ts';
import type { ReadySettings } from '../command-context.ts';
import type { MirroredChain } from './mirrored-chain.ts';
import type { DatabaseAccess } from './open-database.ts';

export const openThreads = (
  ready: ReadySettings,
  { addresses }: DatabaseAccess,
  { network, chainId, ledgerId }: MirroredChain,
): SimulationThreads => {
  const { common, web3 } = ready.settings.hiero.mirror;
  return openSimulationThreads({
    settings: { ...web3, evm: { ...web3.evm, network } },
    common,
    chain: { chainId, ledgerId },
    connectionString: addresses.reader,
    schema: addresses.schema,
    onThreadLost: () =>
      ready.logger.warn({}, 'a thread that simulates contract calls was lost; another takes its place'),
  });
};
