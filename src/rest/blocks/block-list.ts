/** `/api/v1/blocks`: blocks by number or time. */
import { conjunction } from '../../api/bounds.ts';
import { nextLink } from '../../api/page.ts';
import { blockNumberOf } from '../../api/parameter-checks.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { blockNumbers, limit, order, timestamps } from '../../api/resource/parameter.ts';
import { intervalConditions, statementBuilder, whereClause } from '../../api/sql.ts';
import { block } from './block.ts';

export const blockList = endpoint({
  path: '/api/v1/blocks',
  flavour: 'js',
  operationId: 'getBlocks',
  summary: 'List blocks',
  description: 'Blocks by number or by the timestamp of their last transaction, newest first.',
  tag: 'blocks',
  refusals: 'sorted',
  parameters: {
    'block.number': blockNumbers(
      'Number of a block in decimal or 0x hex, compared by an optional operator. Repeat it for a range.',
    ),
    limit,
    order: order('desc'),
    timestamp: timestamps,
  },
  answer: pageOf('blocks', block, 'One page of blocks.'),
  problems: [400],

  handle: async ({ request, query, grouped }, context) => {
    const numbers = conjunction(query['block.number']);
    const times = conjunction(query.timestamp);
    if (numbers === undefined || times === undefined) return pageAnswer('blocks', [], block.put, null);
    const builder = statementBuilder();
    const conditions = [
      ...intervalConditions(builder, 'index', numbers),
      ...intervalConditions(builder, 'consensus_end', times),
    ];
    // Numbers and timestamps rise together; the order follows the index that the first filter can use.
    const first = [...grouped.keys()].find((key) => key === 'block.number' || key === 'timestamp');
    const column = first === 'block.number' ? 'index' : 'consensus_end';
    const page = `select * from record_file${whereClause(conditions)}
      order by ${column} ${query.order} limit ${builder.bind(query.limit)}`;
    const rows = await block.read(context.db, block.statement(page, `p.${column} ${query.order}`), builder.values);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < query.limit
        ? null
        : nextLink(request, grouped, query.order, [
            { key: 'block.number', value: last.number, numberOf: blockNumberOf },
          ]);
    return pageAnswer('blocks', rows, block.put, link);
  },
});
