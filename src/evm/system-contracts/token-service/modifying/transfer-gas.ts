/** What a transfer costs by its size. */
import { missingAddresses } from '../../../hapi/transfers/resolve-parties.ts';
import type { Party, Transfers } from '../../../hapi/transfers/transfers.ts';
import type { World } from '../../../state/world.ts';
import { canonicalPrices, dispatchGas, extraFees, NODE_AND_NETWORK_FEE } from '../../gas.ts';
import type { RunContext } from '../../system-contract.ts';

const TOKEN_TRANSFER_BASE = 9_000_000n;
const TOKEN_TRANSFER_BASE_WITH_FEES = 19_000_000n;
const ACCOUNTS_INCLUDED = 2;
const TOKEN_TYPES_INCLUDED = 1;

const anyHasFees = async (world: World, { tokens }: Transfers<Party>): Promise<boolean> => {
  for (const { tokenId } of tokens) {
    const fees = (await world.token(tokenId))?.customFees;
    if (fees !== undefined && fees.fixed.length + fees.fractional.length + fees.royalty.length > 0) return true;
  }
  return false;
};

const partiesOf = ({ hbar, tokens }: Transfers<Party>): ReadonlySet<Party> =>
  new Set([
    ...hbar.map(({ party }) => party),
    ...tokens.flatMap(({ adjustments, serials }) => [
      ...adjustments.map(({ party }) => party),
      ...serials.flatMap(({ sender, receiver }) => [sender, receiver]),
    ]),
  ]);

const beyond = (count: number, included: number): bigint => BigInt(Math.max(0, count - included));

const computedFee = (transfers: Transfers<Party>, withFees: boolean): bigint => {
  const types = transfers.tokens.reduce((sum, { adjustments, serials }) => {
    return sum + (adjustments.length > 0 ? 1 : 0) + serials.length;
  }, 0);
  const base = withFees ? TOKEN_TRANSFER_BASE_WITH_FEES : TOKEN_TRANSFER_BASE;
  return (
    NODE_AND_NETWORK_FEE +
    (types > 0 ? base : 0n) +
    beyond(types, TOKEN_TYPES_INCLUDED) * extraFees.tokenType +
    beyond(partiesOf(transfers).size, ACCOUNTS_INCLUDED) * extraFees.account
  );
};

/** Gas before it is known how many automatic associations the transfer needs. */
export const transferGas = async (
  transfers: Transfers<Party>,
  run: Pick<RunContext, 'world' | 'exchangeRate' | 'gasPriceMilliTinycents'>,
): Promise<bigint> => {
  const withFees = await anyHasFees(run.world, transfers);
  const { hbar, tokens } = transfers;
  const adjustments = tokens.reduce((sum, list) => sum + list.adjustments.length, 0);
  const serials = tokens.reduce((sum, list) => sum + list.serials.length, 0);
  const unitPrice = withFees ? canonicalPrices.fungibleTransferWithFees : canonicalPrices.fungibleTransfer;
  const serialPrice = withFees ? canonicalPrices.nftTransferWithFees : canonicalPrices.nftTransfer;
  const creationPrice = canonicalPrices.cryptoCreate + canonicalPrices.cryptoUpdate;
  const canonical =
    BigInt(hbar.length) * canonicalPrices.hbarTransfer +
    BigInt(adjustments) * unitPrice +
    BigInt(serials) * serialPrice +
    BigInt(missingAddresses(transfers).length) * creationPrice;
  return dispatchGas(canonical, computedFee(transfers, withFees), run);
};

/** Gas for slots that a transfer filled. */
export const automaticAssociationGas = (
  count: number,
  run: Pick<RunContext, 'exchangeRate' | 'gasPriceMilliTinycents'>,
): bigint => BigInt(count) * dispatchGas(canonicalPrices.associate, 0n, run);
