import type { BlockBuilder } from '../records/block-builder.ts';
import { fileId } from '../records/proto-ids.ts';
import { accountOf } from '../state/account-book.ts';
import { exchangeRateBytes, hourOf } from './exchange-rates.ts';
import { SYSTEM_UPDATER, systemFiles } from './system-accounts.ts';

const LOWEST_CENTS = 200_000;
const HIGHEST_CENTS = 700_000;

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
