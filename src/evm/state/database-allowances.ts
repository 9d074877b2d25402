/**
 * Allowances. Now: what the importer left of them. At a past moment: what was granted by then, less what approved
 * transfers took since the grant.
 */
import type { EntityId } from '../../ledger/entity-id.ts';
import { type Moment, versionAt } from './moment.ts';

export interface AllowanceKey {
  readonly ownerId: EntityId;
  readonly spenderId: EntityId;
  /** 0n: tinybars. */
  readonly tokenId: EntityId;
}

interface NumberedAmount {
  readonly amount: string;
  readonly n: string;
}

const asked = `unnest($1::bigint[], $2::bigint[], $3::bigint[])
  with ordinality as asked(owner, spender, token_id, n)`;
const isPair = 'owner = asked.owner and spender = asked.spender';
const isTriple = `${isPair} and token_id = asked.token_id`;

/** A transfer that a contract made spends in the name of whoever called the system contract. */
const isBySpender = 'coalesce(nullif(c.sender_id, 0), t.payer_account_id) = asked.spender';

const spent = (transfers: string, isOwners: string): string => `
  select sum(t.amount) as amount from ${transfers} t
  left join contract_result c on c.consensus_timestamp = t.consensus_timestamp
  where ${isOwners} and t.is_approval and t.amount < 0
    and t.consensus_timestamp > lower(granted.timestamp_range) and t.consensus_timestamp <= $4::bigint
    and ${isBySpender}`;

const pastStatement = (table: string, condition: string, spentSince: string): string => `
  select asked.n, granted.amount_granted + coalesce(spent.amount, 0) as amount from ${asked}
  cross join lateral ${versionAt(table, 'amount_granted', condition, '$4::bigint')} granted
  cross join lateral (${spentSince}) spent`;

const latestHbar = `select asked.n, amount from ${asked} join crypto_allowance a on
  a.owner = asked.owner and a.spender = asked.spender`;
const pastHbar = pastStatement(
  'crypto_allowance',
  isPair,
  spent('crypto_transfer', 't.entity_id = asked.owner and t.entity_id <> 98'),
);

const latestTokens = `select asked.n, amount from ${asked} join token_allowance a on
  a.owner = asked.owner and a.spender = asked.spender and a.token_id = asked.token_id`;
const pastTokens = pastStatement(
  'token_allowance',
  isTriple,
  spent('token_transfer', 't.account_id = asked.owner and t.token_id = asked.token_id'),
);

const latestApprovals = `select asked.n, a.approved_for_all from ${asked} join nft_allowance a on
  a.owner = asked.owner and a.spender = asked.spender and a.token_id = asked.token_id`;
const pastApprovals = `select asked.n, a.approved_for_all from ${asked}
  cross join lateral ${versionAt('nft_allowance', 'approved_for_all', isTriple, '$4::bigint')} a`;

const valuesOf = ({ at }: Moment, keys: readonly AllowanceKey[]): unknown[] => {
  const ids = [
    keys.map(({ ownerId }) => ownerId),
    keys.map(({ spenderId }) => spenderId),
    keys.map(({ tokenId }) => tokenId),
  ];
  return at === undefined ? ids : [...ids, at];
};

const amountsOf = (keys: readonly AllowanceKey[], rows: readonly NumberedAmount[]): bigint[] => {
  const amounts = new Map(rows.map(({ n, amount }) => [Number(n), BigInt(amount)]));
  return keys.map((_key, index) => {
    const amount = amounts.get(index + 1) ?? 0n;
    return amount > 0n ? amount : 0n;
  });
};

export const loadHbarAllowances = async (moment: Moment, keys: readonly AllowanceKey[]): Promise<bigint[]> => {
  const [text, name] =
    moment.at === undefined ? [latestHbar, 'evm-hbar-allowances'] : [pastHbar, 'evm-past-hbar-allowances'];
  return amountsOf(keys, await moment.db.query<NumberedAmount>(text, valuesOf(moment, keys), name));
};

export const loadTokenAllowances = async (moment: Moment, keys: readonly AllowanceKey[]): Promise<bigint[]> => {
  const [text, name] =
    moment.at === undefined ? [latestTokens, 'evm-token-allowances'] : [pastTokens, 'evm-past-token-allowances'];
  return amountsOf(keys, await moment.db.query<NumberedAmount>(text, valuesOf(moment, keys), name));
};

/** Whether a spender may move all serials of a token that the owner has. */
export const loadApprovals = async (moment: Moment, keys: readonly AllowanceKey[]): Promise<boolean[]> => {
  const [text, name] =
    moment.at === undefined ? [latestApprovals, 'evm-approvals'] : [pastApprovals, 'evm-past-approvals'];
  const rows = await moment.db.query<{ readonly n: string; readonly approved_for_all: boolean }>(
    text,
    valuesOf(moment, keys),
    name,
  );
  const approved = new Set(rows.filter((row) => row.approved_for_all).map(({ n }) => Number(n)));
  return keys.map((_key, index) => approved.has(index + 1));
};

const counted = (crypto: string, tokens: string, approvals: string): string => `
  select owners.id, (select count(*) from ${crypto}) + (select count(*) from ${tokens})
    + (select count(*) from ${approvals}) as allowances
  from unnest($1::bigint[]) as owners(id)`;

const isOwned = 'where owner = owners.id';
const latestCounts = counted(
  `crypto_allowance ${isOwned} and amount > 0`,
  `token_allowance ${isOwned} and amount > 0`,
  `nft_allowance ${isOwned} and approved_for_all`,
);

/** What was granted by then and not taken back, whether or not some of it was spent. */
const grantedThen = (table: string, key: string, column: string, isGranted: string): string => {
  const versions = (name: string): string =>
    `select ${key}, ${column}, timestamp_range from ${name} ${isOwned} and lower(timestamp_range) <= $2::bigint`;
  return `(select distinct on (${key}) ${column} from (${versions(table)} union all ${versions(`${table}_history`)}) v
    order by ${key}, lower(timestamp_range) desc) granted where ${isGranted}`;
};
const pastCounts = counted(
  grantedThen('crypto_allowance', 'spender', 'amount_granted', 'amount_granted > 0'),
  grantedThen('token_allowance', 'spender, token_id', 'amount_granted', 'amount_granted > 0'),
  grantedThen('nft_allowance', 'spender, token_id', 'approved_for_all', 'approved_for_all'),
);

/** How many allowances owners have given. */
export const loadAllowanceCounts = async ({ db, at }: Moment, ownerIds: readonly EntityId[]): Promise<number[]> => {
  const [text, name] =
    at === undefined ? [latestCounts, 'evm-allowance-counts'] : [pastCounts, 'evm-past-allowance-counts'];
  const rows = await db.query<{ readonly id: string; readonly allowances: string }>(
    text,
    at === undefined ? [ownerIds] : [ownerIds, at],
    name,
  );
  const counts = new Map(rows.map(({ id, allowances }) => [BigInt(id), Number(allowances)]));
  return ownerIds.map((id) => counts.get(id) ?? 0);
};
