/**
 * One gRPC call on a stream of HTTP/2 (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md): headers, messages,
 * deadline, status.
 */
import { constants, type IncomingHttpHeaders, type OutgoingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import { gunzipSync, inflateSync } from 'node:zlib';
import { CallFailure, encodedDescription, failureOf, GrpcStatus } from './call-failure.ts';
import { MessageReader } from './length-prefixed.ts';

export interface NativeCallOptions {
  readonly stream: ServerHttp2Stream;
  readonly headers: IncomingHttpHeaders;
  /** Bytes of one request. */
  readonly maxRequestBytes: number;
  /** Called before so many bytes are sent. */
  readonly onSending: (bytes: number) => void;
  /** Hears of errors of which the client is told nothing. */
  readonly onFault: (error: unknown) => void;
}

const CONTENT_TYPE = 'application/grpc';
const contentType = /^application\/grpc(\+|;|$)/i;
const timeout = /^(\d{1,8})([HMSmun])$/;
const ACCEPTED_ENCODINGS = 'identity,deflate,gzip';
/** Timers can't take more milliseconds; a deadline that is further away is none. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const MILLISECONDS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000, m: 1, u: 1e-3, n: 1e-6 };

const headerOf = (headers: IncomingHttpHeaders, name: string): string | undefined => {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
};

/** @throws CallFailure INTERNAL for a timeout that can't be read */
const millisecondsOf = (text: string): number => {
  const [, digits, unit = ''] = timeout.exec(text) ?? [];
  if (digits === undefined) throw new CallFailure(GrpcStatus.INTERNAL, `Invalid grpc-timeout value "${text}"`);
  return Number(digits) * (MILLISECONDS[unit] ?? 1);
};

type Decompress = (bytes: Uint8Array) => Uint8Array;

/** @throws CallFailure UNIMPLEMENTED for an encoding that is not known */
const decompressionOf = (encoding: string | undefined, maxOutputLength: number): Decompress | undefined => {
  if (encoding === undefined || encoding === 'identity') return undefined;
  const known = { gzip: gunzipSync, deflate: inflateSync }[encoding];
  if (known === undefined) {
    throw new CallFailure(GrpcStatus.UNIMPLEMENTED, `Unsupported message compression: ${encoding}`);
  }
  return (bytes) => {
    try {
      return known(bytes, { maxOutputLength });
    } catch (cause) {
      const isTooLong = (cause as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE';
      throw isTooLong
        ? new CallFailure(GrpcStatus.RESOURCE_EXHAUSTED, `Received message larger than max (${maxOutputLength})`)
        : new CallFailure(GrpcStatus.INTERNAL, 'The message can not be decompressed');
    }
  };
};

/** Whether a stream is a call at all; one that isn't is answered with a status of HTTP. */
export const isCall = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean => {
  const refuse = (status: number): false => {
    stream.on('error', () => undefined);
    if (stream.destroyed || stream.closed) return false;
    stream.respond({ ':status': status }, { endStream: true });
    stream.close(constants.NGHTTP2_NO_ERROR);
    return false;
  };
  if (headers[':method'] !== 'POST') return refuse(constants.HTTP_STATUS_METHOD_NOT_ALLOWED);
  if (!contentType.test(headers['content-type'] ?? '')) return refuse(constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE);
  return true;
};

export class NativeCall {
  readonly #stream: ServerHttp2Stream;
  readonly #options: NativeCallOptions;
  readonly #gone = new AbortController();
  #deadline: NodeJS.Timeout | undefined;
  #trailers: OutgoingHttpHeaders = {};
  #isOver = false;

  constructor(options: NativeCallOptions) {
    const { stream } = options;
    this.#options = options;
    this.#stream = stream;
    // A stream that breaks has a client that is gone; 'close' follows.
    stream.on('error', () => undefined);
    stream.once('close', () => this.#leave());
    stream.on('wantTrailers', () => {
      stream.sendTrailers(this.#trailers);
      this.#endReading();
    });
  }

  /** Aborted when the call is over, or its client is gone. */
  get signal(): AbortSignal {
    return this.#gone.signal;
  }

  /**
   * Reads requests as they come, until `onEnd`.
   * @param onRequest a failure that it throws ends the call
   */
  read(onRequest: (request: Uint8Array) => void, onEnd: () => void): void {
    const stream = this.#stream;
    const { headers, maxRequestBytes } = this.#options;
    this.#guarded(() => {
      const given = headerOf(headers, 'grpc-timeout');
      if (given !== undefined) this.#startDeadline(millisecondsOf(given));
      const decompress = decompressionOf(headerOf(headers, 'grpc-encoding'), maxRequestBytes);
      const reader = new MessageReader(maxRequestBytes, decompress);
      stream.on('data', (chunk: Buffer) => {
        if (this.#isEnded) return;
        this.#guarded(() => {
          for (const request of reader.read(chunk)) if (!this.#isEnded) onRequest(request);
        });
      });
      stream.once('end', () => {
        if (this.#isEnded) return;
        this.#guarded(() => {
          if (reader.isWithin) throw new CallFailure(GrpcStatus.INTERNAL, 'The request ended within a message');
          onEnd();
        });
      });
    });
  }

  /**
   * Sends messages with their headers, which must not change any more. Undefined: there is room for more; otherwise
   * resolves when there is, or the call is over.
   */
  write(frames: Uint8Array): Promise<void> | undefined {
    if (this.#isEnded) return undefined;
    this.#options.onSending(frames.length);
    this.#respond();
    return this.#stream.write(frames) ? undefined : this.#room();
  }

  /** Lets no further request come until the call has room for its answers again. */
  pauseUntil(room: Promise<void>): void {
    this.#stream.pause();
    void room.then(() => this.#stream.resume());
  }

  end(): void {
    if (this.#isEnded) return;
    this.#options.onSending(0);
    this.#trailers = { 'grpc-status': GrpcStatus.OK };
    this.#respond();
    this.#stream.end();
    this.#leave();
  }

  /** Ends the call with the status of an error. */
  fail(error: unknown): void {
    if (this.#isEnded) return;
    const { status, message } = failureOf(error);
    if (status === GrpcStatus.UNKNOWN) this.#options.onFault(error);
    this.#trailers = { 'grpc-status': status, 'grpc-message': encodedDescription(message) };
    this.#options.onSending(0);
    if (this.#stream.headersSent) this.#stream.end();
    else {
      this.#stream.respond(this.#headers(this.#trailers), { endStream: true });
      this.#endReading();
    }
    this.#leave();
  }

  /** Nothing can be sent any more. */
  get #isEnded(): boolean {
    return this.#isOver || this.#stream.destroyed || this.#stream.closed;
  }

  #guarded(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.fail(error);
    }
  }

  #startDeadline(milliseconds: number): void {
    if (milliseconds > LONGEST_TIMER_MS) return;
    this.#deadline = setTimeout(
      () => this.fail(new CallFailure(GrpcStatus.DEADLINE_EXCEEDED, 'Deadline exceeded')),
      milliseconds,
    );
  }

  #headers(more: OutgoingHttpHeaders = {}): OutgoingHttpHeaders {
    return { ':status': 200, 'content-type': CONTENT_TYPE, 'grpc-accept-encoding': ACCEPTED_ENCODINGS, ...more };
  }

  #respond(): void {
    if (!this.#stream.headersSent) this.#stream.respond(this.#headers(), { waitForTrailers: true });
  }

  /** A client that has not said all it wants to say is told that nobody listens any more. */
  #endReading(): void {
    const stream = this.#stream;
    stream.resume();
    if (!stream.readableEnded) setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
  }

  #leave(): void {
    this.#isOver = true;
    clearTimeout(this.#deadline);
    this.#gone.abort();
  }

  #room(): Promise<void> {
    const stream = this.#stream;
    const { signal } = this.#gone;
    return new Promise((resolve) => {
      const done = (): void => {
        stream.off('drain', done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      stream.once('drain', done);
      signal.addEventListener('abort', done, { once: true });
    });
  }
}
