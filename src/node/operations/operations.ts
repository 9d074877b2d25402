import { createTopic } from './create-topic.ts';
import { cryptoCreate } from './crypto-create.ts';
import { cryptoTransfer } from './crypto-transfer.ts';
import type { Operation } from './operation.ts';
import { submitMessage } from './submit-message.ts';

/** What the node does; everything else it refuses. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  [cryptoTransfer, cryptoCreate, createTopic, submitMessage].map((operation) => [operation.kind, operation]),
);
