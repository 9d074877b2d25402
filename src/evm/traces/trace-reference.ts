/** Which recorded transaction a trace is asked for. */
import type { Queryable } from '../../database/connection.ts';
import { fromHex } from '../../ledger/bytes.ts';
import { type EntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { MAX_NANOS, NANOS_PER_SECOND } from '../../ledger/timestamp.ts';

export type TraceReference =
  | { readonly kind: 'hash'; readonly hash: Uint8Array }
  /** Valid start in nanoseconds. */
  | { readonly kind: 'transaction-id'; readonly payerId: EntityId; readonly validStart: bigint };

const transactionId = /^(\d{1,5}\.\d{1,5}\.\d{1,12})-(\d{1,19})-(\d{1,9})$/;
const transactionHash = /^(?:0x)?([0-9a-fA-F]{64})$/;

/** Undefined for a text of another form. */
export const parseTraceReference = (text: string): TraceReference | undefined => {
  const hash = transactionHash.exec(text)?.[1];
  if (hash !== undefined) return { kind: 'hash', hash: fromHex(hash) as Uint8Array };
  const [, payer = '', seconds = '', nanos = ''] = transactionId.exec(text) ?? [];
  const payerId = parseEntityId(payer);
  if (payerId === undefined) return undefined;
  const validStart = BigInt(seconds) * NANOS_PER_SECOND + BigInt(nanos);
  return validStart > MAX_NANOS ? undefined : { kind: 'transaction-id', payerId, validStart };
};

const byHashSql = `
  select consensus_timestamp from contract_transaction_hash
  where hash = $1 order by consensus_timestamp limit 1`;

const byIdSql = `
  select consensus_timestamp from transaction
  where payer_account_id = $1 and valid_start_ns = $2 order by consensus_timestamp limit 1`;

interface TimestampRow {
  readonly consensus_timestamp: string;
}

/** Consensus timestamp of the first transaction that the reference names. */
export const referencedTimestamp = async (db: Queryable, reference: TraceReference): Promise<bigint | undefined> => {
  const [row] =
    reference.kind === 'hash'
      ? await db.query<TimestampRow>(byHashSql, [Buffer.from(reference.hash)], 'trace-by-hash')
      : await db.query<TimestampRow>(
          byIdSql,
          [reference.payerId.toString(), reference.validStart.toString()],
          'trace-by-id',
        );
  return row === undefined ? undefined : BigInt(row.consensus_timestamp);
};
