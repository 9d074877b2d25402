/**
 * The routes of `/api/v1/tokens`. They read `token`, `entity` and `custom_fee` with their histories, `token_account` and
 * the balance snapshots, `nft` with its history, and the transactions that NFTs went through.
 */
import type { Route } from '../../api/route.ts';
import { nftBySerialNumber } from './nft-by-serial-number.ts';
import { nftList } from './nft-list.ts';
import { nftTransactionList } from './nft-transactions.ts';
import { tokenById } from './token-by-id.ts';
import { tokenHolderList } from './token-holders.ts';
import { tokenList } from './token-list.ts';

export const tokenRoutes: readonly Route[] = [
  tokenList,
  tokenById,
  tokenHolderList,
  nftList,
  nftBySerialNumber,
  nftTransactionList,
];
