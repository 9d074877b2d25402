/** Rows of recorded contract transactions, with what they leave out set to what doesn't matter to traces. */
import type { Queryable } from '../../../database/connection.ts';
import { ResponseCodeEnum } from '../../../protobuf/generated/services/response_code.ts';
import type { Status } from '../../hapi/operation.ts';

export const SECOND = 1_000_000_000n;
/** Consensus time of the first block, nanoseconds. */
export const BEGINNING = 1_700_000_000n * SECOND;
/** Account without an alias. */
export const PAYER = 1_001n;
/** Account that contracts know by `ALIAS`. */
export const ALIASED = 1_002n;
export const ALIAS = 'a1'.repeat(20);

export const CONTRACT_CALL = 7;
export const CONTRACT_CREATE = 8;
export const ETHEREUM = 50;

const bytes = (value: Uint8Array | undefined): Buffer | null => (value === undefined ? null : Buffer.from(value));

export interface RecordedContract {
  readonly id: bigint;
  readonly createdAt?: bigint;
  readonly evmAddress?: string;
  readonly code?: Uint8Array;
  readonly initcode?: Uint8Array;
  readonly fileId?: bigint;
}

export interface RecordedResult {
  readonly at: bigint;
  /** Undefined: there is a result without a transaction. */
  readonly type?: number | undefined;
  readonly contractId: bigint;
  readonly senderId?: bigint | null;
  readonly payerId?: bigint;
  readonly gas?: bigint;
  readonly amount?: bigint;
  readonly parameters?: Uint8Array;
  readonly failedInitcode?: Uint8Array;
  /** SUCCESS unless given. */
  readonly status?: Status;
  readonly gasUsed?: bigint;
}

export interface RecordedEthereum {
  readonly at: bigint;
  readonly to?: string;
  readonly callData?: Uint8Array;
  readonly callDataId?: bigint;
  /** The transaction as it was signed. */
  readonly data?: Uint8Array;
}

/** Writes into tables that must be empty. */
export class RecordedLedger {
  readonly #db: Queryable;

  constructor(db: Queryable) {
    this.#db = db;
  }

  /** Two accounts, and one block of 100 seconds from `BEGINNING` with the number 7. */
  async begin(): Promise<void> {
    await this.#db.query(`
      insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, alias) values
        (2, 2, 0, 0, 'ACCOUNT', 0, '[0,)', 1000, null),
        (${PAYER}, ${PAYER}, 0, 0, 'ACCOUNT', 0, '[0,)', 1000, null),
        (${ALIASED}, ${ALIASED}, 0, 0, 'ACCOUNT', 0, '[0,)', 1000, '\\x${ALIAS}');
      insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
        digest_algorithm, version, file_hash, index)
      values ('', 0, 0, '${'ab'.repeat(48)}', '', ${BEGINNING}, ${BEGINNING + 100n * SECOND}, 1, 0, 6, '', 7)`);
  }

  async clear(): Promise<void> {
    await this.#db.query(`truncate record_file, entity, file_data, contract, contract_state, contract_state_change,
      contract_result, contract_transaction_hash, transaction, ethereum_transaction`);
  }

  async contract({ id, createdAt = BEGINNING, evmAddress, code, initcode, fileId }: RecordedContract): Promise<void> {
    await this.#db.query(
      `insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, evm_address,
        ethereum_nonce) values ($1, $1, 0, 0, 'CONTRACT', $2, int8range($2, null), 0, $3, 1)`,
      [id, createdAt, evmAddress === undefined ? null : Buffer.from(evmAddress, 'hex')],
    );
    await this.#db.query('insert into contract (id, runtime_bytecode, initcode, file_id) values ($1, $2, $3, $4)', [
      id,
      bytes(code),
      bytes(initcode),
      fileId ?? null,
    ]);
  }

  /** A transaction whose id has its consensus timestamp less a second as valid start. */
  async transaction(at: bigint, type: number, payerId = PAYER, validStart = at - SECOND): Promise<void> {
    await this.#db.query(
      `insert into transaction (consensus_timestamp, type, result, payer_account_id, valid_start_ns)
       values ($1, $2, 22, $3, $4)`,
      [at, type, payerId, validStart],
    );
  }

  /** A contract result and its transaction. */
  async result(result: RecordedResult): Promise<void> {
    const { at, type, contractId, senderId = PAYER, payerId = PAYER, gas = 100_000n, amount } = result;
    if (type !== undefined) await this.transaction(at, type, payerId);
    await this.#db.query(
      `insert into contract_result (consensus_timestamp, contract_id, payer_account_id, sender_id, gas_limit, amount,
        function_parameters, failed_initcode, transaction_result, gas_used) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        at,
        contractId,
        payerId,
        senderId,
        gas,
        amount ?? null,
        bytes(result.parameters ?? new Uint8Array()),
        bytes(result.failedInitcode),
        ResponseCodeEnum[result.status ?? 'SUCCESS'],
        result.gasUsed ?? null,
      ],
    );
  }

  async ethereum({ at, to, callData, callDataId, data = Uint8Array.of(2) }: RecordedEthereum): Promise<void> {
    await this.#db.query(
      `insert into ethereum_transaction (consensus_timestamp, to_address, call_data, call_data_id, data, gas_limit, hash,
        max_gas_allowance, nonce, payer_account_id, signature_r, signature_s, type)
       values ($1, $2, $3, $4, $5, 1, '', 0, 0, $6, '', '', 2)`,
      [at, to === undefined ? null : Buffer.from(to, 'hex'), bytes(callData), callDataId ?? null, bytes(data), PAYER],
    );
  }

  async hash(at: bigint, hash: string): Promise<void> {
    await this.#db.query(
      `insert into contract_transaction_hash (consensus_timestamp, hash, payer_account_id, entity_id, transaction_result)
       values ($1, $2, ${PAYER}, 0, 22)`,
      [at, Buffer.from(hash, 'hex')],
    );
  }

  /** Text of a FileCreate (17), FileAppend (16) or FileUpdate (19). */
  async file(id: bigint, at: bigint, type: 16 | 17 | 19, text: string): Promise<void> {
    await this.#db.query(
      'insert into file_data (entity_id, consensus_timestamp, file_data, transaction_type) values ($1, $2, $3, $4)',
      [id, at, Buffer.from(text), type],
    );
  }
}
