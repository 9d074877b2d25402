/** How calls fail: status and description, as clients of mirror nodes match on them. */
import { isKagamiError } from '../errors/kagami-error.ts';

/** Numbers of the gRPC statuses that this interface uses. */
export const GrpcStatus = {
  OK: 0,
  CANCELLED: 1,
  UNKNOWN: 2,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  RESOURCE_EXHAUSTED: 8,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} as const;

export type GrpcStatusCode = (typeof GrpcStatus)[keyof typeof GrpcStatus];

/** A call that ends with a status of its own. */
export class CallFailure extends Error {
  readonly status: GrpcStatusCode;

  constructor(status: GrpcStatusCode, description: string) {
    super(description);
    this.name = 'CallFailure';
    this.status = status;
  }
}

export const invalidArgument = (description: string): CallFailure =>
  new CallFailure(GrpcStatus.INVALID_ARGUMENT, description);

const DATA_SOURCE = 'Error querying the data source. Please retry later';

/** What a client is told of an error; what the database said stays inside. */
export const failureOf = (error: unknown): CallFailure => {
  if (error instanceof CallFailure) return error;
  if (isKagamiError(error, 'INVALID_ENTITY_ID')) {
    const { shard, realm, num } = error.details;
    return invalidArgument(`Invalid entity ID: ${shard}.${realm}.${num}`);
  }
  if (isKagamiError(error) && error.retryable) {
    const unreachable = error.code === 'DATABASE_UNAVAILABLE' || error.code === 'DATABASE_STARTING';
    return new CallFailure(unreachable ? GrpcStatus.UNAVAILABLE : GrpcStatus.RESOURCE_EXHAUSTED, DATA_SOURCE);
  }
  return new CallFailure(GrpcStatus.UNKNOWN, 'Unknown error');
};

/** A description as it travels in a header: percent-encoded where it is not printable ASCII. */
export const encodedDescription = (description: string): string =>
  description.toWellFormed().replace(/[^ -$&-~]+/g, (text) => encodeURIComponent(text));
