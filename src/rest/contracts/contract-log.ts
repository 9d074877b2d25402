/** What a contract logged, as REST shows it in lists of logs and within the details of a result. */
import { derived, entityId, field, int32, int64, nullable, timestamp } from '../../api/resource/field.ts';
import type { Fields } from '../../api/resource/field-type.ts';
import { resource } from '../../api/resource/resource.ts';
import { evmAddress, evmBytes, WORD_DIGITS, wordJson, wordSchema } from './evm-fields.ts';

const dataSchema = evmBytes('', 'What was logged beside the topics.').schema;

/** Over a row of `contract_log` with the `evm_address` of the contract's entity. */
const fields: Fields = {
  address: evmAddress('p.evm_address', 'p.contract_id'),
  bloom: evmBytes('p.bloom', 'Bloom filter of the address and the topics.'),
  contract_id: entityId('p.contract_id'),
  // Data shorter than a word is filled up to one; no data stays empty.
  data: field('p.data', dataSchema, (data) =>
    data === '\\x' ? '"0x"' : `"0x${data.slice(2).padStart(WORD_DIGITS, '0')}"`,
  ),
  index: int32('p.index', { minimum: 0, description: 'Position within the block.' }),
  topics: derived(
    { topic0: 'p.topic0', topic1: 'p.topic1', topic2: 'p.topic2', topic3: 'p.topic3' },
    { type: 'array', maxItems: 4, items: wordSchema('A topic; the first one usually names the event.') },
    ({ topic0, topic1, topic2, topic3 }) =>
      `[${[topic0, topic1, topic2, topic3].flatMap((topic) => (topic === '' ? [] : [wordJson(topic)])).join(',')}]`,
  ),
};

/** A log within the details of its result. */
export const contractResultLog = resource({ name: 'ContractResultLog', fields });

/** A log in a list, with its block, whose hash and number stand in `block_hash` and `block_number`. */
export const contractLog = resource({
  name: 'ContractLog',
  keys: { consensusTimestamp: 'p.consensus_timestamp', index: 'p.index' },
  fields: {
    ...fields,
    root_contract_id: entityId('p.root_contract_id', 'The contract that the transaction called.'),
    timestamp: timestamp('p.consensus_timestamp'),
    block_hash: field(
      'p.block_hash',
      { type: 'string', pattern: '^0x[0-9a-f]*$', description: 'Hash of the block that holds it.' },
      (hash) => (hash.startsWith('0x') ? `"${hash}"` : `"0x${hash}"`),
    ),
    block_number: nullable(int64('p.block_number', 'Number of that block.')),
    transaction_hash: evmBytes(
      'p.transaction_hash',
      'Ethereum hash of the transaction, or the first 32 bytes of its own.',
    ),
    transaction_index: nullable(
      int32('p.transaction_index', { description: 'Position of the transaction within the block.' }),
    ),
  },
});
