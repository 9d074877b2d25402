/** What a call is, whichever transport it comes by: gRPC over HTTP/2 or gRPC-Web. */

/** One method of one service whose answer is a stream. */
export interface StreamingMethod {
  /** Full name of the service, as in its path. */
  readonly service: string;
  readonly name: string;
  /**
   * Answers in batches of encoded messages, as fast as they are asked for. Ends early when `signal` is aborted.
   * @throws CallFailure and what the database throws; `failureOf` gives what the client is told
   */
  serve(request: Uint8Array, signal: AbortSignal): AsyncIterable<readonly Uint8Array[]>;
}

export const pathOf = ({ service, name }: StreamingMethod): string => `/${service}/${name}`;
