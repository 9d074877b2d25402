/**
 * `hiero.mirror.rosetta.*`: the Rosetta (Mesh) interface. Names and defaults are those operators of mirror nodes already
 * have in their files; a few concern machinery that Kagami does not have and are accepted so that such files keep loading.
 */
import { choice, duration, flag, integer, map, type SettingsOf, secret, text } from '../setting.ts';

const unused = 'Without effect: accepted so that existing files load.';
const oneDatabase = `${unused} The interface reads the database that all of Kagami reads.`;

export const rosettaSettings = {
  cache: {
    entity: {
      maxSize: integer(524_288, 'How many accounts are kept with the alias that they are shown by.', { min: 0 }),
    },
  },
  db: {
    host: text('127.0.0.1', oneDatabase),
    name: text('mirror_node', oneDatabase),
    password: secret('mirror_rosetta_pass', oneDatabase),
    pool: {
      maxIdleConnections: integer(20, unused, { min: 0 }),
      maxLifetime: integer(30, unused, { min: 0 }),
      maxOpenConnections: integer(
        100,
        'Largest number of database connections of this interface, if it is lower than ' +
          '`kagami.rosetta.maxDatabaseConnections`.',
        { min: 1 },
      ),
    },
    port: integer(5432, oneDatabase, { min: 0, max: 65_535 }),
    statementTimeout: integer(20, 'Seconds that one statement may take.', { min: 0 }),
    username: text('mirror_rosetta', oneDatabase),
  },
  feature: {
    subNetworkIdentifier: flag(false, 'Show and ask for the shard and realm as the sub network identifier.'),
  },
  http: {
    idleTimeout: duration(10_000, 'How long an idle connection is kept open.'),
    readHeaderTimeout: duration(3_000, 'Longest time in which the headers of a request arrive.'),
    readTimeout: duration(5_000, 'Longest time in which a request arrives, its body included.'),
    writeTimeout: duration(10_000, 'Longest pause in which a client takes nothing of the answer that it is sent.'),
  },
  log: {
    level: choice(
      'info',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'panic'],
      `${unused} See \`kagami.log\`.`,
    ),
  },
  network: text('demo', 'Name of the network in requests and answers; in lower case.'),
  nodes: map(
    {},
    'Nodes that transactions are submitted to: address (`host:port`) to account. In the environment a list of ' +
      '`host:port:account` with commas between them. Empty: those of the address book.',
  ),
  nodeRefreshInterval: duration(24 * 3_600_000, `${unused} The address book is read when it is needed.`),
  nodeVersion: text('0', 'Version of the network that `/network/options` shows.'),
  online: flag(
    true,
    'Serve the ledger and submit transactions; otherwise only what needs neither database nor nodes: networks and ' +
      'construction.',
  ),
  port: integer(5700, 'Port of the Rosetta interface.', { min: 0, max: 65_535 }),
  response: {
    maxTransactionsInBlock: integer(
      6_000,
      'Most transactions of a block in one answer; of further ones it has the hashes.',
      { min: 1, max: 6_000 },
    ),
  },
  shutdownTimeout: duration(10_000, 'How long requests may take to end when the process stops.'),
};

export type RosettaSettings = SettingsOf<typeof rosettaSettings>;

/** `kagami.rosetta.*`: what the reference leaves to the machines in front of it. */
export const rosettaServerSettings = {
  maxBodyBytes: integer(1_048_576, 'Longest request body, in bytes.', { min: 1_024 }),
  maxDatabaseConnections: integer(4, 'Largest number of database connections of this interface.', { min: 1 }),
  maxRequests: integer(256, 'Requests that may be at work at a time; one more gets 503.', { min: 1 }),
  submitTimeout: duration(10_000, 'How long a node may take to answer to a transaction.'),
};

export type RosettaServerSettings = SettingsOf<typeof rosettaServerSettings>;
