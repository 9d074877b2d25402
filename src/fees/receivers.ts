/**
 * What a transfer brings about beside itself, as far as the ledger tells: accounts that it creates, since nobody has
 * the alias that is credited, and tokens that it associates with their receivers, who have room for that
 * ([HIP-904](https://hips.hedera.com/hip/hip-904)).
 */
import type { RouteContext } from '../api/route.ts';
import type { Queryable } from '../database/connection.ts';
import { toHex } from '../ledger/bytes.ts';
import { encodeEntityId, MAX_ENTITY_NUM } from '../ledger/entity-id.ts';
import { EVM_ADDRESS_LENGTH, isLongZeroAddress } from '../ledger/evm-address.ts';
import type { AccountAmount, AccountID, TokenTransferList } from '../protobuf/generated/services/basic_types.ts';
import type { TransactionBody } from '../protobuf/generated/services/transaction.ts';
import { accountKey } from './account-key.ts';

export interface TransferEffects {
  /** Accounts that are created with a key, known from their alias. */
  readonly keyedAccounts: number;
  /**
   * Accounts that are created without a key, from an EVM address; they will have to be completed
   * ([HIP-583](https://hips.hedera.com/hip/hip-583)).
   */
  readonly hollowAccounts: number;
  readonly associations: number;
}

export const noEffects: TransferEffects = { keyedAccounts: 0, hollowAccounts: 0, associations: 0 };

/** A receiver of a token; undefined `token`: of hbars. */
interface Credit {
  readonly receiver: AccountID;
  readonly tokenNum: bigint | undefined;
}

const credited = (amounts: readonly AccountAmount[], tokenNum: bigint | undefined): Credit[] =>
  amounts.flatMap(({ accountID, amount }) =>
    accountID !== undefined && amount > 0n ? [{ receiver: accountID, tokenNum }] : [],
  );

const tokenCredits = ({ token, transfers, nftTransfers }: TokenTransferList): Credit[] => [
  ...credited(transfers, token?.tokenNum),
  ...nftTransfers.flatMap(({ receiverAccountID }) =>
    receiverAccountID === undefined ? [] : [{ receiver: receiverAccountID, tokenNum: token?.tokenNum }],
  ),
];

const creditsOf = ({ data }: TransactionBody): Credit[] => {
  switch (data?.$case) {
    case 'cryptoTransfer': {
      const { transfers, tokenTransfers } = data.cryptoTransfer;
      return [...credited(transfers?.accountAmounts ?? [], undefined), ...tokenTransfers.flatMap(tokenCredits)];
    }
    case 'tokenAirdrop':
      return data.tokenAirdrop.tokenTransfers.flatMap(tokenCredits);
    default:
      return [];
  }
};

const aliasOf = ({ account }: AccountID): Uint8Array | undefined =>
  account?.$case === 'alias' && account.alias.length > 0 ? account.alias : undefined;

/** An EVM address of zeros and a num names an account by that; it creates none. */
const longZeroNum = (alias: Uint8Array): bigint | undefined => {
  return isLongZeroAddress(alias) ? BigInt(`0x${toHex(alias)}`) : undefined;
};

const numOf = (id: AccountID): bigint | undefined => {
  const alias = aliasOf(id);
  if (alias !== undefined) return longZeroNum(alias);
  return id.account?.$case === 'accountNum' ? id.account.accountNum : undefined;
};

const aliasSql = `
  select encode(asked.alias, 'hex') as alias, coalesce(
    (select id from entity where alias = asked.alias and deleted is not true limit 1),
    (select id from entity where evm_address = asked.alias and deleted is not true limit 1)) as id
  from unnest($1::bytea[]) as asked (alias)`;

/** Room for associations is what is not taken by those that came about automatically; -1: without end. */
const associationSql = `
  select count(*) as count from unnest($1::bigint[], $2::bigint[]) as asked (account_id, token_id)
  join entity e on e.id = asked.account_id and e.deleted is not true
  join token t on t.token_id = asked.token_id
  where not exists (select from token_account r
      where r.account_id = asked.account_id and r.token_id = asked.token_id and r.associated)
    and (e.max_automatic_token_associations = -1 or e.max_automatic_token_associations > (
      select count(*) from (select from token_account r where r.account_id = e.id and r.associated and r.automatic_association
        limit e.max_automatic_token_associations) taken))`;

const knownTokensSql = 'select token_id from token where token_id = any ($1::bigint[])';

const idsByAlias = async (db: Queryable, aliases: readonly Uint8Array[]): Promise<ReadonlyMap<string, string>> => {
  if (aliases.length === 0) return new Map();
  const bytes = aliases.map((alias) => Buffer.from(alias));
  const rows = await db.query<{ alias: string; id: string | null }>(aliasSql, [bytes], 'fee_receivers');
  return new Map(rows.flatMap(({ alias, id }) => (id === null ? [] : [[alias, id] as const])));
};

type Context = Pick<RouteContext, 'db' | 'shard' | 'realm'>;

/** Pairs of account and token (digits) that would come to be associated. */
const countAssociations = async (db: Queryable, pairs: ReadonlySet<string>): Promise<number> => {
  if (pairs.size === 0) return 0;
  const split = [...pairs].map((pair) => pair.split(' '));
  const values = [split.map(([account]) => account), split.map(([, token]) => token)];
  const [row] = await db.query<{ count: string }>(associationSql, values, 'fee_associations');
  return Number(row?.count ?? 0);
};

/** Reads what a transfer or airdrop brings about, as far as the ledger knows its receivers and tokens. */
export const readTransferEffects = async (
  { db, shard, realm }: Context,
  body: TransactionBody,
): Promise<TransferEffects> => {
  const credits = creditsOf(body);
  const aliases = new Map(
    credits.flatMap(({ receiver }) => {
      const alias = aliasOf(receiver);
      return alias === undefined || longZeroNum(alias) !== undefined ? [] : [[toHex(alias), alias] as const];
    }),
  );
  const known = await idsByAlias(db, [...aliases.values()]);
  const pairs = new Set<string>();
  const pairsOfNew = new Map<string, string>();
  const idOf = (num: bigint | undefined): string | undefined =>
    num === undefined || num <= 0n || num > MAX_ENTITY_NUM ? undefined : encodeEntityId(shard, realm, num).toString();
  for (const { receiver, tokenNum } of credits) {
    const token = idOf(tokenNum);
    if (token === undefined) continue;
    const alias = aliasOf(receiver);
    const id = idOf(numOf(receiver)) ?? (alias === undefined ? undefined : known.get(toHex(alias)));
    if (id !== undefined) pairs.add(`${id} ${token}`);
    else if (alias !== undefined) pairsOfNew.set(`${accountKey(receiver)} ${token}`, token);
  }
  const created = [...aliases].filter(([hex]) => !known.has(hex)).map(([, alias]) => alias);
  const tokens = new Set(
    pairsOfNew.size === 0
      ? []
      : (
          await db.query<{ token_id: string }>(knownTokensSql, [[...new Set(pairsOfNew.values())]], 'fee_known_tokens')
        ).map(({ token_id }) => token_id),
  );
  const hollowAccounts = created.filter((alias) => alias.length === EVM_ADDRESS_LENGTH).length;
  return {
    hollowAccounts,
    keyedAccounts: created.length - hollowAccounts,
    // An account that a transfer creates has room for all tokens.
    associations:
      [...pairsOfNew.values()].filter((token) => tokens.has(token)).length + (await countAssociations(db, pairs)),
  };
};
