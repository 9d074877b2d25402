/** How classic functions run an operation: in a checkpoint of its own, answering its status in a frame that succeeds. */
import { type OperationContext, type Status, settled } from '../../../hapi/operation.ts';
import { operationContext } from '../../caller.ts';
import type { FunctionCall } from '../../function-call.ts';
import type { FunctionResult } from '../../function-table.ts';
import { answered } from '../../results.ts';
import type { RunContext } from '../../system-contract.ts';

/** Runs the operation; what it gives back becomes the words after the status, `failed` in their place when it is refused. */
export const classicOperation = async <T>(
  call: FunctionCall,
  run: RunContext,
  operation: (context: OperationContext) => Promise<T>,
  words: (value: T | undefined) => readonly Uint8Array[] = () => [],
): Promise<FunctionResult> => {
  const context = await operationContext(call, run);
  const { status, value }: { status: Status; value: T | undefined } = await settled(run.world, () =>
    operation(context),
  );
  return answered(status, ...words(value));
};
