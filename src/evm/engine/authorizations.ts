/**
 * Accounts that let code of a contract run in their name from a transaction on, before it executes
 * ([EIP-7702](https://eips.ethereum.org/EIPS/eip-7702)).
 */
import { createHollowAccount } from '../hapi/lazy-creation.ts';
import type { EntityRecord } from '../state/records.ts';
import type { Accounts } from './accounts.ts';
import type { Authorization, RunEnvironment } from './run.ts';
import type { RunState } from './run-state.ts';

const AUTHORIZATION_GAS = 25_000;
/** Given back for an account that was there. */
const EXISTING_ACCOUNT_REFUND = 12_500;
const ZERO_ADDRESS = '0'.repeat(40);
const MOST_NONCE = 2n ** 64n - 1n;

/** Charged for each one, whether it takes effect or not. */
export const authorizationGas = (authorizations: readonly Authorization[]): number =>
  authorizations.length * AUTHORIZATION_GAS;

const authorize = async (
  { chainId, delegate, nonce, authority }: Authorization,
  accounts: Accounts,
  state: RunState,
  { network, now }: RunEnvironment,
): Promise<void> => {
  if ((chainId !== 0n && chainId !== network.chainId) || nonce >= MOST_NONCE || authority === undefined) return;
  state.warm(authority);
  const { world } = state;
  const present = await accounts.find(authority);
  if (present !== undefined && present.type !== 'ACCOUNT') return;
  const used = present === undefined ? 0n : (await world.withNonce(present)).nonce;
  if (used !== nonce) return;
  if (present !== undefined) state.addRefund(EXISTING_ACCOUNT_REFUND);
  const account = present ?? (await world.entity(await createHollowAccount({ world, now }, authority)));
  if (account === undefined) return;
  world.putEntity({
    ...account,
    nonce: nonce + 1n,
    nonceMayBeLater: false,
    delegationAddress: delegate === ZERO_ADDRESS ? undefined : delegate,
  });
};

/**
 * Lets the authorizations take effect, in their order; they stay when the transaction fails. The sender's nonce
 * is used first.
 */
export const applyAuthorizations = async (
  authorizations: readonly Authorization[],
  sender: EntityRecord,
  accounts: Accounts,
  state: RunState,
  environment: RunEnvironment,
): Promise<void> => {
  const { world } = state;
  const { nonce } = await world.withNonce(sender);
  world.putEntity({ ...sender, nonce: nonce + 1n, nonceMayBeLater: false });
  for (const authorization of authorizations) await authorize(authorization, accounts, state, environment);
};
