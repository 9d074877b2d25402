import { CallFailure, GrpcStatus } from './call-failure.ts';

/** @throws CallFailure INTERNAL for bytes that are not such a message, as gRPC servers do */
export const decodeRequest = <T>(codec: { decode(bytes: Uint8Array): T }, bytes: Uint8Array): T => {
  try {
    return codec.decode(bytes);
  } catch {
    throw new CallFailure(GrpcStatus.INTERNAL, 'Invalid protobuf byte sequence');
  }
};
