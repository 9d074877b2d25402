/**
 * `hiero.mirror.restJava.*`: settings of the endpoints that a second process serves in other mirror nodes
 * (`/network/*`, topics, airdrops, hooks, NFT allowances). Here the same process serves them.
 */
import { choice, duration, integer, list, map, type SettingsOf, secret, text } from '../setting.ts';

export const restJavaSettings = {
  db: {
    host: text('127.0.0.1', 'Host of the database; `rest.db` is what counts when both are served together.'),
    name: text('mirror_node', 'Name of the database.'),
    password: secret('mirror_rest_java_pass', 'Password of the database user.'),
    port: integer(5432, 'Port of the database.', { min: 1, max: 65_535 }),
    sslMode: choice(
      'DISABLE',
      ['ALLOW', 'DISABLE', 'PREFER', 'REQUIRE', 'VERIFY_CA', 'VERIFY_FULL'],
      'How the connection to the database is encrypted.',
    ),
    statementTimeout: duration(10_000, 'How long one statement may take; a longer one gives 503.'),
    username: text('mirror_rest_java', 'Database user; needs only to read.'),
  },
  fee: {
    refreshInterval: duration(10 * 60_000, 'Accepted, without effect: the fee schedule is read for every estimate.'),
  },
  network: {
    unreleasedSupplyAccounts: list(
      {
        from: integer(0, 'First account number.', { min: 0 }),
        to: integer(0, 'Last account number.', { min: 0 }),
      },
      [
        { from: 2, to: 2 },
        { from: 42, to: 42 },
        { from: 44, to: 71 },
        { from: 73, to: 87 },
        { from: 99, to: 100 },
        { from: 200, to: 349 },
        { from: 400, to: 750 },
      ],
      'Accounts, in the own shard and realm, whose balances are not part of the released supply.',
    ),
  },
  query: {
    maxFileAttempts: integer(
      12,
      'How many versions of a file are tried until one can be decoded; the lower of `rest` and `restJava` counts.',
      { min: 1 },
    ),
  },
  response: {
    headers: {
      default: map(
        { 'cache-control': 'public, max-age=1' },
        'Headers of answers whose endpoint sets none of that name itself.',
      ),
    },
  },
};

export type RestJavaSettings = SettingsOf<typeof restJavaSettings>;
