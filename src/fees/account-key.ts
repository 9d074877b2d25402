import { toHex } from '../ledger/bytes.ts';
import type { AccountID } from '../protobuf/generated/services/basic_types.ts';

/** Tells account ids apart as messages: the alias and the number of one account are two. */
export const accountKey = ({ shardNum, realmNum, account }: AccountID): string => {
  const own = account?.$case === 'alias' ? `alias ${toHex(account.alias)}` : `number ${account?.accountNum ?? 'none'}`;
  return `${shardNum}.${realmNum} ${own}`;
};
