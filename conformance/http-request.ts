/** One HTTP request over a kept connection, its answer as text. */
import { type Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';

export interface OutgoingRequest {
  readonly host: string;
  readonly port: number | string;
  readonly agent: Agent;
  readonly path: string;
  /** GET when left out. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly payload?: Uint8Array | undefined;
  readonly timeoutMs: number;
}

export interface TextAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** @throws Error when the connection fails, or nothing comes for `timeoutMs` */
export const sendRequest = ({ payload, timeoutMs, headers = {}, ...target }: OutgoingRequest): Promise<TextAnswer> =>
  new Promise((resolve, reject) => {
    const outgoing = httpRequest({ ...target, headers, timeout: timeoutMs }, (incoming) => {
      const chunks: Buffer[] = [];
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
      incoming.on('end', () =>
        resolve({
          status: incoming.statusCode ?? 0,
          headers: incoming.headers,
          text: Buffer.concat(chunks).toString('utf8'),
        }),
      );
      incoming.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer to ${target.path} within ${timeoutMs} ms`)));
    outgoing.end(payload);
  });
