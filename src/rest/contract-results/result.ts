/** A contract result as REST shows it: in the list of one contract, in the list of all, and alone. */
import { cellText, type OneCellPut, putHex, putPlain } from '../../api/resource/cells.ts';
import {
  bytesOf,
  derived,
  entityId,
  entityIdJson,
  field,
  given,
  int32,
  int64,
  listSchema,
  nameOfCode,
  numberJson,
  optional,
  putting,
  puttingGiven,
  timestamp,
} from '../../api/resource/field.ts';
import type { Field, Fields } from '../../api/resource/field-type.ts';
import { type JsonBytes, literalBytes } from '../../api/resource/json-bytes.ts';
import { type ResourceRow, resource } from '../../api/resource/resource.ts';
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, int64Schema } from '../../api/schemas.ts';
import { toHex } from '../../ledger/bytes.ts';
import { isSuccessful, responseCodeName } from '../../ledger/response-code.ts';
import { ContractFunctionResult } from '../../protobuf/generated/services/contract_types.ts';
import { contractResultLog } from '../contracts/contract-log.ts';
import { longZeroJson } from '../contracts/evm-fields.ts';
import { accessListHexJson } from './access-list.ts';
import { type GasPrices, gasPriceKeys } from './gas-price.ts';
import { stateChange } from './state-change.ts';
import { type AmountUnit, gasPriceJson, quantityJson, tinybarsIn, valueJson } from './weibar.ts';

/** What results are shown by beside their rows. */
export interface ResultFormat {
  readonly unit: AmountUnit;
  /** Of the network, for transactions that name none. */
  readonly chainId: string;
  readonly showsAuthorizationList: boolean;
  readonly gasPrice: GasPrices;
}

export interface DetailsFormat extends ResultFormat {
  /** Content of the file that holds the call data. */
  readonly file: Buffer | null;
  readonly logs: readonly ResourceRow<never>[];
  readonly stateChanges: readonly ResourceRow<never>[];
}

const NO_ENTITY = '0';
const LEGACY_TYPE = '0';
const emptyBloom = `"0x${'00'.repeat(256)}"`;
/** A cell of bytes that holds none: `\x`. */
const noBytes = '\\x';

/** Whether a cell of bytes has none. */
export const isBlank = (cell: string): boolean => cell.length <= noBytes.length;

const hexJson = (cell: string): string => `"0x${cell.slice(noBytes.length)}"`;

/** Null and no bytes alike are `"0x"`. */
const putBytes = putHex('"0x"');

/** The address that holds the num of an entity. */
const addressOfNumJson = (id: string): string => (id === NO_ENTITY ? 'null' : longZeroJson(id));

/** A sender that has no id here is known by the alias in the function result. */
const senderAliasJson = (functionResult: string): string => {
  if (isBlank(functionResult)) return 'null';
  try {
    const account = ContractFunctionResult.decode(bytesOf(functionResult) as Buffer).senderId?.account;
    return account?.$case === 'alias' && account.alias.length > 0 ? `"0x${toHex(account.alias)}"` : 'null';
  } catch {
    return 'null';
  }
};

const nullableInteger: JsonSchema = { type: ['integer', 'null'] };

const addressSchema = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  pattern: '^0x([0-9a-f]{2})+$',
  description,
  examples: ['0x0000000000000000000000000000000000001f41'],
});

const hexSchema = (description: string): JsonSchema => ({
  type: 'string',
  pattern: '^0x([0-9a-f]{2})*$',
  description,
});

const nullableHexSchema = (description: string): JsonSchema => ({
  ...hexSchema(description),
  type: ['string', 'null'],
});

const quantitySchema = (description: string): JsonSchema => ({
  type: ['string', 'null'],
  pattern: '^0x[0-9a-f]*$',
  description,
});

/** Bytes in hex. */
const bytes = (sql: string, schema: JsonSchema, put: OneCellPut = putBytes): Field =>
  putting({ cell: sql }, schema, put);

/** An address that the row holds, else the one with the num of the contract. */
const addressOrNum = (sql: string, schema: JsonSchema): Field =>
  putting({ own: sql, contract: 'p.contract_id' }, schema, (out, source, start, end, idStart, idEnd) => {
    if (end - start > noBytes.length) putBytes(out, source, start, end);
    else out.text(addressOfNumJson(cellText(source, idStart, idEnd)));
  });

