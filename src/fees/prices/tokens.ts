/** Tokens, their relations to accounts, and airdrops that are already there. What moves tokens is in transfers.ts. */
import { HederaFunctionality, type Key } from '../../protobuf/generated/services/basic_types.ts';
import { keyCountOf } from '../key-count.ts';
import { extra, type Price, price } from './price.ts';

interface TokenKeys {
  readonly adminKey?: Key | undefined;
  readonly feeScheduleKey?: Key | undefined;
  readonly freezeKey?: Key | undefined;
  readonly kycKey?: Key | undefined;
  readonly metadataKey?: Key | undefined;
  readonly pauseKey?: Key | undefined;
  readonly supplyKey?: Key | undefined;
  readonly wipeKey?: Key | undefined;
}

const tokenKeys = (keys: TokenKeys) =>
  extra(
    'KEYS',
    keyCountOf([
      keys.adminKey,
      keys.feeScheduleKey,
      keys.freezeKey,
      keys.kycKey,
      keys.metadataKey,
      keys.pauseKey,
      keys.supplyKey,
      keys.wipeKey,
    ]),
  );

export const tokenPrices: readonly Price[] = [
  price('tokenCreation', HederaFunctionality.TokenCreate, (token) => [
    tokenKeys(token),
    ...(token.customFees.length > 0 || token.feeScheduleKey !== undefined
      ? [extra('TOKEN_CREATE_WITH_CUSTOM_FEE', 1)]
      : []),
  ]),
  price('tokenUpdate', HederaFunctionality.TokenUpdate, (token) => [tokenKeys(token)]),
  price('tokenMint', HederaFunctionality.TokenMint, ({ amount, metadata }) =>
    amount === 0n && metadata.length > 0
      ? [extra('TOKEN_MINT_NFT_BASE', 1), extra('TOKEN_MINT_NFT', metadata.length)]
      : [],
  ),
  price('tokenAssociate', HederaFunctionality.TokenAssociateToAccount, ({ tokens }) => [
    extra('TOKEN_ASSOCIATE', tokens.length),
  ]),
  price('tokenDissociate', HederaFunctionality.TokenDissociateFromAccount),
  price('tokenUpdateNfts', HederaFunctionality.TokenUpdateNfts, ({ serialNumbers }) => [
    extra('NFT_UPDATE', serialNumbers.length),
  ]),
  price('tokenBurn', HederaFunctionality.TokenBurn),
  price('tokenDeletion', HederaFunctionality.TokenDelete),
  price('tokenFreeze', HederaFunctionality.TokenFreezeAccount),
  price('tokenUnfreeze', HederaFunctionality.TokenUnfreezeAccount),
  price('tokenPause', HederaFunctionality.TokenPause),
  price('tokenUnpause', HederaFunctionality.TokenUnpause),
  price('tokenGrantKyc', HederaFunctionality.TokenGrantKycToAccount),
  price('tokenRevokeKyc', HederaFunctionality.TokenRevokeKycFromAccount),
  price('tokenWipe', HederaFunctionality.TokenAccountWipe),
  price('tokenReject', HederaFunctionality.TokenReject),
  price('tokenFeeScheduleUpdate', HederaFunctionality.TokenFeeScheduleUpdate),
  price('tokenClaimAirdrop', HederaFunctionality.TokenClaimAirdrop),
  price('tokenCancelAirdrop', HederaFunctionality.TokenCancelAirdrop),
];
