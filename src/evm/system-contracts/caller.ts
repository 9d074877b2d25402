/** Who calls a system contract, as operations want to know it. */
import type { OperationContext } from '../hapi/operation.ts';
import type { FunctionCall } from './function-call.ts';
import type { RunContext } from './system-contract.ts';

/** Context of an operation on behalf of the frame's sender. */
export const operationContext = async (call: FunctionCall, run: RunContext): Promise<OperationContext> => {
  const callerId = await run.world.idAt(call.sender);
  if (callerId === undefined) throw new Error(`The sender ${call.sender} is not in the world`);
  const { world, now, minimumAccountBalance } = run;
  return { world, now, callerId, ...(minimumAccountBalance === undefined ? {} : { minimumAccountBalance }) };
};
