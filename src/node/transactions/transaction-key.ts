import type { TransactionID } from '../../protobuf/generated/services/basic_types.ts';

/** Number of a plain account of this network; undefined for aliases, and accounts of other shards and realms. */
export const plainAccountNum = (
  id: { readonly shardNum: bigint; readonly realmNum: bigint; readonly account: TransactionAccount } | undefined,
): bigint | undefined => {
  if (id === undefined || id.shardNum !== 0n || id.realmNum !== 0n || id.account?.$case !== 'accountNum')
    return undefined;
  return id.account.accountNum;
};

type TransactionAccount = NonNullable<TransactionID['accountID']>['account'];

/** What is the same for a transaction and its children; undefined for an id without payer or valid start. */
export const transactionKey = ({ accountID, transactionValidStart, scheduled }: TransactionID): string | undefined => {
  const num = plainAccountNum(accountID);
  if (num === undefined || transactionValidStart === undefined) return undefined;
  const { seconds, nanos } = transactionValidStart;
  return `${num}@${seconds}.${nanos}${scheduled ? '?scheduled' : ''}`;
};
