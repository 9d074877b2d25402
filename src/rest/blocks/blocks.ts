/** `/api/v1/blocks`: the blocks of the ledger. Reads `record_file` only. */
import { type Bounds, boundsOf, conjunction } from '../../api/bounds.ts';
import { integerJson, linksJson, plainJson, textJson, timestampJson } from '../../api/json.ts';
import { limitOf, nextLink, type Order, orderOf } from '../../api/page.ts';
import {
  blockNumberOf,
  blockNumberParameter,
  isNonNegativeInt8,
  limitParameter,
  orderParameter,
  timestampParameter,
} from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import { acceptInOrder, acceptSorted, allOf, type Filter, groupQuery, invalidParameters } from '../../api/query.ts';
import type { RestAnswer, RestRequest, Route, RouteContext } from '../../api/route.ts';
import { limitParameterDoc, orderParameterDoc, timestampParameterDoc } from '../../api/schemas.ts';
import { intervalConditions, statementBuilder, statementName, whereClause } from '../../api/sql.ts';
import { timestampBounds } from '../../api/timestamp-filter.ts';
import { blockSchema, blockSchemas, blocksSchema } from './block-schema.ts';

interface BlockRow {
  readonly consensus_end: string;
  readonly consensus_start: string;
  readonly count: string;
  readonly gas_used: string | null;
  readonly hapi_version_major: number | null;
  readonly hapi_version_minor: number | null;
  readonly hapi_version_patch: number | null;
  readonly hash: string;
  readonly index: string;
  /** Hex. */
  readonly logs_bloom: string | null;
  readonly name: string;
  readonly prev_hash: string;
  readonly size: number | null;
}

const selectBlocks = `select consensus_end, consensus_start, count, gas_used, hapi_version_major, hapi_version_minor,
  hapi_version_patch, hash, index, encode(logs_bloom, 'hex') as logs_bloom, name, prev_hash,
  coalesce(size, length(bytes)) as size from record_file`;

const unknownGas = '-1';
const bloomDigits = 512;

const prefixedHash = (hash: string): string => (hash.startsWith('0x') ? hash : `0x${hash}`);

const hapiVersion = (row: BlockRow): string | null =>
  row.hapi_version_major === null || row.hapi_version_minor === null || row.hapi_version_patch === null
    ? null
    : `${row.hapi_version_major}.${row.hapi_version_minor}.${row.hapi_version_patch}`;

const bloomJson = (hex: string | null): string => {
  if (hex === null) return 'null';
  return hex === '' ? '"0x"' : `"0x${hex.padStart(bloomDigits, '0')}"`;
};

const blockJson = (row: BlockRow): string =>
  `{"count":${row.count},"gas_used":${row.gas_used === unknownGas ? 'null' : integerJson(row.gas_used)},` +
  `"hapi_version":${plainJson(hapiVersion(row))},"hash":"${prefixedHash(row.hash)}",` +
  `"logs_bloom":${bloomJson(row.logs_bloom)},"name":${textJson(row.name)},"number":${row.index},` +
  `"previous_hash":"${prefixedHash(row.prev_hash)}","size":${integerJson(row.size)},` +
  `"timestamp":{"from":${timestampJson(row.consensus_start)},"to":${timestampJson(row.consensus_end)}}}`;

const listParameters = {
  'block.number': blockNumberParameter,
  limit: limitParameter,
  order: orderParameter,
  timestamp: timestampParameter,
};

const numberBounds = (filters: readonly Filter[]): Bounds =>
  boundsOf(
    allOf(filters, 'block.number').map(({ operator, value }) => ({ operator, value: blockNumberOf(value) as bigint })),
  );

