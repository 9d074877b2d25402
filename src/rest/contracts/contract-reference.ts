/** The contract that a path or parameter names: an id or an EVM address. Reads `entity`. */
import { resolveReference } from '../../api/entity-lookup.ts';
import { isEvmAddressText, isPathEntityIdText, readAccountReference } from '../../api/entity-reference.ts';
import { HttpProblem } from '../../api/problem.ts';
import { invalidParameters } from '../../api/query.ts';
import type { RestRequest, RouteContext } from '../../api/route.ts';
import type { EntityId } from '../../ledger/entity-id.ts';

/** As refusals name it. */
const parameterName = 'contractid';

/** The `0x` of an address behind shard and realm, which the specification's pattern allows. */
const prefixBehindRealm = /^((?:\d{1,10}\.){1,2})0x(?=[A-Fa-f0-9]{40}$)/;

type ContractRequest = Pick<RestRequest, 'pathParameters'>;

/**
 * What a path names a contract by, without the `0x` of an address behind shard and realm. Undefined when it has the form
 * of neither an id nor an EVM address.
 */
export const readContractText = ({ pathParameters }: ContractRequest): string | undefined => {
  const text = (pathParameters.contractIdOrAddress ?? '').replace(prefixBehindRealm, '$1');
  return isPathEntityIdText(text) || isEvmAddressText(text, 'any') ? text : undefined;
};

/**
 * As `readContractText`.
 * @throws HttpProblem 400 `Invalid parameter: contractid`
 */
export const contractTextOf = (request: ContractRequest): string => {
  const text = readContractText(request);
  if (text === undefined) throw invalidParameters(parameterName);
  return text;
};

/**
 * The id of a contract, or of an account that acts as one. An id is not looked up, so it may belong to nobody; undefined
 * for an EVM address that no live entity has.
 * @param text an id or EVM address in any form
 * @throws HttpProblem 400 `Invalid parameter: contractid`; 500 when several live entities have the address
 */
export const findContractId = async (
  text: string,
  context: Pick<RouteContext, 'db' | 'shard' | 'realm'>,
): Promise<EntityId | undefined> => {
  const reference = readAccountReference(text, parameterName, context);
  try {
    return await resolveReference(context.db, reference);
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 404) return undefined;
    throw error;
  }
};

/** The contract in a path. */
export const contractPath = {
  contractIdOrAddress: {
    description: 'Id or EVM address in hex; shard and realm may stand before each of them.',
    schema: { type: 'string', pattern: '^(\\d{1,10}\\.){0,2}(\\d{1,10}|(0x)?[A-Fa-f0-9]{40})$' },
    example: '0.0.8001',
  },
};
