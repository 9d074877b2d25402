/** Versions of the address book (files 0.0.101 and 0.0.102). */
import { bytea, entityId, int4, int8, nanosTimestamp, nullable, table, varchar, withDefault } from '../column.ts';

export const addressBook = table(
  'address_book',
  {
    start_consensus_timestamp: nanosTimestamp,
    end_consensus_timestamp: nullable(nanosTimestamp),
    file_id: entityId,
    node_count: nullable(int4),
    file_data: bytea,
  },
  ['start_consensus_timestamp'],
);

export const addressBookEntry = table(
  'address_book_entry',
  {
    consensus_timestamp: nanosTimestamp,
    memo: nullable(varchar(128)),
    public_key: nullable(varchar(1024)),
    node_id: int8,
    node_account_id: entityId,
    node_cert_hash: nullable(bytea),
    description: nullable(varchar(100)),
    stake: nullable(int8),
  },
  ['consensus_timestamp', 'node_id'],
);

export const addressBookServiceEndpoint = table('address_book_service_endpoint', {
  consensus_timestamp: int8,
  ip_address_v4: withDefault(varchar(15), "''::character varying"),
  node_id: int8,
  port: int4,
  domain_name: withDefault(varchar(253), "''::character varying"),
});
