/** The token struct in its three variants (T1, T2, T3). */
import type { EntityId } from '../../../../ledger/entity-id.ts';
import type { RequestedExpiry } from '../../../hapi/tokens/token-expiry.ts';
import type { AddressHex, TokenKeyName } from '../../../state/records.ts';
import type { World } from '../../../state/world.ts';
import { accountIdOf, optionalAccountIdOf } from './addressed.ts';
import { TOKEN_KEYS, type TokenKeyTuple, tokenKeysOf } from './token-keys.ts';

export type ExpiryTuple = readonly [second: bigint, autoRenewAccount: AddressHex, period: bigint];

export type TokenTuple = readonly [
  name: string,
  symbol: string,
  treasury: AddressHex,
  memo: string,
  finite: boolean,
  maxSupply: bigint,
  freezeDefault: boolean,
  keys: readonly TokenKeyTuple[],
  expiry: ExpiryTuple,
];

const tokenType = (maxSupply: string, expiry: string): string =>
  `(string,string,address,string,bool,${maxSupply},bool,${TOKEN_KEYS},${expiry})`;

export const expiryTypes = { v1: '(uint32,address,uint32)', v2: '(int64,address,int64)' } as const;

export const tokenTypes = {
  v1: tokenType('uint32', expiryTypes.v1),
  v2: tokenType('int64', expiryTypes.v1),
  v3: tokenType('int64', expiryTypes.v2),
} as const;

export const expiryOf = async (
  world: World,
  [second, autoRenewAccount, period]: ExpiryTuple,
): Promise<RequestedExpiry> => ({
  second,
  autoRenewAccountId: await optionalAccountIdOf(world, autoRenewAccount),
  autoRenewPeriod: period,
});

export interface TokenStruct {
  readonly name: string;
  readonly symbol: string;
  readonly memo: string;
  /** Undefined for the zero address. */
  readonly treasuryId: EntityId | undefined;
  readonly finite: boolean;
  readonly maxSupply: bigint;
  readonly freezeDefault: boolean;
  readonly keys: Partial<Record<TokenKeyName, Uint8Array>>;
  readonly expiry: RequestedExpiry;
}

/** Reads the struct on behalf of the caller, whose key may stand for the token's. */
export const tokenStructOf = async (
  world: World,
  [name, symbol, treasury, memo, finite, maxSupply, freezeDefault, keys, expiry]: TokenTuple,
  caller: AddressHex,
): Promise<TokenStruct> => ({
  name,
  symbol,
  memo,
  treasuryId: await optionalAccountIdOf(world, treasury),
  finite,
  maxSupply,
  freezeDefault,
  keys: await tokenKeysOf(keys, world, await accountIdOf(world, caller), caller),
  expiry: await expiryOf(world, expiry),
});
