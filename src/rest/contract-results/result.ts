/** A contract result as REST shows it: in the list of one contract, in the list of all, and alone. */
import { entityIdJson, hexJson, integerJson, plainJson, textJson, timestampJson } from '../../api/json.ts';
import { listSchema } from '../../api/resource/field.ts';
import { type Member, type Members, record } from '../../api/resource/record.ts';
import type { JsonSchema } from '../../api/route.ts';
import { entityIdSchema, int64Schema, timestampSchema } from '../../api/schemas.ts';
import { toHex } from '../../ledger/bytes.ts';
import { isSuccessful, responseCodeName } from '../../ledger/response-code.ts';
import { ContractFunctionResult } from '../../protobuf/generated/services/contract_types.ts';
import { contractResultLog } from '../contracts/contract-log.ts';
import { longZeroJson } from '../contracts/evm-fields.ts';
import { accessListHexJson } from './access-list.ts';
import type { BlockResultRow, ResultRow } from './result-columns.ts';
import { stateChange } from './state-change.ts';
import { type AmountUnit, gasPriceJson, quantityJson, tinybarsIn, valueJson } from './weibar.ts';

/** What only the details of an Ethereum transaction's result show. */
export interface EthereumDetails {
  readonly callData: Buffer | null;
  /** Content of the file that holds the call data. */
  readonly file: Buffer | null;
  readonly gasLimit: string;
}

export interface ResultFormat {
  readonly unit: AmountUnit;
  /** Of the network, for transactions that name none. */
  readonly chainId: string;
  readonly showsAuthorizationList: boolean;
  /** Tinybars for a unit of gas in a contract call at that time; null when not known. */
  readonly gasPrice: (consensusTimestamp: string) => bigint | null;
}

/** What a result is made of where the row alone counts. */
interface OwnSource {
  readonly row: ResultRow;
}

export interface ResultSource {
  readonly row: BlockResultRow;
  readonly format: ResultFormat;
  readonly ethereum?: EthereumDetails | undefined;
}

export interface DetailsSource extends ResultSource {
  /** JSON of each. */
  readonly logs: readonly string[];
  readonly stateChanges: readonly string[];
}

const NO_ENTITY = '0';
const LEGACY_TYPE = 0;
const emptyBloom = `"0x${'00'.repeat(256)}"`;

const isBlank = (bytes: Uint8Array | null): boolean => bytes === null || bytes.length === 0;

/** Null and no bytes alike are `"0x"`. */
const bytesJson = (bytes: Uint8Array | null): string => (bytes === null ? '"0x"' : hexJson(bytes));

/** The address that holds the num of an entity. */
const addressOfNumJson = (id: string): string => (id === NO_ENTITY ? 'null' : longZeroJson(id));