const readBlocks = async (
  filters: readonly Filter[],
  order: Order,
  limit: number,
  context: RouteContext,
): Promise<readonly BlockRow[]> => {
  const numbers = conjunction(numberBounds(filters));
  const timestamps = conjunction(timestampBounds(filters));
  if (numbers === undefined || timestamps === undefined) return [];
  const builder = statementBuilder();
  const conditions = [
    ...intervalConditions(builder, 'index', numbers),
    ...intervalConditions(builder, 'consensus_end', timestamps),
  ];
  // Numbers and timestamps rise together; the order follows the index that the first filter can use.
  const first = filters.find(({ key }) => key === 'block.number' || key === 'timestamp');
  const column = first?.key === 'block.number' ? 'index' : 'consensus_end';
  const text = `${selectBlocks}${whereClause(conditions)} order by ${column} ${order} limit ${builder.bind(limit)}`;
  return context.db.query<BlockRow>(text, builder.values, statementName(text));
};

const listBlocks = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, listParameters, context.settings.query);
  const order = orderOf(filters, 'desc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const rows = await readBlocks(filters, order, limit, context);
  const last = rows.at(-1);
  const next =
    last === undefined || rows.length < limit
      ? null
      : nextLink(request, query, order, [{ key: 'block.number', value: last.index, numberOf: blockNumberOf }]);
  const blocks = rows.map(blockJson).join(',');
  return { status: 200, body: `{"blocks":[${blocks}],"links":${linksJson(next)}}`, link: next };
};

const hashText = /^(?:0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$/;
const fullHashDigits = 96;

const findBlock = async (hashOrNumber: string, db: RouteContext['db']): Promise<BlockRow | undefined> => {
  const hash = hashText.exec(hashOrNumber)?.[1]?.toLowerCase();
  if (hash !== undefined) {
    // A range instead of `like`, which an index of another collation than C could not serve.
    const rows = await db.query<BlockRow>(
      `${selectBlocks} where hash >= $1 and hash <= $2 order by hash limit 1`,
      [hash, hash.padEnd(fullHashDigits, 'f')],
      'block-by-hash',
    );
    return rows[0];
  }
  if (!isNonNegativeInt8(hashOrNumber)) throw invalidParameters('hashOrNumber');
  const rows = await db.query<BlockRow>(
    `${selectBlocks} where index = $1 order by consensus_end limit 1`,
    [hashOrNumber],
    'block-by-number',
  );
  return rows[0];
};

const getBlock = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  acceptInOrder(groupQuery(request.query), {}, context.settings.query);
  const row = await findBlock(request.pathParameters.hashOrNumber ?? '', context.db);
  if (row === undefined) throw notFound();
  return { status: 200, body: blockJson(row) };
};

export const blockRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/blocks',
    flavour: 'js',
    operation: {
      operationId: 'getBlocks',
      summary: 'List blocks',
      description: 'Blocks by number or by the timestamp of their last transaction, newest first.',
      tags: ['blocks'],
      parameters: [
        {
          name: 'block.number',
          in: 'query',
          description:
            'Number of a block in decimal or 0x hex, compared by an optional operator. Repeat it for a range.',
          schema: {
            type: 'array',
            items: { type: 'string', pattern: '^((gte?|lte?|eq):)?(\\d{1,19}|0x[0-9A-Fa-f]+)$' },
          },
          example: ['gte:77'],
        },
        limitParameterDoc,
        orderParameterDoc('desc'),
        timestampParameterDoc,
      ],
      answer: { description: 'One page of blocks.', schema: blocksSchema },
      problems: [400],
      schemas: blockSchemas,
    },
    handle: listBlocks,
  },
  {
    method: 'GET',
    path: '/api/v1/blocks/{hashOrNumber}',
    flavour: 'js',
    cacheSeconds: 600,
    operation: {
      operationId: 'getBlock',
      summary: 'Get a block by its hash or number',
      tags: ['blocks'],
      parameters: [
        {
          name: 'hashOrNumber',
          in: 'path',
          required: true,
          description: 'Number in decimal; or all 48 bytes of the hash, or its first 32, in hex with optional 0x.',
          schema: { type: 'string', pattern: '^(\\d{1,19}|(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96}))$' },
          example: '77',
        },
      ],
      answer: { description: 'The block.', schema: blockSchema },
      problems: [400, 404],
    },
    handle: getBlock,
  },
];
