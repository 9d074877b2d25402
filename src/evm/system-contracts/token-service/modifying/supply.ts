/** Minting, burning and wiping. */

import { MAX_INT64 } from '../../../../ledger/int64.ts';
import { burn } from '../../../hapi/tokens/burn.ts';
import { type Minted, mint } from '../../../hapi/tokens/mint.ts';
import { wipe } from '../../../hapi/tokens/wipe.ts';
import type { AddressHex } from '../../../state/records.ts';
import { integerWord } from '../../abi/encode.ts';
import { modifying, type SystemFunction } from '../../function-table.ts';
import { canonicalPrices, extraFees, type GasRule, priced } from '../../gas.ts';
import { halted } from '../../results.ts';
import { accountIdOf, tokenIdOf } from './addressed.ts';
import { classicOperation } from './classic.ts';

type MintArguments = [token: AddressHex, amount: bigint, metadata: readonly Uint8Array[]];
type BurnArguments = [token: AddressHex, amount: bigint, serialNumbers: readonly bigint[]];

/** Position of the array among the words (status, supply, offset of the serial numbers). */
const OFFSET_OF_SERIALS = 96n;

const mintedWords = (minted: Minted | undefined): readonly Uint8Array[] => {
  const { newTotalSupply, serialNumbers } = minted ?? { newTotalSupply: 0n, serialNumbers: [] };
  return [newTotalSupply, OFFSET_OF_SERIALS, BigInt(serialNumbers.length), ...serialNumbers].map(integerWord);
};

const mintFungibleGas = priced(canonicalPrices.mintFungible);
const mintNftGas = priced<MintArguments>(
  canonicalPrices.mintNft,
  ([, , metadata]) => canonicalPrices.mintNft + extraFees.nftMint * BigInt(metadata.length - 1),
);

const mintGas: GasRule<MintArguments> = (args, call, run) =>
  args[2].length === 0 ? mintFungibleGas(args, call, run) : mintNftGas(args, call, run);

/** Amounts of the older variants are unsigned; one that HAPI has no number for is an argument that can't be decoded. */
const isUndecodable = (amount: bigint): boolean => amount > MAX_INT64;

const mintVariant = (amountType: string): SystemFunction =>
  modifying<MintArguments>(
    `mintToken(address,${amountType},bytes[])`,
    mintGas,
    async ([token, amount, metadata], call, run) => {
      if (isUndecodable(amount)) return halted('PRECOMPILE_ERROR');
      const tokenId = await tokenIdOf(run.world, token);
      return classicOperation(call, run, (context) => mint(context, { tokenId, amount, metadata }), mintedWords);
    },
  );

const burnVariant = (amountType: string): SystemFunction =>
  modifying<BurnArguments>(
    `burnToken(address,${amountType},int64[])`,
    priced(canonicalPrices.burn),
    async ([token, amount, serialNumbers], call, run) => {
      if (isUndecodable(amount)) return halted('PRECOMPILE_ERROR');
      const tokenId = await tokenIdOf(run.world, token);
      return classicOperation(
        call,
        run,
        (context) => burn(context, { tokenId, amount, serialNumbers }),
        (totalSupply = 0n) => [integerWord(totalSupply)],
      );
    },
  );

const wipeUnits = (amountType: string): SystemFunction =>
  modifying<[token: AddressHex, account: AddressHex, amount: bigint]>(
    `wipeTokenAccount(address,address,${amountType})`,
    priced(canonicalPrices.wipe),
    async ([token, account, amount], call, run) => {
      const tokenId = await tokenIdOf(run.world, token);
      const accountId = await accountIdOf(run.world, account);
      return classicOperation(call, run, (context) => wipe(context, { tokenId, accountId, amount, serialNumbers: [] }));
    },
  );

const wipeSerials = modifying<[token: AddressHex, account: AddressHex, serialNumbers: readonly bigint[]]>(
  'wipeTokenAccountNFT(address,address,int64[])',
  priced(canonicalPrices.wipe),
  async ([token, account, serialNumbers], call, run) => {
    const tokenId = await tokenIdOf(run.world, token);
    const accountId = await accountIdOf(run.world, account);
    return classicOperation(call, run, (context) => wipe(context, { tokenId, accountId, amount: 0n, serialNumbers }));
  },
);

export const supplyFunctions: readonly SystemFunction[] = [
  mintVariant('uint64'),
  mintVariant('int64'),
  burnVariant('uint64'),
  burnVariant('int64'),
  wipeUnits('uint32'),
  wipeUnits('int64'),
  wipeSerials,
];
