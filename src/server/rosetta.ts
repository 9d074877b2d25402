/** The Rosetta interface as part of the server: below `/rosetta` on the HTTP ports, and on a port of its own. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import fastify, { type FastifyInstance } from 'fastify';
import { ownPorts } from '../config/settings/own-ports.ts';
import type { RosettaServerSettings, RosettaSettings } from '../config/settings/rosetta.ts';
import type { ServerSettings } from '../config/settings/server.ts';
import type { Database } from '../database/connection.ts';
import { isKagamiError } from '../errors/kagami-error.ts';
import { createRosettaInterface, type RosettaInterfaceOptions } from '../rosetta/rosetta-interface.ts';
import { type Listeners, openListeners } from './listeners.ts';
import { pendingDatabase } from './pending-database.ts';

export interface RosettaOptions {
  /** Reads only; closed with the server. */
  readonly database: Database | Promise<Database>;
  /** `hiero.mirror.rosetta.*` */
  readonly settings: RosettaSettings;
  /** `kagami.rosetta.*` */
  readonly limits: RosettaServerSettings;
  /** Whether somebody chose the port; else it may be taken, and what is below `/rosetta` remains. */
  readonly isPortChosen: boolean;
}

interface Surroundings
  extends Pick<RosettaInterfaceOptions, 'shard' | 'realm' | 'clock' | 'registry' | 'log' | 'version'> {
  /** `kagami.server.*` */
  readonly server: ServerSettings;
  readonly onRefused: (client: string) => void;
}

export interface ServedRosetta {
  /**
   * Opens the port; undefined when it is not available and nobody chose it.
   * @throws KagamiError PORT_UNAVAILABLE
   */
  open(): Promise<number | undefined>;
  stop(): Promise<void>;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** An application without anything but these endpoints, health and metrics. */
const createOwnApplication = (): { readonly app: FastifyInstance; readonly handler: () => Handler } => {
  let handler: Handler = (_request, response) => response.destroy();
  const app = fastify({
    serverFactory: (handle) => {
      handler = handle;
      return createServer(handle);
    },
    routerOptions: { ignoreTrailingSlash: true },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (_request, reply, done) => {
    reply.header('access-control-allow-origin', '*');
    done();
  });
  app.options('/*', (request, reply) =>
    reply
      .code(204)
      .header('access-control-allow-methods', 'GET,POST')
      .header('access-control-allow-headers', request.headers['access-control-request-headers'] ?? '*')
      .send(),
  );
  app.setNotFoundHandler((_request, reply) => reply.code(404).send());
  return { app, handler: () => handler };
};

/** Registers what is below `/rosetta`; the port is opened by `open`. */
export const addRosetta = async (
  app: FastifyInstance,
  { database: access, settings, limits, isPortChosen }: RosettaOptions,
  surroundings: Surroundings,
): Promise<ServedRosetta> => {
  const { server, registry, log, onRefused } = surroundings;
  const database = access instanceof Promise ? pendingDatabase(access) : access;
  const served = createRosettaInterface({ database, settings, limits, ...surroundings });
  served.register(app, '/rosetta');

  const own = createOwnApplication();
  served.register(own.app, '');
  own.app.get('/health/liveness', (_request, reply) => reply.send({ status: 'OK' }));
  own.app.get('/health/readiness', async (_request, reply) => {
    const ready = await served.isReady().catch(() => false);
    return reply.code(ready ? 200 : 503).send({ status: ready ? 'OK' : 'Service Unavailable' });
  });
  own.app.get('/metrics', async (_request, reply) => reply.type(registry.contentType).send(await registry.metrics()));
  await own.app.ready();

  let listeners: Listeners | undefined;
  const open = async (): Promise<number | undefined> => {
    const { http, port } = settings;
    const { connections, host } = server;
    listeners = await openListeners((request, response) => own.handler()(request, response), {
      host,
      primaryPort: port,
      additionalPorts: [],
      limits: {
        bodyMs: http.readTimeout,
        headersMs: http.readHeaderTimeout,
        keepAliveMs: http.idleTimeout,
        most: connections.max,
        mostPerClient: connections.maxPerClient,
        requestMs: http.readTimeout,
        sendMs: http.writeTimeout,
      },
      portSetting: ownPorts.rosetta.setting,
      onRefused,
      onUnavailable: () => undefined,
    });
    return listeners.ports[0];
  };
  return {
    open: async () => {
      try {
        return await open();
      } catch (error) {
        if (isPortChosen || !isKagamiError(error, 'PORT_UNAVAILABLE')) throw error;
        const { message, details } = error;
        log.warn({ ...details, reason: message }, 'Rosetta is served below /rosetta only');
        return undefined;
      }
    },
    stop: async () => {
      await listeners?.close(settings.shutdownTimeout);
      await own.app.close();
      await database.close();
    },
  };
};
