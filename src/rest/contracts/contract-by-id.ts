/** `/api/v1/contracts/{contractIdOrAddress}`: one contract, now or as it was, with its bytecode. */
import { type Bounds, isUnbounded } from '../../api/bounds.ts';
import { readEntityReference } from '../../api/entity-reference.ts';
import { notFound } from '../../api/problem.ts';
import { endpoint, one, oneAnswer } from '../../api/resource/endpoint.ts';
import { timestamps } from '../../api/resource/parameter.ts';
import type { RouteContext } from '../../api/route.ts';
import { type StatementBuilder, statementBuilder } from '../../api/sql.ts';
import { MAX_ENTITY_NUM } from '../../ledger/entity-id.ts';
import { MAX_NANOS } from '../../ledger/timestamp.ts';
import { contractWithBytecode, LAST_SYSTEM_FILE_NUM } from './contract.ts';
import { contractPath, contractTextOf } from './contract-reference.ts';

const isCreateOrUpdate =
  '(created.transaction_type = 17 or (created.transaction_type = 19 and length(created.file_data) > 0))';

/** The file of the contract `c` as it was when the entity `e` was created: its last version with all that was appended. */
const fileData = `(select string_agg(part.file_data, ''::bytea order by part.consensus_timestamp) from file_data part
  where part.entity_id = c.file_id and part.consensus_timestamp <= e.created_timestamp
    and part.consensus_timestamp >= (select created.consensus_timestamp from file_data created
      where created.entity_id = c.file_id and created.consensus_timestamp <= e.created_timestamp and ${isCreateOrUpdate}
      order by created.consensus_timestamp desc limit 1))`;

const columns = `e.*, c.file_id, c.initcode, c.runtime_bytecode,
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

const readContract = async (text: string, during: Bounds, context: RouteContext) => {
  const reference = readEntityReference(text, context);
  const builder = statementBuilder();
  const named =
    'id' in reference
      ? `e.id = ${builder.bind(reference.id)}::bigint`
      : `e.evm_address = ${builder.bind(reference.evmAddress)}`;
  const inForce = versionConditions(builder, during);
  if (inForce === undefined) return [];
  const conditions = ["e.type = 'CONTRACT'", named, ...inForce].join(' and ');
  const newest = 'order by lower(e.timestamp_range) desc limit 1';
  const versions = isUnbounded(during)
    ? `select e.* from entity e where ${conditions}`
    : `select e.* from ((select e.* from entity e where ${conditions} ${newest}) union all
        (select e.* from entity_history e where ${conditions} ${newest})) e ${newest}`;
  const page = `select ${columns} from (${versions}) e left join contract c on c.id = e.id`;
  return contractWithBytecode.read(context.db, contractWithBytecode.statement(page, 'p.id'), builder.values);
};

export const contractById = endpoint({
  path: '/api/v1/contracts/{contractIdOrAddress}',
  flavour: 'js',
  operationId: 'getContract',
  summary: 'Get a contract',
  description:
    'The contract with its bytecode. With timestamps, the newest version that was in force at a time they allow; a single timestamp means the state as of that time.',
  tag: 'contracts',
  refusals: 'sorted',
  pathParameters: contractPath,
  parameters: { timestamp: timestamps },
  answer: one(contractWithBytecode, 'The contract.'),
  problems: [400, 404],

  resolve: ({ request }) => contractTextOf(request),

  handle: async ({ subject: contract, query }, context) => {
    const [row, another] = await readContract(contract, query.timestamp, context);
    if (row === undefined || another !== undefined) throw notFound();
    return oneAnswer(row, contractWithBytecode.put);
  },
});
