/**
 * An account's own limit of automatic associations, changed at its address
 * ([HIP-904](https://hips.hedera.com/hip/hip-904)).
 */
import type { EntityId } from '../../../ledger/entity-id.ts';
import { usableAccount } from '../../hapi/account-checks.ts';
import { type OperationContext, refuse, settled } from '../../hapi/operation.ts';
import { operationContext } from '../caller.ts';
import { canonicalIdAt } from '../canonical-reference.ts';
import { modifying, type SystemFunction } from '../function-table.ts';
import { canonicalPrices, priced } from '../gas.ts';
import { answered } from '../results.ts';

const UNLIMITED = -1;

/** Id that no account has. */
const NOBODY = 0n;

const setLimit = async (context: OperationContext, accountId: EntityId, limit: number): Promise<void> => {
  const account = await usableAccount(context, accountId);
  if (limit !== UNLIMITED && account.usedAutomaticAssociations > limit) {
    refuse('EXISTING_AUTOMATIC_ASSOCIATIONS_EXCEED_GIVEN_LIMIT');
  }
  context.world.putEntity({ ...account, maxAutomaticAssociations: limit });
};

/** Changes the account that is called, whoever calls it: its signature counts as given. */
export const setUnlimitedAutomaticAssociations: SystemFunction = modifying<[enable: boolean]>(
  'setUnlimitedAutomaticAssociations(bool)',
  priced(canonicalPrices.cryptoUpdate),
  async ([enable], call, run) => {
    const context = await operationContext(call, run);
    const accountId = (call.target === undefined ? undefined : await canonicalIdAt(run.world, call.target)) ?? NOBODY;
    const { status } = await settled(run.world, () => setLimit(context, accountId, enable ? UNLIMITED : 0));
    return answered(status);
  },
  { route: 'redirect' },
);
