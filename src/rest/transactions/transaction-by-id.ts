/**
 * `/api/v1/transactions/{transactionId}`: every transaction with an id (the submitted one, its children, the scheduled
 * one), with the inner transactions of a batch; or with a hash.
 */

import { HttpProblem, notFound } from '../../api/problem.ts';
import { endpoint, oneAnswer } from '../../api/resource/endpoint.ts';
import { listSchema } from '../../api/resource/field.ts';
import type { JsonBytes } from '../../api/resource/json-bytes.ts';
import { nonce, optionalFlag, waitSeconds } from '../../api/resource/parameter.ts';
import type { PageStatement } from '../../api/resource/resource.ts';
import type { RawQuery, RestRequest, RouteContext } from '../../api/route.ts';
import { objectSchema } from '../../api/schemas.ts';
import { inSnapshot } from '../../api/snapshot.ts';
import { statementBuilder } from '../../api/sql.ts';
import { readTransactionId, type TransactionId } from '../../api/transaction-id.ts';
import { isSuccessful } from '../../ledger/response-code.ts';
import { MAX_NANOS, type Nanos } from '../../ledger/timestamp.ts';
import { TransactionType } from '../../ledger/transaction-type.ts';
import { type TransactionRow, transactionDetail } from './transaction.ts';

