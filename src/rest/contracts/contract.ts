/** A contract as REST shows it, alone and in lists. */
import {
  bytesOf,
  derived,
  entityId,
  flag,
  int32,
  int64,
  key,
  nullable,
  nullableTimestamp,
  text,
  timestampJson,
  timestampRange,
} from '../../api/resource/field.ts';
import type { Fields } from '../../api/resource/field-type.ts';
import { resource } from '../../api/resource/resource.ts';
import { nullableTimestampSchema } from '../../api/schemas.ts';
import { decodeEntityId } from '../../ledger/entity-id.ts';
import { NANOS_PER_SECOND } from '../../ledger/timestamp.ts';
import { evmAddress, evmBytes } from './evm-fields.ts';

/** What was set; else the end of the first renewal period. */
const expiration = derived(
  { set: 'p.expiration_timestamp', created: 'p.created_timestamp', period: 'p.auto_renew_period' },
  nullableTimestampSchema,
  ({ set, created, period }) => {
    if (set !== '' || created === '' || period === '') return timestampJson(set);
    return timestampJson((BigInt(created) + BigInt(period) * NANOS_PER_SECOND).toString());
  },
);

const inForce = timestampRange('lower(p.timestamp_range)', 'upper(p.timestamp_range)');

/** Over a row of `entity` or `entity_history`, with what `contract` adds. */
const fields: Fields = {
  admin_key: key('p.key', 'Who may change the contract; null: nobody.'),
  auto_renew_account: entityId('p.auto_renew_account_id', 'Who pays for renewals.'),
  auto_renew_period: nullable(
    int64('p.auto_renew_period', 'Seconds by which the expiry is extended when it is reached.'),
  ),
  contract_id: entityId('p.id'),
  created_timestamp: nullableTimestamp('p.created_timestamp'),
  deleted: nullable(flag('p.deleted')),
  evm_address: evmAddress('p.evm_address', 'p.id'),
  expiration_timestamp: expiration,
  file_id: entityId('p.file_id', 'File that the bytecode came from.'),
  max_automatic_token_associations: nullable(
    int32('p.max_automatic_token_associations', {
      description: 'Tokens that may be received without an association; -1: any number.',
    }),
  ),
  memo: text('p.memo', { examples: ['contract memo'] }),
  nonce: nullable(int64('p.ethereum_nonce', 'Counts the contracts it created.')),
  obtainer_id: entityId('p.obtainer_id', 'Who got what was left when the contract was deleted.'),
  permanent_removal: nullable(flag('p.permanent_removal', 'Whether it expired and was removed by the network.')),
  proxy_account_id: entityId('p.proxy_account_id'),
  timestamp: {
    ...inForce,
    schema: { ...inForce.schema, description: 'When this version of the contract was in force.' },
  },
};

export const contract = resource({ name: 'Contract', fields, keys: { id: 'p.id' } });

/** Files up to this num belong to the system; none holds bytecode. */
export const LAST_SYSTEM_FILE_NUM = 1000n;

/** Files hold bytecode as text of hex digits; whatever else is in them is shown as the text it makes. */
const bytecode = derived(
  { fileId: 'p.file_id', file: 'p.file_data', initcode: 'p.initcode' },
  { type: 'string', description: 'What the contract was created with: hex of the init code.' },
  ({ fileId, file, initcode }) => {
    if (fileId === '' || decodeEntityId(BigInt(fileId)).num <= LAST_SYSTEM_FILE_NUM) return `"0x${initcode.slice(2)}"`;
    const content = bytesOf(file)?.toString('utf8') ?? '';
    return JSON.stringify(content.startsWith('0x') ? content : `0x${content}`);
  },
);

/** A contract that is asked for alone shows its bytecode as well. */
export const contractWithBytecode = resource({
  name: 'ContractWithBytecode',
  fields: {
    ...fields,
    bytecode,
    runtime_bytecode: evmBytes('p.runtime_bytecode', 'Code that runs when the contract is called.'),
  },
});
