/**
 * The route of `/api/v1/balances`. Reads `entity` and `token_account` for current balances, `account_balance` and
 * `token_balance` for past ones.
 */
import type { Route } from '../../api/route.ts';
import { limitParameterDoc, orderParameterDoc, timestampParameterDoc } from '../../api/schemas.ts';
import { fromOneSnapshot } from '../../api/snapshot.ts';
import { accountBalanceParameterDoc, accountPublicKeyParameterDoc } from '../accounts/account-parameter-docs.ts';
import { listBalances } from './balance-list.ts';
import { balanceSchemas, balancesSchema } from './balance-schema.ts';

export const balanceRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/balances',
    flavour: 'js',
    operation: {
      operationId: 'getBalances',
      summary: 'List balances',
      description:
        'Current balances by account. With timestamps, those of the newest snapshot that they allow, no older than the ' +
        'start of the month before; a single timestamp means as of that time. Snapshots are some minutes apart.',
      tags: ['balances'],
      parameters: [
        {
          name: 'account.id',
          in: 'query',
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
        },
        accountBalanceParameterDoc,
        accountPublicKeyParameterDoc,
        limitParameterDoc,
        orderParameterDoc('desc'),
        timestampParameterDoc,
      ],
      answer: { description: 'One page of balances.', schema: balancesSchema },
      problems: [400],
      schemas: balanceSchemas,
    },
    handle: fromOneSnapshot(listBalances),
  },
];
