/**
 * The routes of `/api/v1/accounts` that show accounts themselves. Reads `entity`, `entity_stake`, their histories,
 * `token_account` and the balance snapshots; the transactions come from the room beside. What belongs to an account (its
 * NFTs, allowances, rewards, ...) is not here.
 */
import type { OpenApiParameter, Route } from '../../api/route.ts';
import {
  entityIdParameterDoc,
  limitParameterDoc,
  orderParameterDoc,
  timestampParameterDoc,
} from '../../api/schemas.ts';
import { transactionTypeParameterDoc } from '../transactions/transactions.ts';
import { getAccount } from './account-by-id.ts';
import { listAccounts } from './account-list.ts';
import { accountBalanceParameterDoc, accountPublicKeyParameterDoc } from './account-parameter-docs.ts';
import { accountSchemas, accountsSchema, accountWithTransactionsSchemas } from './account-schema.ts';

const accountPathParameterDoc: OpenApiParameter = {
  name: 'idOrAliasOrEvmAddress',
  in: 'path',
  required: true,
  description: 'Id, EVM address in hex, or alias in base32; shard and realm may stand before each of them.',
  schema: {
    type: 'string',
    pattern: '^(\\d{1,10}\\.){0,2}(\\d{1,10}|(0x)?[A-Fa-f0-9]{40}|[A-Z2-7]+)$',
  },
  example: '0.0.8',
};

export const accountRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/accounts',
    flavour: 'js',
    cacheSeconds: 10,
    operation: {
      operationId: 'getAccounts',
      summary: 'List accounts',
      description:
        'Accounts and contracts by id, with their current balances. Filters of different kinds narrow each other.',
      tags: ['accounts'],
      parameters: [
        accountBalanceParameterDoc,
        entityIdParameterDoc('account.id', 'Id of the account. Several `eq` mean any of them.'),
        accountPublicKeyParameterDoc,
        {
          name: 'balance',
          in: 'query',
          description: 'Whether balances are shown.',
          schema: { type: 'boolean', default: true },
        },
        limitParameterDoc,
        orderParameterDoc('asc'),
      ],
      answer: { description: 'One page of accounts.', schema: accountsSchema },
      problems: [400],
      schemas: accountSchemas,
    },
    handle: listAccounts,
  },
  {
    method: 'GET',
    path: '/api/v1/accounts/{idOrAliasOrEvmAddress}',
    flavour: 'js',
    cacheSeconds: 2,
    operation: {
      operationId: 'getAccount',
      summary: 'Get an account',
      description:
        'The account with a page of its transactions. With timestamps, the account as it was at the newest time they ' +
        'allow, with the balance of the last snapshot they allow, and only transactions among them; a single timestamp ' +
        'means the state as of that time.',
      tags: ['accounts'],
      parameters: [
        accountPathParameterDoc,
        limitParameterDoc,
        orderParameterDoc('desc'),
        timestampParameterDoc,
        {
          name: 'transactions',
          in: 'query',
          description: 'Whether transactions are listed.',
          schema: { type: 'boolean', default: true },
        },
        transactionTypeParameterDoc,
      ],
      answer: {
        description: 'The account.',
        schema: { $ref: '#/components/schemas/AccountWithTransactions' },
      },
      problems: [400, 404],
      schemas: accountWithTransactionsSchemas,
    },
    handle: getAccount,
  },
];
