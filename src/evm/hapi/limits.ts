/** The network's limits on tokens and accounts; lengths in bytes, periods in seconds. */
import { MAX_INT64 } from '../../ledger/int64.ts';

export const MAX_TOKEN_AMOUNT = MAX_INT64;
/** Serials or metadata elements of one mint, burn, wipe or metadata update. */
export const TOKEN_BATCH_SIZE = 10;
export const TOKEN_METADATA_BYTES = 100;
export const MEMO_BYTES = 100;
export const TOKEN_NAME_BYTES = 100;
export const TOKEN_SYMBOL_BYTES = 100;
export const CUSTOM_FEES = 10;
export const LEAST_RENEWAL_PERIOD = 2_592_000n;
export const LONGEST_RENEWAL_PERIOD = 8_000_001n;
export const DEFAULT_RENEWAL_PERIOD = 7_776_000n;
/** Spenders that one account may have approved; those of single serials don't count. */
export const ALLOWANCES_PER_ACCOUNT = 100;
/** Adjustments or serials of one transfer; hbar, units and serials are counted apart. */
export const TRANSFER_LIST_SIZE = 10;
/** Rounds of fees on fees. */
export const CUSTOM_FEE_DEPTH = 2;
/** Distinct balances and serials that a transfer with custom fees changes. */
export const BALANCE_CHANGES_WITH_FEES = 20;
/** Pending airdrops that are claimed or cancelled, tokens that are rejected, at once. */
export const AIRDROP_LIST_SIZE = 10;