const toSchema = addressSchema(
  'What was called, as the Ethereum transaction named it, or with the num of the contract.',
);

/** An error message as JSON. */
const errorSql = "to_json(nullif(p.error_message, ''))";

const ownFields = {
  address: addressOrNum('p.evm_address', addressSchema('Of the contract: its own, or the one that holds its num.')),
  amount: int64('p.amount', 'Tinybars sent along; weibars under `hbar=false`.', nullableInteger),
  bloom: bytes('p.bloom', hexSchema('Bloom filter of the logs.'), putHex('"0x"', emptyBloom)),
  call_result: bytes('p.call_result', hexSchema('What the call returned.')),
  contract_id: entityId('p.contract_id', 'The contract that was called or created.'),
  created_contract_ids: field("array_to_string(p.created_contract_ids, ',')", listSchema(entityIdSchema), (ids) =>
    ids === '' ? '[]' : `[${ids.split(',').map(entityIdJson).join(',')}]`,
  ),
  error_message: putting(
    { cell: errorSql },
    { type: ['string', 'null'], description: 'Why it failed: hex of a reason given, or a name.' },
    putPlain,
  ),
  from: derived(
    { sender: 'p.sender_id', functionResult: 'p.function_result' },
    addressSchema('Of the caller.'),
    ({ sender, functionResult }) => (sender === '' ? senderAliasJson(functionResult) : addressOfNumJson(sender)),
  ),
  function_parameters: bytes('p.function_parameters', hexSchema('What the contract was called with.')),
  gas_consumed: int64('p.gas_consumed', 'Gas that the execution took.', nullableInteger),
  gas_limit: int64('p.gas_limit', 'Most gas that it might take.'),
  gas_used: int64('p.gas_used', 'Gas that was paid.', nullableInteger),
  timestamp: timestamp('p.consensus_timestamp', 'Consensus timestamp of the transaction.'),
  to: field('p.contract_id', toSchema, addressOfNumJson),
  hash: bytes(
    'p.transaction_hash',
    hexSchema('Hash of the Ethereum transaction, or the first 32 bytes of the own hash of another.'),
  ),
} satisfies Fields;

const ethereumType = 'p.ethereum_type';

const isSuccess = (code: string): boolean => isSuccessful(Number(code));

/** JSON of a price of gas in tinybars. */
const inForceJson = (price: bigint | null, unit: AmountUnit): string =>
  price === null ? 'null' : `"0x${tinybarsIn(price, unit).toString(16)}"`;

/** The text of a jsonb column that holds an array; `[]` for anything else. */
const arrayJson = (text: string): string => (text.startsWith('[') ? text : '[]');

const accessListSchema: JsonSchema = {
  type: 'array',
  description: 'Slots that the transaction announced to use.',
  items: {
    type: 'object',
    properties: {
      address: { type: 'string' },
      storage_keys: { type: 'array', items: { type: 'string' } },
    },
  },
};

const authorizationListSchema: JsonSchema = {
  type: 'array',
  description: 'Code that accounts delegated to; only where the server is set to show it.',
  items: {
    type: 'object',
    properties: {
      address: { type: 'string' },
      chain_id: { type: 'string' },
      nonce: int64Schema('Of the account.'),
      r: { type: 'string' },
      s: { type: 'string' },
      y_parity: { type: ['string', 'integer'] },
    },
  },
};

const nullBytes = literalBytes('null');

/** A member of Ethereum transactions, which others have as null. */
const signed = (
  sql: string,
  schema: JsonSchema,
  put: (out: JsonBytes, source: Buffer, start: number, end: number, format: ResultFormat) => void,
): Field =>
  puttingGiven<ResultFormat>(
    { type: ethereumType, cell: sql },
    schema,
    (out, format, source, typeStart, typeEnd, start, end) => {
      if (typeStart === typeEnd) out.literal(nullBytes);
      else put(out, source, start as number, end as number, format);
    },
  );

