/** A node that takes transactions: answers with a code and keeps what it was sent. */
import { Server, ServerCredentials } from '@grpc/grpc-js';
import type { Certificate } from '../../ledger/testing/certificate.fixture.ts';

export interface SimulatedNode {
  /** `<host>:<port>` */
  readonly address: string;
  /** Method and bytes of each transaction. */
  readonly received: { readonly method: string; readonly bytes: Buffer }[];
  /** The code of further answers. */
  answer(code: number): void;
  stop(): void;
}

const identity = (bytes: Buffer): Buffer => bytes;

export interface SimulatedNodeOptions {
  /** Left out: 127.0.0.1. */
  readonly host?: string;
  /** Left out: any free one. */
  readonly port?: number;
  /** Left out: plain text. */
  readonly tls?: Certificate;
}

const credentialsOf = (tls: Certificate | undefined): ServerCredentials =>
  tls === undefined
    ? ServerCredentials.createInsecure()
    : ServerCredentials.createSsl(null, [
        { cert_chain: Buffer.from(tls.certificate), private_key: Buffer.from(tls.key) },
      ]);

export const openSimulatedNode = async ({
  host = '127.0.0.1',
  port: asked = 0,
  tls,
}: SimulatedNodeOptions = {}): Promise<SimulatedNode> => {
  const server = new Server();
  const received: { method: string; bytes: Buffer }[] = [];
  let code = 0;
  const methods = ['cryptoTransfer', 'createAccount'];
  const definition = (method: string) => ({
    path: `/proto.CryptoService/${method}`,
    requestStream: false,
    responseStream: false,
    requestSerialize: identity,
    requestDeserialize: identity,
    responseSerialize: identity,
    responseDeserialize: identity,
  });
  server.addService(
    Object.fromEntries(methods.map((method) => [method, definition(method)])),
    Object.fromEntries(
      methods.map((method) => [
        method,
        (call: { request: Buffer }, respond: (error: null, bytes: Buffer) => void) => {
          received.push({ method, bytes: call.request });
          // nodeTransactionPrecheckCode, and a cost of 77 tinybars.
          respond(null, Buffer.from(code === 0 ? [16, 77] : [8, code, 16, 77]));
        },
      ]),
    ),
  );
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync(`${host}:${asked}`, credentialsOf(tls), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    address: `${host}:${port}`,
    received,
    answer: (next) => {
      code = next;
    },
    stop: () => server.forceShutdown(),
  };
};
