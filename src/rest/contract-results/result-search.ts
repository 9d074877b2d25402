/**
 * One page of contract results in order of time. Each filter has an index that also gives the order, so that a page
 * costs as much as its rows; see `inOrderOf`.
 */
import { type Comparison, everything, type Interval } from '../../api/bounds.ts';
import type { Order } from '../../api/page.ts';
import {
  intervalConditions,
  rangeConditions,
  type StatementBuilder,
  statementBuilder,
  whereClause,
} from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { MAX_NANOS } from '../../ledger/timestamp.ts';
import {
  blockJoin,
  contractJoin,
  ethereumJoin,
  joinedColumns,
  joinedContract,
  resultColumns,
  syntheticColumns,
} from './result-columns.ts';
import { isOfSubmitted, standsForResult } from './synthetic-result.ts';

export interface ResultSearch {
  readonly contract: EntityId | undefined;
  /** Any of them; undefined: whoever. */
  readonly senders: readonly EntityId[] | undefined;
  readonly senderComparisons: readonly Comparison[];
  readonly timestamps: Interval | readonly bigint[];
  /** Any of them; undefined: all. */
  readonly transactionIndexes: readonly bigint[] | undefined;
  /** With results of transactions that others caused. */
  readonly internal: boolean;
  /** With results made from synthetic logs. */
  readonly synthetic: boolean;
  readonly order: Order;
  readonly limit: number;
}

export interface Statement {
  readonly text: string;
  readonly values: readonly unknown[];
}

interface Parts {
  readonly search: ResultSearch;
  readonly builder: StatementBuilder;
  /** Placeholder of the page size. */
  readonly limit: string;
}

/** Not listed: the transaction was refused before anything ran, and its nonce may be used again. */
const WRONG_NONCE = 312;

const sqlOperators = { eq: '=', gt: '>', gte: '>=', lt: '<', lte: '<=' } as const;

const inOrderOf = (columns: readonly string[], { search, limit }: Parts): string =>
  ` order by ${columns.map((column) => `${column} ${search.order}`).join(', ')} limit ${limit}`;

const timestampConditions = ({ search, builder }: Parts, column: string): string[] => {
  const { timestamps } = search;
  return 'excluded' in timestamps
    ? intervalConditions(builder, column, timestamps)
    : [`${column} = any (${builder.bind(timestamps)}::bigint[])`];
};

const indexConditions = ({ search, builder }: Parts, column: string): string[] =>
  search.transactionIndexes === undefined
    ? []
    : [`${column} = any (${builder.bind(search.transactionIndexes)}::bigint[])`];

/**
 * An equality written as a range, so that ordering by the column first means something to the planner: only the index
 * that begins with it gives this order, while an equality would let it walk all results back in time.
 */
const exactly = (column: string, value: string): string => `${column} >= ${value} and ${column} <= ${value}`;

const senderConditions = (builder: StatementBuilder, { operator, value }: Comparison): string[] =>
  operator === 'ne'
    ? rangeConditions(builder, 'x.sender_id', { ...everything, excluded: [value] })
    : [`x.sender_id ${sqlOperators[operator]} ${builder.bind(value)}::bigint`];

const results = (parts: Parts): string => {
  const { search, builder } = parts;
  const leading: string[] = [];
  const conditions: string[] = [];
  if (search.contract !== undefined) {
    leading.push('x.contract_id');
    conditions.push(exactly('x.contract_id', `${builder.bind(search.contract)}::bigint`));
  }
  if (search.senders !== undefined) {
    leading.push('x.sender_id');
    conditions.push(exactly('x.sender_id', 'k.id'));
  }
  conditions.push(...search.senderComparisons.flatMap((comparison) => senderConditions(builder, comparison)));
  conditions.push(...timestampConditions(parts, 'x.consensus_timestamp'));
  conditions.push(...indexConditions(parts, 'x.transaction_index'));
  if (!search.internal) conditions.push('x.transaction_nonce = 0');
  conditions.push(`x.transaction_result <> ${WRONG_NONCE}`);
  const order = inOrderOf([...leading, 'x.consensus_timestamp'], parts);
  const select = `select ${resultColumns('x')} from contract_result x${whereClause(conditions)}${order}`;
  if (search.senders === undefined) return select;
  return `select m.* from unnest(${builder.bind(search.senders)}::bigint[]) k(id) cross join lateral (${select}) m`;
};

/** When the results found (`found`) fill the page, synthetic ones beyond the last of them have no place on it. */
const withinPage = ({ search, limit }: Parts): string => {
  const [operator, last, open] = search.order === 'desc' ? ['>=', 'min', 0n] : ['<=', 'max', MAX_NANOS];
  return `l.consensus_timestamp ${operator} coalesce(
    (select ${last}(consensus_timestamp) from found having count(*) >= ${limit}), ${open})`;
};

const syntheticResults = (parts: Parts): string => {
  const { search, builder } = parts;
  const conditions = [
    ...(search.contract === undefined ? [] : [`l.contract_id = ${builder.bind(search.contract)}::bigint`]),
    withinPage(parts),
    standsForResult,
    ...timestampConditions(parts, 'l.consensus_timestamp'),
    ...indexConditions(parts, 'l.transaction_index'),
    ...(search.internal ? [] : [isOfSubmitted]),
  ];
  const order = inOrderOf(['l.consensus_timestamp', 'l.index'], parts);
  return `select ${syntheticColumns} from contract_log l${whereClause(conditions)}${order}`;
};

const page = (parts: Parts): string => {
  if (!parts.search.synthetic)
    return `(select * from (${results(parts)}) p${inOrderOf(['consensus_timestamp'], parts)}) r`;
  return `(with found as materialized (${results(parts)})
    select * from ((select * from found) union all (${syntheticResults(parts)})) p
    ${inOrderOf(['consensus_timestamp'], parts)}) r`;
};

const statement = (search: ResultSearch, columns: (builder: StatementBuilder) => string, joins: string): Statement => {
  const builder = statementBuilder();
  const parts: Parts = { search, builder, limit: builder.bind(search.limit) };
  return { text: `select r.*, ${columns(builder)} from ${page(parts)} ${joins}`, values: builder.values };
};

/** Results with the addresses of their contracts. */
export const resultsStatement = (search: ResultSearch): Statement =>
  statement(search, () => joinedContract, contractJoin);

/**
 * Results with their blocks and Ethereum transactions.
 * @param files those of `gasPriceFiles`
 */
export const blockResultsStatement = (search: ResultSearch, [fees, rates]: readonly [bigint, bigint]): Statement =>
  statement(
    search,
    (builder) => joinedColumns(`${builder.bind(fees)}::bigint`, `${builder.bind(rates)}::bigint`),
    `${contractJoin} ${blockJoin('b.consensus_start <= r.consensus_timestamp')} ${ethereumJoin}`,
  );
