/** Numbers of the accounts and files that every network has. */
export const TREASURY = 2n;
export const SYSTEM_UPDATER = 50n;
export const FEE_ACCOUNT = 98n;
export const STAKING_REWARD = 800n;
export const NODE_REWARD = 801n;
export const FEE_COLLECTION = 802n;
/** The system contract in whose name hooks run, 0x16d. */
export const HOOK_CONTRACT = 365n;

export const systemFiles = {
  addressBook: 101n,
  nodeDetails: 102n,
  feeSchedule: 111n,
  exchangeRates: 112n,
  applicationProperties: 121n,
  apiPermissions: 122n,
  throttles: 123n,
} as const;

/** First number of ordinary entities. */
export const FIRST_USER_NUM = 1_001n;
