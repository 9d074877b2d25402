/** What a transaction costs in tinybars, and who gets that. */
import { estimateFees } from '../../fees/estimate.ts';
import { noEffects, type TransferEffects } from '../../fees/receivers.ts';
import { defaultSchedule } from '../../fees/schedule/default-schedule.ts';
import type { LedgerState } from '../../simulator/state/ledger-state.ts';
import type { SentTransaction } from './sent-transaction.ts';

/** Tinybars. */
export interface Charges {
  readonly node: bigint;
  readonly network: bigint;
  readonly service: bigint;
}

export const nothingCharged: Charges = { node: 0n, network: 0n, service: 0n };

/** Cents that so many hbars are worth. */
export interface ExchangeRate {
  readonly hbarEquiv: number;
  readonly centEquiv: number;
}

export const tinybarsOf = (tinycents: bigint, { hbarEquiv, centEquiv }: ExchangeRate): bigint =>
  (tinycents * BigInt(hbarEquiv)) / BigInt(centEquiv);

/** Accounts that pay nothing: the treasury and the one that updates system files. */
const freePayers: ReadonlySet<bigint> = new Set([2n, 50n]);

export const paysNothing = (payer: bigint): boolean => freePayers.has(payer);

/**
 * By the schedule that the network has in file 113 ([HIP-1261](https://hips.hedera.com/hip/hip-1261)), at the rate that
 * its receipts state.
 */
export const chargesOf = (
  { body, bytes, pairs }: SentTransaction,
  state: LedgerState,
  rate: ExchangeRate,
  effects: TransferEffects = noEffects,
): Charges => {
  const transaction = { body, signatures: BigInt(pairs.length), size: BigInt(bytes.length) };
  const hasCustomFees = (num: bigint): boolean =>
    (state.submitted.topics.get(num)?.fees.length ?? 0) > 0 ||
    state.topics.some((topic) => topic.num === num && topic.fee !== undefined);
  const { total, network, service } = estimateFees(
    defaultSchedule,
    transaction,
    { isNonFungible: () => false, hasCustomFees, effects },
    0n,
  );
  const serviceTotal = service.extras.reduce((sum, { subtotal }) => sum + subtotal, service.base);
  return {
    node: tinybarsOf(total - network.subtotal - serviceTotal, rate),
    network: tinybarsOf(network.subtotal, rate),
    service: tinybarsOf(serviceTotal, rate),
  };
};

export const totalOf = ({ node, network, service }: Charges): bigint => node + network + service;
