/**
 * Server reflection, by which tools like grpcurl call the services without having their .proto files
 * (https://github.com/grpc/grpc/blob/master/doc/server-reflection.md).
 */
import { readFileSync } from 'node:fs';
import { createFileRegistry, type DescFile, fromBinary, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { ServerReflectionRequest, ServerReflectionResponse } from '../protobuf/generated/grpc/reflection_v1.ts';
import { GrpcStatus } from './call-failure.ts';
import type { AnsweringMethod } from './method.ts';
import { decodeRequest } from './request.ts';

type Answer = NonNullable<ServerReflectionResponse['messageResponse']>;

/** Descriptors of the services and of all they use, made with the codecs. */
const descriptors = new URL('interfaces.bin', import.meta.url);

const notFound = (what: string): Answer => ({
  $case: 'errorResponse',
  errorResponse: { errorCode: GrpcStatus.NOT_FOUND, errorMessage: `${what} not found` },
});

/** The file and all that it imports, without repetition. */
const withImports = (file: DescFile, seen = new Set<DescFile>()): Set<DescFile> => {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const dependency of file.dependencies) withImports(dependency, seen);
  return seen;
};

/**
 * Both versions of the reflection service, whose messages are the same.
 * @param services full names of the services that are listed
 */
export const reflectionMethods = (services: readonly string[]): readonly AnsweringMethod[] => {
  const registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(descriptors)));

  const files = (file: DescFile | undefined, asked: string): Answer =>
    file === undefined
      ? notFound(asked)
      : {
          $case: 'fileDescriptorResponse',
          fileDescriptorResponse: {
            fileDescriptorProto: [...withImports(file)].map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto)),
          },
        };
  /** Of a message, enum or service, or of a member of one. */
  const fileOf = (symbol: string): DescFile | undefined =>
    registry.get(symbol)?.file ?? registry.get(symbol.slice(0, Math.max(0, symbol.lastIndexOf('.'))))?.file;

  const respond = ({ messageRequest }: ServerReflectionRequest): Answer => {
    switch (messageRequest?.$case) {
      case 'fileByFilename': {
        const name = messageRequest.fileByFilename;
        return files(registry.getFile(name.replace(/\.proto$/, '')) ?? registry.getFile(name), name);
      }
      case 'fileContainingSymbol':
        return files(fileOf(messageRequest.fileContainingSymbol), messageRequest.fileContainingSymbol);
      case 'listServices':
        return { $case: 'listServicesResponse', listServicesResponse: { service: services.map((name) => ({ name })) } };
      case 'allExtensionNumbersOfType': {
        const type = messageRequest.allExtensionNumbersOfType;
        if (registry.getMessage(type) === undefined) return notFound(type);
        return {
          $case: 'allExtensionNumbersResponse',
          allExtensionNumbersResponse: { baseTypeName: type, extensionNumber: [] },
        };
      }
      case 'fileContainingExtension':
        return notFound(messageRequest.fileContainingExtension.containingType);
      default:
        return {
          $case: 'errorResponse',
          errorResponse: { errorCode: GrpcStatus.INVALID_ARGUMENT, errorMessage: 'Invalid request' },
        };
    }
  };
  const answer = (bytes: Uint8Array): Uint8Array => {
    const request = decodeRequest(ServerReflectionRequest, bytes);
    return ServerReflectionResponse.encode({
      validHost: request.host,
      originalRequest: request,
      messageResponse: respond(request),
    }).finish();
  };
  return ['v1', 'v1alpha'].map((version) => ({
    service: `grpc.reflection.${version}.ServerReflection`,
    name: 'ServerReflectionInfo',
    isConversation: true,
    answer,
  }));
};
