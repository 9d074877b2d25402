/** The contract that a path or parameter names: an id or an EVM address. Reads `entity`. */
import { resolveReference } from '../../api/entity-lookup.ts';
import { isEntityIdText, isEvmAddressText, readAccountReference } from '../../api/entity-reference.ts';
import { HttpProblem } from '../../api/problem.ts';
import { invalidParameters } from '../../api/query.ts';
import type { OpenApiParameter, RouteContext } from '../../api/route.ts';
import type { EntityId } from '../../ledger/entity-id.ts';

/** As refusals name it. */
const parameterName = 'contractid';

/** @throws HttpProblem 400 when the text has the form of neither an id nor an EVM address */
export const checkContractText = (text: string): void => {
  if (!isEntityIdText(text) && !isEvmAddressText(text, 'any')) throw invalidParameters(parameterName);
};

/**
 * The id of a contract, or of an account that acts as one. An id is not looked up, so it may belong to nobody; undefined
 * for an EVM address that no live entity has.
 * @throws HttpProblem 400 `Invalid parameter: contractid`; 500 when several live entities have the address
 */
export const findContractId = async (
  text: string,
  context: Pick<RouteContext, 'db' | 'shard' | 'realm'>,
): Promise<EntityId | undefined> => {
  checkContractText(text);
  const reference = readAccountReference(text, parameterName, context);
  try {
    return await resolveReference(context.db, reference);
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 404) return undefined;
    throw error;
  }
};

export const contractPathParameterDoc: OpenApiParameter = {
  name: 'contractIdOrAddress',
  in: 'path',
  required: true,
  description: 'Id or EVM address in hex; shard and realm may stand before each of them.',
  schema: { type: 'string', pattern: '^(\\d{1,10}\\.){0,2}(\\d{1,12}|(0x)?[A-Fa-f0-9]{40})$' },
  example: '0.0.8001',
};