/** What was offered for a unit of gas. */
const signedPrice = (sql: string, description: string): Field =>
  signed(sql, quantitySchema(description), (out, source, start, end, { unit }) =>
    out.text(gasPriceJson(bytesOf(cellText(source, start, end)), unit)),
  );

/** What an Ethereum transaction says counts before what the result has; the members of the block and the signature follow. */
const fields = {
  ...ownFields,
  amount: given(
    { type: ethereumType, value: 'p.ethereum_value', amount: 'p.amount' },
    ownFields.amount.schema,
    ({ type, value, amount }, { unit }: ResultFormat) => {
      if (type !== '') return valueJson(bytesOf(value), unit);
      return unit === 'tinybar' || amount === '' ? numberJson(amount) : `${tinybarsIn(amount, unit)}`;
    },
  ),
  error_message: derived(
    { type: ethereumType, reason: errorSql, result: 'p.transaction_result' },
    ownFields.error_message.schema,
    ({ type, reason, result }) => {
      const isUnexplained = type !== '' && reason === '' && !isSuccess(result);
      return isUnexplained ? `"${responseCodeName(Number(result))}"` : reason || 'null';
    },
  ),
  to: addressOrNum('p.ethereum_to_address', toSchema),
  block_gas_used: int64('nullif(p.block_gas_used, -1)', 'Gas of all results of the block.', nullableInteger),
  block_hash: field(
    'p.block_hash',
    { ...quantitySchema('Hash of the block; `0x` while it is not known.'), type: 'string' },
    (hash) => `"${hash.startsWith('0x') ? '' : '0x'}${hash}"`,
  ),
  block_number: int64('p.block_number', 'Number of the block; null while it is not known.', nullableInteger),
  result: nameOfCode(
    'p.transaction_result',
    { type: 'string', description: 'Name of the response code.', examples: ['SUCCESS'] },
    responseCodeName,
  ),
  transaction_index: int32('p.transaction_index', { ...nullableInteger, description: 'Place within the block.' }),
  status: nameOfCode(
    'p.transaction_result',
    { type: 'string', enum: ['0x1', '0x0'], description: '0x1: succeeded.' },
    (code) => (isSuccessful(code) ? '0x1' : '0x0'),
  ),
  failed_initcode: bytes(
    'p.failed_initcode',
    nullableHexSchema('Code that could not be deployed.'),
    putHex('null', 'null'),
  ),
  access_list: field('p.ethereum_access_list', accessListSchema, arrayJson),
  authorization_list: optional(
    given(
      { type: ethereumType, list: 'p.ethereum_authorization_list' },
      authorizationListSchema,
      ({ type, list }, { showsAuthorizationList }: ResultFormat) =>
        type !== '' && showsAuthorizationList ? arrayJson(list) : '',
    ),
  ),
  chain_id: given(
    { type: ethereumType, chain: 'p.ethereum_chain_id' },
    quantitySchema('Chain that the transaction was signed for, or that of the network.'),
    ({ type, chain }, { chainId }: ResultFormat) =>
      type === '' ? JSON.stringify(chainId) : quantityJson(bytesOf(chain)),
  ),
  gas_price: given(
    { type: ethereumType, offered: 'p.ethereum_gas_price', at: 'p.consensus_timestamp', ...gasPriceKeys },
    quantitySchema('Offered by a legacy transaction; without an Ethereum transaction, the price in force.'),
    ({ type, offered, at, ...ends }, { unit, gasPrice }: ResultFormat) =>
      type === '' ? inForceJson(gasPrice(ends, at), unit) : gasPriceJson(bytesOf(offered), unit),
  ),
  max_fee_per_gas: signedPrice('p.ethereum_max_fee_per_gas', 'Most that was offered for a unit of gas.'),
  max_priority_fee_per_gas: signedPrice(
    'p.ethereum_max_priority_fee_per_gas',
    'Most that was offered to be preferred.',
  ),
  nonce: int64('p.ethereum_nonce', 'Of the sender, in its Ethereum transaction.', nullableInteger),
  r: signed('p.ethereum_signature_r', nullableHexSchema('First half of the signature.'), putBytes),
  s: signed('p.ethereum_signature_s', nullableHexSchema('Second half of the signature.'), putBytes),
  type: int32(`coalesce(${ethereumType}, ${LEGACY_TYPE})`, {
    description: 'Type of the Ethereum transaction; 0 for others.',
  }),
  v: derived(
    { type: ethereumType, v: 'p.ethereum_signature_v', recovery: 'p.ethereum_recovery_id' },
    { ...nullableInteger, description: 'Recovery id, or v of a legacy transaction.' },
    ({ type, v, recovery }) =>
      type === LEGACY_TYPE && !isBlank(v) ? `${BigInt(`0x${v.slice(noBytes.length)}`)}` : numberJson(recovery),
  ),
} satisfies Fields;

