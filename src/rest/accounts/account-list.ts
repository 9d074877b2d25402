/** `/api/v1/accounts`: accounts by id, public key and balance. */
import { entityIdBounds } from '../../api/entity-reference.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityIds, flag, limit, order } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { statementBuilder } from '../../api/sql.ts';
import type { Reader } from '../../database/connection.ts';
import { currentTokenBalances } from '../balances/token-balances.ts';
import { account, accountStatement, accountVariant, currentStake, entityColumns } from './account.ts';
import { accountPageLink, isNoSyntheticTreasury, treasuryOf } from './account-filters.ts';
import { accountBalances, accountPublicKeys } from './account-parameters.ts';
import { type EntitySearch, entityConditions, entityPage, searchEntities } from './entity-search.ts';

const findAccounts = async (db: Reader, search: EntitySearch, showBalance: boolean, context: RouteContext) => {
  const builder = statementBuilder();
  const conditions = entityConditions(builder, search);
  if (conditions === undefined) return [];
  const page = entityPage(builder, entityColumns, search, [
    ...conditions,
    isNoSyntheticTreasury(builder, treasuryOf(context), 'e'),
  ]);
  const { multipleAccounts } = context.settings.response.limit.tokenBalance;
  const tokens = showBalance ? currentTokenBalances('p.id', search.order, builder.bind(multipleAccounts)) : 'null';
  return account.read(db, accountStatement(page, search.order, currentStake, tokens), builder.values);
};

export const accountList = endpoint({
  path: '/api/v1/accounts',
  flavour: 'js',
  cacheSeconds: 10,
  operationId: 'getAccounts',
  summary: 'List accounts',
  description:
    'Accounts and contracts by id, with their current balances. Filters of different kinds narrow each other.',
  tag: 'accounts',
  refusals: 'in order',
  parameters: {
    'account.balance': accountBalances,
    'account.id': entityIds('Id of the account. Several `eq` mean any of them.'),
    'account.publickey': accountPublicKeys,
    balance: flag('Whether balances are shown.', true),
    limit,
    order: order('asc'),
  },
  answer: pageOf('accounts', account, 'One page of accounts.'),
  problems: [400],

  handle: async ({ request, query, grouped }, context) => {
    const ids = entityIdBounds(query['account.id']);
    const search = ids && {
      ids,
      keys: query['account.publickey'],
      balances: query['account.balance'],
      order: query.order,
      limit: query.limit,
    };
    const find = (db: Reader, part: EntitySearch) => findAccounts(db, part, query.balance, context);
    const { rows, examinedTo } =
      search === undefined
        ? { rows: [], examinedTo: null }
        : await searchEntities(search, { table: 'entity', idColumn: 'id', find }, context);
    const last = rows.at(-1);
    const passed = last === undefined || rows.length < query.limit ? examinedTo : BigInt(last.id);
    const link = passed === null ? null : accountPageLink(request, grouped, query.order, passed, context);
    const put = account.writer(accountVariant(context, { showBalance: query.balance }));
    return pageAnswer('accounts', rows, put, link);
  },
});
