/**
 * HAPI operations on the world: what a network's handlers would check and change, without keys.
 * An operation checks in the order the network does, changes the world only when every check passed, and answers with
 * the status by its HAPI name.
 */

import type { EntityId } from '../../ledger/entity-id.ts';
import type { ResponseCodeEnum } from '../../protobuf/generated/services/response_code.ts';
import type { World } from '../state/world.ts';

/** Name of a HAPI response code; `SUCCESS` when the operation took effect. */
export type Status = keyof typeof ResponseCodeEnum;

export interface OperationContext {
  readonly world: World;
  /** Consensus time in nanoseconds. */
  readonly now: bigint;
  /** Who asks: the spender of approved transfers, the owner of approvals. */
  readonly callerId: EntityId;
  /** Tinybars that every account (not contract) is taken to own at least when it pays; what it really owns by default. */
  readonly minimumAccountBalance?: bigint;
}

/** Thrown inside an operation to end it with a status; `settled` turns it into the answer. */
export class StatusError extends Error {
  readonly status: Status;

  constructor(status: Status) {
    super(status);
    this.status = status;
  }
}

export const refuse = (status: Status): never => {
  throw new StatusError(status);
};

/** Runs an operation in a checkpoint of its own: a refused one leaves no trace. */
export const settled = async <T>(
  world: World,
  operation: () => Promise<T>,
): Promise<
  { readonly status: 'SUCCESS'; readonly value: T } | { readonly status: Status; readonly value: undefined }
> => {
  world.checkpoint();
  try {
    const value = await operation();
    world.commit();
    return { status: 'SUCCESS', value };
  } catch (error) {
    world.revert();
    if (error instanceof StatusError) return { status: error.status, value: undefined };
    throw error;
  }
};
