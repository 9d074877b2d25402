import type { TokenKeyName } from '../../state/records.ts';

/** What a token's keys are for, by the bit that contracts use, in the order in which they are shown. */
export const tokenKeyBits: readonly (readonly [bit: bigint, name: TokenKeyName])[] = [
  [1n, 'admin'],
  [2n, 'kyc'],
  [4n, 'freeze'],
  [8n, 'wipe'],
  [16n, 'supply'],
  [32n, 'feeSchedule'],
  [64n, 'pause'],
];
