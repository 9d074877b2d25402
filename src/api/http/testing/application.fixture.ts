/** The application behind given routes, without a listener, under given settings of `hiero.mirror.rest`. */
import { loadSettings } from '../../../config/load.ts';
import type { Database } from '../../../database/connection.ts';
import type { Route } from '../../route.ts';
import { type Application, createApplication } from '../application.ts';

export interface ApplicationFixture {
  readonly routes: readonly Route[];
  readonly db: Database;
  readonly rest?: object;
}

export const applicationOver = ({ routes, db, rest = {} }: ApplicationFixture): Application => {
  const { hiero } = loadSettings({
    cwd: '/',
    env: {},
    files: ['/test.yml'],
    readFile: (path) => (path === '/test.yml' ? JSON.stringify({ hiero: { mirror: { rest } } }) : undefined),
  }).settings;
  return createApplication({
    routes,
    db,
    settings: hiero.mirror.rest,
    javaSettings: hiero.mirror.restJava,
    shard: 0n,
    realm: 0n,
    clock: () => 1_700_000_000_000_000_000n,
    log: { error: () => undefined, debug: () => undefined },
  });
};

/** For routes that ask no database. */
export const noDatabase: Database = {
  query: () => Promise.reject(new Error('unused')),
  transaction: () => Promise.reject(new Error('unused')),
  cells: () => Promise.reject(new Error('unused')),
  copyOut: () => Promise.reject(new Error('unused')),
  withClient: () => Promise.reject(new Error('unused')),
  listen: () => Promise.reject(new Error('unused')),
  close: () => Promise.resolve(),
};
