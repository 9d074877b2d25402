/** POST /api/v1/contracts/call. */
import type { JsonSchema, OpenApiOperation, Route } from '../../api/route.ts';
import { contractCallSchemas } from './call-schema.ts';
import type { ContractCalls } from './contract-calls.ts';

/** In UTF-8, at most. */
const BYTES_PER_CHARACTER = 4;

const requestReference: JsonSchema = { $ref: '#/components/schemas/ContractCallRequest' };

const operation: OpenApiOperation = {
  operationId: 'contractCall',
  summary: 'Simulate a contract call',
  description:
    'Executes a call, a transfer or the creation of a contract as the network would, on the state of the newest or a ' +
    'past block, and answers with what it returns or with the gas it needs. Nothing is submitted or kept. Calls that ' +
    'fail are answered 400: the first message names the status, `detail` and `data` carry what the contract reverted ' +
    'with, further messages name what failed on the way.',
  tags: ['contracts'],
  parameters: [],
  requestBody: {
    description: 'The call.',
    content: { 'application/json': requestReference, 'application/*+json': requestReference },
  },
  answer: {
    description: 'What the call returned.',
    schema: { $ref: '#/components/schemas/ContractCallResponse' },
  },
  problems: [400, 413, 415, 429],
  schemas: contractCallSchemas,
};

export const callRoutes = (calls: ContractCalls): readonly Route[] => [
  {
    method: 'POST',
    path: '/api/v1/contracts/call',
    flavour: 'web3',
    maxBodyBytes: BYTES_PER_CHARACTER * calls.longestDocument,
    handle: (request) => calls.call(request),
    operation,
  },
];
