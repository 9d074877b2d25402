/** Operations in requests: their form, and that they are all of one type which can be constructed. */

import { CRYPTOCREATEACCOUNT, CRYPTOTRANSFER, requestableTypes } from '../operation-names.ts';
import { type JsonObject, objectsOf, optionalInteger, optionalObject, textOf } from '../request.ts';
import { malformed, rosettaError } from '../rosetta-error.ts';

export interface RequestedOperation {
  /** As sent. */
  readonly account: string;
  readonly amount: JsonObject | undefined;
  readonly metadata: JsonObject;
}

export interface RequestedOperations {
  readonly type: typeof CRYPTOTRANSFER | typeof CRYPTOCREATEACCOUNT;
  readonly operations: readonly [RequestedOperation, ...RequestedOperation[]];
}

export const isConstructible = (type: string): type is RequestedOperations['type'] =>
  type === CRYPTOTRANSFER || type === CRYPTOCREATEACCOUNT;

/** @throws RosettaError code 0 for what is not in the form of the operation at that place */
const operationOf = (operation: JsonObject, place: number): { type: string; operation: RequestedOperation } => {
  const identifier = optionalObject(operation, 'operation_identifier');
  if (identifier === undefined || optionalInteger(identifier, 'index') !== place) {
    throw malformed('Operation.OperationIdentifier.Index is out of order');
  }
  const type = textOf(operation, 'type');
  if (!requestableTypes.has(type)) throw malformed('Operation.Type is invalid');
  if (textOf(operation, 'status') !== '') throw malformed('Operation.Status must be empty for construction');
  const account = optionalObject(operation, 'account');
  if (account === undefined) throw malformed('Account is nil');
  const address = textOf(account, 'address');
  if (address === '') throw malformed('Account.Address is missing');
  const amount = optionalObject(operation, 'amount');
  return { type, operation: { account: address, amount, metadata: optionalObject(operation, 'metadata') ?? {} } };
};

/** @throws RosettaError code 0, 109, 127 */
export const requestedOperations = (request: JsonObject): RequestedOperations => {
  const read = objectsOf(request, 'operations').map(operationOf);
  const [first, ...others] = read;
  if (first === undefined) throw malformed('operations cannot be empty for construction');
  const { type } = first;
  if (others.some((other) => other.type !== type)) throw rosettaError('multipleOperationTypes');
  if (!isConstructible(type)) throw rosettaError('operationTypeUnsupported');
  return { type, operations: [first.operation, ...others.map(({ operation }) => operation)] };
};
