/**
 * gRPC-Web, by which browsers call the same methods over the HTTP port
 * (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md): a POST to the method's path, an answer of frames whose
 * last one holds the status. As `application/grpc-web+proto`, or in base64 as `application/grpc-web-text+proto`.
 */
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { CallFailure, encodedDescription, failureOf, GrpcStatus, type GrpcStatusCode } from './call-failure.ts';
import { COMPRESSED_FLAG, checkLength, frameOf, HEADER_BYTES } from './length-prefixed.ts';
import { pathOf, type StreamingMethod } from './method.ts';
import type { GrpcLog } from './native-server.ts';
import { MAX_REQUEST_BYTES } from './request.ts';

const TRAILER_FLAG = 0x80;
/** Base64 takes a third more. */
const MAX_BODY_BYTES = 2 * (MAX_REQUEST_BYTES + HEADER_BYTES);

const contentType = /^application\/grpc-web(-text)?(\+proto)?$/i;

const trailers = (status: GrpcStatusCode, description: string): Buffer =>
  frameOf(Buffer.from(`grpc-status:${status}\r\ngrpc-message:${encodedDescription(description)}\r\n`), TRAILER_FLAG);

/** The one message of a request. */
const messageOf = (body: unknown, isText: boolean): Uint8Array => {
  const sent = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
  const bytes = isText ? Buffer.from(sent.toString('latin1'), 'base64') : sent;
  if (bytes.length < HEADER_BYTES) throw new CallFailure(GrpcStatus.INTERNAL, 'The request has no message');
  if ((bytes.readUInt8(0) & COMPRESSED_FLAG) !== 0) {
    throw new CallFailure(GrpcStatus.UNIMPLEMENTED, 'Compressed messages are not supported');
  }
  const length = bytes.readUInt32BE(1);
  checkLength(length, MAX_REQUEST_BYTES);
  if (bytes.length !== HEADER_BYTES + length) {
    throw new CallFailure(GrpcStatus.INTERNAL, 'The length of the message is wrong');
  }
  return bytes.subarray(HEADER_BYTES);
};

interface WebCall {
  readonly method: StreamingMethod;
  readonly body: unknown;
  readonly isText: boolean;
  readonly signal: AbortSignal;
  readonly log: GrpcLog;
}

/** The frames of an answer, the status last. */
async function* answerOf({ method, body, isText, signal, log }: WebCall): AsyncGenerator<Uint8Array> {
  try {
    yield* method.serve(messageOf(body, isText), signal);
    if (signal.aborted) throw new CallFailure(GrpcStatus.UNAVAILABLE, 'The server is shutting down');
    yield trailers(GrpcStatus.OK, '');
  } catch (error) {
    const { status, message } = failureOf(error);
    if (status === GrpcStatus.UNKNOWN) log.warn({ err: error, method: pathOf(method) }, 'gRPC-Web call failed');
    yield trailers(status, message);
  }
}

async function* inBase64(frames: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const bytes of frames) yield Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/** @param stopping aborted when the server stops: calls then end with UNAVAILABLE */
export const registerGrpcWeb = (
  app: FastifyInstance,
  methods: readonly StreamingMethod[],
  stopping: AbortSignal,
  log: GrpcLog,
): void => {
  const answer = (method: StreamingMethod) => (request: FastifyRequest, reply: FastifyReply) => {
    const type = request.headers['content-type']?.split(';')[0]?.trim() ?? '';
    const match = contentType.exec(type);
    if (match === null) return reply.code(415).send();
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, stopping]);
    const isText = match[1] !== undefined;
    const frames = answerOf({ method, body: request.body, isText, signal, log });
    return reply
      .header('content-type', type)
      .header('access-control-expose-headers', 'grpc-status, grpc-message')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(Readable.from(isText ? inBase64(frames) : frames, { objectMode: false }));
  };
  for (const method of methods) app.post(pathOf(method), { bodyLimit: MAX_BODY_BYTES }, answer(method));
};
