/**
 * The routes of `/api/v1/contracts` that show contracts, their storage, their logs and the actions of a transaction. The
 * results of transactions are in `contract-results`.
 */
import type { OpenApiParameter, Route } from '../../api/route.ts';
import {
  entityIdParameterDoc,
  limitParameterDoc,
  orderParameterDoc,
  timestampParameterDoc,
} from '../../api/schemas.ts';
import { listActions } from './contract-actions.ts';
import { getContract } from './contract-by-id.ts';
import { listContracts } from './contract-list.ts';
import { listContractLogs, listLogs } from './contract-logs.ts';
import { contractPathParameterDoc } from './contract-reference.ts';
import {
  contractActionSchemas,
  contractActionsSchema,
  contractLogSchemas,
  contractLogsSchema,
  contractSchemas,
  contractStateSchemas,
  contractStatesSchema,
  contractsSchema,
  contractWithBytecodeSchema,
} from './contract-schema.ts';
import { getContractState } from './contract-state.ts';
import { topicKeys } from './log-filters.ts';

const indexParameterDoc = (description: string): OpenApiParameter => ({
  name: 'index',
  in: 'query',
  description,
  schema: { type: 'array', items: { type: 'string', pattern: '^((gte?|lte?|eq):)?\\d{1,10}$' } },
  example: ['gte:1'],
});

const logParameterDocs: readonly OpenApiParameter[] = [
  indexParameterDoc(
    'Position of the log within its block, at the bounds of the timestamp: needs a timestamp with `eq`, or with `gte` for a lower and `lte` for an upper bound.',
  ),
  limitParameterDoc,
  orderParameterDoc('desc'),
  timestampParameterDoc,
  ...topicKeys.map(
    (name): OpenApiParameter => ({
      name,
      in: 'query',
      description: 'A topic in hex. Several mean any of them. Needs a timestamp or a range of at most seven days.',
      schema: { type: 'array', items: { type: 'string', pattern: '^(eq:)?(0x)?[0-9A-Fa-f]{1,64}$' } },
      example: ['0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'],
    }),
  ),
];

const logsAnswer = { description: 'One page of logs.', schema: contractLogsSchema };

const blockPageNote =
  'When the timestamps lie within one block, a page may hold up to 5,000 logs instead of the usual limit. A search for ' +
  'rare topics that takes too long ends early: the page then holds what was found, perhaps nothing, and `links.next` ' +
  'goes on from there.';

export const contractRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/contracts',
    flavour: 'js',
    cacheSeconds: 10,
    operation: {
      operationId: 'getContracts',
      summary: 'List contracts',
      tags: ['contracts'],
      parameters: [
        entityIdParameterDoc('contract.id', 'Id of the contract, or with `eq` its address. Several mean any of them.'),
        limitParameterDoc,
        orderParameterDoc('desc'),
      ],
      answer: { description: 'One page of contracts.', schema: contractsSchema },
      problems: [400],
      schemas: contractSchemas,
    },
    handle: listContracts,
  },
  {
    method: 'GET',
    path: '/api/v1/contracts/{contractIdOrAddress}',
    flavour: 'js',
    operation: {
      operationId: 'getContract',
      summary: 'Get a contract',
      description:
        'The contract with its bytecode. With timestamps, the newest version that was in force at a time they allow; a single timestamp means the state as of that time.',
      tags: ['contracts'],
      parameters: [contractPathParameterDoc, timestampParameterDoc],
      answer: { description: 'The contract.', schema: contractWithBytecodeSchema },
      problems: [400, 404],
    },
    handle: getContract,
  },
  {
    method: 'GET',
    path: '/api/v1/contracts/{contractIdOrAddress}/state',
    flavour: 'js',
    operation: {
      operationId: 'getContractState',
      summary: 'List the storage of a contract',
      description:
        'Slots and what they hold now; with timestamps, the last change of each slot at the times they allow. A single timestamp means the state as of that time.',
      tags: ['contracts'],
      parameters: [
        contractPathParameterDoc,
        limitParameterDoc,
        orderParameterDoc('asc'),
        {
          name: 'slot',
          in: 'query',
          description: 'Key of a slot in hex, compared by an optional operator. Several `eq` mean any of them.',
          schema: { type: 'array', items: { type: 'string', pattern: '^((eq|gte?|lte?):)?(0x)?[0-9A-Fa-f]{1,64}$' } },
          example: ['gt:0x1'],
        },
        timestampParameterDoc,
      ],
      answer: { description: 'One page of the storage.', schema: contractStatesSchema },
      problems: [400],
      schemas: contractStateSchemas,
    },
    handle: getContractState,
  },
  {
    method: 'GET',
    path: '/api/v1/contracts/{contractIdOrAddress}/results/logs',
    flavour: 'js',
    operation: {
      operationId: 'getContractLogsByContractId',
      summary: 'List the logs of a contract',
      description: `Newest first unless ordered otherwise. ${blockPageNote}`,
      tags: ['contracts'],
      parameters: [contractPathParameterDoc, ...logParameterDocs],
      answer: logsAnswer,
      problems: [400],
      schemas: contractLogSchemas,
    },
    handle: listContractLogs,
  },
  {
    method: 'GET',
    path: '/api/v1/contracts/results/logs',
    flavour: 'js',
    cacheSeconds: 10,
    operation: {
      operationId: 'getContractsLogs',
      summary: 'List the logs of all contracts',
      description: `Newest first unless ordered otherwise. ${blockPageNote}`,
      tags: ['contracts'],
      parameters: [
        ...logParameterDocs,
        {
          name: 'transaction.hash',
          in: 'query',
          description: 'Only logs of the transaction with this hash: 32 bytes in hex, or all 48.',
          schema: { type: 'string', pattern: '^(eq:)?(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$' },
          example: '0x9db63968721fc76815d11b0b97734669bf88ae3810e07c199924553f0548eb98',
        },
      ],
      answer: logsAnswer,
      problems: [400],
      schemas: contractLogSchemas,
    },
    handle: listLogs,
  },
  {
    method: 'GET',
    path: '/api/v1/contracts/results/{transactionIdOrHash}/actions',
    flavour: 'js',
    cacheSeconds: 600,
    operation: {
      operationId: 'getContractActions',
      summary: 'List the actions of a contract transaction',
      description: 'The calls and creations that the transaction led to, in the order they were made.',
      tags: ['contracts'],
      parameters: [
        {
          name: 'transactionIdOrHash',
          in: 'path',
          required: true,
          description: 'Id of the transaction, or 32 bytes of hash in hex.',
          schema: {
            type: 'string',
            pattern: '^((0x)?[A-Fa-f0-9]{64}|\\d{1,10}\\.\\d{1,10}\\.\\d{1,12}-\\d{1,19}-\\d{1,9})$',
          },
          example: '0.0.10-1234567890-000000000',
        },
        indexParameterDoc('Position of the action within the transaction.'),
        limitParameterDoc,
        orderParameterDoc('asc'),
      ],
      answer: { description: 'One page of actions.', schema: contractActionsSchema },
      problems: [400, 404],
      schemas: contractActionSchemas,
    },
    handle: listActions,
  },
];
