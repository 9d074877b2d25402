import { nftAllowanceOwners, tokenAllowanceOwners } from './allowance-owners.ts';
import { blockNumbers } from './block-numbers.ts';
import { duplicateBlock } from './duplicate-block.ts';
import { earlyStaking } from './early-staking.ts';
import { missingTransactions } from './missing-transactions.ts';
import type { Repair } from './repair.ts';
import { spuriousTransfers } from './spurious-transfers.ts';
import { transferApprovals } from './transfer-approvals.ts';

/** In the order in which they are done: that of the times they are about. */
export const mainnetRepairs: readonly Repair[] = [
  missingTransactions,
  spuriousTransfers,
  blockNumbers,
  earlyStaking,
  duplicateBlock,
  tokenAllowanceOwners,
  nftAllowanceOwners,
  transferApprovals,
];
