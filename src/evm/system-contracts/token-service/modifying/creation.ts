/** Creation of tokens: the gas is flat, the fee is paid with the value of the call. */
import { type Status, settled } from '../../../hapi/operation.ts';
import { createToken } from '../../../hapi/tokens/create-token.ts';
import type { AddressHex } from '../../../state/records.ts';
import { longZeroHex } from '../../../state/world.ts';
import { addressWord } from '../../abi/encode.ts';
import { operationContext } from '../../caller.ts';
import type { FunctionCall } from '../../function-call.ts';
import { type FunctionResult, modifying, type SystemFunction } from '../../function-table.ts';
import { extraFees, fixedGas, NODE_AND_NETWORK_FEE } from '../../gas.ts';
import { answered, halted, revertedWithOrdinal } from '../../results.ts';
import type { RunContext } from '../../system-contract.ts';
import { ZERO_ADDRESS } from './addressed.ts';
import {
  customFeesOf,
  type FixedFeeTuple,
  type FractionalFeeTuple,
  fixedFees,
  fractionalFees,
  namesOnePayment,
  type RoyaltyFeeTuple,
  royaltyFees,
} from './custom-fee-arguments.ts';
import { namesOneKey } from './token-keys.ts';
import { type TokenTuple, tokenStructOf, tokenTypes } from './token-struct.ts';

const CREATION_GAS = 100_000n;

/** Service fees in tinycents. */
const BASE_FEE = 9_999_000_000n;
const CUSTOM_FEE_SURCHARGE = 10_000_000_000n;
const INCLUDED_KEYS = 1;

interface CreateArguments {
  readonly token: TokenTuple;
  readonly initialSupply: bigint;
  readonly decimals: bigint;
  readonly fixed: readonly FixedFeeTuple[];
  readonly fractional: readonly FractionalFeeTuple[];
  readonly royalty: readonly RoyaltyFeeTuple[];
}

/** Tinybars that must come with the call: the fee and a fifth, less what the flat gas pays for. */
export const requiredValue = (
  { keys, customFees }: { readonly keys: number; readonly customFees: boolean },
  { exchangeRate: { hbarEquiv, centEquiv }, gasPriceMilliTinycents }: RunContext,
): bigint => {
  const furtherKeys = BigInt(Math.max(0, keys - INCLUDED_KEYS));
  const tinycents =
    NODE_AND_NETWORK_FEE + BASE_FEE + extraFees.key * furtherKeys + (customFees ? CUSTOM_FEE_SURCHARGE : 0n);
  const gasPrice = ((gasPriceMilliTinycents / 1_000n) * hbarEquiv) / centEquiv;
  const fee = (tinycents * hbarEquiv) / centEquiv;
  return fee + fee / 5n - CREATION_GAS * gasPrice;
};

/** Keys and fees that may mean several things, or nothing, are like arguments that can't be decoded. */
const isClear = ({ token: [, , , , , , , keys], fixed }: CreateArguments): boolean =>
  keys.every(([, value]) => namesOneKey(value)) && fixed.every(namesOnePayment);

const created = (status: Status, address: AddressHex): FunctionResult => answered(status, addressWord(address));

