/** `/network/*`: which network this is, what the interface can do, and how far it is. */
import type { Database, Queryable } from '../../database/connection.ts';
import { encodeEntityId, formatEntityId } from '../../ledger/entity-id.ts';
import type { BlockLookup } from '../blocks/block-lookup.ts';
import type { Endpoint } from '../endpoint.ts';
import { operationStatuses, operationTypes } from '../operation-names.ts';
import type { NetworkIdentifier } from '../request.ts';
import { rosettaError, rosettaErrors } from '../rosetta-error.ts';

/** Version of Mesh's types that clients of mirror nodes are told. */
const ROSETTA_VERSION = '1.7.2';

export interface NetworkEndpointOptions {
  readonly network: NetworkIdentifier;
  readonly nodeVersion: string;
  readonly middlewareVersion: string;
  readonly online: boolean;
  readonly database: Pick<Database, 'transaction'>;
  readonly blocks: BlockLookup;
  readonly shard: bigint;
  readonly realm: bigint;
}

interface Peer {
  readonly peer_id: string;
  readonly metadata: { readonly account_id: string; readonly endpoints: readonly string[] };
}

interface BookNodeRow {
  readonly node_id: string;
  readonly account_id: string;
  readonly certificate_hash: Buffer | null;
  readonly endpoints: string;
}

export interface BookNode {
  readonly id: string;
  /** `shard.realm.num` */
  readonly account: string;
  /** `host:port`, ordered. */
  readonly endpoints: readonly string[];
  /** SHA-384 of its certificate, hex digits. */
  readonly certificateHash: string | undefined;
}

const bookNodesSql = `with book as (
    select start_consensus_timestamp as at from address_book
    where file_id = (select max(file_id) filter (where file_id = $1) from address_book)
      or (file_id = $2 and not exists (select from address_book where file_id = $1))
    order by start_consensus_timestamp desc limit 1
  )
  select e.node_id, coalesce(n.account_id, e.node_account_id) as account_id,
    e.node_cert_hash as certificate_hash,
    (
      select coalesce(
        json_agg(coalesce(nullif(p.ip_address_v4, ''), p.domain_name) || ':' || p.port
          order by p.ip_address_v4, p.domain_name, p.port),
        '[]'::json
      )
      from address_book_service_endpoint p
      where p.consensus_timestamp = e.consensus_timestamp and p.node_id = e.node_id
    ) as endpoints
  from book join address_book_entry e on e.consensus_timestamp = book.at
  left join node n on n.node_id = e.node_id
  order by e.node_id`;

/** Numbers of the files that hold the address book: the one for clients, and the one with more about the nodes. */
const BOOK_FILE = 101n;
const DETAILS_FILE = 102n;

/** The nodes of the newest address book, as clients reach them: by number where the book has one, else by name. */
export const readBookNodes = async (
  database: Queryable,
  { shard, realm }: Pick<NetworkEndpointOptions, 'shard' | 'realm'>,
): Promise<readonly BookNode[]> => {
  const files = [BOOK_FILE, DETAILS_FILE].map((number) => encodeEntityId(shard, realm, number));
  const rows = await database.query<BookNodeRow>(bookNodesSql, files, 'rosetta-nodes');
  return rows.map((row) => ({
    id: row.node_id,
    account: formatEntityId(row.account_id),
    endpoints: JSON.parse(row.endpoints) as string[],
    certificateHash: row.certificate_hash?.toString('latin1') || undefined,
  }));
};

const peerOf = ({ id, account, endpoints }: BookNode): Peer => ({
  peer_id: id,
  metadata: { account_id: account, endpoints },
});

export const networkEndpoints = (options: NetworkEndpointOptions): readonly Endpoint[] => [
  {
    paths: ['/network/list'],
    anyNetwork: true,
    offline: true,
    serve: () => ({ network_identifiers: [options.network] }),
  },
  {
    paths: ['/network/options'],
    offline: true,
    serve: () => ({
      version: {
        rosetta_version: ROSETTA_VERSION,
        node_version: options.nodeVersion,
        middleware_version: options.middlewareVersion,
      },
      allow: {
        operation_statuses: operationStatuses,
        operation_types: operationTypes,
        errors: Object.values(rosettaErrors),
        historical_balance_lookup: true,
        call_methods: null,
        balance_exemptions: null,
        mempool_coins: false,
      },
    }),
  },
  {
    paths: ['/network/status'],
    offline: true,
    serve: () => {
      if (!options.online) throw rosettaError('endpointNotSupportedOffline');
      const { database, blocks } = options;
      return database.transaction(
        async (client) => {
          const genesis = await blocks.genesis(client);
          const current = await blocks.latest(client);
          return {
            current_block_identifier: current.identifier,
            current_block_timestamp: Number(current.start / 1_000_000n),
            genesis_block_identifier: genesis.identifier,
            peers: (await readBookNodes(client, options)).map(peerOf),
          };
        },
        { isolation: 'repeatable read', readOnly: true },
      );
    },
  },
];
