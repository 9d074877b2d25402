/** The Rosetta interface over a database of its own, asked without a socket. */
import fastify, { type FastifyInstance } from 'fastify';
import { Registry } from 'prom-client';
import { loadSettings } from '../../config/load.ts';
import type { RosettaServerSettings, RosettaSettings } from '../../config/settings/rosetta.ts';
import type { Database } from '../../database/connection.ts';
import { createRosettaInterface, type RosettaInterface } from '../rosetta-interface.ts';

const { hiero, kagami } = loadSettings({ cwd: process.cwd(), env: {}, readFile: () => undefined }).settings;

export const network_identifier = { blockchain: 'Hedera', network: 'demo' };

export interface RosettaFixtureOptions {
  readonly settings?: Partial<RosettaSettings>;
  readonly limits?: Partial<RosettaServerSettings>;
  readonly clock?: () => bigint;
}

export interface RosettaFixture {
  readonly app: FastifyInstance;
  readonly interface: RosettaInterface;
  readonly registry: Registry;
  /** Errors that were logged. */
  readonly logged: readonly unknown[];
  /** Asks for the network of the fixture, unless the request names one. */
  ask(path: string, request?: object): Promise<{ readonly status: number; readonly body: never }>;
  stop(): Promise<void>;
}

export const openRosetta = async (
  database: Pick<Database, 'transaction'>,
  { settings, limits, clock = () => 1_700_000_000_000_000_000n }: RosettaFixtureOptions = {},
): Promise<RosettaFixture> => {
  const registry = new Registry();
  const logged: unknown[] = [];
  const served = createRosettaInterface({
    database,
    settings: { ...hiero.mirror.rosetta, ...settings },
    limits: { ...kagami.rosetta, ...limits },
    shard: 0n,
    realm: 0n,
    clock,
    version: '0.1.0',
    registry,
    log: { warn: (details) => logged.push(details) },
  });
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  served.register(app, '');
  return {
    app,
    interface: served,
    registry,
    logged,
    ask: async (path, request = {}) => {
      const payload = JSON.stringify({ network_identifier, ...request });
      const { statusCode, body } = await app.inject({
        method: 'POST',
        url: path,
        payload,
        headers: { 'content-type': 'application/json' },
      });
      return { status: statusCode, body: (body === '' ? undefined : JSON.parse(body)) as never };
    },
    stop: () => app.close(),
  };
};

export const hbar = (value: string) => ({
  value,
  currency: { symbol: 'HBAR', decimals: 8, metadata: { issuer: 'Hedera' } },
});
