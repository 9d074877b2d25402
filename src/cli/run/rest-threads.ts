/** How many threads answer REST requests, and what each of them has of the connections and of the turns of searches. */
import { availableParallelism } from 'node:os';
import type { RestSettings } from '../../config/settings/rest.ts';
import type { DatabaseOptions } from '../../database/connection.ts';
import { sharedConnectionsOf } from '../../database/shared/shared-connections.ts';
import type { ReadySettings } from '../command-context.ts';
import { interfaceSessionSettings } from './interface-options.ts';
import type { DatabaseAccess } from './open-database.ts';

/** With less, long searches and short requests would be in each other's way. */
const fewestConnections = 4;

/** Threads that answer REST requests, that of the listeners included. */
export const restThreadCount = (wanted: number, processors: number = availableParallelism()): number =>
  wanted > 0 ? wanted : Math.max(1, processors - 1);

/** The settings of one of so many threads. */
export const settingsOfThread = (rest: RestSettings, threads: number): RestSettings => {
  if (threads === 1) return rest;
  const { query, db } = rest;
  const part = (all: number): number => Math.ceil(all / threads);
  const maxConnections = Math.max(fewestConnections, part(db.pool.maxConnections));
  return {
    ...rest,
    query: {
      ...query,
      maxSearches: part(query.maxSearches),
      maxWaitingSearches: part(query.maxWaitingSearches),
    },
    db: { ...db, pool: { ...db.pool, maxConnections } },
  };
};

/** The connections of one thread, which only read. */
export const restDatabaseOptions = (
  { pool }: RestSettings['db'],
  { addresses }: Pick<DatabaseAccess, 'addresses'>,
): DatabaseOptions => ({
  connectionString: addresses.reader,
  schema: addresses.schema,
  max: pool.maxConnections,
  shared: sharedConnectionsOf(pool.maxConnections),
  statementTimeoutMs: pool.statementTimeout,
  connectionTimeoutMs: pool.connectionTimeout,
  applicationName: 'kagami rest',
  readOnly: true,
  sessionSettings: interfaceSessionSettings,
});

export interface RestShare {
  /** Threads beside that of the listeners. */
  readonly others: number;
  readonly rest: RestSettings;
}

/** What each thread has, by the settings. */
export const restShare = ({ settings }: Pick<ReadySettings, 'settings'>): RestShare => {
  const { kagami, hiero } = settings;
  const threads = kagami.roles.includes('rest') ? restThreadCount(kagami.server.restThreads) : 1;
  return { others: threads - 1, rest: settingsOfThread(hiero.mirror.rest, threads) };
};
