/** Allowances of hbar, directly and at the account's own address ([HIP-906](https://hips.hedera.com/hip/hip-906)). */
import { approveHbar } from '../../hapi/allowances.ts';
import { settled } from '../../hapi/operation.ts';
import type { AddressHex } from '../../state/records.ts';
import { integerWord } from '../abi/encode.ts';
import { operationContext } from '../caller.ts';
import { canonicalIdAt } from '../canonical-reference.ts';
import type { FunctionCall } from '../function-call.ts';
import { type FunctionResult, modifying, type SystemFunction, view } from '../function-table.ts';
import { canonicalPrices, priced } from '../gas.ts';
import { answered, halted, revertedWithName, revertedWithOrdinal } from '../results.ts';
import type { RunContext } from '../system-contract.ts';
import { accountAt } from '../token-service/lookups.ts';

/** Id that no account has. */
const NOBODY = 0n;

const allowance = async (
  owner: AddressHex | undefined,
  spender: AddressHex,
  { world }: RunContext,
): Promise<FunctionResult> => {
  const ownerAccount = owner === undefined ? undefined : await accountAt(world, owner);
  if (ownerAccount === undefined) return revertedWithName('INVALID_ALLOWANCE_OWNER_ID');
  const spenderId = await canonicalIdAt(world, spender);
  const amount = spenderId === undefined ? 0n : await world.hbarAllowance(ownerAccount.id, spenderId);
  return answered('SUCCESS', integerWord(amount));
};

const approve = async (
  owner: AddressHex | undefined,
  spender: AddressHex,
  amount: bigint,
  call: FunctionCall,
  run: RunContext,
): Promise<FunctionResult> => {
  if (BigInt.asIntN(64, amount) !== amount) return halted('INVALID_OPERATION');
  const { world } = run;
  const context = await operationContext(call, run);
  const ownerId = (owner === undefined ? undefined : await canonicalIdAt(world, owner)) ?? NOBODY;
  const spenderId = (await canonicalIdAt(world, spender)) ?? NOBODY;
  const { status } = await settled(world, () => approveHbar(context, { ownerId, spenderId, amount }));
  return status === 'SUCCESS' ? answered(status) : revertedWithOrdinal(status);
};

const approvePrice = priced<unknown>(canonicalPrices.hbarApprove);

export const hbarAllowanceFunctions: readonly SystemFunction[] = [
  view<[owner: AddressHex, spender: AddressHex]>('hbarAllowance(address,address)', ([owner, spender], _call, run) =>
    allowance(owner, spender, run),
  ),
  view<[spender: AddressHex]>(
    'hbarAllowance(address)',
    ([spender], call, run) => allowance(call.target, spender, run),
    { route: 'redirect' },
  ),
  modifying<[owner: AddressHex, spender: AddressHex, amount: bigint]>(
    'hbarApprove(address,address,int256)',
    approvePrice,
    ([owner, spender, amount], call, run) => approve(owner, spender, amount, call, run),
  ),
  modifying<[spender: AddressHex, amount: bigint]>(
    'hbarApprove(address,int256)',
    approvePrice,
    ([spender, amount], call, run) => approve(call.target, spender, amount, call, run),
    { route: 'redirect' },
  ),
];
