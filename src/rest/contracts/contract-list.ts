/** `/api/v1/contracts`: contracts by id. */
import { alternatives, type Bounds, boundsOf, type Comparison, conjunction } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { isEntityIdText, isEvmAddressText } from '../../api/entity-reference.ts';
import type { Order } from '../../api/page.ts';
import type { Filter, ParameterCheck } from '../../api/query.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { entityIds, filters, limit, order } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { intervalConditions, statementBuilder, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { contract } from './contract.ts';
import { findContractId } from './contract-reference.ts';
import { namedValuesLink } from './named-values.ts';

/** Ids with any operator; EVM addresses have no order, so that only equality makes sense. */
const contractIdParameter: ParameterCheck = (operator, value) =>
  isEvmAddressText(value, 'prefixed') ? operator === 'eq' : isEntityIdText(value);

/** Ids by the text that names them; undefined for an EVM address that nobody has. */
type NamedIds = ReadonlyMap<string, EntityId | undefined>;

const resolveIds = async (named: readonly Filter[], context: RouteContext): Promise<NamedIds> => {
  const texts = [...new Set(named.map(({ value }) => value))];
  const ids = await Promise.all(texts.map((text) => findContractId(text, context)));
  return new Map(texts.map((text, i) => [text, ids[i]]));
};

/** The merged filters; undefined when all that are named are unknown. */
const idBounds = (named: readonly Filter[], ids: NamedIds): Bounds | undefined => {
  const known = named.flatMap(({ operator, value }): Comparison[] => {
    const id = ids.get(value);
    return id === undefined ? [] : [{ operator, value: id }];
  });
  const bounds = boundsOf(known);
  return named.some(({ operator }) => operator === 'eq') && bounds.equal.length === 0 ? undefined : bounds;
};

const readContracts = async (bounds: Bounds, order: Order, limit: number, context: RouteContext) => {
  const builder = statementBuilder();
  const named = alternatives(bounds);
  const interval = conjunction(bounds);
  let conditions: string[];
  if (named !== undefined) {
    if (named.length === 0) return [];
    conditions = ["e.type = 'CONTRACT'", `e.id = any (${builder.bind(named)}::bigint[])`];
  } else {
    if (interval === undefined) return [];
    // A range, so that only the index on type and id gives the order: the one on ids alone would pass all other entities.
    conditions = ["e.type >= 'CONTRACT' and e.type <= 'CONTRACT'", ...intervalConditions(builder, 'e.id', interval)];
  }
  const page =
    `select e.* from entity e${whereClause(conditions)} ` +
    `order by e.type ${order}, e.id ${order} limit ${builder.bind(limit)}`;
  const withFile = `select e.*, c.file_id from (${page}) e left join contract c on c.id = e.id`;
  return contract.read(context.db, contract.statement(withFile, `p.id ${order}`), builder.values);
};

export const contractList = endpoint({
  path: '/api/v1/contracts',
  flavour: 'js',
  cacheSeconds: 10,
  operationId: 'getContracts',
  summary: 'List contracts',
  tag: 'contracts',
  refusals: 'sorted',
  parameters: {
    'contract.id': filters(
      contractIdParameter,
      entityIds('Id of the contract, or with `eq` its address. Several mean any of them.').doc,
    ),
    limit,
    order: order('desc'),
  },
  answer: pageOf('contracts', contract, 'One page of contracts.'),
  problems: [400],

  handle: async ({ request, query, grouped }, context) => {
    const ids = await resolveIds(query['contract.id'], context);
    const bounds = idBounds(query['contract.id'], ids);
    const rows = bounds === undefined ? [] : await readContracts(bounds, query.order, query.limit, context);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < query.limit
        ? null
        : namedValuesLink(request, grouped, query.order, entityIdPosition('contract.id', last.id, context), (text) =>
            ids.get(text),
          );
    return pageAnswer('contracts', rows, contract.put, link);
  },
});
