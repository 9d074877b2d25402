import { NANOS_PER_SECOND } from '../ledger/timestamp.ts';
import { ExchangeRateSet } from '../protobuf/generated/services/exchange_rate.ts';
import { accountOf } from './account-book.ts';
import type { BlockBuilder } from './block-builder.ts';
import type { LedgerState } from './ledger-state.ts';
import { fileId } from './proto-ids.ts';
import { SYSTEM_UPDATER, systemFiles } from './system-accounts.ts';

const HBAR_EQUIV = 30_000;
const SECONDS_PER_HOUR = 3_600n;
const LOWEST_CENTS = 200_000;
const HIGHEST_CENTS = 700_000;

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

/**
 * Submits an update of file 112 when an hour of consensus time ended since the newest one; the rate moves by at most two
 * percent. Takes a moment just before the builder's slot. Receipts state the new rates from the next block on.
 */
export const updateExchangeRates = (builder: BlockBuilder): void => {
  const { state, random } = builder;
  const hour = hourOf(builder.consensusTime);
  if (hour <= state.rateHour) return;
  state.rateHour = hour;
  const moved = Math.round((state.centEquiv * random.between(980, 1_020)) / 1_000);
  state.centEquiv = Math.min(Math.max(moved, LOWEST_CENTS), HIGHEST_CENTS);
  const slot = builder.consensusTime;
  builder.consensusTime = slot - 10n;
  builder.submit({
    payer: accountOf(state, SYSTEM_UPDATER),
    fee: 0n,
    data: {
      $case: 'fileUpdate',
      fileUpdate: { fileID: fileId(systemFiles.exchangeRates), contents: exchangeRateBytes(state) },
    },
  });
  builder.consensusTime = slot;
};