/** Whether a query may have to wait, so that its answer is made for it alone. */
const namesWait = (query: RawQuery): boolean => query.some(([key]) => /^wait(\[|$)/i.test(key));

/** The transactions of a statement in order of time. */
const singles = (select: string): PageStatement => transactionDetail.statement(select, 'p.consensus_timestamp asc');

const nanosPerMillisecond = 1_000_000n;

const clamp = (nanos: Nanos): Nanos => (nanos > MAX_NANOS ? MAX_NANOS : nanos);

interface Narrowing {
  readonly nonce: string | undefined;
  readonly scheduled: boolean | undefined;
}

const narrowingConditions = (narrowing: Narrowing, bind: (value: unknown) => string): string => {
  const nonce = narrowing.nonce === undefined ? '' : ` and t.nonce = ${bind(narrowing.nonce)}`;
  const scheduled = narrowing.scheduled === undefined ? '' : ` and t.scheduled = ${bind(narrowing.scheduled)}`;
  return nonce + scheduled;
};

const readByKeys = (
  keys: readonly TransactionId[],
  narrowing: Narrowing,
  longestMs: number,
  { db, settings }: RouteContext,
): Promise<TransactionRow[]> => {
  const builder = statementBuilder();
  const drift = BigInt(settings.query.maxValidStartTimestampDrift) * nanosPerMillisecond;
  const longest = BigInt(longestMs) * nanosPerMillisecond;
  const columnsOfKeys = [
    keys.map(({ payer }) => payer),
    keys.map(({ validStart }) => validStart),
    keys.map(({ validStart }) => validStart - drift),
    keys.map(({ validStart }) => clamp(validStart + longest)),
  ].map((values) => `${builder.bind(values)}::bigint[]`);
  const text = singles(
    `select t.* from unnest(${columnsOfKeys.join(', ')}) k(payer, valid_start, earliest, latest)
    join transaction t on t.payer_account_id = k.payer and t.valid_start_ns = k.valid_start
      and t.consensus_timestamp between k.earliest and k.latest${narrowingConditions(narrowing, builder.bind)}`,
  );
  return transactionDetail.read(db, text, builder.values);
};

const isScheduleCreate = (row: TransactionRow): boolean =>
  Number(row.type) === TransactionType.SCHEDULECREATE && isSuccessful(Number(row.result));

/** Whether a schedule executed it. */
const isExecution = (row: TransactionRow): boolean => row.scheduled === 't' && !isScheduleCreate(row);

/** Whether the scheduled transaction may have been executed later than other transactions ever are. */
const mayMissScheduled = (rows: readonly TransactionRow[], scheduled: boolean | undefined): boolean => {
  if (scheduled === false) return false;
  if (scheduled) return rows.length === 0;
  return !rows.some((row) => isExecution(row)) && rows.some(isScheduleCreate);
};

const innerKeys = (rows: readonly TransactionRow[]): TransactionId[] => {
  const keys = new Map<string, TransactionId>();
  for (const { innerTransactions } of rows) {
    const flat = innerTransactions === '' ? [] : innerTransactions.split(',');
    for (let i = 0; i + 1 < flat.length; i += 2) {
      const [payer, validStart] = [flat[i] as string, flat[i + 1] as string];
      keys.set(`${payer}-${validStart}`, { payer: BigInt(payer), validStart: BigInt(validStart) });
    }
  }
  return [...keys.values()];
};

/** The transactions with the id, and those of the batch or schedule that they belong to. */
const readRelated = async (
  key: TransactionId,
  narrowing: Narrowing,
  context: RouteContext,
): Promise<TransactionRow[]> => {
  const { query } = context.settings;
  let rows = await readByKeys([key], narrowing, query.maxTransactionConsensusTimestampRange, context);
  if (mayMissScheduled(rows, narrowing.scheduled)) {
    rows = await readByKeys([key], narrowing, query.maxScheduledTransactionConsensusTimestampRange, context);
  }
  const inner = innerKeys(rows);
  if (inner.length === 0) return rows;
  return [...rows, ...(await readByKeys(inner, narrowing, query.maxTransactionConsensusTimestampRange, context))];
};

/** One statement suffices for most ids; for the others all of them begin anew in one snapshot. */
const readById = async (key: TransactionId, narrowing: Narrowing, context: RouteContext): Promise<TransactionRow[]> => {
  if (key.validStart > MAX_NANOS) return [];
  const longest = context.settings.query.maxTransactionConsensusTimestampRange;
  const rows = await readByKeys([key], narrowing, longest, context);
  if (!mayMissScheduled(rows, narrowing.scheduled) && innerKeys(rows).length === 0) return rows;
  return inSnapshot(context, (snapshot) => readRelated(key, narrowing, snapshot));
};

const hashPrefixLength = 32;

/** Consensus timestamps of the transactions with that hash (48 bytes), through the index on its first 32 bytes. */
const timestampsOfHash = async (hash: Buffer, { db, settings }: RouteContext): Promise<string[]> => {
  const prefix = hash.subarray(0, hashPrefixLength);
  const rows = await db.query<{ consensus_timestamp: string; hash: Buffer; hash_suffix: Buffer | null }>(
    `select consensus_timestamp, hash, hash_suffix from transaction_hash
      where substring(hash from 1 for 32) = $1 and mod(get_byte(hash, 0), 32) = $2
      order by consensus_timestamp limit $3`,
    [prefix, (prefix[0] as number) % 32, settings.response.limit.default],
    'transaction-timestamps-by-hash',
  );
  return rows
    .filter((row) => Buffer.concat([row.hash, row.hash_suffix ?? Buffer.alloc(0)]).equals(hash))
    .map((row) => row.consensus_timestamp);
};

const readByHash = async (hash: Buffer, narrowing: Narrowing, context: RouteContext): Promise<TransactionRow[]> => {
  const timestamps = await timestampsOfHash(hash, context);
  if (timestamps.length === 0) return [];
  const builder = statementBuilder();
  const text = singles(
    `select t.* from transaction t
    where t.consensus_timestamp = any (${builder.bind(timestamps)}::bigint[])${narrowingConditions(narrowing, builder.bind)}`,
  );
  return transactionDetail.read(context.db, text, builder.values);
};

const hexHash = /^(?:0x)?([0-9A-Fa-f]{96})$/;
// Base64url and plain base64 of 48 bytes; needs no padding.
const base64Hash = /^[0-9A-Za-z+\-/_]{64}$/;

const hashOf = (text: string): Buffer | undefined => {
  const hex = hexHash.exec(text)?.[1];
  if (hex !== undefined) return Buffer.from(hex, 'hex');
  return base64Hash.test(text) ? Buffer.from(text, 'base64url') : undefined;
};

/** Seconds for which an answer may be kept while its scheduled transaction is still to come. */
const awaitingScheduledSeconds = 5;

/** Shorter while the scheduled transaction of a schedule in the answer may still be executed. */
const cacheSecondsOf = (rows: readonly TransactionRow[], context: RouteContext): { readonly cacheSeconds?: number } => {
  const creates = rows.filter(isScheduleCreate);
  if (creates.length === 0 || rows.some((row) => isExecution(row))) return {};
  const longest = BigInt(context.settings.query.maxScheduledTransactionConsensusTimestampRange) * nanosPerMillisecond;
  const now = context.clock();
  const awaits = creates.some((row) => now - BigInt(row.consensusTimestamp) < longest);
  return awaits ? { cacheSeconds: awaitingScheduledSeconds } : {};
};

const busy = (): HttpProblem =>
  new HttpProblem(503, [{ message: 'Too many requests are waiting' }], { headers: { 'retry-after': '1' } });

/**
 * Reads, and while there is nothing waits for the next block to read again, for at most that long.
 * @throws HttpProblem 503 when there is nothing yet and all places to wait in are taken
 */
const readOrWait = async (
  read: () => Promise<TransactionRow[]>,
  milliseconds: number,
  request: RestRequest,
  { waits }: RouteContext,
): Promise<TransactionRow[]> => {
  const place = waits.enter(milliseconds, request.clientSignal?.());
  try {
    for (;;) {
      const rows = await read();
      if (rows.length > 0) return rows;
      if (place === undefined) throw busy();
      const outcome = await place.nextCommit();
      if (outcome === 'ended') return [];
      // A last look: a commit may have gone unheard while the connection for announcements was down.
      if (outcome === 'over') return await read();
    }
  } finally {
    place?.leave();
  }
};

export const transactionById = endpoint({
  path: '/api/v1/transactions/{transactionId}',
  flavour: 'js',
  cacheSeconds: 600,
  operationId: 'getTransaction',
  summary: 'Get the transactions with an id or hash',
  description:
    'By id: the submitted transaction, its children, the scheduled one, and what a batch contains. By hash: ' +
    '48 bytes in hex with optional 0x, or in base64url.',
  tag: 'transactions',
  refusals: 'sorted',
  pathParameters: {
    transactionId: {
      description: 'shard.realm.num-seconds-nanoseconds, or a hash.',
      schema: { type: 'string' },
      example: '0.0.10-1234567890-000000000',
    },
  },
  parameters: {
    nonce: nonce('Only the transaction with this nonce; 0 is the submitted one.'),
    scheduled: optionalFlag('Only those that a schedule executed, or only the others.'),
    wait: waitSeconds(
      'Seconds to wait for the transaction when there is none yet: answers as soon as its block is imported, or ' +
        'with 404 when the time is over. At most 60 unless the server is set otherwise. Such answers are not kept ' +
        'by caches. 503 with `Retry-After` when too many requests wait already.',
    ),
  },
  answer: {
    description: 'The transactions, by time.',
    schema: objectSchema({ transactions: listSchema(transactionDetail.schema) }),
    schemas: transactionDetail.schemas,
  },
  problems: [400, 404],
  isLive: namesWait,

  handle: async ({ request, path, query }, context) => {
    const narrowing = { nonce: query.nonce, scheduled: query.scheduled };
    const hash = hashOf(path.transactionId);
    const id = hash === undefined ? readTransactionId(path.transactionId) : undefined;
    const read = () =>
      id === undefined ? readByHash(hash as Buffer, narrowing, context) : readById(id, narrowing, context);
    const rows = query.wait === undefined ? await read() : await readOrWait(read, query.wait * 1000, request, context);
    if (rows.length === 0) throw notFound();
    const cache = hash === undefined && narrowing.scheduled === undefined ? cacheSecondsOf(rows, context) : {};
    const put = (out: JsonBytes): void => {
      out.text('{"transactions":[');
      out.list(rows, transactionDetail.put);
      out.text(']}');
    };
    return { ...oneAnswer(undefined, put), ...cache };
  },
});
