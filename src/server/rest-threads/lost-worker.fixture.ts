/** A thread that ends with an error at the first request. */
import { type MessagePort, parentPort } from 'node:worker_threads';

const port = parentPort as MessagePort;
port.on('message', ({ kind }: { readonly kind: string }) => {
  if (kind === 'stop') port.close();
  else throw new Error('out of order');
});
port.postMessage({ kind: 'ready' });
