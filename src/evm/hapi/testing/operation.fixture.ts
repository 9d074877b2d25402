import { type MemoryState, memoryReader } from '../../state/testing/memory-reader.fixture.ts';
import { World } from '../../state/world.ts';
import type { OperationContext } from '../operation.ts';
import { type Status, settled } from '../operation.ts';

export const operationContext = (state: MemoryState, callerId = 1001n): OperationContext => ({
  world: new World(memoryReader(state), { shard: 0n, realm: 0n }),
  now: 1_700_000_000_000_000_000n,
  callerId,
});

/** Status by which an operation ends, in a checkpoint of its own. */
export const statusOf = async (context: OperationContext, operation: () => Promise<unknown>): Promise<Status> =>
  (await settled(context.world, operation)).status;
