/** `/api/v1/contracts`: contracts by id. */
import { alternatives, type Bounds, boundsOf, type Comparison, conjunction } from '../../api/bounds.ts';
import { entityIdPosition } from '../../api/entity-position.ts';
import { isEntityIdText, isEvmAddressText } from '../../api/entity-reference.ts';
import { linksJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf } from '../../api/page.ts';
import { limitParameter, orderParameter } from '../../api/parameter-checks.ts';
import { acceptSorted, allOf, type Filter, groupQuery, type ParameterCheck } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { intervalConditions, statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import type { EntityId } from '../../ledger/entity-id.ts';
import { type ContractRow, contractJson, entityVersionColumns } from './contract-json.ts';
import { findContractId } from './contract-reference.ts';
import { namedValuesLink } from './named-values.ts';

/** Ids with any operator; EVM addresses have no order, so that only equality makes sense. */
const contractIdParameter: ParameterCheck = (operator, value) =>
  isEvmAddressText(value, 'prefixed') ? operator === 'eq' : isEntityIdText(value);

const listParameters = {
  'contract.id': contractIdParameter,
  limit: limitParameter,
  order: orderParameter,
};

/** Ids by the text that names them; undefined for an EVM address that nobody has. */
type NamedIds = ReadonlyMap<string, EntityId | undefined>;

const resolveIds = async (filters: readonly Filter[], context: RouteContext): Promise<NamedIds> => {
  const texts = [...new Set(allOf(filters, 'contract.id').map(({ value }) => value))];
  const ids = await Promise.all(texts.map((text) => findContractId(text, context)));
  return new Map(texts.map((text, i) => [text, ids[i]]));
};

/** The merged filters; undefined when all that are named are unknown. */
const idBounds = (filters: readonly Filter[], ids: NamedIds): Bounds | undefined => {
  const named = allOf(filters, 'contract.id');
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
  const text =
    `select ${entityVersionColumns}, c.file_id from (${page}) e left join contract c on c.id = e.id ` +
    `order by e.id ${order}`;
  return context.db.query<ContractRow>(text, builder.values, statementName(text));
};

export const listContracts = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'desc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const ids = await resolveIds(filters, context);
  const bounds = idBounds(filters, ids);
  const rows = bounds === undefined ? [] : await readContracts(bounds, order, limit, context);
  const last = rows.at(-1);
  const link =
    last === undefined || rows.length < limit
      ? null
      : namedValuesLink(request, query, order, entityIdPosition('contract.id', last.id, context), (text) =>
          ids.get(text),
        );
  const contracts = rows.map(contractJson).join(',');
  return { status: 200, body: `{"contracts":[${contracts}],"links":${linksJson(link)}}`, link };
};
