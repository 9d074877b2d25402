/** Views of a token's settings, each with a status before its value. */

import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import type { Status } from '../../hapi/operation.ts';
import type { AddressHex, NftRecord, TokenRecord } from '../../state/records.ts';
import type { World } from '../../state/world.ts';
import { type AbiValue, abiTypes } from '../abi/abi-type.ts';
import { boolWord, encodeAbi, integerWord } from '../abi/encode.ts';
import type { FunctionCall } from '../function-call.ts';
import { type FunctionResult, type SystemFunction, view } from '../function-table.ts';
import { revertedWithName, statusWords, succeeded } from '../results.ts';
import type { RunContext } from '../system-contract.ts';
import {
  absentToken,
  customFees,
  EXPIRY,
  emptyKeyValue,
  expiry,
  FIXED_FEE,
  FRACTIONAL_FEE,
  FUNGIBLE_TOKEN_INFO,
  KEY_VALUE,
  keyOfBit,
  keyValue,
  NON_FUNGIBLE_TOKEN_INFO,
  ROYALTY_FEE,
  TOKEN_INFO,
  tokenInfo,
} from './info-structs.ts';
import { priorityAddress, tokenAt } from './lookups.ts';

const NANOS = 1_000_000_000n;

/** A status and whatever values go with it; where there is none to show, in a static frame a revert instead. */
const shown = (call: FunctionCall, status: Status, output: Uint8Array): FunctionResult => {
  if (status === 'SUCCESS') return succeeded(output);
  return call.isStatic ? revertedWithName(status) : { outcome: 'success', output, status };
};

/** A view of one token that answers with a single word. */
const wordView = (signature: string, word: (token: TokenRecord) => Uint8Array): SystemFunction =>
  view<[token: AddressHex]>(signature, async ([address], call, run) => {
    const token = await tokenAt(run.world, address);
    const status = token === undefined ? 'INVALID_TOKEN_ID' : 'SUCCESS';
    return shown(call, status, statusWords(status, word(token ?? absentToken)));
  });

/** A view of one token that answers with structs; for an absent token they are those of an empty one. */
const structView = (
  signature: string,
  outputs: string,
  values: (token: TokenRecord, run: RunContext) => readonly AbiValue[],
): SystemFunction => {
  const types = abiTypes(`int64,${outputs}`);
  return view<[token: AddressHex]>(signature, async ([address], call, run) => {
    const token = await tokenAt(run.world, address);
    const status = token === undefined ? 'INVALID_TOKEN_ID' : 'SUCCESS';
    const code = BigInt(ResponseCodeEnum[status]);
    return shown(call, status, encodeAbi(types, [code, ...values(token ?? absentToken, run)]));
  });
};

/** Whether an address is a token's; the one view that never fails. */
const isToken = view<[token: AddressHex]>('isToken(address)', async ([address], _call, run) =>
  succeeded(statusWords('SUCCESS', boolWord((await tokenAt(run.world, address)) !== undefined))),
);

const tokenKeyTypes = abiTypes(`int64,${KEY_VALUE}`);

const getTokenKey = view<[token: AddressHex, keyType: bigint]>(
  'getTokenKey(address,uint256)',
  async ([address, keyType], call, run) => {
    const token = await tokenAt(run.world, address);
    const key = token && keyOfBit(token, keyType);
    const status: Status =
      token === undefined ? 'INVALID_TOKEN_ID' : key === undefined ? 'KEY_NOT_PROVIDED' : 'SUCCESS';
    const value = key === undefined ? emptyKeyValue : keyValue(key);
    return shown(call, status, encodeAbi(tokenKeyTypes, [BigInt(ResponseCodeEnum[status]), value]));
  },
);

const nftInfoTypes = abiTypes(`int64,${NON_FUNGIBLE_TOKEN_INFO}`);

const nonFungibleTokenInfo = async (
  world: World,
  token: TokenRecord,
  serialNumber: bigint,
  nft: NftRecord | undefined,
  ledgerId: string,
): Promise<AbiValue> => [
  tokenInfo(token, ledgerId),
  serialNumber,
  await priorityAddress(world, nft?.ownerId ?? token.treasuryId),
  nft === undefined ? 0n : nft.createdTimestamp / NANOS,
  nft?.metadata ?? new Uint8Array(0),
  await priorityAddress(world, nft?.spenderId),
];

const getNonFungibleTokenInfo = view<[token: AddressHex, serialNumber: bigint]>(
  'getNonFungibleTokenInfo(address,int64)',
  async ([address, serialNumber], call, run) => {
    const token = await tokenAt(run.world, address);
    const nft = token && (await run.world.nft(token.id, serialNumber));
    const status: Status =
      token === undefined ? 'INVALID_TOKEN_ID' : nft === undefined ? 'INVALID_TOKEN_NFT_SERIAL_NUMBER' : 'SUCCESS';
    const { ledgerId } = run.network;
    const info = await nonFungibleTokenInfo(run.world, token ?? absentToken, serialNumber, nft, ledgerId);
    return shown(call, status, encodeAbi(nftInfoTypes, [BigInt(ResponseCodeEnum[status]), info]));
  },
);

export const infoViews: readonly SystemFunction[] = [
  isToken,
  getTokenKey,
  getNonFungibleTokenInfo,
  wordView('getTokenType(address)', ({ type }) => integerWord(type === 'NON_FUNGIBLE_UNIQUE' ? 1n : 0n)),
  wordView('getTokenDefaultFreezeStatus(address)', ({ freezeDefault }) => boolWord(freezeDefault)),
  wordView('getTokenDefaultKycStatus(address)', ({ kycDefault }) => boolWord(kycDefault)),
  structView('getTokenExpiryInfo(address)', EXPIRY, (token) => [expiry(token)]),
  structView('getTokenCustomFees(address)', `${FIXED_FEE}[],${FRACTIONAL_FEE}[],${ROYALTY_FEE}[]`, (token) =>
    customFees(token.customFees),
  ),
  structView('getTokenInfo(address)', TOKEN_INFO, (token, { network }) => [tokenInfo(token, network.ledgerId)]),
  structView('getFungibleTokenInfo(address)', FUNGIBLE_TOKEN_INFO, (token, { network }) => [
    [tokenInfo(token, network.ledgerId), BigInt(token.decimals)],
  ]),
];
