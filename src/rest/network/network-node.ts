/** A consensus node of an address book with its stake, as REST shows it. */
import {
  bytesOf,
  field,
  flag,
  int32,
  int64,
  key,
  list,
  listEntries,
  listSchema,
  nullable,
  numberJson,
  text,
} from '../../api/resource/field.ts';
import type { Field } from '../../api/resource/field-type.ts';
import { type ExactJsonObject, memberText, parseExactJson } from '../../api/resource/json-column.ts';
import { resource } from '../../api/resource/resource.ts';
import { entityIdSchema, int64Schema } from '../../api/schemas.ts';
import { formatEntityId } from '../../ledger/entity-id.ts';
import { closedRange, nullable as nullableSchema } from './schemas.ts';
import { stakingPeriodJson } from './staking-period.ts';
import { javaTimestampRange } from './timestamp-json.ts';

/** Over a row of `address_book_service_endpoint`. */
export const serviceEndpoint = listEntries({
  domain_name: text("coalesce(p.domain_name, '')"),
  ip_address_v4: text("coalesce(p.ip_address_v4, '')"),
  port: int32('coalesce(p.port, 0)'),
});

const proxyEndpoint = field(
  'p.grpc_proxy_endpoint',
  { ...nullableSchema(serviceEndpoint.schema), description: 'Where it takes gRPC-Web.' },
  (cell) => {
    const endpoint = cell === '' ? null : (parseExactJson(cell) as ExactJsonObject | null);
    if (endpoint === null) return 'null';
    return (
      `{"domain_name":${JSON.stringify(memberText(endpoint, 'domain_name'))},` +
      `"ip_address_v4":${JSON.stringify(memberText(endpoint, 'ip_address_v4'))},` +
      `"port":${memberText(endpoint, 'port') || '0'}}`
    );
  },
);

const presentId = (sql: string, description: string): Field =>
  field(sql, { ...entityIdSchema, type: 'string', description }, (id) => `"${formatEntityId(id)}"`);

/** Hex text with `0x` in front, whatever it had before; none gives `0x`. */
const prefixed = (hex: string): string => JSON.stringify(hex.startsWith('0x') ? hex : `0x${hex}`);

/** The columns hold -1 where the network stated none. */
const statedStake = (sql: string, description: string): Field =>
  field(sql, int64Schema(description, { type: ['integer', 'null'] }), (digits) =>
    digits === '-1' ? 'null' : numberJson(digits),
  );

/** Over a row of `address_book_entry` with its book, what `node` and `node_stake` add, and its packed endpoints. */
export const networkNode = resource({
  name: 'NetworkNode',
  keys: { nodeId: 'p.node_id' },
  fields: {
    admin_key: key('p.admin_key', 'Key that may change and delete the node.'),
    associated_registered_nodes: field(
      "array_to_string(p.associated_registered_nodes, ',')",
      listSchema({ type: 'integer', format: 'int64' }, 'Registered nodes that the operator runs, too.'),
      (ids) => `[${ids}]`,
    ),
    decline_reward: nullable(flag('p.decline_reward', 'Whether the node declines its own rewards.')),
    description: nullable(text('p.description')),
    file_id: presentId('p.file_id', 'File of the address book.'),
    grpc_proxy_endpoint: proxyEndpoint,
    max_stake: statedStake('p.max_stake', 'Most tinybars staked to it that count.'),
    memo: nullable(text('p.memo')),
    min_stake: statedStake('p.min_stake', 'Tinybars that have to be staked to it before it is rewarded.'),
    node_account_id: presentId('p.node_account_id', 'Account that is paid for what is submitted to the node.'),
    node_cert_hash: field(
      'p.node_cert_hash',
      { type: 'string', description: 'Hex of the SHA-384 hash of its TLS certificate.' },
      (bytes) => prefixed(bytesOf(bytes)?.toString('utf8') ?? ''),
    ),
    node_id: int64('p.node_id', 'Number of the node.'),
    public_key: field(
      'to_json(p.public_key)',
      { type: 'string', description: 'Hex of the RSA key that it signs with.' },
      (json) => prefixed(json === '' ? '' : (JSON.parse(json) as string)),
    ),
    reward_rate_start: nullable(int64('p.reward_rate', 'Tinybars of reward for each hbar staked to it and a period.')),
    service_endpoints: list('p.service_endpoints', serviceEndpoint, 'Where it takes transactions and queries.'),
    stake: nullable(int64('p.stake', 'Tinybars that count as its weight in consensus.')),
    stake_not_rewarded: statedStake('p.stake_not_rewarded', 'Tinybars staked to it whose accounts decline rewards.'),
    stake_rewarded: nullable(int64('p.stake_rewarded', 'Tinybars staked to it whose accounts take rewards.')),
    staking_period: field('p.staking_period', nullableSchema(closedRange), (period) =>
      period === '' ? 'null' : stakingPeriodJson(period),
    ),
    timestamp: javaTimestampRange('p.start_consensus_timestamp', 'p.end_consensus_timestamp'),
  },
});
