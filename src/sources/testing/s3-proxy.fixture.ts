/**
 * A proxy before an S3 server: refuses requests whose signature is wrong (the server behind doesn't look at them), keeps
 * what was asked, and does harm when told.
 */
import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Harm =
  /** Never answers. */
  | 'hang'
  /** Closes the connection without an answer. */
  | 'reset'
  /** Sends half of the body, then closes the connection. */
  | 'truncate'
  | { readonly status: number; readonly code: string };

export interface ProxiedRequest {
  /** Path without the query, decoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
}

export interface S3Proxy {
  readonly endpoint: string;
  /** Oldest first. */
  readonly requests: ProxiedRequest[];
  /** Asked before each request is passed on. */
  harm: (request: ProxiedRequest) => Harm | undefined;
  stop(): Promise<void>;
}

export const startS3Proxy = async (port: number, secretKey: string): Promise<S3Proxy> => {
  const server = createServer((incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://proxy');
    const asked = { path: decodeURIComponent(url.pathname), query: url.searchParams, headers: incoming.headers };
    proxy.requests.push(asked);
    const harm = proxy.harm(asked) ?? (isSignedWell(incoming, secretKey) ? undefined : 'mismatch');
    if (harm === 'hang') return;
    if (harm === 'reset') incoming.socket.destroy();
    else if (harm === 'mismatch') refuse(outgoing, 403, 'SignatureDoesNotMatch');
    else if (typeof harm === 'object') refuse(outgoing, harm.status, harm.code);
    else pass(incoming, outgoing, port, harm === 'truncate');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy: S3Proxy = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    harm: () => undefined,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
};

const refuse = (outgoing: ServerResponse, status: number, code: string): void => {
  outgoing
    .writeHead(status, { 'content-type': 'application/xml' })
    .end(`<?xml version="1.0" encoding="UTF-8"?><Error><Code>${code}</Code><Message>as told</Message></Error>`);
};

const pass = (incoming: IncomingMessage, outgoing: ServerResponse, port: number, truncate: boolean): void => {
  const { method, url, headers } = incoming;
  const onward = request({ host: '127.0.0.1', port, method, path: url, headers }, async (answer) => {
    outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
    if (!truncate) {
      answer.pipe(outgoing);
      return;
    }
    const body = Buffer.concat(await answer.toArray());
    outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy());
  });
  onward.on('error', () => outgoing.destroy());
  incoming.pipe(onward);
};

/** Recomputes an AWS version 4 signature; requests without one are anonymous and pass. */
const isSignedWell = ({ method = '', url = '', headers }: IncomingMessage, secretKey: string): boolean => {
  const { authorization } = headers;
  if (authorization === undefined) return true;
  const [, scope = '', signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=[^/]+\/(.+), SignedHeaders=(.+), Signature=([0-9a-f]{64})$/.exec(authorization) ?? [];
  const { pathname, searchParams } = new URL(url, 'http://proxy');
  const query = [...searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&');
  const names = signed.split(';');
  const canonical = [
    method,
    pathname,
    query,
    ...names.map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    signed,
    headers['x-amz-content-sha256'],
  ].join('\n');
  const digest = createHash('sha256').update(canonical).digest('hex');
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, digest].join('\n');
  const key = scope.split('/').reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${secretKey}`);
  return names.includes('host') && hmac(key, text).toString('hex') === signature;
};

const hmac = (key: Buffer | string, text: string): Buffer => createHmac('sha256', key).update(text).digest();

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
