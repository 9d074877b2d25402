/** What calls of system contracts cost: dollars by the price list, converted to gas. Amounts in tinycents. */
import type { ExchangeRate } from '../state/records.ts';
import type { FunctionCall } from './function-call.ts';
import type { RunContext } from './system-contract.ts';

/** Gas that a call requires. Asked before it is executed, with its decoded arguments. */
export type GasRule<A> = (args: A, call: FunctionCall, run: RunContext) => bigint | Promise<bigint>;

/** The gas price that views are converted by, whatever the fee schedule says. */
const VIEW_GAS_PRICE_MILLI_TINYCENTS = 852_000n;
const VIEW_PRICE = 1_000_000n;
const LEAST_VIEW_GAS = 100n;
const MILLI = 1_000n;

/** A fifth on top of every dispatched function. */
const PREMIUM_DIVISOR = 5n;

/** Canonical prices in tinycents; one dollar is 10,000,000,000. */
export const canonicalPrices = {
  tokenInfo: VIEW_PRICE,
  associate: 500_000_000n,
  dissociate: 500_000_000n,
  approve: 500_000_000n,
  setApprovalForAll: 500_000_000n,
  hbarApprove: 500_000_000n,
  mintFungible: 10_000_000n,
  mintNft: 200_000_000n,
  burn: 10_000_000n,
  wipe: 10_000_000n,
  freeze: 10_000_000n,
  kyc: 10_000_000n,
  pause: 10_000_000n,
  deleteToken: 10_000_000n,
  updateToken: 10_000_000n,
  updateNfts: 10_000_000n,
  updateFees: 10_000_000n,
  claimAirdrop: 10_000_000n,
  cancelAirdrop: 10_000_000n,
  rejectToken: 10_000_000n,
  airdrop: 1_000_000_000n,
  prng: 10_000_000n,
  scheduleCreate: 100_000_000n,
  scheduleCreateCall: 1_000_000_000n,
  scheduleSign: 100_000_000n,
  scheduleDelete: 50_000_000n,
  cryptoCreate: 500_000_000n,
  cryptoUpdate: 2_200_000n,
  /** For each adjustment. */
  hbarTransfer: 500_000n,
  fungibleTransfer: 5_000_000n,
  fungibleTransferWithFees: 10_000_000n,
  /** For each serial. */
  nftTransfer: 10_000_000n,
  nftTransferWithFees: 20_000_000n,
} as const;

/** Node and network part of a computed fee. */
export const NODE_AND_NETWORK_FEE = 1_000_000n;

/** Service parts of computed fees: what is included in the base, and what each one more costs. */
export const extraFees = {
  association: 500_000_000n,
  allowance: 500_000_000n,
  nftMint: 200_000_000n,
  nftUpdate: 10_000_000n,
  key: 100_000_000n,
  account: 1_000_000n,
  tokenType: 1_000_000n,
} as const;

/** Gas that a price in tinycents buys, with the premium. The rounding term is the network's, about 1,000 gas too much. */
export const gasOfTinycents = (tinycents: bigint, gasPriceMilliTinycents: bigint): bigint => {
  const gas = ((tinycents + gasPriceMilliTinycents - 1n) * MILLI) / gasPriceMilliTinycents;
  return gas + gas / PREMIUM_DIVISOR;
};

/** A computed fee as it comes out of the conversion to tinybars and back, each rounded down. */
export const throughTinybars = (tinycents: bigint, { hbarEquiv, centEquiv }: ExchangeRate): bigint =>
  (((tinycents * hbarEquiv) / centEquiv) * centEquiv) / hbarEquiv;

/** Gas of a dispatched operation: the larger of its canonical price and its computed fee. */
export const dispatchGas = (
  canonicalTinycents: bigint,
  computedTinycents: bigint,
  run: Pick<RunContext, 'exchangeRate' | 'gasPriceMilliTinycents'>,
): bigint => {
  const computed = throughTinybars(computedTinycents, run.exchangeRate);
  return gasOfTinycents(computed > canonicalTinycents ? computed : canonicalTinycents, run.gasPriceMilliTinycents);
};

const viewPriceGas = gasOfTinycents(VIEW_PRICE, VIEW_GAS_PRICE_MILLI_TINYCENTS);
const VIEW_GAS = viewPriceGas > LEAST_VIEW_GAS ? viewPriceGas : LEAST_VIEW_GAS;

/** 2607. */
export const viewGas: GasRule<unknown> = () => VIEW_GAS;

export const fixedGas =
  (gas: bigint): GasRule<unknown> =>
  () =>
    gas;

/**
 * The canonical price, or what the arguments make of it where that is more: `priced(canonicalPrices.associate,
 * ([, tokens]) => canonicalPrices.associate + extraFees.association * BigInt(tokens.length - 1))`.
 */
export const priced =
  <A>(
    canonicalTinycents: bigint,
    computedTinycents?: (args: A, call: FunctionCall, run: RunContext) => bigint | Promise<bigint>,
  ): GasRule<A> =>
  async (args, call, run) =>
    dispatchGas(canonicalTinycents, (await computedTinycents?.(args, call, run)) ?? 0n, run);
