/** What a scheduled token creation will create ([HIP-756](https://hips.hedera.com/hip/hip-756)). */
import { type EntityId, encodeEntityId } from '../../../ledger/entity-id.ts';
import { type AccountID, Key, type TokenID } from '../../../protobuf/generated/services/basic_types.ts';
import { SchedulableTransactionBody } from '../../../protobuf/generated/services/schedulable_transaction_body.ts';
import type { TokenCreateTransactionBody } from '../../../protobuf/generated/services/token_create.ts';
import { refuse } from '../../hapi/operation.ts';
import type { AddressHex, CustomFees, TokenRecord } from '../../state/records.ts';
import type { World } from '../../state/world.ts';
import { type AbiValue, abiTypes } from '../abi/abi-type.ts';
import { encodeAbi } from '../abi/encode.ts';
import { type SystemFunction, view } from '../function-table.ts';
import { succeeded } from '../results.ts';
import type { RunContext } from '../system-contract.ts';
import { absentToken, FUNGIBLE_TOKEN_INFO, NON_FUNGIBLE_TOKEN_INFO, tokenInfo } from '../token-service/info-structs.ts';
import { priorityAddress } from '../token-service/lookups.ts';

const FUNGIBLE = 0;
const FINITE = 1;

/** Undefined for an account that is named by an alias, which the ledger refuses here. */
const accountOf = (id: AccountID | undefined): EntityId | undefined =>
  id?.account?.$case === 'accountNum' ? encodeEntityId(id.shardNum, id.realmNum, id.account.accountNum) : undefined;

const tokenOf = (id: TokenID | undefined): EntityId | undefined =>
  id === undefined ? undefined : encodeEntityId(id.shardNum, id.realmNum, id.tokenNum);

const keyOf = (key: Key | undefined): Uint8Array | undefined =>
  key === undefined ? undefined : Key.encode(key).finish();

const customFeesOf = ({ customFees }: TokenCreateTransactionBody): CustomFees => ({
  fixed: customFees.flatMap(({ fee, feeCollectorAccountId, allCollectorsAreExempt }) =>
    fee?.$case === 'fixedFee'
      ? {
          amount: fee.fixedFee.amount,
          denominatingTokenId: tokenOf(fee.fixedFee.denominatingTokenId),
          collectorId: accountOf(feeCollectorAccountId) ?? 0n,
          allCollectorsAreExempt,
        }
      : [],
  ),
  fractional: customFees.flatMap(({ fee, feeCollectorAccountId, allCollectorsAreExempt }) =>
    fee?.$case === 'fractionalFee'
      ? {
          numerator: fee.fractionalFee.fractionalAmount?.numerator ?? 0n,
          denominator: fee.fractionalFee.fractionalAmount?.denominator ?? 0n,
          minimum: fee.fractionalFee.minimumAmount,
          maximum: fee.fractionalFee.maximumAmount,
          netOfTransfers: fee.fractionalFee.netOfTransfers,
          collectorId: accountOf(feeCollectorAccountId) ?? 0n,
          allCollectorsAreExempt,
        }
      : [],
  ),
  royalty: customFees.flatMap(({ fee, feeCollectorAccountId, allCollectorsAreExempt }) =>
    fee?.$case === 'royaltyFee'
      ? {
          numerator: fee.royaltyFee.exchangeValueFraction?.numerator ?? 0n,
          denominator: fee.royaltyFee.exchangeValueFraction?.denominator ?? 0n,
          fallback: fee.royaltyFee.fallbackFee && {
            amount: fee.royaltyFee.fallbackFee.amount,
            denominatingTokenId: tokenOf(fee.royaltyFee.fallbackFee.denominatingTokenId),
          },
          collectorId: accountOf(feeCollectorAccountId) ?? 0n,
          allCollectorsAreExempt,
        }
      : [],
  ),
});

const keysOf = (body: TokenCreateTransactionBody): TokenRecord['keys'] =>
  Object.fromEntries(
    Object.entries({
      admin: keyOf(body.adminKey),
      kyc: keyOf(body.kycKey),
      freeze: keyOf(body.freezeKey),
      wipe: keyOf(body.wipeKey),
      supply: keyOf(body.supplyKey),
      feeSchedule: keyOf(body.feeScheduleKey),
      pause: keyOf(body.pauseKey),
    }).filter(([, key]) => key !== undefined),
  );

const tokenToCome = (body: TokenCreateTransactionBody): TokenRecord => ({
  ...absentToken,
  type: body.tokenType === FUNGIBLE ? 'FUNGIBLE_COMMON' : 'NON_FUNGIBLE_UNIQUE',
  name: body.name,
  symbol: body.symbol,
  decimals: body.decimals,
  totalSupply: body.initialSupply,
  supplyType: body.supplyType === FINITE ? 'FINITE' : 'INFINITE',
  maxSupply: body.maxSupply,
  treasuryId: accountOf(body.treasury),
  freezeDefault: body.freezeDefault,
  keys: keysOf(body),
  memo: body.memo,
  expirySeconds: body.expiry?.seconds ?? 0n,
  autoRenewPeriodSeconds: body.autoRenewPeriod?.seconds ?? 0n,
  autoRenewAccountId: accountOf(body.autoRenewAccount),
  customFees: customFeesOf(body),
});

/** Refuses RECORD_NOT_FOUND and INVALID_SCHEDULE_ID, which take the whole frame with them. */
const scheduledToken = async (address: AddressHex, type: TokenRecord['type'], world: World): Promise<TokenRecord> => {
  const id = await world.idAt(address);
  const schedule = (id === undefined ? undefined : await world.schedule(id)) ?? refuse('RECORD_NOT_FOUND');
  const { data } = SchedulableTransactionBody.decode(schedule.transactionBody);
  const token = data?.$case === 'tokenCreation' ? tokenToCome(data.tokenCreation) : undefined;
  return token?.type === type ? token : refuse('INVALID_SCHEDULE_ID');
};

const SUCCESS = 22n;

const infoView = (
  signature: string,
  output: string,
  type: TokenRecord['type'],
  values: (token: TokenRecord, run: RunContext) => AbiValue | Promise<AbiValue>,
): SystemFunction => {
  const types = abiTypes(`int64,${output}`);
  return view<[schedule: AddressHex]>(signature, async ([schedule], _, run) => {
    const token = await scheduledToken(schedule, type, run.world);
    return succeeded(encodeAbi(types, [SUCCESS, await values(token, run)]));
  });
};

export const scheduledTokenInfoFunctions: readonly SystemFunction[] = [
  infoView(
    'getScheduledCreateFungibleTokenInfo(address)',
    FUNGIBLE_TOKEN_INFO,
    'FUNGIBLE_COMMON',
    (token, { network }) => [tokenInfo(token, network.ledgerId), BigInt(token.decimals)],
  ),
  // There is no serial yet: the treasury stands in as its owner and spender.
  infoView(
    'getScheduledCreateNonFungibleTokenInfo(address)',
    NON_FUNGIBLE_TOKEN_INFO,
    'NON_FUNGIBLE_UNIQUE',
    async (token, { network, world }) => {
      const treasury = await priorityAddress(world, token.treasuryId);
      return [tokenInfo(token, network.ledgerId), 0n, treasury, 0n, new Uint8Array(), treasury];
    },
  ),
];