const create = async (
  type: 'FUNGIBLE_COMMON' | 'NON_FUNGIBLE_UNIQUE',
  request: CreateArguments,
  call: FunctionCall,
  run: RunContext,
): Promise<FunctionResult> => {
  const { world } = run;
  if (!isClear(request)) return halted('INVALID_OPERATION');
  const context = await operationContext(call, run);
  const outcome = await settled(world, async () => {
    const token = await tokenStructOf(world, request.token, call.sender);
    if (token.symbol === '') return { revert: 'MISSING_TOKEN_SYMBOL' } as const;
    const { treasuryId } = token;
    if (treasuryId === undefined || (await world.entity(treasuryId)) === undefined) {
      return { revert: 'INVALID_ACCOUNT_ID' } as const;
    }
    const feeCount = request.fixed.length + request.fractional.length + request.royalty.length;
    const required = requiredValue({ keys: Object.keys(token.keys).length, customFees: feeCount > 0 }, run);
    if (call.value < required) return { refused: 'INSUFFICIENT_TX_FEE' } as const;
    const id = await createToken(context, {
      type,
      name: token.name,
      symbol: token.symbol,
      memo: token.memo,
      metadata: new Uint8Array(),
      decimals: Number(request.decimals),
      initialSupply: BigInt.asIntN(64, request.initialSupply),
      supplyType: token.finite ? 'FINITE' : 'INFINITE',
      maxSupply: token.maxSupply,
      treasuryId,
      freezeDefault: token.freezeDefault,
      keys: token.keys,
      expiry: token.expiry,
      customFees: await customFeesOf(world, request.fixed, request.fractional, request.royalty),
    });
    return { id };
  });
  const { status, value } = outcome;
  if (value === undefined) return created(status, ZERO_ADDRESS);
  if ('revert' in value) return revertedWithOrdinal(value.revert);
  return 'refused' in value ? created(value.refused, ZERO_ADDRESS) : created('SUCCESS', longZeroHex(value.id));
};

const options = { payable: true } as const;
const gas = fixedGas(CREATION_GAS);
const noFees = { fixed: [], fractional: [], royalty: [] } as const;

const fungible = (token: string, supply: string, decimals: string): SystemFunction =>
  modifying<[TokenTuple, bigint, bigint]>(
    `createFungibleToken(${token},${supply},${decimals})`,
    gas,
    ([tuple, initialSupply, places], call, run) =>
      create('FUNGIBLE_COMMON', { ...noFees, token: tuple, initialSupply, decimals: places }, call, run),
    options,
  );

const fungibleWithFees = (token: string, supply: string, decimals: string, amount: string): SystemFunction =>
  modifying<[TokenTuple, bigint, bigint, readonly FixedFeeTuple[], readonly FractionalFeeTuple[]]>(
    `createFungibleTokenWithCustomFees(${token},${supply},${decimals},${fixedFees(amount)},${fractionalFees(amount)})`,
    gas,
    ([tuple, initialSupply, places, fixed, fractional], call, run) =>
      create(
        'FUNGIBLE_COMMON',
        { token: tuple, initialSupply, decimals: places, fixed, fractional, royalty: [] },
        call,
        run,
      ),
    options,
  );

const nonFungible = (token: string): SystemFunction =>
  modifying<[TokenTuple]>(
    `createNonFungibleToken(${token})`,
    gas,
    ([tuple], call, run) =>
      create('NON_FUNGIBLE_UNIQUE', { ...noFees, token: tuple, initialSupply: 0n, decimals: 0n }, call, run),
    options,
  );

const nonFungibleWithFees = (token: string, amount: string): SystemFunction =>
  modifying<[TokenTuple, readonly FixedFeeTuple[], readonly RoyaltyFeeTuple[]]>(
    `createNonFungibleTokenWithCustomFees(${token},${fixedFees(amount)},${royaltyFees(amount)})`,
    gas,
    ([tuple, fixed, royalty], call, run) =>
      create(
        'NON_FUNGIBLE_UNIQUE',
        { token: tuple, initialSupply: 0n, decimals: 0n, fixed, fractional: [], royalty },
        call,
        run,
      ),
    options,
  );

export const creationFunctions: readonly SystemFunction[] = [
  fungible(tokenTypes.v1, 'uint256', 'uint256'),
  fungible(tokenTypes.v2, 'uint64', 'uint32'),
  fungible(tokenTypes.v3, 'int64', 'int32'),
  fungibleWithFees(tokenTypes.v1, 'uint256', 'uint256', 'uint32'),
  fungibleWithFees(tokenTypes.v2, 'uint64', 'uint32', 'uint32'),
  fungibleWithFees(tokenTypes.v3, 'int64', 'int32', 'int64'),
  nonFungible(tokenTypes.v1),
  nonFungible(tokenTypes.v2),
  nonFungible(tokenTypes.v3),
  nonFungibleWithFees(tokenTypes.v1, 'uint32'),
  nonFungibleWithFees(tokenTypes.v2, 'uint32'),
  nonFungibleWithFees(tokenTypes.v3, 'int64'),
];
