import { CallFailure, GrpcStatus } from './call-failure.ts';

/** Bytes that a request may take: a few identifiers and times. */
export const MAX_REQUEST_BYTES = 1_024;

/** @throws CallFailure INTERNAL for bytes that are not such a message, as gRPC servers do */
export const decodeRequest = <T>(codec: { decode(bytes: Uint8Array): T }, bytes: Uint8Array): T => {
  try {
    return codec.decode(bytes);
  } catch {
    throw new CallFailure(GrpcStatus.INTERNAL, 'Invalid protobuf byte sequence');
  }
};
