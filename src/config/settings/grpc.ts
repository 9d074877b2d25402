/**
 * `hiero.mirror.grpc.*`: topic subscriptions and the address book over gRPC. Names and defaults are those operators of
 * mirror nodes already have in their files. Settings of caches, pages and pauses that this design does without are
 * accepted so that such files keep loading.
 */
import { choice, decimal, duration, flag, integer, type SettingsOf, text, withoutEffect } from '../setting.ts';

const noPauses = withoutEffect('pages follow each other as fast as the client reads');
const noCache = withoutEffect('it is read again for each request, which takes a millisecond');

export const grpcSettings = {
  addressbook: {
    cacheExpiry: duration(2_000, noCache),
    cacheSize: integer(50, noCache, { min: 0 }),
    nodeStakeCacheExpiry: duration(24 * 3_600_000, noCache),
    nodeStakeCacheSize: integer(5, noCache, { min: 0 }),
    pageDelay: duration(250, noPauses),
    pageSize: integer(10, 'Nodes that are read at a time.', { min: 1, max: 1_000 }),
  },
  checkTopicExists: flag(true, 'Refuse subscriptions of topics that are not there yet; otherwise wait for messages.'),
  endTimeInterval: duration(
    30_000,
    'How long after its end time a subscription waits for blocks that could still hold a message before that time.',
  ),
  entityCacheSize: integer(50_000, noCache, { min: 0 }),
  listener: {
    enabled: flag(true, 'Send new messages as they come; otherwise a subscription ends with its history.'),
    interval: duration(
      500,
      'Pause between two looks for new blocks, beside the announcement that the importer makes with each of them.',
    ),
    maxBufferSize: integer(
      16_384,
      'Newest messages that are kept in memory for all subscribers together; one who is further behind reads the ' +
        'database again.',
      { min: 1 },
    ),
    maxPageSize: integer(5_000, 'New messages that are read at a time.', { min: 1, max: 10_000 }),
    prefetch: integer(48, withoutEffect('a client gets what it has room for'), { min: 1 }),
    type: choice(
      'REDIS',
      ['NOTIFY', 'POLL', 'REDIS', 'SHARED_POLL'],
      withoutEffect('new messages are read once for all subscribers when a block commits'),
    ),
  },
  netty: {
    maxConcurrentCallsPerConnection: integer(5, 'Calls at a time on one connection; further ones wait in the client.', {
      min: 1,
    }),
  },
  port: integer(5600, 'Port of the gRPC interface.', { min: 0, max: 65_535 }),
  retriever: {
    enabled: flag(true, 'Send past messages; otherwise a subscription begins with the next message.'),
    maxPageSize: integer(1_000, 'Past messages that are read at a time.', { min: 32, max: 10_000 }),
    pollingFrequency: duration(2_000, noPauses),
    timeout: duration(60_000, 'How long the database may fail before subscriptions end with an error.'),
    unthrottled: {
      maxPageSize: integer(5_000, noPauses, { min: 1 }),
      maxPolls: integer(12, noPauses, { min: 1 }),
      pollingFrequency: duration(20, noPauses),
    },
  },
};

export type GrpcSettings = SettingsOf<typeof grpcSettings>;

/** `kagami.grpc.*`: what the reference leaves to the machines in front of it. */
export const grpcServerSettings = {
  onHttpPorts: flag(
    true,
    'Serve gRPC also on the HTTP ports, to clients that speak HTTP/2 from the first byte on (plain text).',
  ),
  maxConnections: integer(4_096, 'Most connections of gRPC clients; further ones are closed at once.', { min: 1 }),
  maxConnectionsPerClient: integer(
    1_024,
    'Most connections of one client address, so that others find room; 0: as many as all may have.',
    { min: 0 },
  ),
  firstBytesTimeout: duration(10_000, 'How long a client may take for its first bytes.'),
  maxSubscriptions: integer(
    20_000,
    'Most topic subscriptions at a time, those of gRPC-Web included; one more gets RESOURCE_EXHAUSTED.',
    { min: 1 },
  ),
  statementTimeout: duration(10_000, 'Longest time of one database statement of this interface.'),
  maxDatabaseConnections: integer(4, 'Largest number of database connections of this interface.', { min: 1 }),
  keepaliveTime: duration(300_000, 'Pause between two pings that find connections whose client is gone.'),
  keepaliveTimeout: duration(20_000, 'How long the answer to such a ping may take.'),
  permittedKeepaliveTime: duration(
    90_000,
    'Least pause between two pings of a client that gets nothing meanwhile; one that pings more often is cut ' +
      '(`too_many_pings`).',
  ),
  maxConnectionIdle: duration(600_000, 'How long a connection without calls stays open.'),
  shutdownTimeout: duration(5_000, 'How long calls may take to end when the process stops.'),
  liveBufferBytes: decimal(
    16_777_216,
    'Bytes that the messages kept in memory (`hiero.mirror.grpc.listener.maxBufferSize`) may take together.',
    { min: 1 },
  ),
  tls: {
    cert: text('', 'Path of the certificate chain (PEM); with `key` the gRPC port speaks TLS.'),
    key: text('', 'Path of the private key (PEM).'),
  },
};

export type GrpcServerSettings = SettingsOf<typeof grpcServerSettings>;
