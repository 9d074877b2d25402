/** `/api/v1/contracts/results/{transactionIdOrHash}/actions`: what a contract transaction did, step by step. */
import { boundsOf, conjunction, type Interval } from '../../api/bounds.ts';
import { numberPosition } from '../../api/entity-position.ts';
import { entityIdJson, linksJson, plainJson, timestampJson } from '../../api/json.ts';
import { limitOf, type Order, orderOf } from '../../api/page.ts';
import { limitParameter, nonNegativeInt8Parameter, orderParameter } from '../../api/parameter-checks.ts';
import { acceptSorted, allOf, type Filter, groupQuery, invalidParameters } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { intervalConditions, statementBuilder, statementName } from '../../api/sql.ts';
import { toHex } from '../../ledger/bytes.ts';
import { findResultReference, type ResultReference } from '../contract-results/result-reference.ts';
import { bytesJson, evmAddressJson } from './evm-json.ts';
import { namedValuesLink } from './named-values.ts';

const actionParameters = { index: nonNegativeInt8Parameter, limit: limitParameter, order: orderParameter };

interface ActionRow {
  readonly call_depth: number;
  readonly call_operation_type: number | null;
  readonly call_type: number | null;
  readonly caller: string | null;
  readonly caller_type: string | null;
  readonly consensus_timestamp: string;
  readonly gas: string;
  readonly gas_used: string;
  readonly index: number;
  readonly input: Buffer | null;
  readonly recipient_account: string | null;
  readonly recipient_address: Buffer | null;
  readonly recipient_contract: string | null;
  readonly result_data: Buffer | null;
  readonly result_data_type: number;
  readonly value: string;
}

const actionColumns = `call_depth, call_operation_type, call_type, caller, caller_type, consensus_timestamp, gas,
  gas_used, index, input, recipient_account, recipient_address, recipient_contract, result_data, result_data_type, value`;

// Numbers of the sidecar's enums and, for results, of its oneof.
const callTypes: readonly string[] = ['NO_ACTION', 'CALL', 'CREATE', 'PRECOMPILE', 'SYSTEM'];
const callOperationTypes: readonly string[] = [
  'UNKNOWN',
  'CALL',
  'CALLCODE',
  'DELEGATECALL',
  'STATICCALL',
  'CREATE',
  'CREATE2',
];
const resultDataTypes: Readonly<Record<number, string>> = { 11: 'OUTPUT', 12: 'REVERT_REASON', 13: 'ERROR' };

/** A member with the name of an enum's value; none when the number has no name. */
const nameMember = (member: string, name: string | undefined): string =>
  name === undefined ? '' : `"${member}":"${name}",`;

const ADDRESS_DIGITS = 40;

const recipientAddressJson = (address: Buffer | null, recipient: string | null): string => {
  if (address === null) return recipient === null ? 'null' : evmAddressJson(null, recipient);
  return address.length === 0 ? '"0x"' : `"0x${toHex(address).padStart(ADDRESS_DIGITS, '0')}"`;
};

const actionJson = (row: ActionRow): string => {
  const recipient = row.recipient_account ?? row.recipient_contract;
  const recipientType = recipient === null ? null : row.recipient_account === null ? 'CONTRACT' : 'ACCOUNT';
  return (
    `{"call_depth":${row.call_depth},` +
    nameMember('call_operation_type', callOperationTypes[row.call_operation_type ?? 0]) +
    nameMember('call_type', row.call_type === null ? undefined : callTypes[row.call_type]) +
    `"caller":${entityIdJson(row.caller)},"caller_type":${plainJson(row.caller_type)},` +
    `"from":${row.caller === null ? 'null' : evmAddressJson(null, row.caller)},"gas":${row.gas},` +
    `"gas_used":${row.gas_used},"index":${row.index},"input":${bytesJson(row.input)},` +
    `"recipient":${entityIdJson(recipient)},"recipient_type":${plainJson(recipientType)},` +
    `"result_data":${bytesJson(row.result_data)},` +
    nameMember('result_data_type', resultDataTypes[row.result_data_type]) +
    `"timestamp":${timestampJson(row.consensus_timestamp)},` +
    `"to":${recipientAddressJson(row.recipient_address, recipient)},"value":${row.value}}`
  );
};

const indexInterval = (filters: readonly Filter[]): Interval | undefined => {
  const indices = allOf(filters, 'index');
  if (indices.some(({ operator }) => operator === 'ne')) throw invalidParameters('index');
  return conjunction(boundsOf(indices.map(({ operator, value }) => ({ operator, value: BigInt(value) }))));
};

const readActions = (
  transaction: ResultReference,
  indices: Interval,
  order: Order,
  limit: number,
  { db }: RouteContext,
): Promise<readonly ActionRow[]> => {
  const builder = statementBuilder();
  const conditions = [
    `consensus_timestamp = ${builder.bind(transaction.consensusTimestamp)}::bigint`,
    `payer_account_id = ${builder.bind(transaction.payerAccountId)}::bigint`,
    ...intervalConditions(builder, 'index', indices),
  ];
  const text = `select ${actionColumns} from contract_action where ${conditions.join(' and ')}
    order by index ${order} limit ${builder.bind(limit)}`;
  return db.query<ActionRow>(text, builder.values, statementName(text));
};

/** An id stands for the transaction that was submitted, not for its children. */
const NONCE = '0';

export const listActions = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const query = groupQuery(request.query);
  const filters = acceptSorted(query, actionParameters, context.settings.query);
  const indices = indexInterval(filters);
  const order = orderOf(filters, 'asc');
  const limit = limitOf(filters, context.settings.response.limit, request.user);
  const transaction = await findResultReference(request.pathParameters.transactionIdOrHash ?? '', NONCE, context);
  const rows = indices === undefined ? [] : await readActions(transaction, indices, order, limit, context);
  const last = rows.at(-1);
  const link =
    last === undefined || rows.length < limit
      ? null
      : namedValuesLink(request, query, order, numberPosition('index', last.index.toString()));
  const actions = rows.map(actionJson).join(',');
  return { status: 200, body: `{"actions":[${actions}],"links":${linksJson(link)}}`, link };
};
