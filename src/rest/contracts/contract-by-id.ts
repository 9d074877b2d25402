/** `/api/v1/contracts/{contractIdOrAddress}`: one contract, now or as it was, with its bytecode. */
import type { Bounds } from '../../api/bounds.ts';
import { readEntityReference } from '../../api/entity-reference.ts';
import { timestampParameter } from '../../api/parameter-checks.ts';
import { notFound } from '../../api/problem.ts';
import { acceptSorted, groupQuery } from '../../api/query.ts';
import type { RestAnswer, RestRequest, RouteContext } from '../../api/route.ts';
import { type StatementBuilder, statementBuilder, statementName } from '../../api/sql.ts';
import { timestampBounds } from '../../api/timestamp-filter.ts';
import { MAX_ENTITY_NUM } from '../../ledger/entity-id.ts';
import { MAX_NANOS } from '../../ledger/timestamp.ts';
import {
  type ContractWithBytecodeRow,
  contractWithBytecodeJson,
  entityVersionColumns,
  LAST_SYSTEM_FILE_NUM,
} from './contract-json.ts';
import { contractTextOf } from './contract-reference.ts';

const isCreateOrUpdate =
  '(created.transaction_type = 17 or (created.transaction_type = 19 and length(created.file_data) > 0))';

/** The file of the contract `c` as it was when the entity `e` was created: its last version with all that was appended. */
const fileData = `(select string_agg(part.file_data, ''::bytea order by part.consensus_timestamp) from file_data part
  where part.entity_id = c.file_id and part.consensus_timestamp <= e.created_timestamp
    and part.consensus_timestamp >= (select created.consensus_timestamp from file_data created
      where created.entity_id = c.file_id and created.consensus_timestamp <= e.created_timestamp and ${isCreateOrUpdate}
      order by created.consensus_timestamp desc limit 1))`;

const columns = `${entityVersionColumns}, c.file_id, c.initcode, c.runtime_bytecode,
  case when c.file_id & ${MAX_ENTITY_NUM} > ${LAST_SYSTEM_FILE_NUM} then ${fileData} end as file_data`;

/**
 * Conditions on the versions `e` that were in force at some time of each filter's range; an equality means "as of".
 * Undefined when no time can satisfy them.
 */
const versionConditions = (builder: StatementBuilder, bounds: Bounds): string[] | undefined => {
  const { lower, unequal } = bounds;
  const ends = bounds.upper === null ? bounds.equal : [bounds.upper, ...bounds.equal];
  if (lower !== null && lower > MAX_NANOS) return undefined;
  return [
    ...ends.filter((end) => end <= MAX_NANOS).map((end) => `lower(e.timestamp_range) <= ${builder.bind(end)}::bigint`),
    ...(lower === null
      ? []
      : [`(upper_inf(e.timestamp_range) or upper(e.timestamp_range) > ${builder.bind(lower)}::bigint)`]),
    ...unequal
      .filter((value) => value <= MAX_NANOS)
      .map((value) => `not e.timestamp_range @> ${builder.bind(value)}::bigint`),
  ];
};

const isAnything = ({ lower, upper, equal, unequal }: Bounds): boolean =>
  lower === null && upper === null && equal.length === 0 && unequal.length === 0;

const readContract = async (
  text: string,
  timestamps: Bounds,
  context: RouteContext,
): Promise<readonly ContractWithBytecodeRow[]> => {
  const reference = readEntityReference(text, context);
  const builder = statementBuilder();
  const named =
    'id' in reference
      ? `e.id = ${builder.bind(reference.id)}::bigint`
      : `e.evm_address = ${builder.bind(reference.evmAddress)}`;
  const during = versionConditions(builder, timestamps);
  if (during === undefined) return [];
  const conditions = ["e.type = 'CONTRACT'", named, ...during].join(' and ');
  const newest = 'order by lower(e.timestamp_range) desc limit 1';
  const versions = isAnything(timestamps)
    ? `select e.* from entity e where ${conditions}`
    : `select e.* from ((select e.* from entity e where ${conditions} ${newest}) union all
        (select e.* from entity_history e where ${conditions} ${newest})) e ${newest}`;
  const statement = `select ${columns} from (${versions}) e left join contract c on c.id = e.id`;
  return context.db.query<ContractWithBytecodeRow>(statement, builder.values, statementName(statement));
};

export const getContract = async (request: RestRequest, context: RouteContext): Promise<RestAnswer> => {
  const contract = contractTextOf(request);
  const filters = acceptSorted(groupQuery(request.query), { timestamp: timestampParameter }, context.settings.query);
  const [row, another] = await readContract(contract, timestampBounds(filters), context);
  if (row === undefined || another !== undefined) throw notFound();
  return { status: 200, body: contractWithBytecodeJson(row) };
};
