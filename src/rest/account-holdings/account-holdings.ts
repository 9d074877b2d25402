/** The routes of what belongs to an account: its NFTs, tokens, staking rewards and the allowances it gave. */
import type { Route } from '../../api/route.ts';
import { accountNftList } from './account-nfts.ts';
import { cryptoAllowanceList } from './crypto-allowances.ts';
import { nftAllowanceList } from './nft-allowances.ts';
import { stakingRewardList } from './staking-rewards.ts';
import { tokenAllowanceList } from './token-allowances.ts';
import { tokenRelationshipList } from './token-relationships.ts';

export const accountHoldingRoutes: readonly Route[] = [
  accountNftList,
  tokenRelationshipList,
  stakingRewardList,
  cryptoAllowanceList,
  tokenAllowanceList,
  nftAllowanceList,
];
