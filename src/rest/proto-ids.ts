/** Ids inside protobuf messages kept as bytes in columns, as REST writes them. */
import type { AccountID, TokenID } from '../protobuf/generated/services/basic_types.ts';

const idJson = (shard: bigint, realm: bigint, num: bigint): string =>
  shard === 0n && realm === 0n && num === 0n ? 'null' : `"${shard}.${realm}.${num}"`;

/** `"shard.realm.num"`, null for no account. An alias has no num and is shown as none. */
export const accountIdJson = (id: AccountID | undefined): string => {
  if (id?.account?.$case !== 'accountNum') return 'null';
  return idJson(id.shardNum, id.realmNum, id.account.accountNum);
};

export const tokenIdJson = (id: TokenID | undefined): string =>
  id === undefined ? 'null' : idJson(id.shardNum, id.realmNum, id.tokenNum);
