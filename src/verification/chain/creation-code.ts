/** The init code of a contract of the mirrored network, constructor arguments included. */
import type { Queryable } from '../../database/connection.ts';
import { fileContentSql } from '../../database/file-content.ts';
import { decodeEntityId } from '../../ledger/entity-id.ts';
import type { CreationTransaction } from './creation-transaction.ts';

/** Files up to this num belong to the system; none holds bytecode. */
const LAST_SYSTEM_FILE_NUM = 1000n;

export interface ContractCodeRow {
  readonly id: string;
  readonly created_timestamp: string | null;
  readonly file_id: string | null;
  readonly initcode: Buffer | null;
}

const fileContent = fileContentSql({ file: '$1', until: '$2' });

const createAction = `select input from contract_action
  where consensus_timestamp = $1 and recipient_contract = $2 and call_type = 2 order by index limit 1`;

const isEmpty = (bytes: Buffer | null): bytes is null => bytes === null || bytes.length === 0;

/** Files hold code as hex digits, perhaps with 0x. */
const codeOfFile = async (db: Queryable, fileId: string, at: string): Promise<Buffer | undefined> => {
  const rows = await db.query<{ content: Buffer | null }>(fileContent, [fileId, at], 'verification-file');
  const digits = rows[0]?.content?.toString('latin1').trim().replace(/^0x/, '') ?? '';
  return digits.length > 0 && digits.length % 2 === 0 && /^[0-9a-f]+$/i.test(digits)
    ? Buffer.from(digits, 'hex')
    : undefined;
};

/** What an Ethereum transaction to somebody sends is a call, not the code of what came of it. */
const isCallData = (code: Buffer, transaction: CreationTransaction | undefined): boolean =>
  transaction !== undefined && !isEmpty(transaction.to_address) && transaction.call_data?.equals(code) === true;

/** 0x and hex digits; undefined when the ledger does not hold it. */
export const creationCode = async (
  db: Queryable,
  { id, created_timestamp: created, file_id: fileId, initcode }: ContractCodeRow,
  transaction: CreationTransaction | undefined,
): Promise<string | undefined> => {
  const hex = (code: Buffer): string => `0x${code.toString('hex')}`;
  // From a sidecar, or as sent: either way complete, also beside a file.
  if (!isEmpty(initcode) && !isCallData(initcode, transaction)) return hex(initcode);
  if (transaction !== undefined) {
    const values = [transaction.sent_at, id];
    const [action] = await db.query<{ input: Buffer | null }>(createAction, values, 'verification-create-action');
    if (action !== undefined && !isEmpty(action.input)) return hex(action.input);
  }
  const isFile = fileId !== null && decodeEntityId(BigInt(fileId)).num > LAST_SYSTEM_FILE_NUM;
  if (isFile && created !== null) {
    const code = await codeOfFile(db, fileId, created);
    if (code === undefined) return undefined;
    // Whoever sends an Ethereum transaction has the arguments in the file already.
    const isEthereum = transaction !== undefined && transaction.ethereum_hash !== null;
    const parameters = isEthereum ? undefined : transaction?.function_parameters;
    return hex(Buffer.concat([code, parameters ?? Buffer.alloc(0)]));
  }
  const callData = transaction?.call_data ?? null;
  return !isEmpty(callData) && isEmpty(transaction?.to_address ?? null) ? hex(callData) : undefined;
};
