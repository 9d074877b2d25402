/** The results made from synthetic logs, one at a time. Only transactions without a result of their own have them. */
import type { ResourceRow } from '../../api/resource/resource.ts';
import type { RouteContext } from '../../api/route.ts';
import type { Reader } from '../../database/connection.ts';
import { contractResultLog } from '../contracts/contract-log.ts';
import { gasPriceFiles } from './gas-price.ts';
import { type DetailsRow, resultDetails } from './result.ts';
import {
  blockJoin,
  contractJoin,
  ethereumJoin,
  joinedColumns,
  noDetailColumns,
  syntheticColumns,
} from './result-columns.ts';
import { isShown, lacksResult } from './synthetic-result.ts';

const within = 'l.consensus_timestamp = $1 and ($2::bigint is null or l.contract_id = $2)';

const resultText = resultDetails.statement(
  `select r.*, ${joinedColumns('$3', '$4')}, ${noDetailColumns}
  from (select ${syntheticColumns} from contract_log l where ${within} and ${lacksResult} order by l.index limit 1) r
  ${contractJoin} ${blockJoin('true')} ${ethereumJoin}`,
  'p.consensus_timestamp',
);

const logsText = contractResultLog.statement(
  `select l.*, e.evm_address from contract_log l
  left join lateral (select evm_address from entity where id = l.contract_id limit 1) e on true
  where ${within} and ${isShown('l')}`,
  'p.index',
);

export interface SyntheticResult {
  readonly row: DetailsRow;
  readonly logs: readonly ResourceRow<never>[];
}

/** @param contract digits; null: whichever the transaction's first log comes from */
export const findSyntheticResult = async (
  consensusTimestamp: string,
  contract: string | null,
  context: RouteContext,
): Promise<SyntheticResult | undefined> => {
  const values = [consensusTimestamp, contract];
  const [row] = await resultDetails.read(context.db, resultText, [...values, ...gasPriceFiles(context)]);
  if (row === undefined) return undefined;
  return { row, logs: await contractResultLog.read(context.db, logsText, values) };
};

const HASH_PARTITIONS = 32;

const timestampText = `select h.consensus_timestamp from transaction_hash h
  where substring(h.hash from 1 for 32) = $1 and mod(get_byte(h.hash, 0), ${HASH_PARTITIONS}) = $2
    and exists (select from contract_log l where l.consensus_timestamp = h.consensus_timestamp and l.synthetic is true)
  order by h.consensus_timestamp desc limit 1`;

/** When the transaction whose hash begins with these 32 bytes left synthetic logs, in digits. */
export const syntheticTimestampOf = async (hash: Buffer, db: Reader): Promise<string | undefined> => {
  const values = [hash, (hash[0] as number) % HASH_PARTITIONS];
  const rows = await db.query<{ consensus_timestamp: string }>(timestampText, values, 'synthetic-result-by-hash');
  return rows[0]?.consensus_timestamp;
};
