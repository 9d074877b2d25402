/** What an owner lets a spender move. */
import { bool, historyOf, int8, int8range, table, withDefault } from '../column.ts';

export const cryptoAllowance = table(
  'crypto_allowance',
  {
    amount_granted: int8,
    owner: int8,
    payer_account_id: int8,
    spender: int8,
    timestamp_range: int8range,
    amount: withDefault(int8, '0'),
  },
  ['owner', 'spender'],
);

export const cryptoAllowanceHistory = historyOf(cryptoAllowance);

export const tokenAllowance = table(
  'token_allowance',
  {
    amount_granted: int8,
    owner: int8,
    payer_account_id: int8,
    spender: int8,
    timestamp_range: int8range,
    token_id: int8,
    amount: withDefault(int8, '0'),
  },
  ['owner', 'spender', 'token_id'],
);

export const tokenAllowanceHistory = historyOf(tokenAllowance);

export const nftAllowance = table(
  'nft_allowance',
  {
    approved_for_all: bool,
    owner: int8,
    payer_account_id: int8,
    spender: int8,
    timestamp_range: int8range,
    token_id: int8,
  },
  ['owner', 'spender', 'token_id'],
);

export const nftAllowanceHistory = historyOf(nftAllowance);
