/** Single serial numbers of non-fungible tokens. */
import { bool, bytea, historyOf, int8, int8range, nullable, table, withDefault } from '../column.ts';

export const nft = table(
  'nft',
  {
    account_id: nullable(int8),
    created_timestamp: nullable(int8),
    deleted: nullable(withDefault(bool, 'false')),
    metadata: nullable(bytea),
    serial_number: int8,
    token_id: int8,
    delegating_spender: nullable(int8),
    spender: nullable(int8),
    timestamp_range: int8range,
  },
  ['token_id', 'serial_number'],
);

export const nftHistory = historyOf(nft);
