/** Transaction ids as paths write them: `shard.realm.num-seconds-nanoseconds`. */
import { EMPTY_ENTITY_ID, type EntityId, parseEntityId } from '../ledger/entity-id.ts';
import { MAX_NANOS, NANOS_PER_SECOND, type Nanos } from '../ledger/timestamp.ts';
import { badRequest } from './problem.ts';

/** Payer and valid start (nanoseconds), which make up a transaction id. */
export interface TransactionId {
  readonly payer: EntityId;
  readonly validStart: Nanos;
}

const transactionIdText = /^(\d+\.\d+\.\d+)-(\d{1,19})-(\d{1,9})$/;

const malformed = () =>
  badRequest(
    'Invalid Transaction id. Please use "shard.realm.num-sss-nnn" format where sss are seconds and nnn are nanoseconds',
  );

/**
 * Reads a transaction id. Nobody is 0.0.0, so that it pays for nothing. Its valid start may lie beyond 64-bit nanoseconds, where no transaction is.
 * @throws HttpProblem 400
 */
export const readTransactionId = (text: string): TransactionId => {
  const match = transactionIdText.exec(text);
  const seconds = match === null ? -1n : BigInt(match[2] as string);
  if (match === null || seconds < 0n || seconds > MAX_NANOS) throw malformed();
  const payer = parseEntityId(match[1] as string);
  if (payer === undefined) throw badRequest(`Invalid entity ID "${match[1]}"`);
  if (payer === EMPTY_ENTITY_ID) throw malformed();
  return { payer, validStart: seconds * NANOS_PER_SECOND + BigInt(match[3] as string) };
};
