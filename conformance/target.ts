/** The application under test: started in this process, with the settings and the clock of each case. */
import { loadSettings } from '../src/config/load.ts';
import type { RootSettings } from '../src/config/settings/root.ts';
import type { Database } from '../src/database/connection.ts';
import type { ServerLog } from '../src/server/server-log.ts';
import { type RunningServer, startServer } from '../src/server/start.ts';
import type { JsonObject } from './cases.ts';
import { writeExactJson } from './exact-json.ts';
import type { Realm } from './realm.ts';

/**
 * Settings that all cases were observed under, below `hiero.mirror.rest`; the brief results are what the mirror node that
 * they were recorded from shows.
 */
const baseConfig: JsonObject = {
  response: { briefContractResults: true, enableDelegationAddress: true },
  query: { maxRepeatedQueryParameters: 8 },
};

const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

const merged = (below: JsonObject, above: JsonObject): JsonObject => {
  const result: Record<string, unknown> = { ...below };
  for (const [key, value] of Object.entries(above)) {
    const present = result[key];
    result[key] = isObject(value) && isObject(present) ? merged(present, value) : value;
  }
  return result;
};

/** Cases name some durations in nanoseconds (`maxTimestampRangeNs`); the settings are durations as text. */
const withDurations = (config: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(config).map(([key, value]) => {
      if (isObject(value)) return [key, withDurations(value)];
      if (key.endsWith('Ns') && (typeof value === 'number' || typeof value === 'bigint')) {
        return [key.slice(0, -2), `${BigInt(value) / 1_000_000n}ms`];
      }
      return [key, value];
    }),
  );

const caseFile = '/case.yml';

/** What the reference shows unless it is told otherwise. */
const REFERENCE_CHAIN_ID = '0x128';

const settingsOf = (restConfig: JsonObject, { shard, realm }: Realm): RootSettings => {
  const tree = {
    hiero: { mirror: { rest: { chainId: REFERENCE_CHAIN_ID, ...restConfig, port: 0 }, common: { shard, realm } } },
  };
  const { settings, warnings } = loadSettings({
    cwd: '/',
    env: {},
    files: [caseFile],
    readFile: (path) => (path === caseFile ? writeExactJson(tree) : undefined),
  });
  if (warnings.length > 0) throw new Error(warnings.join(' '));
  return settings;
};

export interface Target {
  /** Makes the application answer under these settings and this clock (an ISO date; none: the system's). */
  prepare(
    caseConfig: JsonObject | undefined,
    requestConfig: JsonObject | undefined,
    now: string | undefined,
  ): Promise<void>;
  /** To be called when rows have changed. */
  onRowsChanged(): void;
  readonly port: number;
  stop(): Promise<void>;
}

export const createTarget = (database: Database, logger: ServerLog, home: Realm): Target => {
  let server: RunningServer | undefined;
  let current: string | undefined;
  let frozen: bigint | undefined;
  const clock = (): bigint => frozen ?? BigInt(Date.now()) * 1_000_000n;
  return {
    get port() {
      const port = server?.ports[0];
      if (port === undefined) throw new Error('the application is not running');
      return port;
    },
    prepare: async (caseConfig, requestConfig, now) => {
      frozen = now === undefined ? undefined : BigInt(Date.parse(now)) * 1_000_000n;
      const config = withDurations(merged(merged(baseConfig, caseConfig ?? {}), requestConfig ?? {}));
      const key = writeExactJson(config);
      if (key === current) return;
      await server?.stop(0);
      const { hiero, kagami } = settingsOf(config, home);
      server = await startServer({
        database,
        logger,
        clock,
        settings: {
          rest: hiero.mirror.rest,
          restJava: hiero.mirror.restJava,
          common: hiero.mirror.common,
          server: { ...kagami.server, additionalPorts: [] },
        },
      });
      current = key;
    },
    onRowsChanged: () => server?.onBlockCommitted(),
    stop: async () => {
      await server?.stop(0);
      server = undefined;
      current = undefined;
    },
  };
};
