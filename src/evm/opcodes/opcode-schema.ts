/** What the documentation says of traces. */
import type { JsonSchema, OpenApiOperation, OpenApiParameter } from '../../api/route.ts';

const words = (description: string): JsonSchema => ({
  type: 'array',
  description,
  items: { type: 'string', pattern: '^0x[0-9a-f]{64}$', example: `0x${'0'.repeat(62)}80` },
});

const opcode: JsonSchema = {
  type: 'object',
  description: 'One instruction, as things stood after it; or a call of a precompiled or system contract.',
  required: ['depth', 'gas', 'gas_cost', 'memory', 'op', 'pc', 'reason', 'stack', 'storage'],
  properties: {
    depth: { type: 'integer', format: 'int32', description: 'Depth of the call, 0 for the outermost.', example: 0 },
    gas: { type: 'integer', format: 'int64', description: 'Gas that is left.', example: 79_000 },
    gas_cost: { type: 'integer', format: 'int64', description: 'Gas that the instruction took.', example: 3 },
    memory: words('The memory, word by word; empty unless asked for.'),
    op: {
      type: 'string',
      description: 'Name of the instruction; empty for a contract of the network.',
      example: 'PUSH1',
    },
    pc: { type: 'integer', format: 'int32', description: 'Place in the code.', example: 2 },
    reason: { type: ['string', 'null'], description: 'Data of a revert in hex.', example: null },
    stack: words('The stack, lowest element first; empty unless asked for.'),
    storage: {
      type: 'object',
      description: 'Slots written so far by the transaction; empty unless asked for.',
      additionalProperties: { type: 'string', pattern: '^0x[0-9a-f]{64}$' },
    },
  },
};

const opcodesResponse: JsonSchema = {
  type: 'object',
  required: ['address', 'contract_id', 'failed', 'gas', 'opcodes', 'return_value'],
  properties: {
    address: {
      type: 'string',
      pattern: '^0x[0-9a-f]{40}$',
      description: 'EVM address of the contract.',
      example: '0x00000000000000000000000000000000000004e2',
    },
    contract_id: { type: ['string', 'null'], description: 'The contract.', example: '0.0.1250' },
    failed: { type: 'boolean', description: 'Whether the transaction failed.', example: false },
    gas: { type: 'integer', format: 'int64', description: 'Gas used.', example: 52_139 },
    opcodes: { type: 'array', items: { $ref: '#/components/schemas/Opcode' } },
    return_value: { type: 'string', description: 'Returned data in hex; `0x` when it failed.', example: '0x' },
  },
};

const flag = (name: string, byDefault: boolean, description: string): OpenApiParameter => ({
  name,
  in: 'query',
  description,
  schema: { type: 'boolean', default: byDefault },
});

export const opcodeOperation: OpenApiOperation = {
  operationId: 'getContractOpcodes',
  summary: 'Trace the instructions of a contract transaction',
  description:
    'Executes a recorded transaction once more, on the state just before it, and shows every instruction. Balances and ' +
    'exchange rates are not those of the time. Traces are long: ask for them with `Accept-Encoding: gzip`.',
  tags: ['contracts'],
  parameters: [
    {
      name: 'transactionIdOrHash',
      in: 'path',
      required: true,
      description: 'Transaction id, or hash of 32 bytes in hex.',
      schema: { type: 'string', pattern: '^((0x)?[0-9a-fA-F]{64}|\\d+\\.\\d+\\.\\d+-\\d+-\\d{1,9})$' },
      example: '0.0.10-1234567890-000000321',
    },
    flag('stack', true, 'Show the stack.'),
    flag('memory', false, 'Show the memory.'),
    flag('storage', false, 'Show the slots that were written.'),
  ],
  answer: { description: 'The trace.', schema: { $ref: '#/components/schemas/OpcodesResponse' } },
  problems: [400, 404, 429],
  schemas: { OpcodesResponse: opcodesResponse, Opcode: opcode },
};
