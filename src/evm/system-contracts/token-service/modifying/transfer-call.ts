/** What all functions that transfer have in common. */

import { MAX_INT64 } from '../../../../ledger/int64.ts';
import { ResponseCodeEnum } from '../../../../protobuf/generated/services/response_code.ts';
import { type Status, settled } from '../../../hapi/operation.ts';
import { type TransferEffects, transfer } from '../../../hapi/transfers/transfer.ts';
import type { Party, Transfers } from '../../../hapi/transfers/transfers.ts';
import { operationContext } from '../../caller.ts';
import type { FunctionCall } from '../../function-call.ts';
import type { EndedFunction, FunctionResult } from '../../function-table.ts';
import type { GasRule } from '../../gas.ts';
import type { EmittedLog, RunContext } from '../../system-contract.ts';
import { automaticAssociationGas, transferGas } from './transfer-gas.ts';

/** The transfers that arguments mean; undefined when they don't fit together, or don't fit HAPI. */
export type ReadTransfers<A> = (args: A, call: FunctionCall, run: RunContext) => Promise<Transfers<Party> | undefined>;

/** Amounts and serial numbers of ERC functions have 256 bits, those of HAPI 64. */
export const fitsHapi = (value: bigint): boolean => value <= MAX_INT64;

export const gasOfTransfers =
  <A>(read: ReadTransfers<A>): GasRule<A> =>
  async (args, call, run) => {
    const transfers = await read(args, call, run);
    return transfers === undefined ? 0n : transferGas(transfers, run);
  };

/** Transfers on behalf of the caller; created accounts leave child records. */
export const makeTransfer = async (
  call: FunctionCall,
  run: RunContext,
  transfers: Transfers<Party>,
): Promise<{ readonly status: Status; readonly effects: TransferEffects | undefined }> => {
  const context = await operationContext(call, run);
  const { status, value } = await settled(run.world, () => transfer(context, transfers));
  for (const _id of value?.createdIds ?? []) run.children.add({ status: ResponseCodeEnum.SUCCESS });
  return { status, effects: value };
};

/** The result of a transfer that was made, with its events and the gas of automatic associations. */
export const withEffects = (
  result: EndedFunction,
  logs: readonly EmittedLog[],
  effects: TransferEffects,
  run: RunContext,
): FunctionResult => ({
  ...result,
  logs,
  extraGas: automaticAssociationGas(effects.automaticAssociations, run),
});
