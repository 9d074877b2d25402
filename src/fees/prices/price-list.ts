import { accountPrices } from './accounts.ts';
import { contractPrices } from './contracts.ts';
import { filePrices } from './files.ts';
import { networkPrices } from './network.ts';
import type { Price, TransactionKind } from './price.ts';
import { schedulePrices } from './schedules.ts';
import { tokenPrices } from './tokens.ts';
import { topicPrices } from './topics.ts';
import { transferPrices } from './transfers.ts';

/**
 * Every kind of transaction that has a price. Freezes, unchecked submissions, live hashes and what nodes submit among
 * themselves have none.
 */
export const priceList: ReadonlyMap<TransactionKind, Price> = new Map(
  [
    ...accountPrices,
    ...contractPrices,
    ...filePrices,
    ...networkPrices,
    ...schedulePrices,
    ...tokenPrices,
    ...topicPrices,
    ...transferPrices,
  ].map((price) => [price.kind, price]),
);
