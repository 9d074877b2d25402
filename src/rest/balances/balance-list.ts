/** `/api/v1/balances`: balances now, or at the newest snapshot that the timestamps allow. */
import { type Bounds, isUnbounded } from '../../api/bounds.ts';
import { resolveReference } from '../../api/entity-lookup.ts';
import { entityIdBounds, isEntityIdText, isEvmAddressText, readAccountReference } from '../../api/entity-reference.ts';
import { timestampJson } from '../../api/json.ts';
import { HttpProblem } from '../../api/problem.ts';
import type { Filter } from '../../api/query.ts';
import { endpoint, pageAnswer } from '../../api/resource/endpoint.ts';
import { listSchema } from '../../api/resource/field.ts';
import { filters, limit, order, timestamps } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { linksSchema, nullableTimestampSchema, objectSchema } from '../../api/schemas.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { decodeAlias } from '../../ledger/alias.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { accountPageLink } from '../accounts/account-filters.ts';
import { accountBalances, accountPublicKeys } from '../accounts/account-parameters.ts';
import type { EntitySearch } from '../accounts/entity-search.ts';
import { accountBalance, type BalancePage, readBalancesAt, readCurrentBalances } from './balance-page.ts';
import { asOfInterval, findBalanceSnapshot } from './balance-snapshot.ts';

/** An EVM address or alias without shard and realm. */
const isAddressOrAlias = (text: string): boolean =>
  isEvmAddressText(text, 'bare') || (!isEntityIdText(text) && decodeAlias(text) !== undefined);

/** Accounts as they are written; an address or alias takes the database to read. */
const accounts = filters((_operator, value) => isEntityIdText(value) || isAddressOrAlias(value), {
  description:
    'Id of the account, compared by an optional operator; repeat it for a range, or for any of several. Or one ' +
    'EVM address in hex, or one alias in base32.',
  schema: {
    type: 'array',
    items: {
      type: 'string',
      pattern: '^(((gte?|lte?|eq|ne):)?(\\d{1,10}\\.){0,2}\\d{1,12}|(eq:)?((0x)?[A-Fa-f0-9]{40}|[A-Z2-7]+))$',
    },
  },
  example: ['gt:0.0.400'],
});

const invalidAccount = (detail: string): HttpProblem =>
  new HttpProblem(400, [{ message: 'Invalid parameter: account.id', detail }]);

/** The id of an account named by `account.id`; undefined when there is none with that address or alias. */
const resolveAccount = async (text: string, context: RouteContext): Promise<EntityId | undefined> => {
  const reference = readAccountReference(text, 'account.id', context);
  try {
    return await resolveReference(context.db, reference);
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 404) return undefined;
    throw error;
  }
};

interface AccountFilters {
  /** Undefined: nothing can match. */
  readonly bounds: Bounds | undefined;
  /** The id behind a value of `account.id`. */
  readonly idOf: (value: string) => EntityId | undefined;
}

const readAccountFilters = async (asked: readonly Filter[], context: RouteContext): Promise<AccountFilters> => {
  const named = asked.filter(({ value }) => isAddressOrAlias(value));
  if (named.some(({ operator }) => operator !== 'eq')) {
    throw invalidAccount('EVM address or alias only supports equals operator');
  }
  if (named.length > 1) throw invalidAccount('Only one EVM address or alias is allowed.');
  const read = await Promise.all(
    asked.map(async ({ operator, value }) => ({
      operator,
      text: value,
      value: await resolveAccount(value, context),
    })),
  );
  const ids = new Map(read.map(({ text, value }) => [text, value]));
  return { bounds: entityIdBounds(read), idOf: (value) => ids.get(value.replace(/^eq:/, '')) };
};

const noBalances: BalancePage = { timestamp: null, balances: [], examinedTo: null };

const readPage = async (
  search: EntitySearch,
  timestamps: Bounds | undefined,
  context: RouteContext,
): Promise<BalancePage> => {
  if (timestamps === undefined) return readCurrentBalances(search, context);
  const interval = asOfInterval(timestamps);
  const snapshot = interval === undefined ? undefined : await findBalanceSnapshot(interval, context);
  return snapshot === undefined ? noBalances : readBalancesAt(search, snapshot, context);
};

export const balanceList = endpoint({
  path: '/api/v1/balances',
  flavour: 'js',
  operationId: 'getBalances',
  summary: 'List balances',
  description:
    'Current balances by account. With timestamps, those of the newest snapshot that they allow, no older than the ' +
    'start of the month before; a single timestamp means as of that time. Snapshots are some minutes apart.',
  tag: 'balances',
  refusals: 'in order',
  parameters: {
    'account.id': accounts,
    'account.balance': accountBalances,
    'account.publickey': accountPublicKeys,
    limit,
    order: order('desc'),
    timestamp: timestamps,
  },
  answer: {
    description: 'One page of balances.',
    schema: objectSchema({
      timestamp: {
        ...nullableTimestampSchema,
        description: 'Of the snapshot; of current balances, the newest change among those on this page.',
      },
      balances: listSchema(accountBalance.schema),
      links: linksSchema,
    }),
    schemas: accountBalance.schemas,
  },
  problems: [400],

  handle: ({ request, query, grouped }, outside) =>
    inSnapshot(outside, async (context) => {
      const { bounds: ids, idOf } = await readAccountFilters(query['account.id'], context);
      const page =
        ids === undefined
          ? noBalances
          : await readPage(
              {
                ids,
                keys: query['account.publickey'],
                balances: query['account.balance'],
                order: query.order,
                limit: query.limit,
              },
              isUnbounded(query.timestamp) ? undefined : query.timestamp,
              context,
            );
      const last = page.balances.at(-1);
      const passed = last === undefined || page.balances.length < query.limit ? page.examinedTo : BigInt(last.id);
      const link = passed === null ? null : accountPageLink(request, grouped, query.order, passed, context, idOf);
      return pageAnswer('balances', page.balances, accountBalance.put, link, {
        timestamp: timestampJson(page.timestamp),
      });
    }),
});
