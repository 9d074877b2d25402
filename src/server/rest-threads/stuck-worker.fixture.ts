/** A thread that never ends what it begins. */
import { type MessagePort, parentPort } from 'node:worker_threads';

const port = parentPort as MessagePort;
port.on('message', ({ kind }: { readonly kind: string }) => {
  if (kind === 'stop') port.close();
  if (kind === 'tasks') for (;;);
});
port.postMessage({ kind: 'ready' });
