/** What a call is, whichever transport it comes by: gRPC over HTTP/2 or gRPC-Web. */

interface Method {
  /** Full name of the service, as in its path. */
  readonly service: string;
  readonly name: string;
}

/** One method of one service whose answer is a stream. */
export interface StreamingMethod extends Method {
  /**
   * Answers in pieces that each hold one or more encoded messages with their headers (`length-prefixed.ts`), as fast as
   * they are asked for. A piece may be sent to many clients and must not be changed. Ends early when `signal` is aborted.
   * @throws CallFailure and what the database throws; `failureOf` gives what the client is told
   */
  serve(request: Uint8Array, signal: AbortSignal): AsyncIterable<Uint8Array>;
}

/** One method of one service that has an answer for each request. */
export interface AnsweringMethod extends Method {
  /** Whether requests go on within one call; otherwise there is one. */
  readonly isConversation: boolean;
  /**
   * Answers one encoded request with one encoded message.
   * @throws CallFailure; `failureOf` gives what the client is told
   */
  answer(request: Uint8Array): Uint8Array;
}

export const pathOf = ({ service, name }: Method): string => `/${service}/${name}`;
