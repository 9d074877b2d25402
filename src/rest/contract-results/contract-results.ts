/**
 * The routes of contract results. Reads `contract_result`, `contract_transaction`, `contract_transaction_hash`,
 * `contract_log`, `contract_state_change`, `ethereum_transaction`, `record_file`, `entity` and `file_data`.
 */
import type { OpenApiParameter, Route } from '../../api/route.ts';
import { orderParameterDoc, timestampParameterDoc } from '../../api/schemas.ts';
import { fromOneSnapshot } from '../../api/snapshot.ts';
import { blockLimitParameterDoc } from '../contracts/block-page.ts';
import { contractPathParameterDoc } from '../contracts/contract-reference.ts';
import { getContractResult, getTransactionResult } from './result-details.ts';
import { listAllResults, listContractResults } from './result-list.ts';
import {
  blockResultSchemas,
  blockResultsSchema,
  contractResultSchemas,
  contractResultsSchema,
  resultDetailsSchema,
  resultDetailsSchemas,
} from './result-schema.ts';

const blockHashDoc: OpenApiParameter = {
  name: 'block.hash',
  in: 'query',
  description:
    'Only results of the block with this hash: all 48 bytes, or its first 32, in hex with optional 0x. The last of ' +
    'several counts. Not together with `block.number`.',
  schema: { type: 'string', pattern: '^(eq:)?(0x)?([0-9A-Fa-f]{64}|[0-9A-Fa-f]{96})$' },
  example: `0x${'3c'.repeat(48)}`,
};

const blockNumberDoc: OpenApiParameter = {
  name: 'block.number',
  in: 'query',
  description: 'Only results of the block with this number, in decimal or 0x hex. The last of several counts.',
  schema: { type: 'string', pattern: '^(eq:)?(\\d{1,19}|0x[0-9A-Fa-f]+)$' },
  example: '100',
};

const fromDoc: OpenApiParameter = {
  name: 'from',
  in: 'query',
  description: 'Only results of calls by this account, given by its id or EVM address. Repeat it for any of several.',
  schema: {
    type: 'array',
    items: {
      type: 'string',
      pattern: '^((gte?|lte?|eq|ne):)?((\\d{1,4}\\.)?(\\d{1,5}\\.)?\\d{1,12}|(0x)?[A-Fa-f0-9]{40})$',
    },
  },
  example: ['0.0.1001'],
};

const hbarDoc: OpenApiParameter = {
  name: 'hbar',
  in: 'query',
  description: 'False: amounts and prices of gas in weibars, 10,000,000,000 of which make a tinybar; else in tinybars.',
  schema: { type: 'boolean', default: true },
};

const internalDoc: OpenApiParameter = {
  name: 'internal',
  in: 'query',
  description: 'With the results of transactions that other transactions caused.',
  schema: { type: 'boolean', default: false },
};

const transactionIndexDoc: OpenApiParameter = {
  name: 'transaction.index',
  in: 'query',
  description: 'Only the result at this place in its block; needs `block.number` or `block.hash`.',
  schema: { type: 'integer', format: 'int32', minimum: 0 },
  example: 1,
};

const listParameterDocs: readonly OpenApiParameter[] = [
  blockHashDoc,
  blockNumberDoc,
  fromDoc,
  hbarDoc,
  internalDoc,
  blockLimitParameterDoc,
  orderParameterDoc('desc'),
  timestampParameterDoc,
  transactionIndexDoc,
];

const resultAnswer = {
  description: 'The result.',
  partial: 'The result; the network left out what the call returned.',
  schema: resultDetailsSchema,
};

export const contractResultRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/api/v1/contracts/results',
    flavour: 'js',
    cacheSeconds: 10,
    operation: {
      operationId: 'getContractsResults',
      summary: 'List the results of all contracts',
      description:
        'Newest first unless ordered otherwise. Token transfers outside of contracts are listed as calls of the token ' +
        'when they left logs, except under `from`. A search for rare results that takes too long ends early: the page ' +
        'then holds what was found, perhaps nothing, and `links.next` goes on from there.',
      tags: ['contracts'],
      parameters: listParameterDocs,
      answer: { description: 'One page of results.', schema: blockResultsSchema },
      problems: [400, 404],
      schemas: blockResultSchemas,
    },
    handle: fromOneSnapshot(listAllResults),
  },
  {
    method: 'GET',
    path: '/api/v1/contracts/results/{transactionIdOrHash}',
    flavour: 'js',
    cacheSeconds: 600,
    operation: {
      operationId: 'getContractResultByTransactionIdOrHash',
      summary: 'Get the result of a transaction',
      tags: ['contracts'],
      parameters: [
        {
          name: 'transactionIdOrHash',
          in: 'path',
          required: true,
          description:
            'shard.realm.num-seconds-nanoseconds; or the hash of an Ethereum transaction, or the first 32 bytes of a ' +
            "transaction's hash, in hex with optional 0x.",
          schema: { type: 'string', pattern: '^(\\d+\\.\\d+\\.\\d+-\\d{1,19}-\\d{1,9}|(0x)?[0-9A-Fa-f]{64})$' },
          example: '0.0.10-1234567890-000000000',
        },
        hbarDoc,
        {
          name: 'nonce',
          in: 'query',
          description: 'Which transaction with the id; 0 is the submitted one. A hash needs none.',
          schema: { type: 'integer', format: 'int32', minimum: 0, default: 0 },
        },
      ],
      answer: resultAnswer,
      problems: [400, 404],
      schemas: resultDetailsSchemas,
    },
    handle: fromOneSnapshot(getTransactionResult),
  },
  {
    method: 'GET',
    path: '/api/v1/contracts/{contractIdOrAddress}/results',
    flavour: 'js',
    operation: {
      operationId: 'getContractResultsByContractId',
      summary: 'List the results of a contract',
      description:
        'Newest first unless ordered otherwise. Nothing for a contract that is not known. Where the server is set to ' +
        'brief results, only required members are shown and `hbar` has no effect. A search for rare results that takes ' +
        'too long ends early: the page then holds what was found, perhaps nothing, and `links.next` goes on from there.',
      tags: ['contracts'],
      parameters: [contractPathParameterDoc, ...listParameterDocs],
      answer: { description: 'One page of results.', schema: contractResultsSchema },
      problems: [400, 404],
      schemas: contractResultSchemas,
    },
    handle: fromOneSnapshot(listContractResults),
  },
  {
    method: 'GET',
    path: '/api/v1/contracts/{contractIdOrAddress}/results/{timestamp}',
    flavour: 'js',
    cacheSeconds: 600,
    operation: {
      operationId: 'getContractResultByIdAndTimestamp',
      summary: 'Get the result of a contract at a time',
      tags: ['contracts'],
      parameters: [
        contractPathParameterDoc,
        hbarDoc,
        {
          name: 'timestamp',
          in: 'path',
          required: true,
          description: 'Consensus timestamp of the transaction: seconds with up to nine fraction digits.',
          schema: { type: 'string', pattern: '^\\d{1,10}(\\.\\d{1,9})?$' },
          example: '1234567890.000000700',
        },
      ],
      answer: resultAnswer,
      problems: [400, 404],
      schemas: resultDetailsSchemas,
    },
    handle: fromOneSnapshot(getContractResult),
  },
];
