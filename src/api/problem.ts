/** Refusals that reach the client: an HTTP status and the `_status.messages` that every REST error body carries. */

export interface ProblemMessage {
  readonly message: string;
  readonly detail?: string;
  /** Hex of the data that came with the fault, `0x` first (contract calls). */
  readonly data?: string;
}

/**
 * Thrown by a handler to answer with `status` and `{"_status":{"messages":[...]}}`.
 * Messages keep their order; one message per fault found.
 */
export class HttpProblem extends Error {
  readonly status: number;
  readonly messages: readonly ProblemMessage[];
  /** By lower-case name, for example `retry-after`. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    messages: readonly ProblemMessage[],
    options: { readonly cause?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(
      messages.map(({ message, detail }) => (detail === undefined ? message : `${message}: ${detail}`)).join('; '),
      options.cause === undefined ? undefined : { cause: options.cause },
    );
    this.name = 'HttpProblem';
    this.status = status;
    this.messages = messages;
    this.headers = options.headers ?? {};
  }
}

/** 400 with one message per text, the form of the endpoints of the `js` flavour. */
export const badRequest = (...texts: readonly string[]): HttpProblem =>
  new HttpProblem(
    400,
    texts.map((message) => ({ message })),
  );

/** 404 with one text; `Not found` is what the endpoints of the `js` flavour say when there is nothing more to say. */
export const notFound = (text = 'Not found'): HttpProblem => new HttpProblem(404, [{ message: text }]);

/** The reason phrases that the `java` flavour uses as `message`, with the particulars in `detail`. */
const reasons: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  501: 'Not Implemented',
  503: 'Service Unavailable',
};

/** A problem in the form of the `java` flavour: the status' reason phrase as message, the particulars as detail. */
export const reasonedProblem = (status: number, detail?: string): HttpProblem => {
  const message = reasons[status] ?? 'Error';
  return new HttpProblem(status, [detail === undefined ? { message } : { message, detail }]);
};

/** The JSON text of an error body. Members without a value are left out. */
export const problemBody = (messages: readonly ProblemMessage[]): string =>
  JSON.stringify({
    _status: {
      messages: messages.map(({ message, detail, data }) => ({
        message,
        ...(detail === undefined ? {} : { detail }),
        ...(data === undefined ? {} : { data }),
      })),
    },
  });
