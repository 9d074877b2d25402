/** When a token expires and who renews it. */
import type { EntityId } from '../../../ledger/entity-id.ts';
import { DEFAULT_RENEWAL_PERIOD, LEAST_RENEWAL_PERIOD, LONGEST_RENEWAL_PERIOD } from '../limits.ts';
import { type OperationContext, refuse } from '../operation.ts';

/** As a caller asks for it: zero and undefined stand for nothing asked. */
export interface RequestedExpiry {
  readonly second: bigint;
  readonly autoRenewAccountId: EntityId | undefined;
  /** Seconds. */
  readonly autoRenewPeriod: bigint;
}

const checkRenewal = async (context: OperationContext, requested: RequestedExpiry): Promise<void> => {
  const { autoRenewAccountId, autoRenewPeriod } = requested;
  if (autoRenewAccountId !== undefined && (await context.world.entity(autoRenewAccountId)) === undefined) {
    refuse('INVALID_AUTORENEW_ACCOUNT');
  }
  const given = autoRenewPeriod !== 0n;
  if (given && (autoRenewPeriod < LEAST_RENEWAL_PERIOD || autoRenewPeriod > LONGEST_RENEWAL_PERIOD)) {
    refuse('INVALID_RENEWAL_PERIOD');
  }
};

interface Expiry {
  readonly expirySeconds: bigint;
  readonly autoRenewAccountId: EntityId | undefined;
  readonly autoRenewPeriodSeconds: bigint;
}

/** Expiry of a new token. */
export const expiryOfNew = async (context: OperationContext, requested: RequestedExpiry): Promise<Expiry> => {
  const nowSeconds = context.now / 1_000_000_000n;
  await checkRenewal(context, requested);
  if (requested.second !== 0n && requested.second <= nowSeconds) refuse('INVALID_EXPIRATION_TIME');
  const autoRenewPeriodSeconds = requested.autoRenewPeriod === 0n ? DEFAULT_RENEWAL_PERIOD : requested.autoRenewPeriod;
  return {
    expirySeconds: requested.second === 0n ? nowSeconds + autoRenewPeriodSeconds : requested.second,
    autoRenewAccountId: requested.autoRenewAccountId,
    autoRenewPeriodSeconds,
  };
};

/** Expiry of an existing token after an update. */
export const expiryAfterUpdate = async (
  context: OperationContext,
  current: Expiry,
  requested: RequestedExpiry,
): Promise<Expiry> => {
  if (requested.second !== 0n && requested.second < current.expirySeconds) refuse('EXPIRATION_REDUCTION_NOT_ALLOWED');
  await checkRenewal(context, requested);
  return {
    expirySeconds: requested.second === 0n ? current.expirySeconds : requested.second,
    autoRenewAccountId: requested.autoRenewAccountId ?? current.autoRenewAccountId,
    autoRenewPeriodSeconds:
      requested.autoRenewPeriod === 0n ? current.autoRenewPeriodSeconds : requested.autoRenewPeriod,
  };
};
