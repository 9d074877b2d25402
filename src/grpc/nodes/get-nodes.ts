/**
 * com.hedera.mirror.api.proto.NetworkService/getNodes: the address book as SDKs read it
 * ([HIP-21](https://hips.hedera.com/hip/hip-21)).
 */
import type { GrpcSettings } from '../../config/settings/grpc.ts';
import type { Database } from '../../database/connection.ts';
import { decodeEntityId, type EntityId, encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import { AddressBookQuery } from '../../protobuf/generated/mirror/mirror_network_service.ts';
import { NodeAddress, type ServiceEndpoint } from '../../protobuf/generated/services/basic_types.ts';
import { CallFailure, GrpcStatus, invalidArgument } from '../call-failure.ts';
import { framesOf } from '../length-prefixed.ts';
import type { StreamingMethod } from '../method.ts';
import { decodeRequest } from '../request.ts';

export interface GetNodesOptions {
  readonly database: Pick<Database, 'query'>;
  readonly settings: Pick<GrpcSettings, 'addressbook'>;
  readonly shard: bigint;
  readonly realm: bigint;
}

/** The two address book files of a network. */
const FILE_NUMBERS: readonly bigint[] = [101n, 102n];

const bookSql = `select start_consensus_timestamp from address_book where file_id = $1
  order by start_consensus_timestamp desc limit 1`;

const nodesSql = `select e.node_id, e.description, e.memo, e.public_key, e.node_cert_hash,
    coalesce(n.account_id, e.node_account_id) as account_id, coalesce(s.stake, 0) as stake,
    (
      select coalesce(json_agg(json_build_array(p.ip_address_v4, p.port, p.domain_name)
        order by p.ip_address_v4, p.port, p.domain_name), '[]'::json)
      from address_book_service_endpoint p
      where p.consensus_timestamp = e.consensus_timestamp and p.node_id = e.node_id
    ) as endpoints
  from address_book_entry e
  left join node n on n.node_id = e.node_id
  left join node_stake s
    on s.node_id = e.node_id and s.consensus_timestamp = (select max(consensus_timestamp) from node_stake)
  where e.consensus_timestamp = $1 and e.node_id >= $2
  order by e.node_id limit $3`;

interface NodeRow {
  readonly node_id: string;
  readonly description: string | null;
  readonly memo: string | null;
  readonly public_key: string | null;
  readonly node_cert_hash: Buffer | null;
  readonly account_id: string;
  readonly stake: string;
  /** JSON text of triples. */
  readonly endpoints: string;
}

type EndpointRow = readonly [ipAddressV4: string | null, port: number | null, domainName: string | null];

const NO_BYTES = new Uint8Array(0);

const ipAddressBytes = (text: string | null): Uint8Array => {
  const parts = (text ?? '').trim().split('.').map(Number);
  return parts.length === 4 && parts.every((part) => part >= 0 && part <= 255) ? Uint8Array.from(parts) : NO_BYTES;
};

const endpointOf = ([ipAddressV4, port, domainName]: EndpointRow): ServiceEndpoint => ({
  ipAddressV4: ipAddressBytes(ipAddressV4),
  port: port ?? 0,
  domainName: domainName ?? '',
});

const nodeAddressOf = (row: NodeRow): Uint8Array => {
  const { shard, realm, num } = decodeEntityId(BigInt(row.account_id));
  return NodeAddress.encode({
    ipAddress: NO_BYTES,
    portno: 0,
    memo: Buffer.from(row.memo ?? '', 'utf8'),
    RSAPubKey: row.public_key ?? '',
    nodeId: BigInt(row.node_id),
    nodeAccountId: { shardNum: shard, realmNum: realm, account: { $case: 'accountNum', accountNum: num } },
    nodeCertHash: row.node_cert_hash ?? NO_BYTES,
    serviceEndpoint: (JSON.parse(row.endpoints) as readonly EndpointRow[]).map(endpointOf),
    description: row.description ?? '',
    stake: BigInt(row.stake),
  }).finish();
};

interface NodesFilter {
  readonly file: EntityId;
  /** 0: all. */
  readonly limit: number;
}

/** @throws CallFailure INVALID_ARGUMENT; KagamiError INVALID_ENTITY_ID */
const nodesFilterOf = (query: AddressBookQuery, { shard, realm }: GetNodesOptions): NodesFilter => {
  const { fileId, limit } = query;
  const file = fileId && encodeEntityId(fileId.shardNum, fileId.realmNum, fileId.fileNum);
  const faults: string[] = [];
  if (file === undefined) faults.push('getNodes.addressBookFilter.fileId: must not be null');
  if (limit < 0) faults.push('getNodes.addressBookFilter.limit: must be greater than or equal to 0');
  if (file === undefined || faults.length > 0) throw invalidArgument(faults.join(', '));
  if (!FILE_NUMBERS.some((number) => encodeEntityId(shard, realm, number) === file)) {
    throw invalidArgument('Not a valid address book file');
  }
  return { file, limit };
};

export const getNodes = (options: GetNodesOptions): StreamingMethod => ({
  service: 'com.hedera.mirror.api.proto.NetworkService',
  name: 'getNodes',
  async *serve(request, signal) {
    const { database, settings } = options;
    const { file, limit } = nodesFilterOf(decodeRequest(AddressBookQuery, request), options);
    const [book] = await database.query<{ start_consensus_timestamp: string }>(bookSql, [file], 'grpc-address-book');
    if (book === undefined) throw new CallFailure(GrpcStatus.NOT_FOUND, `${formatEntityId(file)} does not exist`);
    const { pageSize } = settings.addressbook;
    let left = limit === 0 ? Number.POSITIVE_INFINITY : limit;
    let from = 0n;
    while (left > 0 && !signal.aborted) {
      const size = Math.min(left, pageSize);
      const values = [book.start_consensus_timestamp, from, size];
      const rows = await database.query<NodeRow>(nodesSql, values, 'grpc-address-book-entries');
      if (rows.length > 0) yield framesOf(rows.map(nodeAddressOf));
      if (rows.length < size) return;
      left -= rows.length;
      from = BigInt(rows.at(-1)?.node_id ?? 0) + 1n;
    }
  },
});
