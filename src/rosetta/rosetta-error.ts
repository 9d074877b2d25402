/** The errors of the Rosetta interface. All of them travel as HTTP 500 with a code that clients tell them apart by. */

interface ErrorDefinition {
  readonly code: number;
  readonly message: string;
  readonly retriable: boolean;
}

const final = (code: number, message: string): ErrorDefinition => ({ code, message, retriable: false });
const passing = (code: number, message: string): ErrorDefinition => ({ code, message, retriable: true });

/**
 * Every error that `/network/options` lists, codes and texts as clients of mirror nodes know them. Some are listed only
 * because those clients know them, and no request meets them: 103 (amounts that are none get 104), 112 and 113 (names of
 * results and types are no rows of a table), 114 (no request has a range), 116, 122 and 123 (what was decoded can be
 * encoded, hashed and frozen), 120 (Mesh's own rules refuse empty operations first, with 0), 131 and 132 (tokens are not
 * reported), 137 (other curves get 106, other kinds of signatures 135).
 */
export const rosettaErrors = {
  accountNotFound: passing(100, 'Account not found'),
  blockNotFound: passing(101, 'Block not found'),
  invalidAccount: final(102, 'Invalid Account provided'),
  invalidAmount: final(103, 'Invalid Amount provided'),
  invalidOperationsAmount: final(104, 'Invalid Operations amount provided'),
  invalidOperationsTotal: final(105, 'Operations total amount must be 0'),
  invalidPublicKey: final(106, 'Invalid Public Key provided'),
  invalidSignature: final(107, 'Invalid signature verification'),
  invalidTransactionIdentifier: final(108, 'Invalid Transaction Identifier provided'),
  multipleOperationTypes: final(109, 'Only one Operation Type must be present'),
  nodeIsStarting: passing(110, 'Node is starting'),
  notImplemented: final(111, 'Not implemented'),
  operationResultsNotFound: passing(112, 'Operation Results not found'),
  operationTypesNotFound: passing(113, 'Operation Types not found'),
  startAfterEnd: final(114, 'Start must not be after end'),
  transactionDecodeFailed: final(115, 'Transaction Decode failed'),
  transactionMarshallingFailed: final(116, 'Transaction marshalling failed'),
  transactionUnmarshallingFailed: final(117, 'Transaction unmarshalling failed'),
  transactionSubmissionFailed: final(118, 'Transaction submission failed'),
  transactionNotFound: passing(119, 'Transaction not found'),
  emptyOperations: final(120, 'Empty operations provided'),
  transactionInvalidType: final(121, 'Transaction invalid type'),
  transactionHashFailed: final(122, 'Transaction hash failed'),
  transactionFreezeFailed: final(123, 'Transaction freeze failed'),
  invalidArgument: final(124, 'Invalid argument'),
  databaseError: passing(125, 'Database error'),
  invalidOperationMetadata: final(126, 'Invalid operation metadata'),
  operationTypeUnsupported: final(127, 'Operation type unsupported'),
  invalidOperationType: final(128, 'Invalid operation type'),
  noSignature: final(129, 'No signature'),
  invalidOperations: final(130, 'Invalid operations'),
  invalidToken: final(131, 'Invalid token'),
  tokenNotFound: final(132, 'Token not found'),
  invalidTransaction: final(133, 'Invalid transaction'),
  invalidCurrency: final(134, 'Invalid currency'),
  invalidSignatureType: final(135, 'Unsupported signature type'),
  endpointNotSupportedOffline: final(136, 'Endpoint not supported in offline mode'),
  invalidCurveType: final(137, 'Invalid curve type'),
  invalidOptions: final(138, 'Invalid options'),
  invalidTransactionMemo: final(139, 'Invalid transaction memo'),
  nodeAccountIdsEmpty: passing(140, 'Node account IDs are empty'),
  nodeAccountIdMissing: final(141, 'Missing node_account_id metadata'),
  internalServerError: passing(500, 'Internal Server Error'),
} as const;

export type RosettaErrorName = keyof typeof rosettaErrors;

/** The body of an error answer. */
export interface RosettaErrorJson extends ErrorDefinition {
  readonly details?: Readonly<Record<string, unknown>>;
}

export class RosettaError extends Error {
  readonly json: RosettaErrorJson;

  constructor(json: RosettaErrorJson, cause?: unknown) {
    super(json.message, cause === undefined ? undefined : { cause });
    this.name = 'RosettaError';
    this.json = json;
  }
}

export const rosettaError = (
  name: RosettaErrorName,
  { details, cause }: { readonly details?: Readonly<Record<string, unknown>>; readonly cause?: unknown } = {},
): RosettaError => new RosettaError({ ...rosettaErrors[name], ...(details && { details }) }, cause);

/** A request that is refused for its form, before anything looks at what it asks. */
export const malformed = (message: string): RosettaError => new RosettaError({ code: 0, message, retriable: false });
