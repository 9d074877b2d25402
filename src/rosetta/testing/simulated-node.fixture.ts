/** A node that takes transactions: answers with a code and keeps what it was sent. */
import { Server, ServerCredentials } from '@grpc/grpc-js';

export interface SimulatedNode {
  /** `127.0.0.1:<port>` */
  readonly address: string;
  /** Method and bytes of each transaction. */
  readonly received: { readonly method: string; readonly bytes: Buffer }[];
  /** The code of further answers. */
  answer(code: number): void;
  stop(): void;
}

const identity = (bytes: Buffer): Buffer => bytes;

export const openSimulatedNode = async (): Promise<SimulatedNode> => {
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
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    );
  });
  return {
    address: `127.0.0.1:${port}`,
    received,
    answer: (next) => {
      code = next;
    },
    stop: () => server.forceShutdown(),
  };
};
