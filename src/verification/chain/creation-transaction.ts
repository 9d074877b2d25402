/** The transaction that created a contract: the one that was named, if it did, or the one that the ledger tells. */
import type { Queryable } from '../../database/connection.ts';
import { type EntityId, parseEntityId } from '../../ledger/entity-id.ts';
import { MAX_NANOS, NANOS_PER_SECOND } from '../../ledger/timestamp.ts';

/** Rows of the transaction that the contract's creator sent; a contract may come from a child of it. */
export interface CreationTransaction {
  /** Digits: of the transaction that was sent. */
  readonly sent_at: string;
  readonly transaction_hash: Buffer | null;
  readonly ethereum_hash: Buffer | null;
  readonly call_data: Buffer | null;
  readonly to_address: Buffer | null;
  readonly function_parameters: Buffer | null;
  readonly deployer: string | null;
  readonly transaction_index: number | null;
  readonly block_number: string | null;
  readonly created_contract_ids: string[] | null;
}

const transactionColumns = `t.consensus_timestamp as sent_at, t.transaction_hash, e.hash as ethereum_hash, e.call_data,
  e.to_address, r.function_parameters, coalesce(r.sender_id, t.payer_account_id::bigint) as deployer,
  t.index as transaction_index, r.created_contract_ids,
  (select b.index from record_file b where b.consensus_end >= t.consensus_timestamp
    and b.consensus_start <= t.consensus_timestamp order by b.consensus_end limit 1) as block_number`;

const transactionTables = `transaction t
  left join ethereum_transaction e on e.consensus_timestamp = t.consensus_timestamp
  left join contract_result r on r.consensus_timestamp = t.consensus_timestamp`;

/** The transaction at which the contract is noted, or its parent. */
const byCreation = `select ${transactionColumns} from ${transactionTables}
  where t.consensus_timestamp = coalesce((select child.parent_consensus_timestamp from transaction child
    where child.consensus_timestamp = $1::bigint), $1::bigint)`;

const byHash = `select ${transactionColumns} from ${transactionTables} where t.consensus_timestamp in (
    select h.consensus_timestamp from contract_transaction_hash h where h.hash = $1
    union select h.consensus_timestamp from transaction_hash h
      where substring(h.hash from 1 for 32) = $1 and mod(get_byte(h.hash, 0), 32) = $2)
  order by t.consensus_timestamp limit 16`;

const byId = `select ${transactionColumns} from ${transactionTables}
  where t.payer_account_id = $1 and t.valid_start_ns = $2 and t.consensus_timestamp between $2 and $3
  order by t.consensus_timestamp limit 16`;

/** Longest time between valid start and consensus that the network allows, with room, in nanoseconds. */
const LONGEST_WAIT = 3_600n * NANOS_PER_SECOND;

const hashText = /^0x([0-9a-f]{64})([0-9a-f]{32})?$/i;

const transactionIdText = /^(\d+\.\d+\.\d+)[@-](\d{1,19})[.-](\d{1,9})$/;

interface TransactionId {
  readonly payer: EntityId;
  readonly validStart: bigint;
}

const transactionIdOf = (text: string): TransactionId | undefined => {
  const match = transactionIdText.exec(text);
  const payer = parseEntityId(match?.[1] ?? '');
  if (match === null || payer === undefined) return undefined;
  const validStart = BigInt(match[2] as string) * NANOS_PER_SECOND + BigInt((match[3] as string).padStart(9, '0'));
  return validStart + LONGEST_WAIT > MAX_NANOS ? undefined : { payer, validStart };
};

const named = async (db: Queryable, text: string): Promise<readonly CreationTransaction[]> => {
  const digits = hashText.exec(text)?.[1];
  if (digits !== undefined) {
    const hash = Buffer.from(digits, 'hex');
    return db.query<CreationTransaction>(byHash, [hash, (hash[0] ?? 0) % 32], 'verification-creation-by-hash');
  }
  const id = transactionIdOf(text);
  if (id === undefined) return [];
  const values = [id.payer, id.validStart, id.validStart + LONGEST_WAIT];
  return db.query<CreationTransaction>(byId, values, 'verification-creation-by-id');
};

/**
 * @param createdTimestamp of the contract
 * @param text Ethereum hash, hash of 48 bytes or transaction id (`0.0.2-1700000000-5`, `0.0.2@1700000000.5`)
 * @returns undefined when the named transaction did not create the contract, or nothing is known of its creation
 */
export const findCreationTransaction = async (
  db: Queryable,
  contractId: string,
  createdTimestamp: string,
  text: string | undefined,
): Promise<CreationTransaction | undefined> => {
  const [creating] = await db.query<CreationTransaction>(byCreation, [createdTimestamp], 'verification-creation');
  if (text === undefined) return creating;
  const candidates = await named(db, text);
  return candidates.find(
    ({ sent_at: sentAt, created_contract_ids: ids }) =>
      sentAt === createdTimestamp || sentAt === creating?.sent_at || (ids ?? []).includes(contractId),
  );
};
