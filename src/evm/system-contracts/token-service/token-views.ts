/**
 * Views of the ERC-20, ERC-721 and [HIP-719](https://hips.hedera.com/hip/hip-719) interfaces, asked at the token's own
 * address.
 */

import { MAX_INT64 } from '../../../ledger/int64.ts';
import type { AddressHex, NftRecord, TokenRecord } from '../../state/records.ts';
import { abiTypes } from '../abi/abi-type.ts';
import { addressWord, boolWord, encodeAbi, integerWord } from '../abi/encode.ts';
import { type FunctionResult, type SystemFunction, view } from '../function-table.ts';
import { halted, revertedWithName, revertedWithOrdinal, succeeded } from '../results.ts';
import type { RunContext } from '../system-contract.ts';
import { accountAt, priorityAddress } from './lookups.ts';
import { redirectedToken } from './relation-views.ts';

const MISSING_SERIAL_TEXT = 'ERC721Metadata: URI query for nonexistent token';

const stringTypes = abiTypes('string');

const text = (value: string): Uint8Array => encodeAbi(stringTypes, [value]);

/** A view of the token itself; what `answer` gives back as bytes is the output. */
const tokenView = <A extends readonly (bigint | string)[]>(
  signature: string,
  answer: (
    token: TokenRecord,
    args: A,
    run: RunContext,
    sender: AddressHex,
  ) => Uint8Array | FunctionResult | Promise<Uint8Array | FunctionResult>,
): SystemFunction =>
  view<A>(
    signature,
    async (args, call, run) => {
      const token = await redirectedToken(call, run);
      if (token === undefined) return revertedWithName('INVALID_TOKEN_ID');
      const result = await answer(token, args, run, call.sender);
      return result instanceof Uint8Array ? succeeded(result) : result;
    },
    { route: 'redirect' },
  );

/** A view of one serial; fungible tokens have none, which the network takes for input that it can't decode. */
const serialView = (
  signature: string,
  answer: (
    nft: NftRecord | undefined,
    run: RunContext,
  ) => Uint8Array | FunctionResult | Promise<Uint8Array | FunctionResult>,
): SystemFunction =>
  tokenView<[serialNumber: bigint]>(signature, async (token, [serialNumber], run) => {
    if (token.type === 'FUNGIBLE_COMMON') return halted('INVALID_OPERATION');
    const nft = serialNumber > MAX_INT64 ? undefined : await run.world.nft(token.id, serialNumber);
    return answer(nft, run);
  });

export const tokenViews: readonly SystemFunction[] = [
  tokenView('name()', ({ name }) => text(name)),
  tokenView('symbol()', ({ symbol }) => text(symbol)),
  tokenView('decimals()', ({ type, decimals }) =>
    type === 'FUNGIBLE_COMMON' ? integerWord(BigInt(decimals)) : halted('INVALID_OPERATION'),
  ),
  tokenView('totalSupply()', ({ totalSupply }) => integerWord(totalSupply)),
  tokenView<[account: AddressHex]>('balanceOf(address)', async ({ id }, [address], { world }) => {
    const account = await accountAt(world, address);
    if (account === undefined) return revertedWithName('INVALID_ACCOUNT_ID');
    return integerWord((await world.tokenRelation(account.id, id))?.balance ?? 0n);
  }),
  tokenView('isAssociated()', async ({ id }, _args, { world }, sender) => {
    const account = await accountAt(world, sender);
    return boolWord(account !== undefined && (await world.tokenRelation(account.id, id)) !== undefined);
  }),
  serialView('ownerOf(uint256)', async (nft, { world }) =>
    nft === undefined
      ? revertedWithOrdinal('INVALID_TOKEN_NFT_SERIAL_NUMBER')
      : addressWord(await priorityAddress(world, nft.ownerId)),
  ),
  serialView('tokenURI(uint256)', (nft) =>
    text(nft === undefined ? MISSING_SERIAL_TEXT : Buffer.from(nft.metadata).toString()),
  ),
];
