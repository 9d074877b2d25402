/** Example answers for the OpenAPI document, put together from the schemas and from examples of single members. */
import type { JsonSchema } from '../api/route.ts';
import { entityIdSchema } from '../api/schemas.ts';

type Schemas = Readonly<Record<string, unknown>>;

const hash32 = `0x${'5a'.repeat(31)}01`;
const hash48 = `0x${'3c'.repeat(47)}02`;
const word = `0x${'0'.repeat(63)}7`;
const address = `0x${'0'.repeat(36)}1f41`;
const publicKey = 'b7e3c1'.padEnd(64, '0d');
const base64 = 'S2FnYW1p';

/** What members mean wherever they stand, for those whose schema gives no example of its own. */
const byMember: Readonly<Record<string, unknown>> = {
  address,
  alias: 'HIQQGOGHZGVM3E7KT47Z5UZFBMKX3Z2V6AIQ4ZTBHWZKS5QM7GMZLSQ5',
  amount: 1_000,
  balance: 250_000_000,
  block_hash: hash48,
  block_number: 4_711,
  bloom: '0x',
  bytecode: '0x6080604052',
  bytes: null,
  call_result: '0x',
  chain_id: '0x128',
  data: word,
  decimals: '2',
  delegation_address: '0x',
  description: 'A node in Kyoto',
  domain_name: 'node.example.com',
  endpoint_apis: 'STATUS',
  error_message: null,
  evm_address: address,
  expiry_timestamp: '1594343700.453054000',
  failed_initcode: null,
  function_parameters: '0xa9059cbb',
  gas_price: '0x56',
  hapi_version: '0.68.1',
  hash: hash32,
  high_volume_pricing_multiplier: 1,
  initial_supply: '100000',
  input: '0xa9059cbb',
  ip_address: '192.0.2.7',
  ip_address_v4: '192.0.2.7',
  key: publicKey,
  logs_bloom: '0x',
  max_fee: '100000000',
  max_fee_per_gas: '0x56',
  max_priority_fee_per_gas: '0x01',
  max_supply: '1000000',
  memo: 'for tea',
  memo_base64: base64,
  message: base64,
  metadata: base64,
  next: null,
  node_cert_hash: hash48,
  number: 4_711,
  port: 50_211,
  previous_hash: hash48,
  public_key: `0x${publicKey}`,
  public_key_prefix: base64,
  r: hash32,
  released_supply: '4176123456789012345',
  result: 'SUCCESS',
  result_data: word,
  running_hash: base64,
  runtime_bytecode: '0x6080604052',
  s: hash32,
  serial_number: 1,
  signature: base64,
  slot: word,
  stake_period_start: '1586563200.000000000',
  status: '0x1',
  storage_keys: word,
  symbol: 'TEA',
  to: address,
  topics: hash32,
  total_supply: '5000000000000000000',
  transaction_body: base64,
  transaction_hash: 'vigzVpVBGF2xkWi/C7lEzUCFiXW2Gq9MFgPbZGdNGPr5g4FCfJlW9wzXlYpZ0aGt',
  transaction_id: '0.0.1001-1586567695-000000007',
  transaction_type: 'CryptoTransfer',
  valid_duration_seconds: '120',
  value_read: word,
  value_written: word,
  y_parity: '0x1',
};

const block = { hash: hash48, name: '2026-11-22T01_42_00.000000000Z.rcd.gz' };
const token = { name: 'Tea leaves' };

/** Members that mean something else in one schema, or in the answer of one operation. */
const bySchema: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Block: block,
  ContractLog: { transaction_hash: hash32 },
  HookStorage: { key: word, value: word },
  NetworkNode: { memo: 'kyoto' },
  Token: token,
  TokenInfo: token,
  ContractState: { value: word },
};

/** Ids by member: one id for all would not show what belongs together. */
const ids: Readonly<Record<string, string>> = {
  account: '0.0.1001',
  account_id: '0.0.1001',
  auto_renew_account: '0.0.1001',
  collector_account_id: '0.0.1002',
  contract_id: '0.0.8001',
  created_contract_ids: '0.0.8002',
  creator_account_id: '0.0.1001',
  delegating_spender: '0.0.1004',
  denominating_token_id: '0.0.2002',
  effective_payer_account_ids: '0.0.1001',
  entity_id: '0.0.1003',
  file_id: '0.0.102',
  node: '0.0.3',
  node_account_id: '0.0.3',
  owner: '0.0.1001',
  owner_id: '0.0.1001',
  payer_account_id: '0.0.1001',
  receiver_account_id: '0.0.1003',
  receiver_id: '0.0.1003',
  schedule_id: '0.0.3001',
  sender_account_id: '0.0.1001',
  sender_id: '0.0.1001',
  spender: '0.0.1004',
  token_id: '0.0.2001',
  topic_id: '0.0.4001',
  treasury_account_id: '0.0.1002',
};

const ownExample = (schema: JsonSchema, member: string): { readonly value: unknown } | undefined => {
  if (schema.examples === entityIdSchema.examples && Object.hasOwn(ids, member)) return { value: ids[member] };
  if ('example' in schema) return { value: schema.example };
  if (Array.isArray(schema.examples)) return { value: schema.examples[0] };
  if ('const' in schema) return { value: schema.const };
  if (Array.isArray(schema.enum)) return { value: schema.enum[0] };
  return undefined;
};

interface Place {
  readonly schemas: Schemas;
  /** Name of the schema in `schemas` around it, or of the operation, and of the member. */
  readonly schemaName: string;
  readonly member: string;
}

const typeOf = (schema: JsonSchema): unknown =>
  Array.isArray(schema.type) ? (schema.type.find((type) => type !== 'null') ?? 'null') : schema.type;

const exampleAt = (schema: JsonSchema, place: Place): unknown => {
  if (typeof schema.$ref === 'string') {
    const schemaName = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return exampleAt((place.schemas[schemaName] ?? {}) as JsonSchema, { ...place, schemaName });
  }
  const own = ownExample(schema, place.member);
  if (own !== undefined) return own.value;
  const known = { ...byMember, ...bySchema[place.schemaName] };
  const type = typeOf(schema);
  if (type !== 'object' && type !== 'array' && Object.hasOwn(known, place.member)) {
    const value = known[place.member];
    if (typeof value === type || (type === 'integer' && typeof value === 'number')) return value;
    if (value === null && Array.isArray(schema.type) && schema.type.includes('null')) return null;
  }
  const choices = (schema.oneOf ?? schema.anyOf) as readonly JsonSchema[] | undefined;
  if (choices?.[0] !== undefined) return exampleAt(choices[0], place);
  switch (type) {
    case 'array':
      return [exampleAt((schema.items ?? {}) as JsonSchema, place)];
    case 'boolean':
      return false;
    case 'integer':
    case 'number':
      return schema.minimum ?? 1;
    case 'string':
      return '';
    case 'object':
      return Object.fromEntries(
        Object.entries((schema.properties ?? {}) as Readonly<Record<string, JsonSchema>>).map(([member, inner]) => [
          member,
          exampleAt(inner, { ...place, member }),
        ]),
      );
    default:
      return null;
  }
};

/** A value that the operation's schema allows; every member is there, every list has one entry. */
export const exampleOf = (schema: JsonSchema, schemas: Schemas, operationId: string): unknown =>
  exampleAt(schema, { schemas, schemaName: operationId, member: '' });
