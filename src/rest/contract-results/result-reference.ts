/**
 * The transaction that a path names by its id or by a 32-byte hash, for everything below
 * `/contracts/results/{transactionIdOrHash}`. Reads `contract_transaction_hash` and `transaction`.
 */
import { notFound } from '../../api/problem.ts';
import type { RouteContext } from '../../api/route.ts';
import { readTransactionId, type TransactionId } from '../../api/transaction-id.ts';
import { MAX_NANOS } from '../../ledger/timestamp.ts';

/** Digits, as the database sent them. */
export interface ResultReference {
  readonly consensusTimestamp: string;
  readonly payerAccountId: string;
  /** The entity under which `contract_transaction` lists the contracts of the transaction. */
  readonly entityId: string;
}

type Context = Pick<RouteContext, 'db' | 'settings'>;

const nanosPerMillisecond = 1_000_000n;

const hashText = /^(?:0x)?([0-9A-Fa-f]{64})$/;

/** The 32 bytes of a hash in hex with optional 0x; undefined for any other text. */
export const resultHashOf = (text: string): Buffer | undefined => {
  const digits = hashText.exec(text)?.[1];
  return digits === undefined ? undefined : Buffer.from(digits, 'hex');
};

// One hash or id may stand for several transactions, of which at most one succeeded: that one, or the latest attempt.
const byHash = `select consensus_timestamp as "consensusTimestamp", payer_account_id as "payerAccountId",
    entity_id as "entityId"
  from contract_transaction_hash where hash = $1
  order by (transaction_result = 22) desc, consensus_timestamp desc limit 1`;

const byId = `select consensus_timestamp as "consensusTimestamp", payer_account_id as "payerAccountId",
    payer_account_id as "entityId"
  from transaction
  where payer_account_id = $1 and valid_start_ns = $2 and consensus_timestamp between $3 and $4 and nonce = $5
  order by (result = 22) desc, consensus_timestamp desc limit 1`;

const findByHash = async (hash: Buffer, { db }: Context): Promise<ResultReference | undefined> =>
  (await db.query<ResultReference>(byHash, [hash], 'contract-transaction-by-hash'))[0];

const findById = async (
  { payer, validStart }: TransactionId,
  nonce: string,
  { db, settings }: Context,
): Promise<ResultReference | undefined> => {
  if (validStart > MAX_NANOS) return undefined;
  const { query } = settings;
  const earliest = validStart - BigInt(query.maxValidStartTimestampDrift) * nanosPerMillisecond;
  const latest = validStart + BigInt(query.maxTransactionConsensusTimestampRange) * nanosPerMillisecond;
  const values = [payer, validStart, earliest, latest > MAX_NANOS ? MAX_NANOS : latest, nonce];
  return (await db.query<ResultReference>(byId, values, 'contract-transaction-by-id'))[0];
};

/**
 * The transaction with that id and nonce, or with that hash: the hash of an Ethereum transaction, or the first 32 bytes
 * of a transaction's hash, in hex with optional 0x.
 * @param nonce digits; a hash ignores it, since children have hashes of their own
 * @throws HttpProblem 400 for neither an id nor a hash
 */
export const lookUpResultReference = (
  text: string,
  nonce: string,
  context: Context,
): Promise<ResultReference | undefined> => {
  const hash = resultHashOf(text);
  return hash === undefined ? findById(readTransactionId(text), nonce, context) : findByHash(hash, context);
};

/**
 * As `lookUpResultReference`.
 * @throws HttpProblem 400; 404 when there is no such transaction
 */
export const findResultReference = async (text: string, nonce: string, context: Context): Promise<ResultReference> => {
  const reference = await lookUpResultReference(text, nonce, context);
  if (reference === undefined) throw notFound();
  return reference;
};
