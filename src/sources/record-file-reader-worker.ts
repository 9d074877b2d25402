/** Entry of the thread that reads large record files: takes bytes, gives what they hold. */
import { parentPort, type Transferable } from 'node:worker_threads';
import { isKagamiError } from '../errors/kagami-error.ts';
import { readRecordFile } from '../streams/record-file.ts';
import type { ReadAnswer, ReadOrder } from './record-file-reader.ts';

const answerTo = ({ name, bytes, options }: ReadOrder): ReadAnswer => {
  try {
    const { items, ...file } = readRecordFile(name, bytes, options);
    const content = (items[0]?.transaction ?? new Uint8Array(0)).buffer as ArrayBuffer;
    const bounds = new Uint32Array(items.length * 4);
    for (let i = 0; i < items.length; i++) {
      const { transaction, record } = items[i] as (typeof items)[number];
      bounds[4 * i] = transaction.byteOffset;
      bounds[4 * i + 1] = transaction.byteOffset + transaction.length;
      bounds[4 * i + 2] = record.byteOffset;
      bounds[4 * i + 3] = record.byteOffset + record.length;
    }
    return { file: { ...file, items: [] }, content, bounds };
  } catch (error) {
    if (!isKagamiError(error)) throw error;
    const { code, message, details } = error;
    return { fault: { code, message, details } };
  }
};

/**
 * Frees the memory of a file that was read. The collector would let it lie: beside a heap as small as this thread's, tens
 * of MiB outside of it.
 */
const free = ({ buffer }: Uint8Array): void => {
  // The content of a file that was not compressed has gone away with the answer.
  if (buffer instanceof ArrayBuffer && !buffer.detached) buffer.transfer(0);
};

parentPort?.on('message', (order: ReadOrder) => {
  const answer = answerTo(order);
  const moved: Transferable[] = 'fault' in answer ? [] : [answer.content, answer.bounds.buffer as ArrayBuffer];
  parentPort?.postMessage(answer, moved);
  free(order.bytes);
});
