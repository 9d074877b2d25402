/**
 * `hiero.mirror.rest.*`: the REST interface. Names and defaults are those operators of mirror nodes already have in
 * their files; a few concern machinery that Kagami does not have, such as an outside response cache, and are taken
 * over so that such files keep loading.
 */
import {
  choice,
  decimal,
  duration,
  flag,
  integer,
  list,
  map,
  type SettingsOf,
  secret,
  text,
  withoutEffect,
} from '../setting.ts';

const outside = withoutEffect('there is no outside cache: answers are kept in this process until the next block');
const feeSchedule = withoutEffect('the fee schedule is read for every estimate');
const keptForms = withoutEffect('answers are kept in the codings that clients asked for');

export const restSettings = {
  cache: {
    entityId: {
      maxAge: integer(1800, 'Seconds for which a resolved alias or EVM address may be kept.', { min: 0 }),
      maxSize: integer(100_000, 'How many resolved aliases and EVM addresses are kept.', { min: 0 }),
    },
    feeSchedule: {
      maxAge: integer(3600, feeSchedule, { min: 0 }),
      maxSize: integer(100, feeSchedule, { min: 0 }),
    },
    response: {
      enabled: flag(true, 'Keep whole answers in memory until the next block commits.'),
      compress: flag(true, keptForms),
      compressThreshold: integer(150, keptForms, { min: 0 }),
      maxBytes: integer(64 * 1024 * 1024, 'Upper bound of the memory that kept answers take, in bytes.', { min: 0 }),
    },
    token: { maxSize: integer(100_000, 'How many tokens are kept for their decimals.', { min: 0 }) },
  },
  chainId: text(
    '',
    'Chain id of the network, in decimal or (after `0x`) hexadecimal digits: what contracts see, what is shown where a ' +
      'contract transaction carries none, what contracts are verified for. Empty: 295 for mainnet, 296 for testnet, 297 ' +
      'for previewnet, 298 for all others.',
  ),
  db: {
    host: text('127.0.0.1', 'Host of the database that the interface reads.'),
    name: text('mirror_node', 'Name of the database.'),
    password: secret('mirror_api_pass', 'Password of the database user.'),
    pool: {
      connectionTimeout: integer(20_000, 'Milliseconds to wait for a connection.', { min: 0 }),
      maxConnections: integer(10, 'Largest number of connections.', { min: 1 }),
      statementTimeout: integer(20_000, 'Milliseconds that one statement may take; a longer one gives 503.', {
        min: 0,
      }),
    },
    port: integer(5432, 'Port of the database.', { min: 1, max: 65_535 }),
    primaryHost: text('', withoutEffect('the interfaces only read, which replicas can do')),
    sslMode: choice(
      'DISABLE',
      ['ALLOW', 'DISABLE', 'PREFER', 'REQUIRE', 'VERIFY_CA', 'VERIFY_FULL'],
      'How the connection to the database is encrypted.',
    ),
    tls: {
      ca: text('', 'Path of the certificate authority file.'),
      cert: text('', 'Path of the client certificate.'),
      enabled: flag(false, 'Encrypt the connection to the database.'),
      key: text('', "Path of the client certificate's key."),
    },
    username: text('mirror_api', 'Database user; needs only to read.'),
  },
  log: {
    level: text('info', 'Least level that is logged.'),
    sampleRate: decimal(0.1, 'Share of the requests that is logged.'),
  },
  metrics: {
    enabled: flag(true, 'Measure requests and serve the metrics pages.'),
    config: {
      authentication: flag(false, 'Ask for a user name and password on the metrics page below `uriPath`.'),
      durationBuckets: list(
        integer(0, 'Milliseconds.'),
        [25, 100, 250, 500],
        'Upper bounds of the request duration histogram, in milliseconds.',
      ),
      password: secret('password', 'Password for the metrics page.'),
      requestSizeBuckets: list(
        integer(0, 'Bytes.'),
        [],
        'Upper bounds of the histogram of request sizes, in bytes; empty: there is none.',
      ),
      responseSizeBuckets: list(
        integer(0, 'Bytes.'),
        [100, 250, 500, 1000],
        'Upper bounds of the histogram of answer sizes, in bytes; empty: there is none.',
      ),
      username: text('metrics', 'User name for the metrics page.'),
      uriPath: text('/swagger', 'Path below which `/metrics` is served once more.'),
    },
  },
  network: text('TESTNET', 'Name of the network that the interface shows.'),
  openapi: {
    specFileName: text('openapi', 'File name, without ending, of the OpenAPI document below `swaggerUIPath`.'),
    swaggerUIPath: text('docs', 'Path below `/api/v1` of the documentation page.'),
    validation: { enabled: flag(false, withoutEffect('every endpoint checks its parameters by itself')) },
  },
  port: integer(5551, 'Primary port; every interface over HTTP answers on it.', { min: 0, max: 65_535 }),
  query: {
    bindTimestampRange: flag(
      false,
      'Limit list queries that name no timestamps to the newest `maxTransactionsTimestampRange`.',
    ),
    maxAccountBalanceConcurrency: integer(0, withoutEffect('balances of accounts come with one query'), { min: 0 }),
    maxFileAttempts: integer(
      12,
      'How many versions of a file are tried until one can be decoded; the lower of `rest` and `restJava` counts.',
      { min: 1 },
    ),
    maxRecordFileCloseInterval: duration(10_000, 'Longest time between two record files.'),
    maxRepeatedQueryParameters: integer(100, 'How often one query parameter may be repeated.', { min: 1 }),
    maxSearches: integer(
      0,
      'How many searches that take more than a moment run at once; 0: three tenths of the connections. Short requests ' +
        'always find a connection.',
      { min: 0 },
    ),
    maxSearchTime: duration(
      5_000,
      'Time after which a list answers with what it has found and a link to go on; at most half of the statement ' +
        'timeout counts.',
    ),
    maxScheduledTransactionConsensusTimestampRange: duration(
      89_285 * 60_000,
      'Longest time between the valid start of a scheduled transaction and its consensus.',
    ),
    maxTimestampRange: duration(7 * 86_400_000, 'Largest timestamp range of queries that need one.'),
    maxTransactionConsensusTimestampRange: duration(
      35 * 60_000,
      'Longest time between the valid start of a transaction and its consensus.',
    ),
    maxTransactionsTimestampRange: duration(
      60 * 86_400_000,
      'Largest timestamp range of transaction lists under `bindTimestampRange`.',
    ),
    maxValidStartTimestampDrift: duration(1000, 'How far consensus may lie before the valid start of a transaction.'),
    maxWaitingSearches: integer(
      50,
      'How many searches may wait for their turn; with one more, the newest of the client that has most of them gets 503 ' +
        'with `Retry-After`. None waits longer than `db.pool.connectionTimeout`.',
      { min: 0 },
    ),
    strictTimestampParam: choice(
      'true',
      ['true'],
      'Ambiguous combinations of timestamp parameters are always refused.',
    ),
    syntheticContractIdResults: flag(false, 'List results of synthetic contract transactions below their contract.'),
    syntheticContractResults: flag(true, 'List results of synthetic contract transactions.'),
    topicMessageLookup: flag(false, 'Find topic messages through `topic_message_lookup`.'),
    transactions: {
      precedingTransactionTypes: list(
        integer(0, 'Protobuf number of a transaction type.'),
        [11, 15],
        'Types of child transactions that may come before their parent.',
      ),
    },
  },
  redis: {
    commandTimeout: integer(10_000, outside, { min: 0 }),
    connectTimeout: integer(10_000, outside, { min: 0 }),
    enabled: flag(false, outside),
    maxBackoff: integer(128_000, outside, { min: 0 }),
    maxMemory: text('750Mb', outside),
    maxMemoryPolicy: text('allkeys-lfu', outside),
    maxRetriesPerRequest: integer(1, outside, { min: 0 }),
    sentinel: {
      enabled: flag(false, outside),
      host: text('127.0.0.1', outside),
      name: text('mirror', outside),
      password: secret('', outside),
      port: integer(26_379, outside, { min: 1, max: 65_535 }),
    },
    uri: secret('redis://127.0.0.1:6379', outside),
  },
  response: {
    briefContractResults: flag(
      false,
      'Show results in `/contracts/{id}/results` with the 15 members that other mirror nodes give, without block, ' +
        'signature and prices.',
    ),
    compression: flag(true, 'Compress answers for clients that accept it.'),
    enableDelegationAddress: flag(false, 'Show `delegation_address` of accounts and `authorization_list` of results.'),
    headers: {
      default: map(
        { 'cache-control': 'public, max-age=1' },
        'Headers of answers whose endpoint sets none of that name itself.',
      ),
      timeout: integer(60_000, 'Milliseconds within which the headers of a request must have arrived; 0: any time.', {
        min: 0,
      }),
    },
    includeHostInLink: flag(false, 'Begin the links of lists with scheme, host and port.'),
    keepAliveTimeout: integer(
      75_000,
      'Milliseconds for which an idle connection is kept open. More than the proxy in front keeps its own, if there is ' +
        'one: load balancers of Google Cloud want 620000.',
      { min: 0 },
    ),
    limit: {
      default: integer(25, 'Entries of a list when the request names no limit.', { min: 1 }),
      max: integer(100, 'Most entries of a list; larger limits are lowered to it.', { min: 1 }),
      tokenBalance: {
        multipleAccounts: integer(50, 'Most token balances per account in a list of accounts.', { min: 1 }),
        singleAccount: integer(1000, 'Most token balances of an account that is asked for alone.', { min: 1 }),
      },
    },
  },
  users: list(
    {
      username: text('', 'User name.'),
      password: secret('', 'Password.'),
      limit: integer(0, 'Most entries of a list for this user; 0: as for everyone.', { min: 0 }),
    },
    [],
    'Users (HTTP basic authentication) who get limits of their own. Requests without credentials stay allowed.',
  ),
  wait: {
    maxSeconds: integer(60, 'Longest time that a request may wait for a transaction (`wait`), in seconds.', { min: 1 }),
    maxWaiters: integer(1000, 'How many requests may wait at the same time; one more gets 503 with `Retry-After`.', {
      min: 0,
    }),
  },
};

export type RestSettings = SettingsOf<typeof restSettings>;