/** A sender that has no id here is known by the alias in the function result. */
const senderAliasJson = (functionResult: Buffer | null): string => {
  if (functionResult === null || functionResult.length === 0) return 'null';
  try {
    const account = ContractFunctionResult.decode(functionResult).senderId?.account;
    return account?.$case === 'alias' && account.alias.length > 0 ? hexJson(account.alias) : 'null';
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

const own = (schema: JsonSchema, json: (row: ResultRow) => string): Member<OwnSource> => ({
  schema,
  json: ({ row }) => json(row),
});

const errorJson = (row: ResultRow): string => textJson(row.error_message === '' ? null : row.error_message);

const ownMembers = {
  address: own(addressSchema('Of the contract: its own, or the one that holds its num.'), (row) =>
    isBlank(row.evm_address) ? addressOfNumJson(row.contract_id) : hexJson(row.evm_address),
  ),
  amount: own(int64Schema('Tinybars sent along; weibars under `hbar=false`.', nullableInteger), (row) =>
    integerJson(row.amount),
  ),
  bloom: own(hexSchema('Bloom filter of the logs.'), ({ bloom }) =>
    bloom?.length === 0 ? emptyBloom : bytesJson(bloom),
  ),
  call_result: own(hexSchema('What the call returned.'), (row) => bytesJson(row.call_result)),
  contract_id: own({ ...entityIdSchema, description: 'The contract that was called or created.' }, (row) =>
    entityIdJson(row.contract_id),
  ),
  created_contract_ids: own(
    listSchema(entityIdSchema),
    (row) => `[${(row.created_contract_ids ?? []).map(entityIdJson).join(',')}]`,
  ),
  error_message: own(
    { type: ['string', 'null'], description: 'Why it failed: hex of a reason given, or a name.' },
    errorJson,
  ),
  from: own(addressSchema('Of the caller.'), (row) =>
    row.sender_id === null ? senderAliasJson(row.function_result) : addressOfNumJson(row.sender_id),
  ),
  function_parameters: own(hexSchema('What the contract was called with.'), (row) => hexJson(row.function_parameters)),
  gas_consumed: own(int64Schema('Gas that the execution took.', nullableInteger), (row) =>
    integerJson(row.gas_consumed),
  ),
  gas_limit: own(int64Schema('Most gas that it might take.'), (row) => row.gas_limit),
  gas_used: own(int64Schema('Gas that was paid.', nullableInteger), (row) => integerJson(row.gas_used)),
  timestamp: own({ ...timestampSchema, description: 'Consensus timestamp of the transaction.' }, (row) =>
    timestampJson(row.consensus_timestamp),
  ),
  to: own(
    addressSchema('What was called, as the Ethereum transaction named it, or with the num of the contract.'),
    (row) => addressOfNumJson(row.contract_id),
  ),
  hash: own(hexSchema('Hash of the Ethereum transaction, or the first 32 bytes of the own hash of another.'), (row) =>
    bytesJson(row.transaction_hash),
  ),
} satisfies Members<OwnSource>;

const isEthereum = ({ row }: ResultSource): boolean => row.ethereum_type !== null;

const functionParametersJson = ({ row, ethereum }: ResultSource): string => {
  const callData = ethereum?.callData ?? null;
  if (callData !== null && callData.length > 0) return hexJson(callData);
  return hexJson(
    row.function_parameters.length === 0 ? (ethereum?.file ?? row.function_parameters) : row.function_parameters,
  );
};

const failedInitcodeJson = ({ row, ethereum }: ResultSource): string => {
  if (!isBlank(row.failed_initcode)) return hexJson(row.failed_initcode);
  const callData = ethereum?.callData ?? null;
  return isSuccessful(row.transaction_result) || isBlank(callData) ? 'null' : hexJson(callData);
};

const inForceJson = ({ row, format: { gasPrice, unit } }: ResultSource): string => {
  const price = gasPrice(row.consensus_timestamp);
  return price === null ? 'null' : `"0x${tinybarsIn(price, unit).toString(16)}"`;
};

const recoveryJson = (row: BlockResultRow): string =>
  row.ethereum_type === LEGACY_TYPE && row.ethereum_signature_v !== null && row.ethereum_signature_v.length > 0
    ? `${BigInt(`0x${toHex(row.ethereum_signature_v)}`)}`
    : integerJson(row.ethereum_recovery_id);

const unknownGas = '-1';

/** The text of a jsonb column that holds an array; `[]` for anything else. */
const arrayJson = (text: string | null): string => (text?.startsWith('[') ? text : '[]');

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

const of = (schema: JsonSchema, json: (source: ResultSource) => string): Member<ResultSource> => ({ schema, json });

/** A member of Ethereum transactions, which others have as null. */
const signed = (schema: JsonSchema, json: (row: BlockResultRow, unit: AmountUnit) => string): Member<ResultSource> =>
  of(schema, (source) => (isEthereum(source) ? json(source.row, source.format.unit) : 'null'));

/** What an Ethereum transaction says counts before what the result has; the members of the block and the signature follow. */
const members = {
  ...ownMembers,
  amount: of(ownMembers.amount.schema, (source) => {
    const { row, format } = source;
    if (isEthereum(source)) return valueJson(row.ethereum_value, format.unit);
    return row.amount === null ? 'null' : `${tinybarsIn(row.amount, format.unit)}`;
  }),
  error_message: of(ownMembers.error_message.schema, (source) => {
    const reason = errorJson(source.row);
    const isUnexplained = isEthereum(source) && reason === 'null' && !isSuccessful(source.row.transaction_result);
    return isUnexplained ? plainJson(responseCodeName(source.row.transaction_result)) : reason;
  }),
  function_parameters: of(ownMembers.function_parameters.schema, functionParametersJson),
  gas_limit: of(ownMembers.gas_limit.schema, ({ row, ethereum }) => ethereum?.gasLimit ?? row.gas_limit),
  to: of(ownMembers.to.schema, ({ row }) =>
    isBlank(row.ethereum_to_address) ? addressOfNumJson(row.contract_id) : hexJson(row.ethereum_to_address),
  ),
  block_gas_used: of(int64Schema('Gas of all results of the block.', nullableInteger), ({ row }) =>
    row.block_gas_used === unknownGas ? 'null' : integerJson(row.block_gas_used),
  ),
  block_hash: of({ ...quantitySchema('Hash of the block; `0x` while it is not known.'), type: 'string' }, ({ row }) => {
    const hash = row.block_hash ?? '';
    return `"${hash.startsWith('0x') ? '' : '0x'}${hash}"`;
  }),
  block_number: of(int64Schema('Number of the block; null while it is not known.', nullableInteger), ({ row }) =>
    integerJson(row.block_number),
  ),
  result: of(
    { type: 'string', description: 'Name of the response code.', examples: ['SUCCESS'] },
    ({ row }) => `"${responseCodeName(row.transaction_result)}"`,
  ),
  transaction_index: of({ ...nullableInteger, format: 'int32', description: 'Place within the block.' }, ({ row }) =>
    integerJson(row.transaction_index),
  ),
  status: of({ type: 'string', enum: ['0x1', '0x0'], description: '0x1: succeeded.' }, ({ row }) =>
    isSuccessful(row.transaction_result) ? '"0x1"' : '"0x0"',
  ),
  failed_initcode: of(nullableHexSchema('Code that could not be deployed.'), failedInitcodeJson),
  access_list: of(accessListSchema, ({ row }) => arrayJson(row.ethereum_access_list)),
  authorization_list: {
    schema: authorizationListSchema,
    isOptional: true,
    json: (source) =>
      isEthereum(source) && source.format.showsAuthorizationList
        ? arrayJson(source.row.ethereum_authorization_list)
        : '',
  },
  chain_id: of(quantitySchema('Chain that the transaction was signed for, or that of the network.'), (source) =>
    isEthereum(source) ? quantityJson(source.row.ethereum_chain_id) : textJson(source.format.chainId),
  ),
  gas_price: of(
    quantitySchema('Offered by a legacy transaction; without an Ethereum transaction, the price in force.'),
    (source) =>
      isEthereum(source) ? gasPriceJson(source.row.ethereum_gas_price, source.format.unit) : inForceJson(source),
  ),
  max_fee_per_gas: signed(quantitySchema('Most that was offered for a unit of gas.'), (row, unit) =>
    gasPriceJson(row.ethereum_max_fee_per_gas, unit),
  ),
  max_priority_fee_per_gas: signed(quantitySchema('Most that was offered to be preferred.'), (row, unit) =>
    gasPriceJson(row.ethereum_max_priority_fee_per_gas, unit),
  ),
  nonce: signed(int64Schema('Of the sender, in its Ethereum transaction.', nullableInteger), (row) =>
    integerJson(row.ethereum_nonce),
  ),
  r: signed(nullableHexSchema('First half of the signature.'), (row) => bytesJson(row.ethereum_signature_r)),
  s: signed(nullableHexSchema('Second half of the signature.'), (row) => bytesJson(row.ethereum_signature_s)),
  type: of(
    { type: 'integer', format: 'int32', description: 'Type of the Ethereum transaction; 0 for others.' },
    ({ row }) => `${row.ethereum_type ?? LEGACY_TYPE}`,
  ),
  v: signed({ ...nullableInteger, description: 'Recovery id, or v of a legacy transaction.' }, recoveryJson),
} satisfies Members<ResultSource>;

/** A result in the list of all contracts. */
export const blockResult = record<ResultSource>('ContractBlockResult', members);

/** What `response.briefContractResults` leaves out is not required. */
const unlessBrief = ([name, member]: [string, Member<ResultSource>]): [string, Member<ResultSource>] => [
  name,
  Object.hasOwn(ownMembers, name) ? member : { ...member, isOptional: true },
];

/** A result in the list of one contract, where the specification gives two members other types than elsewhere. */
export const contractResult = record<ResultSource>(
  'ContractResult',
  Object.fromEntries(
    Object.entries<Member<ResultSource>>({
      ...members,
      access_list: of(
        {
          ...hexSchema('RLP of the slots that the transaction announced to use (EIP-2930); 0x: none.'),
          examples: [`0xd7d694${'67'.repeat(20)}c0`],
        },
        ({ row }) => accessListHexJson(row.ethereum_access_list),
      ),
      status: of({ type: 'integer', enum: [1, 0], description: '1: succeeded.' }, ({ row }) =>
        isSuccessful(row.transaction_result) ? '1' : '0',
      ),
    }).map(unlessBrief),
  ),
);

/** A result in the list of one contract, with the members that other mirror nodes show there. */
export const briefResult = record<OwnSource>('ContractResult', ownMembers);

/** A result alone, with its logs and state changes. */
export const resultDetails = record<DetailsSource>('ContractResultDetails', {
  ...members,
  logs: { schema: listSchema(contractResultLog.schema), json: ({ logs }) => `[${logs.join(',')}]` },
  state_changes: { schema: listSchema(stateChange.schema), json: ({ stateChanges }) => `[${stateChanges.join(',')}]` },
});
