/**
 * `hiero.mirror.restJava.*`: settings of the endpoints that a second process serves in other mirror nodes
 * (`/network/*`, topics, airdrops, hooks, NFT allowances). Here the same process serves them.
 */
import { choice, duration, integer, list, map, type SettingsOf, secret, text, withoutEffect } from '../setting.ts';

const db = withoutEffect('one process reads one database, see `rest.db`');

export const restJavaSettings = {
  db: {
    host: text('127.0.0.1', db),
    name: text('mirror_node', db),
    password: secret('mirror_rest_java_pass', db),
    port: integer(5432, db, { min: 1, max: 65_535 }),
    sslMode: choice('DISABLE', ['ALLOW', 'DISABLE', 'PREFER', 'REQUIRE', 'VERIFY_CA', 'VERIFY_FULL'], db),
    statementTimeout: duration(10_000, 'How long one statement may take; a longer one gives 503.'),
    username: text('mirror_rest_java', db),
  },
  fee: {
    refreshInterval: duration(10 * 60_000, withoutEffect('the fee schedule is read for every estimate')),
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
