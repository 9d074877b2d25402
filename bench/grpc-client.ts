/** What benchmarks of gRPC clients have in common. */
import { once } from 'node:events';
import { createServer } from 'node:net';

export const HEADER_BYTES = 5;

/** A message with its header. */
export const framed = (bytes: Uint8Array): Buffer => {
  const frame = Buffer.alloc(HEADER_BYTES + bytes.length);
  frame.writeUInt32BE(bytes.length, 1);
  frame.set(bytes, HEADER_BYTES);
  return frame;
};

export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  return address.port;
};
