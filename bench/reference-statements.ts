/**
 * How the reference mirror node finds the rows of a page, as far as its statements are known: filters, joins, order and
 * limit are its own, columns are left out that cost nothing to find. What it does besides (details of a page, JSON) is not
 * counted, so that its requests take longer than these.
 */
import { responseCodeNumber } from '../src/ledger/response-code.ts';

type Order = 'asc' | 'desc';

const LIMIT = 25;

/** Result codes that count as success: SUCCESS, FEE_SCHEDULE_FILE_PART_UPLOADED, SUCCESS_BUT_MISSING_EXPECTED_OPERATION. */
const successes = [
  responseCodeNumber('SUCCESS'),
  responseCodeNumber('FEE_SCHEDULE_FILE_PART_UPLOADED'),
  responseCodeNumber('SUCCESS_BUT_MISSING_EXPECTED_OPERATION'),
].join(', ');

const whereAll = (conditions: readonly (string | undefined)[]): string => {
  const present = conditions.filter((condition) => condition !== undefined);
  return present.length === 0 ? '' : `where ${present.join(' and ')}`;
};

export interface TransactionQuestion {
  /** A comparison, such as `= 98` or `>= 98`. */
  readonly account?: string;
  readonly type?: number;
  readonly result?: 'success' | 'fail';
  readonly moved?: 'credit' | 'debit';
  /** Conditions on `consensus_timestamp`, such as `>= 5`. */
  readonly times?: readonly string[];
  readonly order?: Order;
}

/**
 * A page each of the payer's transactions and of those that moved hbar or tokens, joined in full; type and result are looked
 * up for every transfer.
 */
export const transactionPage = (question: TransactionQuestion): string => {
  const { account, type, result, moved, times = [], order = 'desc' } = question;
  const ofTransaction = [
    type === undefined ? undefined : `t.type = ${type}`,
    result === undefined ? undefined : `t.result ${result === 'success' ? '' : 'not '}in (${successes})`,
  ];
  const join =
    type === undefined && result === undefined
      ? ''
      : 'join transaction t using (consensus_timestamp, payer_account_id)';
  const tail = (column: string): string => `order by ${column} ${order} limit ${LIMIT}`;
  const timesOf = (alias: string): readonly string[] => times.map((time) => `${alias}.consensus_timestamp ${time}`);
  const transfers = (table: string, holder: string): string => {
    const where = whereAll([
      account === undefined ? undefined : `l.${holder} ${account}`,
      ...timesOf('l'),
      ...ofTransaction,
      moved === undefined ? undefined : `l.amount ${moved === 'credit' ? '>' : '<'} 0`,
    ]);
    return `select distinct on (l.consensus_timestamp) l.consensus_timestamp, l.payer_account_id from ${table} l ${join} ${where}
      ${tail('l.consensus_timestamp')}`;
  };
  const payers = whereAll([
    ...(account === undefined
      ? []
      : [`t.payer_account_id ${account}`, '(t.nonce = 0 or t.parent_consensus_timestamp is not null)']),
    ...timesOf('t'),
    ...ofTransaction,
  ]);
  const paid = `select t.consensus_timestamp, t.payer_account_id from transaction t ${payers} ${tail('t.consensus_timestamp')}`;
  if (account === undefined && moved === undefined) return paid;
  const [hbars, tokens] = [transfers('crypto_transfer', 'entity_id'), transfers('token_transfer', 'account_id')];
  if (moved !== undefined) {
    return `select coalesce(c.consensus_timestamp, k.consensus_timestamp) as consensus_timestamp
      from (${hbars}) c full outer join (${tokens}) k on c.consensus_timestamp = k.consensus_timestamp
      ${tail('consensus_timestamp')}`;
  }
  return `select coalesce(p.consensus_timestamp, c.consensus_timestamp, k.consensus_timestamp) as consensus_timestamp
    from (${paid}) p full outer join (${hbars}) c on p.consensus_timestamp = c.consensus_timestamp
      full outer join (${tokens}) k on coalesce(p.consensus_timestamp, c.consensus_timestamp) = k.consensus_timestamp
    ${tail('consensus_timestamp')}`;
};

/** A list that is read from one table with its filters, in the order of its page. */
export const page = (table: string, conditions: readonly string[], order: string): string =>
  `select * from ${table} ${whereAll(conditions)} order by ${order} limit ${LIMIT}`;

/** Accounts and contracts with their stakes. */
export const accountPage = (conditions: readonly string[], order: Order = 'asc'): string =>
  page(
    'entity e left join entity_stake s on s.id = e.id',
    ["e.type in ('ACCOUNT', 'CONTRACT')", '(e.deleted is false or e.deleted is null)', ...conditions],
    `e.id ${order}`,
  );

/** Balances of today are the entities'. */
export const balancePage = (conditions: readonly string[]): string =>
  page(
    'entity e',
    ["e.type in ('ACCOUNT', 'CONTRACT')", '(e.deleted is false or e.deleted is null)', ...conditions],
    'e.id desc',
  );

/** Balances of a snapshot: of each account the newest row of the month. */
export const balanceSnapshotPage = (from: bigint, to: bigint, conditions: readonly string[]): string =>
  `select distinct on (b.account_id) b.* from account_balance b join entity e on e.id = b.account_id
   ${whereAll([`b.consensus_timestamp >= ${from}`, `b.consensus_timestamp <= ${to}`, ...conditions])}
   order by b.account_id desc, b.consensus_timestamp desc limit ${LIMIT}`;

/** Tokens with their keys. */
export const tokenPage = (conditions: readonly string[], holder?: number, order: Order = 'asc'): string =>
  page(
    `token t join entity e on e.id = t.token_id${
      holder === undefined
        ? ''
        : ` join token_account a on a.account_id = ${holder} and a.token_id = t.token_id and a.associated`
    }`,
    conditions,
    `t.token_id ${order}`,
  );

/** Holders of a token. */
export const holderPage = (token: number, conditions: readonly string[], byKey = false): string =>
  page(
    `token_account a${byKey ? ' join entity e on e.id = a.account_id' : ''}`,
    [`a.token_id = ${token}`, 'a.associated', ...conditions],
    'a.account_id desc',
  );

/** Slots of a contract as they were: of each the newest change. */
export const pastStatePage = (contract: number, times: readonly string[], order: Order): string =>
  `select distinct on (slot) slot, coalesce(value_written, value_read), consensus_timestamp from contract_state_change
   ${whereAll([`contract_id = ${contract}`, ...times.map((time) => `consensus_timestamp ${time}`)])}
   order by slot ${order}, consensus_timestamp desc limit ${LIMIT}`;
