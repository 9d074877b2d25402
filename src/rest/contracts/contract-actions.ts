/** `/api/v1/contracts/results/{transactionIdOrHash}/actions`: what a contract transaction did, step by step. */
import { boundsOf, conjunction, type Interval } from '../../api/bounds.ts';
import { numberPosition } from '../../api/entity-position.ts';
import type { Order } from '../../api/page.ts';
import { nonNegativeInt8Parameter } from '../../api/parameter-checks.ts';
import { invalidParameters } from '../../api/query.ts';
import { endpoint, pageAnswer, pageOf } from '../../api/resource/endpoint.ts';
import { limit, order, type Parameter } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { intervalConditions, statementBuilder } from '../../api/sql.ts';
import { findResultReference, type ResultReference } from '../contract-results/result-reference.ts';
import { contractAction } from './contract-action.ts';
import { indexDoc } from './log-filters.ts';
import { namedValuesLink } from './named-values.ts';

/** Undefined when nothing lies within all bounds. */
const indices: Parameter<Interval | undefined> = {
  accepts: nonNegativeInt8Parameter,
  read: (filters) => {
    if (filters.some(({ operator }) => operator === 'ne')) throw invalidParameters('index');
    return conjunction(boundsOf(filters.map(({ operator, value }) => ({ operator, value: BigInt(value) }))));
  },
  doc: indexDoc('Position of the action within the transaction.'),
};

const readActions = (
  transaction: ResultReference,
  indices: Interval,
  order: Order,
  limit: number,
  { db }: RouteContext,
) => {
  const builder = statementBuilder();
  const conditions = [
    `consensus_timestamp = ${builder.bind(transaction.consensusTimestamp)}::bigint`,
    `payer_account_id = ${builder.bind(transaction.payerAccountId)}::bigint`,
    ...intervalConditions(builder, 'index', indices),
  ];
  const page = `select * from contract_action where ${conditions.join(' and ')}
    order by index ${order} limit ${builder.bind(limit)}`;
  return contractAction.read(db, contractAction.statement(page, `p.index ${order}`), builder.values);
};

/** An id stands for the transaction that was submitted, not for its children. */
const NONCE = '0';

export const contractActionList = endpoint({
  path: '/api/v1/contracts/results/{transactionIdOrHash}/actions',
  flavour: 'js',
  cacheSeconds: 600,
  operationId: 'getContractActions',
  summary: 'List the actions of a contract transaction',
  description: 'The calls and creations that the transaction led to, in the order they were made.',
  tag: 'contracts',
  refusals: 'sorted',
  pathParameters: {
    transactionIdOrHash: {
      description: 'Id of the transaction, or 32 bytes of hash in hex.',
      schema: {
        type: 'string',
        pattern: '^((0x)?[A-Fa-f0-9]{64}|\\d{1,10}\\.\\d{1,10}\\.\\d{1,12}-\\d{1,19}-\\d{1,9})$',
      },
      example: '0.0.10-1234567890-000000000',
    },
  },
  parameters: { index: indices, limit, order: order('asc') },
  answer: pageOf('actions', contractAction, 'One page of actions.'),
  problems: [400, 404],

  handle: async ({ request, path, query, grouped }, context) => {
    const interval = query.index;
    const transaction = await findResultReference(path.transactionIdOrHash, NONCE, context);
    const rows =
      interval === undefined ? [] : await readActions(transaction, interval, query.order, query.limit, context);
    const last = rows.at(-1);
    const link =
      last === undefined || rows.length < query.limit
        ? null
        : namedValuesLink(request, grouped, query.order, numberPosition('index', last.index));
    return pageAnswer('actions', rows, contractAction.put, link);
  },
});
