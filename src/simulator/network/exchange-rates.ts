import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { ExchangeRateSet } from '../../protobuf/generated/services/exchange_rate.ts';
import type { LedgerState } from '../state/ledger-state.ts';

const HBAR_EQUIV = 30_000;
const SECONDS_PER_HOUR = 3_600n;

/** The rates that hold in the state's hour, and the same for the hour after; receipts and file 112 state them. */
export const exchangeRatesOf = ({ centEquiv, rateHour }: LedgerState) => {
  const rate = (hour: bigint) => ({
    hbarEquiv: HBAR_EQUIV,
    centEquiv,
    expirationTime: { seconds: (hour + 1n) * SECONDS_PER_HOUR },
  });
  return { currentRate: rate(rateHour), nextRate: rate(rateHour + 1n) };
};

/** Content of file 112. */
export const exchangeRateBytes = (state: LedgerState): Uint8Array =>
  ExchangeRateSet.encode(ExchangeRateSet.fromPartial(exchangeRatesOf(state))).finish();

export const hourOf = (nanos: bigint): bigint => nanos / NANOS_PER_SECOND / SECONDS_PER_HOUR;
