/**
 * The routes of `/api/v1/transactions`. Reads `transaction`, the transfer tables, `assessed_custom_fee` and
 * `transaction_hash`.
 */
import type { OpenApiParameter, Route } from '../../api/route.ts';
import {
  entityIdParameterDoc,
  limitParameterDoc,
  orderParameterDoc,
  timestampParameterDoc,
} from '../../api/schemas.ts';
import { getTransaction, namesWait } from './transaction-by-id.ts';
import { listTransactions } from './transaction-list.ts';
import {
  transactionDetailSchemas,
  transactionDetailsSchema,
  transactionSchemas,
  transactionsSchema,
  transactionTypeSchema,
} from './transaction-schema.ts';

/** Also of other resources that list transactions. */
export const transactionTypeParameterDoc: OpenApiParameter = {
  name: 'transactiontype',
  in: 'query',
  description: 'Kind of transaction, in any letter case. Repeat it for several kinds.',
  schema: { type: 'array', items: transactionTypeSchema },
  example: ['CRYPTOTRANSFER'],
};

export const transactionRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/transactions',
    flavour: 'js',
    cacheSeconds: 2,
    operation: {
      operationId: 'getTransactions',
      summary: 'List transactions',
      description:
        'Newest first unless ordered otherwise. Filters of different kinds narrow each other. A search for rare ' +
        'transactions that takes too long ends early: the page then holds what was found, perhaps nothing, and ' +
        '`links.next` goes on from there.',
      tags: ['transactions'],
      parameters: [
        entityIdParameterDoc(
          'account.id',
          'Account that paid for the transaction or whose hbar or tokens it moved. Several `eq` mean any of them.',
        ),
        limitParameterDoc,
        orderParameterDoc('desc'),
        {
          name: 'result',
          in: 'query',
          description: 'Only successful, or only failed transactions.',
          schema: { type: 'string', enum: ['success', 'fail'] },
        },
        timestampParameterDoc,
        transactionTypeParameterDoc,
        {
          name: 'type',
          in: 'query',
          description: 'Only transactions that moved hbar or tokens to (credit) or from (debit) the account.',
          schema: { type: 'string', enum: ['credit', 'debit'] },
        },
      ],
      answer: { description: 'One page of transactions.', schema: transactionsSchema },
      problems: [400],
      schemas: transactionSchemas,
    },
    handle: listTransactions,
  },
  {
    method: 'GET',
    path: '/api/v1/transactions/{transactionId}',
    flavour: 'js',
    cacheSeconds: 600,
    operation: {
      operationId: 'getTransaction',
      summary: 'Get the transactions with an id or hash',
      description:
        'By id: the submitted transaction, its children, the scheduled one, and what a batch contains. By hash: ' +
        '48 bytes in hex with optional 0x, or in base64url.',
      tags: ['transactions'],
      parameters: [
        {
          name: 'transactionId',
          in: 'path',
          required: true,
          description: 'shard.realm.num-seconds-nanoseconds, or a hash.',
          schema: { type: 'string' },
          example: '0.0.10-1234567890-000000000',
        },
        {
          name: 'nonce',
          in: 'query',
          description: 'Only the transaction with this nonce; 0 is the submitted one.',
          schema: { type: 'integer', format: 'int32', minimum: 0 },
        },
        {
          name: 'scheduled',
          in: 'query',
          description: 'Only those that a schedule executed, or only the others.',
          schema: { type: 'boolean' },
        },
        {
          name: 'wait',
          in: 'query',
          description:
            'Seconds to wait for the transaction when there is none yet: answers as soon as its block is imported, or ' +
            'with 404 when the time is over. At most 60 unless the server is set otherwise. Such answers are not kept ' +
            'by caches. 503 with `Retry-After` when too many requests wait already.',
          schema: { type: 'integer', format: 'int32', minimum: 1 },
        },
      ],
      answer: { description: 'The transactions, by time.', schema: transactionDetailsSchema },
      problems: [400, 404],
      schemas: transactionDetailSchemas,
    },
    isLive: namesWait,
    handle: getTransaction,
  },
];
