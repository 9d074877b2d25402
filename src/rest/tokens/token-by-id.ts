/** `/api/v1/tokens/{tokenId}`: one token, now or as it was. */

import { isTimestampText, MAX_INT8 } from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import type { Filter } from '../../api/query.ts';
import { endpoint, one, oneAnswer } from '../../api/resource/endpoint.ts';
import type { Parameter } from '../../api/resource/parameter.ts';
import type { PageStatement } from '../../api/resource/resource.ts';
import { type Nanos, parseTimestamp } from '../../ledger/timestamp.ts';
import { tokenInfo } from './token.ts';
import { readTokenId, tokenPath } from './token-path.ts';

/** Columns beyond those of `token`, over `token t`, `entity e` and `custom_fee f`. */
const columns = `t.*, e.auto_renew_account_id, e.auto_renew_period, e.deleted, e.expiration_timestamp, e.key, e.memo,
  greatest(lower(t.timestamp_range), lower(e.timestamp_range)) as modified_timestamp,
  lower(f.timestamp_range) as fees_timestamp, f.fixed_fees, f.fractional_fees, f.royalty_fees`;

const statement = (source: string): PageStatement =>
  tokenInfo.statement(`select ${columns} from ${source}`, 'p.token_id');

const current = statement(`token t join entity e on e.id = t.token_id
  join custom_fee f on f.entity_id = t.token_id where t.token_id = $1`);

/** The newest version of a row that began by $2, from the table or its history. */
const newest = (table: string, id: string): string => {
  const version = (from: string): string =>
    `(select * from ${from} where ${id} = $1 and lower(timestamp_range) <= $2
      order by lower(timestamp_range) desc limit 1)`;
  return `(select * from (${version(table)} union all ${version(`${table}_history`)}) versions
    order by lower(timestamp_range) desc limit 1)`;
};

const historical = statement(`${newest('token', 'token_id')} t cross join ${newest('entity', 'id')} e
  cross join ${newest('custom_fee', 'entity_id')} f`);

/** The last moment that a filter takes in; `eq` asks for the state as of that time. */
const lastMoment = ({ operator, value }: Filter): Nanos => {
  const nanos = parseTimestamp(value) as Nanos;
  const last = operator === 'lt' ? nanos - 1n : nanos;
  return last > MAX_INT8 ? MAX_INT8 : last;
};

/** The state as of a time, in nanoseconds; the last one counts. */
const until: Parameter<Nanos | undefined> = {
  accepts: (operator, value) =>
    (operator === 'eq' || operator === 'lt' || operator === 'lte') && isTimestampText(value),
  read: (filters) => {
    const last = filters.at(-1);
    return last === undefined ? undefined : lastMoment(last);
  },
  doc: {
    description: 'The token as it was at this time (`lt`: just before). The last one counts.',
    schema: { type: 'array', items: { type: 'string', pattern: '^((eq|lte?):)?\\d{1,10}(\\.\\d{1,9})?$' } },
    example: ['1234567890.000000600'],
  },
};

export const tokenById = endpoint({
  path: '/api/v1/tokens/{tokenId}',
  flavour: 'js',
  cacheSeconds: 5,
  operationId: 'getToken',
  summary: 'Get a token',
  description: 'The token with its keys, supply and custom fees, now or as it was.',
  tag: 'tokens',
  refusals: 'in order',
  pathParameters: tokenPath,
  parameters: { timestamp: until },
  answer: one(tokenInfo, 'The token.'),
  problems: [400, 404],

  resolve: ({ path }, context) => readTokenId(path, context),

  handle: async ({ subject: tokenId, query }, { db }) => {
    const [row] =
      query.timestamp === undefined
        ? await tokenInfo.read(db, current, [tokenId])
        : await tokenInfo.read(db, historical, [tokenId, query.timestamp]);
    if (row === undefined) throw notFound();
    return oneAnswer(row, tokenInfo.put);
  },
});
