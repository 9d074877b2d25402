/** Accounts between the texts of this interface and HAPI. */
import { decodeEntityId, encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import type { AccountID } from '../../protobuf/generated/services/basic_types.ts';
import { type Address, aliasAddress, isKeyAlias, parseAddress } from '../accounts/address.ts';
import { rosettaError } from '../rosetta-error.ts';

export interface ConstructionNetwork {
  readonly shard: bigint;
  readonly realm: bigint;
}

export const accountIdOf = (address: Address, { shard, realm }: ConstructionNetwork): AccountID => {
  if (address.kind === 'alias') {
    return { shardNum: shard, realmNum: realm, account: { $case: 'alias', alias: address.alias } };
  }
  const { shard: shardNum, realm: realmNum, num } = decodeEntityId(address.id);
  return { shardNum, realmNum, account: { $case: 'accountNum', accountNum: num } };
};

/** @throws RosettaError 102 for no account or 0.0.0 */
export const parseAccount = (text: string): Address => {
  const address = parseAddress(text);
  if (address.kind === 'id' && address.id === 0n) throw rosettaError('invalidAccount');
  return address;
};

/** @throws RosettaError 102 when the text is no `shard.realm.num` */
export const parseAccountNumber = (text: string): Address => {
  const address = parseAccount(text);
  if (address.kind !== 'id') throw rosettaError('invalidAccount');
  return address;
};

/** How an account of a transaction is written; undefined when it can't be. */
export const formatAccount = (account: AccountID | undefined): string | undefined => {
  if (account?.account === undefined) return undefined;
  if (account.account.$case === 'alias') {
    return isKeyAlias(account.account.alias) ? aliasAddress(account.account.alias) : undefined;
  }
  try {
    return formatEntityId(encodeEntityId(account.shardNum, account.realmNum, account.account.accountNum));
  } catch {
    return undefined;
  }
};