const keys = { consensusTimestamp: 'p.consensus_timestamp', ...gasPriceKeys };

/** A result in the list of all contracts. */
export const blockResult = resource<keyof typeof keys, ResultFormat>({ name: 'ContractBlockResult', keys, fields });

/** What `response.briefContractResults` leaves out is not required. */
const unlessBrief = ([name, member]: [string, Field]): [string, Field] => [
  name,
  Object.hasOwn(ownFields, name) ? member : optional(member),
];

/** A result in the list of one contract, where the specification gives two members other types than elsewhere. */
export const contractResult = resource<keyof typeof keys, ResultFormat>({
  name: 'ContractResult',
  keys,
  fields: Object.fromEntries(
    Object.entries<Field>({
      ...fields,
      access_list: field(
        'p.ethereum_access_list',
        {
          ...hexSchema('RLP of the slots that the transaction announced to use (EIP-2930); 0x: none.'),
          examples: [`0xd7d694${'67'.repeat(20)}c0`],
        },
        accessListHexJson,
      ),
      status: field('p.transaction_result', { type: 'integer', enum: [1, 0], description: '1: succeeded.' }, (code) =>
        isSuccess(code) ? '1' : '0',
      ),
    }).map(unlessBrief),
  ),
});

/** A result in the list of one contract, with the members that other mirror nodes show there. */
export const briefResult = resource({
  name: 'ContractResult',
  keys: { consensusTimestamp: 'p.consensus_timestamp' },
  fields: ownFields,
});

const putList = (
  out: JsonBytes,
  rows: readonly ResourceRow<never>[],
  put: (out: JsonBytes, row: ResourceRow<never>) => void,
): void => {
  out.text('[');
  out.list(rows, put);
  out.text(']');
};

const callData = 'p.ethereum_call_data';

const detailsKeys = {
  ...keys,
  callResult: 'p.call_result',
  callData,
  callDataFile: 'p.ethereum_call_data_id',
  functionParameters: 'p.function_parameters',
};

export type DetailsRow = ResourceRow<keyof typeof detailsKeys>;

/** A result alone, with its logs and state changes, and with what only the details of an Ethereum transaction show. */
export const resultDetails = resource<keyof typeof detailsKeys, DetailsFormat>({
  name: 'ContractResultDetails',
  keys: detailsKeys,
  fields: {
    ...fields,
    function_parameters: given(
      { callData, own: 'p.function_parameters' },
      fields.function_parameters.schema,
      ({ callData, own }, { file }: DetailsFormat) => {
        if (!isBlank(callData)) return hexJson(callData);
        return isBlank(own) && file !== null ? `"0x${toHex(file)}"` : hexJson(own);
      },
    ),
    gas_limit: { ...int64('coalesce(p.ethereum_gas_limit, p.gas_limit)', ''), schema: fields.gas_limit.schema },
    failed_initcode: derived(
      { callData, failed: 'p.failed_initcode', result: 'p.transaction_result' },
      fields.failed_initcode.schema,
      ({ callData, failed, result }) => {
        if (!isBlank(failed)) return hexJson(failed);
        return isSuccess(result) || isBlank(callData) ? 'null' : hexJson(callData);
      },
    ),
    logs: puttingGiven<DetailsFormat>({}, listSchema(contractResultLog.schema), (out, { logs }) =>
      putList(out, logs, contractResultLog.put),
    ),
    state_changes: puttingGiven<DetailsFormat>({}, listSchema(stateChange.schema), (out, { stateChanges }) =>
      putList(out, stateChanges, stateChange.put),
    ),
  },
});
