/** Views of an account's relation with a token, and of allowances, over both routes. */

import { MAX_INT64 } from '../../../ledger/int64.ts';
import type { Status } from '../../hapi/operation.ts';
import type { AddressHex, TokenRecord, TokenRelationRecord } from '../../state/records.ts';
import type { World } from '../../state/world.ts';
import { addressWord, boolWord, integerWord } from '../abi/encode.ts';
import type { FunctionCall } from '../function-call.ts';
import { type FunctionResult, type SystemFunction, view } from '../function-table.ts';
import { revertedWithName, statusWords, succeeded, viewRefused } from '../results.ts';
import type { RunContext } from '../system-contract.ts';
import { accountAt, priorityAddress, tokenAt } from './lookups.ts';

const relationFlagView = (signature: string, flag: (relation: TokenRelationRecord) => boolean): SystemFunction =>
  view<[token: AddressHex, account: AddressHex]>(signature, async ([tokenAddress, accountAddress], call, { world }) => {
    const token = await tokenAt(world, tokenAddress);
    if (token === undefined) return viewRefused(call, 'INVALID_TOKEN_ID', boolWord(false));
    const account = await accountAt(world, accountAddress);
    if (account === undefined) return viewRefused(call, 'INVALID_ACCOUNT_ID', boolWord(false));
    const relation = await world.tokenRelation(account.id, token.id);
    return succeeded(statusWords('SUCCESS', boolWord(relation !== undefined && flag(relation))));
  });

/** What a view over both routes found: one word, or the status that reverts it. */
type Found = Uint8Array | { readonly status: Status };

/** The same answer with a status before it on the direct route, and bare on the redirect route. */
const found = (value: Found, call: FunctionCall): FunctionResult => {
  if (!(value instanceof Uint8Array)) return revertedWithName(value.status);
  return succeeded(call.target === undefined ? statusWords('SUCCESS', value) : value);
};

const isFungible = (token: TokenRecord | undefined): boolean => token?.type === 'FUNGIBLE_COMMON';

// Without a fungible token the allowance is zero, unless the frame is static.
const allowance = async (
  token: TokenRecord | undefined,
  owner: AddressHex,
  spender: AddressHex,
  call: FunctionCall,
  world: World,
): Promise<Found> => {
  if (token === undefined || !isFungible(token))
    return call.isStatic ? { status: 'INVALID_TOKEN_ID' } : integerWord(0n);
  const ownerAccount = await accountAt(world, owner);
  if (ownerAccount === undefined) return { status: 'INVALID_ALLOWANCE_OWNER_ID' };
  const spenderAccount = await accountAt(world, spender);
  return integerWord(
    spenderAccount === undefined ? 0n : await world.tokenAllowance(ownerAccount.id, spenderAccount.id, token.id),
  );
};

const approvedSpender = async (
  token: TokenRecord | undefined,
  serialNumber: bigint,
  call: FunctionCall,
  world: World,
): Promise<Found> => {
  if (token === undefined) return { status: 'INVALID_TOKEN_ID' };
  if (isFungible(token)) return { status: call.isStatic ? 'INVALID_TOKEN_ID' : 'INVALID_TOKEN_NFT_SERIAL_NUMBER' };
  const nft = serialNumber > MAX_INT64 ? undefined : await world.nft(token.id, serialNumber);
  if (nft === undefined) return { status: 'INVALID_TOKEN_NFT_SERIAL_NUMBER' };
  return addressWord(await priorityAddress(world, nft.spenderId));
};

const approvedForAll = async (
  token: TokenRecord | undefined,
  owner: AddressHex,
  operator: AddressHex,
  world: World,
): Promise<Found> => {
  if (token === undefined || isFungible(token)) return { status: 'INVALID_TOKEN_ID' };
  const ownerAccount = await accountAt(world, owner);
  const operatorAccount = await accountAt(world, operator);
  return boolWord(
    ownerAccount !== undefined &&
      operatorAccount !== undefined &&
      (await world.approvedForAll(ownerAccount.id, operatorAccount.id, token.id)),
  );
};

/** The token that a redirect is for. */
export const redirectedToken = ({ target }: FunctionCall, { world }: RunContext): Promise<TokenRecord | undefined> =>
  target === undefined ? Promise.resolve(undefined) : tokenAt(world, target);

export const relationViews: readonly SystemFunction[] = [
  relationFlagView('isFrozen(address,address)', ({ frozen }) => frozen),
  relationFlagView('isKyc(address,address)', ({ kycGranted }) => kycGranted),
  view<[token: AddressHex, owner: AddressHex, spender: AddressHex]>(
    'allowance(address,address,address)',
    async ([token, owner, spender], call, { world }) =>
      found(await allowance(await tokenAt(world, token), owner, spender, call, world), call),
  ),
  view<[owner: AddressHex, spender: AddressHex]>(
    'allowance(address,address)',
    async ([owner, spender], call, run) =>
      found(await allowance(await redirectedToken(call, run), owner, spender, call, run.world), call),
    { route: 'redirect' },
  ),
  view<[token: AddressHex, serialNumber: bigint]>(
    'getApproved(address,uint256)',
    async ([token, serialNumber], call, { world }) =>
      found(await approvedSpender(await tokenAt(world, token), serialNumber, call, world), call),
  ),
  view<[serialNumber: bigint]>(
    'getApproved(uint256)',
    async ([serialNumber], call, run) =>
      found(await approvedSpender(await redirectedToken(call, run), serialNumber, call, run.world), call),
    { route: 'redirect' },
  ),
  view<[token: AddressHex, owner: AddressHex, operator: AddressHex]>(
    'isApprovedForAll(address,address,address)',
    async ([token, owner, operator], call, { world }) =>
      found(await approvedForAll(await tokenAt(world, token), owner, operator, world), call),
  ),
  view<[owner: AddressHex, operator: AddressHex]>(
    'isApprovedForAll(address,address)',
    async ([owner, operator], call, run) =>
      found(await approvedForAll(await redirectedToken(call, run), owner, operator, run.world), call),
    { route: 'redirect' },
  ),
];
