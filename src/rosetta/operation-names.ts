/** Names of operation statuses and types. Newer HAPI codes than clients of this interface know have no name of their own. */
import { isSuccessful, responseCodeName } from '../ledger/response-code.ts';
import { transactionTypeName } from '../ledger/transaction-type.ts';

const GENERAL_ERROR = 'GENERAL_ERROR';
const UNKNOWN = 'UNKNOWN';
export const FEE = 'FEE';
export const CRYPTOTRANSFER = 'CRYPTOTRANSFER';
export const CRYPTOCREATEACCOUNT = 'CRYPTOCREATEACCOUNT';
export const SUCCESS = 'SUCCESS';

const LAST_RESULT = 337;
const LAST_TYPE = 57;
/** The result that is called UNKNOWN; other numbers with that name have none. */
const RESULT_UNKNOWN = 21;

const statuses = new Map<number, string>([[-1, GENERAL_ERROR]]);
for (let code = 0; code <= LAST_RESULT; code++) {
  const name = responseCodeName(code);
  if (name !== UNKNOWN || code === RESULT_UNKNOWN) statuses.set(code, name);
}

const types = new Map<number, string>([[0, UNKNOWN]]);
for (let type = 0; type <= LAST_TYPE; type++) {
  const name = transactionTypeName(type);
  if (name !== UNKNOWN) types.set(type, name);
}

export const operationStatuses: readonly { readonly status: string; readonly successful: boolean }[] = [
  ...statuses,
].map(([code, status]) => ({ status, successful: isSuccessful(code) }));

export const operationTypes: readonly string[] = [...types.values(), FEE];

export const operationStatusOf = (result: number): string => statuses.get(result) ?? GENERAL_ERROR;

export const operationTypeOf = (type: number): string => types.get(type) ?? UNKNOWN;

/** Types of operations that requests may carry; those of tokens are then refused one by one. */
export const requestableTypes: ReadonlySet<string> = new Set([
  CRYPTOCREATEACCOUNT,
  CRYPTOTRANSFER,
  'TOKENASSOCIATE',
  'TOKENBURN',
  'TOKENCREATION',
  'TOKENDELETION',
  'TOKENDISSOCIATE',
  'TOKENFREEZE',
  'TOKENGRANTKYC',
  'TOKENMINT',
  'TOKENREVOKEKYC',
  'TOKENUNFREEZE',
  'TOKENUPDATE',
  'TOKENWIPE',
]);
