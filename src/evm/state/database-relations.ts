/** Relations of accounts with tokens. */
import { statementName } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { fungibleBalanceAt, ownedSerialsAt } from './fungible-balance.ts';
import { type Moment, type Past, versionAt, withinSnapshot } from './moment.ts';
import type { TokenRelationRecord } from './records.ts';

export interface RelationKey {
  readonly accountId: EntityId;
  readonly tokenId: EntityId;
}

interface RelationRow {
  readonly automatic_association: boolean | null;
  readonly balance: string;
  readonly freeze_status: number | null;
  readonly kyc_status: number | null;
  readonly n: string;
}

const FROZEN = 1;
const KYC_REVOKED = 2;

/** An account's own status, else that of the token. */
const selected = `asked.n, r.automatic_association,
  coalesce(r.freeze_status, t.freeze_status) as freeze_status, coalesce(r.kyc_status, t.kyc_status) as kyc_status`;

const asked = (tokens: string): string =>
  `unnest($1::bigint[], ${tokens}::bigint[]) with ordinality as asked(account_id, token_id, n)`;

const latestStatement = `
  select ${selected}, r.balance from ${asked('$2')}
  join token_account r on r.account_id = asked.account_id and r.token_id = asked.token_id and r.associated
  left join token t on t.token_id = asked.token_id`;

const relationColumns = 'account_id, associated, automatic_association, freeze_status, kyc_status, token_id';
const tokenColumns = 'freeze_status, kyc_status, type';
const relationCondition = 'account_id = asked.account_id and token_id = asked.token_id';

const pastStatement = (within: string): string => `
  select ${selected},
    case when t.type = 'NON_FUNGIBLE_UNIQUE' then ${ownedSerialsAt('asked.account_id', 'asked.token_id')}
      else ${fungibleBalanceAt('asked.account_id', 'asked.token_id', '$3::bigint', within)} end as balance
  from ${asked('$4')}
  cross join lateral ${versionAt('token_account', relationColumns, relationCondition, '$2::bigint')} r
  left join lateral ${versionAt('token', tokenColumns, 'token_id = asked.token_id', '$2::bigint')} t on true
  where r.associated`;

const readPast = async (
  moment: Past,
  accountIds: readonly EntityId[],
  tokenIds: readonly EntityId[],
): Promise<RelationRow[]> => {
  const snapshot = await moment.snapshot();
  const text = pastStatement(withinSnapshot(snapshot, '$3::bigint'));
  const values = [accountIds, moment.at, snapshot ?? null, tokenIds];
  return moment.db.query<RelationRow>(text, values, statementName(text));
};

/** Relations that exist at the moment; undefined where the account is not, or no longer, associated. */
export const loadRelations = async (
  moment: Moment,
  keys: readonly RelationKey[],
): Promise<(TokenRelationRecord | undefined)[]> => {
  const accountIds = keys.map(({ accountId }) => accountId);
  const tokenIds = keys.map(({ tokenId }) => tokenId);
  const rows =
    moment.at === undefined
      ? await moment.db.query<RelationRow>(latestStatement, [accountIds, tokenIds], 'evm-relations')
      : await readPast(moment, accountIds, tokenIds);
  const byNumber = new Map(rows.map((row) => [Number(row.n), row]));
  return keys.map(({ accountId, tokenId }, index) => {
    const row = byNumber.get(index + 1);
    if (row === undefined) return undefined;
    return {
      accountId,
      tokenId,
      balance: BigInt(row.balance),
      frozen: row.freeze_status === FROZEN,
      kycGranted: row.kyc_status !== KYC_REVOKED,
      automaticAssociation: row.automatic_association === true,
    };
  });
};
