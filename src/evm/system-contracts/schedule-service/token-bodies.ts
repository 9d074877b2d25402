/** Token transactions as bodies of schedules, from arguments of the token service's functions. */
import { decodeEntityId, type EntityId } from '../../../ledger/entity-id.ts';
import { Key } from '../../../protobuf/generated/services/basic_types.ts';
import type { CustomFee } from '../../../protobuf/generated/services/custom_fees.ts';
import { SchedulableTransactionBody } from '../../../protobuf/generated/services/schedulable_transaction_body.ts';
import type { AddressHex, CustomFees } from '../../state/records.ts';
import type { World } from '../../state/world.ts';
import type { Arguments } from '../function-table.ts';
import { tokenIdOf } from '../token-service/modifying/addressed.ts';
import {
  customFeesOf,
  type FixedFeeTuple,
  type FractionalFeeTuple,
  type RoyaltyFeeTuple,
} from '../token-service/modifying/custom-fee-arguments.ts';
import { type TokenStruct, type TokenTuple, tokenStructOf } from '../token-service/modifying/token-struct.ts';

const accountId = (id: EntityId) => {
  const { shard, realm, num } = decodeEntityId(id);
  return { shardNum: shard, realmNum: realm, account: { $case: 'accountNum', accountNum: num } } as const;
};

const tokenId = (id: EntityId) => {
  const { shard, realm, num } = decodeEntityId(id);
  return { shardNum: shard, realmNum: realm, tokenNum: num };
};

const optional = <T, R>(value: T | undefined, map: (value: T) => R): R | undefined =>
  value === undefined ? undefined : map(value);

const keysOf = ({ keys }: TokenStruct) => ({
  adminKey: optional(keys.admin, (key) => Key.decode(key)),
  kycKey: optional(keys.kyc, (key) => Key.decode(key)),
  freezeKey: optional(keys.freeze, (key) => Key.decode(key)),
  wipeKey: optional(keys.wipe, (key) => Key.decode(key)),
  supplyKey: optional(keys.supply, (key) => Key.decode(key)),
  feeScheduleKey: optional(keys.feeSchedule, (key) => Key.decode(key)),
  pauseKey: optional(keys.pause, (key) => Key.decode(key)),
});

const sharedFields = (struct: TokenStruct) => ({
  name: struct.name,
  symbol: struct.symbol,
  memo: struct.memo,
  treasury: optional(struct.treasuryId, accountId),
  autoRenewAccount: optional(struct.expiry.autoRenewAccountId, accountId),
  ...(struct.expiry.second === 0n ? {} : { expiry: { seconds: struct.expiry.second, nanos: 0 } }),
  ...(struct.expiry.autoRenewPeriod === 0n ? {} : { autoRenewPeriod: { seconds: struct.expiry.autoRenewPeriod } }),
  ...keysOf(struct),
});

/** Stands in a body for the token that the body will create. */
const TOKEN_TO_COME: EntityId = 0n;

const denomination = (id: EntityId | undefined) => optional(id, tokenId);

const customFeesOfBody = ({ fixed, fractional, royalty }: CustomFees) =>
  [
    ...fixed.map(({ amount, denominatingTokenId, collectorId }) => ({
      feeCollectorAccountId: accountId(collectorId),
      fee: {
        $case: 'fixedFee',
        fixedFee: { amount, denominatingTokenId: denomination(denominatingTokenId) },
      } as const,
    })),
    ...fractional.map(({ numerator, denominator, minimum, maximum, netOfTransfers, collectorId }) => ({
      feeCollectorAccountId: accountId(collectorId),
      fee: {
        $case: 'fractionalFee',
        fractionalFee: {
          fractionalAmount: { numerator, denominator },
          minimumAmount: minimum,
          maximumAmount: maximum,
          netOfTransfers,
        },
      } as const,
    })),
    ...royalty.map(({ numerator, denominator, fallback, collectorId }) => ({
      feeCollectorAccountId: accountId(collectorId),
      fee: {
        $case: 'royaltyFee',
        royaltyFee: {
          exchangeValueFraction: { numerator, denominator },
          fallbackFee: optional(fallback, ({ amount, denominatingTokenId }) => ({
            amount,
            denominatingTokenId: denomination(denominatingTokenId),
          })),
        },
      } as const,
    })),
  ] satisfies Partial<CustomFee>[];

interface Creation {
  readonly tokenType: 'FUNGIBLE_COMMON' | 'NON_FUNGIBLE_UNIQUE';
  readonly token: TokenTuple;
  readonly initialSupply: bigint;
  readonly decimals: bigint;
  readonly fixed?: readonly FixedFeeTuple[];
  readonly fractional?: readonly FractionalFeeTuple[];
  readonly royalty?: readonly RoyaltyFeeTuple[];
}

const tokenTypes = { FUNGIBLE_COMMON: 0, NON_FUNGIBLE_UNIQUE: 1 } as const;

const creationBody = async (world: World, creation: Creation, caller: AddressHex) => {
  const struct = await tokenStructOf(world, creation.token, caller);
  const { fixed = [], fractional = [], royalty = [] } = creation;
  const customFees = await customFeesOf(world, fixed, fractional, royalty);
  return SchedulableTransactionBody.fromPartial({
    data: {
      $case: 'tokenCreation',
      tokenCreation: {
        ...sharedFields(struct),
        decimals: Number(creation.decimals),
        initialSupply: BigInt.asUintN(63, creation.initialSupply),
        freezeDefault: struct.freezeDefault,
        tokenType: tokenTypes[creation.tokenType],
        supplyType: struct.finite ? 1 : 0,
        maxSupply: struct.maxSupply,
        customFees: customFeesOfBody(customFees(TOKEN_TO_COME)),
      },
    },
  });
};

/**
 * Body for a call of the token service's function of this name; undefined for functions that can't be scheduled: all but
 * the creation of tokens and the update of their information.
 */
export const tokenBody = async (
  name: string,
  args: Arguments,
  world: World,
  caller: AddressHex,
): Promise<SchedulableTransactionBody | undefined> => {
  const [first, second, third, fourth, fifth] = args;
  switch (name) {
    case 'createFungibleToken':
    case 'createFungibleTokenWithCustomFees':
      return creationBody(
        world,
        {
          tokenType: 'FUNGIBLE_COMMON',
          token: first as TokenTuple,
          initialSupply: second as bigint,
          decimals: third as bigint,
          fixed: (fourth ?? []) as readonly FixedFeeTuple[],
          fractional: (fifth ?? []) as readonly FractionalFeeTuple[],
        },
        caller,
      );
    case 'createNonFungibleToken':
    case 'createNonFungibleTokenWithCustomFees':
      return creationBody(
        world,
        {
          tokenType: 'NON_FUNGIBLE_UNIQUE',
          token: first as TokenTuple,
          initialSupply: 0n,
          decimals: 0n,
          fixed: (second ?? []) as readonly FixedFeeTuple[],
          royalty: (third ?? []) as readonly RoyaltyFeeTuple[],
        },
        caller,
      );
    case 'updateTokenInfo': {
      const struct = await tokenStructOf(world, second as TokenTuple, caller);
      const token = tokenId(await tokenIdOf(world, first as AddressHex));
      return SchedulableTransactionBody.fromPartial({
        data: { $case: 'tokenUpdate', tokenUpdate: { token, ...sharedFields(struct) } },
      });
    }
    default:
      return undefined;
  }
};
