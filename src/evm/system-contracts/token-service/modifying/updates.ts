/** Changes of tokens: information, expiry, keys, custom fees, metadata of serials. */
import type { EntityId } from '../../../../ledger/entity-id.ts';
import type { OperationContext } from '../../../hapi/operation.ts';
import { updateFeeSchedule } from '../../../hapi/tokens/fee-schedule.ts';
import { updateNftMetadata } from '../../../hapi/tokens/nft-metadata.ts';
import { type TokenUpdate, updateToken } from '../../../hapi/tokens/update-token.ts';
import type { AddressHex } from '../../../state/records.ts';
import type { FunctionCall } from '../../function-call.ts';
import { type FunctionResult, modifying, type SystemFunction } from '../../function-table.ts';
import { canonicalPrices, extraFees, priced } from '../../gas.ts';
import type { RunContext } from '../../system-contract.ts';
import { accountIdOf, tokenIdOf } from './addressed.ts';
import { classicOperation } from './classic.ts';
import {
  customFeesOf,
  type FixedFeeTuple,
  type FractionalFeeTuple,
  fixedFees,
  fractionalFees,
  type RoyaltyFeeTuple,
  royaltyFees,
} from './custom-fee-arguments.ts';
import { TOKEN_KEYS, type TokenKeyTuple, tokenKeysOf } from './token-keys.ts';
import { type ExpiryTuple, expiryOf, expiryTypes, type TokenTuple, tokenStructOf, tokenTypes } from './token-struct.ts';

const unchanged = {
  name: '',
  symbol: '',
  memo: '',
  metadata: new Uint8Array(),
  treasuryId: undefined,
  keys: {},
  expiry: { second: 0n, autoRenewAccountId: undefined, autoRenewPeriod: 0n },
} as const;

/** One key is in the price; each further one costs. */
const keyFee = (keys: readonly TokenKeyTuple[]): bigint =>
  canonicalPrices.updateToken + extraFees.key * BigInt(Math.max(0, keys.length - 1));

const update = async (
  token: AddressHex,
  call: FunctionCall,
  run: RunContext,
  changes: (context: OperationContext) => Promise<Partial<TokenUpdate>>,
): Promise<FunctionResult> => {
  const tokenId = await tokenIdOf(run.world, token);
  return classicOperation(call, run, async (context) =>
    updateToken(context, { ...unchanged, tokenId, ...(await changes(context)) }),
  );
};

const information = (tokenType: string): SystemFunction =>
  modifying<[token: AddressHex, struct: TokenTuple]>(
    `updateTokenInfo(address,${tokenType})`,
    priced<[AddressHex, TokenTuple]>(canonicalPrices.updateToken, ([, struct]) => keyFee(struct[7])),
    ([token, struct], call, run) =>
      update(token, call, run, async () => {
        const { name, symbol, memo, treasuryId, keys, expiry } = await tokenStructOf(run.world, struct, call.sender);
        return { name, symbol, memo, treasuryId, keys, expiry };
      }),
  );

const expiry = (type: string): SystemFunction =>
  modifying<[token: AddressHex, expiry: ExpiryTuple]>(
    `updateTokenExpiryInfo(address,${type})`,
    priced(canonicalPrices.updateToken),
    ([token, tuple], call, run) => update(token, call, run, async () => ({ expiry: await expiryOf(run.world, tuple) })),
  );

const keys = modifying<[token: AddressHex, keys: readonly TokenKeyTuple[]]>(
  `updateTokenKeys(address,${TOKEN_KEYS})`,
  priced<[AddressHex, readonly TokenKeyTuple[]]>(canonicalPrices.updateToken, ([, tuples]) => keyFee(tuples)),
  ([token, tuples], call, run) =>
    update(token, call, run, async () => ({
      keys: await tokenKeysOf(tuples, run.world, await accountIdOf(run.world, call.sender), call.sender),
    })),
);

const nftMetadata = modifying<[token: AddressHex, serialNumbers: readonly bigint[], metadata: Uint8Array]>(
  'updateNFTsMetadata(address,int64[],bytes)',
  priced<[AddressHex, readonly bigint[], Uint8Array]>(
    canonicalPrices.updateNfts,
    ([, serialNumbers]) =>
      canonicalPrices.updateNfts + extraFees.nftUpdate * BigInt(Math.max(0, serialNumbers.length - 1)),
  ),
  async ([token, serialNumbers, metadata], call, run) => {
    const tokenId = await tokenIdOf(run.world, token);
    return classicOperation(call, run, (context) => updateNftMetadata(context, { tokenId, serialNumbers, metadata }));
  },
);

const replaceFees = (
  tokenId: EntityId,
  call: FunctionCall,
  run: RunContext,
  fixed: readonly FixedFeeTuple[],
  fractional: readonly FractionalFeeTuple[],
  royalty: readonly RoyaltyFeeTuple[],
): Promise<FunctionResult> =>
  classicOperation(call, run, async (context) => {
    const customFees = await customFeesOf(run.world, fixed, fractional, royalty);
    await updateFeeSchedule(context, { tokenId, customFees: customFees(tokenId) });
  });

const fungibleFees = modifying<
  [token: AddressHex, fixed: readonly FixedFeeTuple[], fractional: readonly FractionalFeeTuple[]]
>(
  `updateFungibleTokenCustomFees(address,${fixedFees('int64')},${fractionalFees('int64')})`,
  priced(canonicalPrices.updateFees),
  async ([token, fixed, fractional], call, run) =>
    replaceFees(await tokenIdOf(run.world, token), call, run, fixed, fractional, []),
);

const nonFungibleFees = modifying<
  [token: AddressHex, fixed: readonly FixedFeeTuple[], royalty: readonly RoyaltyFeeTuple[]]
>(
  `updateNonFungibleTokenCustomFees(address,${fixedFees('int64')},${royaltyFees('int64')})`,
  priced(canonicalPrices.updateFees),
  async ([token, fixed, royalty], call, run) =>
    replaceFees(await tokenIdOf(run.world, token), call, run, fixed, [], royalty),
);

export const updateFunctions: readonly SystemFunction[] = [
  information(tokenTypes.v1),
  information(tokenTypes.v2),
  information(tokenTypes.v3),
  expiry(expiryTypes.v1),
  expiry(expiryTypes.v2),
  keys,
  nftMetadata,
  fungibleFees,
  nonFungibleFees,
];
