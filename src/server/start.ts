/**
 * The HTTP server: listeners, health, metrics, documentation, start and stop.
 *
 * Owns the ports and what concerns the process as a whole. What a route answers is decided in `rest`, how answers
 * travel in `api/http`. Holds no database of its own: it serves the one it is given, also before that one is there.
 */
import { collectDefaultMetrics, Registry } from 'prom-client';
import { createClientIdentity } from '../api/client-identity.ts';
import { type AnsweredRequest, createApplication } from '../api/http/application.ts';
import type { Route } from '../api/route.ts';
import { type Chain, chainIdHex, chainOf } from '../config/chain.ts';
import { interfaceRoles } from '../config/settings/own-ports.ts';
import type { RestSettings } from '../config/settings/rest.ts';
import type { RestJavaSettings } from '../config/settings/restjava.ts';
import type { InterfaceRole } from '../config/settings/roles.ts';
import type { ServerSettings as ListenerSettings } from '../config/settings/server.ts';
import type { Web3Settings } from '../config/settings/web3.ts';
import type { Database, DatabaseOptions } from '../database/connection.ts';
import { type SimulationThreadsAccess, simulationRoutes } from './contract-simulation.ts';
import { registerDocumentation } from './documentation.ts';
import { addGrpc, type GrpcOptions } from './grpc.ts';
import { registerHealth } from './health.ts';
import type { ReadImportCondition } from './import-condition.ts';
import { registerLandingPage } from './landing-page.ts';
import { type ConnectionLimits, type Listeners, openListeners } from './listeners.ts';
import { createImportMetrics, type ImportMetrics } from './metrics/import-metrics.ts';
import { registerMetricsPages } from './metrics/metrics-pages.ts';
import { createRequestMetrics } from './metrics/request-metrics.ts';
import type { ReadNodeCondition } from './node-condition.ts';
import { type DocumentInfo, openApiYaml } from './openapi.ts';
import { pendingDatabase } from './pending-database.ts';
import { restRoutes } from './rest-routes.ts';
import { RestThreads } from './rest-threads/rest-threads.ts';
import { addRosetta, type RosettaOptions } from './rosetta.ts';
import { documentedVerification } from './routes.ts';
import type { ServerLog } from './server-log.ts';
import { addVerification, type VerificationOptions } from './verification.ts';

export interface ServerSettings {
  readonly rest: RestSettings;
  readonly restJava: RestJavaSettings;
  /** `hiero.mirror.web3.*`; needed only with `simulations`. */
  readonly web3?: Web3Settings;
  /** `hiero.mirror.common.*` */
  readonly common: { readonly shard: bigint; readonly realm: bigint };
  /** `kagami.server.*` */
  readonly server: ListenerSettings;
}

export interface ServerOptions {
  /** The database to serve, or the promise of it: until it is there, requests are answered 503. */
  readonly database: Database | Promise<Database>;
  readonly settings: ServerSettings;
  /** The chain that is served; left out: what the settings say, and of a network that they don't name, 298. */
  readonly chain?: Pick<Chain, 'chainId'>;
  readonly logger: ServerLog;
  /** Nanoseconds since the epoch; left out: the system's clock. */
  readonly clock?: () => bigint;
  /** Threads that simulate contract calls, or the promise of them; left out: there are no such routes. */
  readonly simulations?: SimulationThreadsAccess;
  /** Left out: contracts can't be verified. */
  readonly verification?: VerificationOptions;
  /** Whether blocks keep coming; left out: nothing is told of that. */
  readonly importCondition?: ReadImportCondition;
  /** Whether the simulated network takes transactions; left out: nothing is told of that. */
  readonly nodeCondition?: ReadNodeCondition;
  /** Left out: nothing is served over gRPC. */
  readonly grpc?: GrpcOptions | undefined;
  /** Left out: there is no Rosetta interface. */
  readonly rosetta?: RosettaOptions | undefined;
  /** Left out: every route there is. */
  readonly routes?: readonly Route[];
  /** Threads that answer REST requests beside this one, and how they reach the database; left out: none. */
  readonly restThreads?: { readonly count: number; readonly database: Promise<DatabaseOptions> };
  /** Version shown in the documentation. */
  readonly version?: string;
}

export interface RunningServer {
  /** Ports that are open, the primary first. */
  readonly ports: readonly number[];
  /** Ports of single interfaces that are open. */
  readonly interfacePorts: InterfacePorts;
  /** To be called after every commit of a block, so that answers made before it are forgotten. */
  onBlockCommitted(): void;
  /** Takes the importer's measurements. */
  readonly importMetrics: ImportMetrics;
  /** Registry behind the metrics pages, for further figures. */
  readonly registry: Registry;
  /** Lets running requests end (for at most `drainMs`, 5 seconds by default) and closes the ports. */
  stop(drainMs?: number): Promise<void>;
}

/** Undefined: the interface has no port of its own. */
export type InterfacePorts = { readonly [role in InterfaceRole]?: number | undefined };

/** An interface with a port of its own. */
interface ServedInterface {
  open(): Promise<number | undefined>;
  stop(): Promise<void>;
}

const defaultDrainMs = 5_000;

const systemClock = (): bigint => BigInt(Date.now()) * 1_000_000n;

/** While the database is being started, refusals are what everybody expects and no news. */
const accessLogger =
  (logger: ServerLog, sampleRate: number, starting: () => boolean) =>
  (request: AnsweredRequest): void => {
    if (starting()) return;
    if (request.status < 500 && Math.random() >= sampleRate) return;
    const { method, target, status, elapsedMs } = request;
    const details = { method, url: target, status, elapsedMs: Math.round(elapsedMs * 10) / 10 };
    if (status >= 500) logger.warn(details, 'request failed');
    else logger.debug(details, 'request');
  };

const connectionLimits = ({ rest, server: { connections } }: ServerSettings): ConnectionLimits => ({
  bodyMs: connections.bodyTimeout,
  headersMs: rest.response.headers.timeout,
  keepAliveMs: rest.response.keepAliveTimeout,
  most: connections.max,
  mostPerClient: connections.maxPerClient,
  requestMs: connections.requestTimeout,
  sendMs: connections.sendTimeout,
});

const REPEAT_AFTER_MS = 60_000;

/** What happens a thousand times a second is said once a minute. */
const occasionally = <T>(say: (subject: T) => void): ((subject: T) => void) => {
  let said = Number.NEGATIVE_INFINITY;
  return (subject) => {
    const now = performance.now();
    if (now - said < REPEAT_AFTER_MS) return;
    said = now;
    say(subject);
  };
};

/**
 * Opens the primary port and as many of the additional ones as are free (the others are logged), and serves.
 * @throws KagamiError PORT_UNAVAILABLE naming the setting when the primary port is taken, CONFIG_INVALID for settings that
 * can't be followed.
 */
export const startServer = async (options: ServerOptions): Promise<RunningServer> => {
  const { settings, logger } = options;
  const { restJava, common, web3 } = settings;
  const chain = options.chain ?? chainOf(web3?.evm.network ?? 'OTHER', settings.rest);
  const rest = { ...settings.rest, chainId: chainIdHex(chain) };
  const database = options.database instanceof Promise ? pendingDatabase(options.database) : options.database;
  const info: DocumentInfo = { title: 'Kagami REST API', version: options.version ?? '0.0.0' };

  const identify = createClientIdentity(settings.server.trustedProxies);
  const registry = new Registry();
  const requestMetrics = createRequestMetrics(registry, rest.metrics.config);
  const importMetrics = createImportMetrics(registry, options.importCondition);
  const simulated =
    options.simulations === undefined || settings.web3 === undefined
      ? []
      : simulationRoutes(options.simulations, settings.web3, registry, logger);
  const routes = [...(options.routes ?? restRoutes), ...simulated];
  let starting = options.database instanceof Promise;
  const started = (): void => {
    starting = false;
  };
  if (options.database instanceof Promise) options.database.then(started, started);
  const logAccess = accessLogger(logger, rest.log.sampleRate, () => starting);

  const threads =
    options.restThreads === undefined || options.routes !== undefined || options.restThreads.count === 0
      ? undefined
      : new RestThreads({
          count: options.restThreads.count,
          data: options.restThreads.database.then((ofThread) => ({ database: ofThread, rest, restJava, ...common })),
          routes: restRoutes,
          registry,
          log: logger,
        });
  const application = createApplication({
    routes,
    ...(threads === undefined ? {} : { threads }),
    db: database,
    settings: rest,
    javaSettings: restJava,
    shard: common.shard,
    realm: common.realm,
    clock: options.clock ?? systemClock,
    identify,
    log: logger,
    onAnswered: (request) => {
      if (rest.metrics.enabled) requestMetrics.answered(request);
      logAccess(request);
    },
  });
  const app = application.fastify;
  registerHealth(app, database, options);
  if (rest.metrics.enabled) {
    collectDefaultMetrics({ register: registry });
    registerMetricsPages(app, registry, rest.metrics.config);
  }
  const endVerification = options.verification && (await addVerification(app, options.verification, identify, logger));
  const documentUrl = await registerDocumentation(app, rest.openapi, info.title, () =>
    openApiYaml(routes, info, options.verification && documentedVerification),
  );
  registerLandingPage(app, documentUrl);
  const clock = options.clock ?? systemClock;
  const grpc =
    options.grpc && addGrpc(app, options.grpc, { host: settings.server.host, ...common, clock, registry, log: logger });
  const onRefused = occasionally((client: string) =>
    logger.warn({ client, setting: 'kagami.server.connections' }, 'refused a connection: too many are open'),
  );
  const rosetta =
    options.rosetta &&
    (await addRosetta(app, options.rosetta, {
      server: settings.server,
      ...common,
      clock,
      registry,
      log: logger,
      version: info.version,
      onRefused,
    }));
  await app.ready();
  const interfaces: Readonly<Record<InterfaceRole, ServedInterface | undefined>> = { grpc, rosetta };
  const stopInterfaces = async (): Promise<void> => {
    await Promise.all(interfaceRoles.map((role) => interfaces[role]?.stop()));
  };
  const close = async (): Promise<void> => {
    await stopInterfaces();
    await app.close();
    await endVerification?.();
    await threads?.stop();
  };

  let listeners: Listeners;
  try {
    listeners = await openListeners(application.listener, {
      host: settings.server.host,
      primaryPort: rest.port,
      additionalPorts: settings.server.additionalPorts,
      limits: connectionLimits(settings),
      onRefused,
      ...(grpc !== undefined && options.grpc?.limits.onHttpPorts === true ? { onHttp2: grpc.take } : {}),
      onUnavailable: (port, error) =>
        logger.warn({ port, setting: 'kagami.server.additionalPorts', reason: error.message }, 'port is not available'),
    });
  } catch (error) {
    await close();
    throw error;
  }
  const interfacePorts: { [role in InterfaceRole]?: number | undefined } = {};
  try {
    for (const role of interfaceRoles) interfacePorts[role] = await interfaces[role]?.open();
  } catch (error) {
    await listeners.close(0);
    await close();
    throw error;
  }
  let stopping: Promise<void> | undefined;
  return {
    ports: listeners.ports,
    interfacePorts,
    onBlockCommitted: () => {
      application.onBlockCommitted();
      grpc?.onBlockCommitted();
    },
    importMetrics,
    registry,
    stop: (drainMs = defaultDrainMs) => {
      application.endWaits();
      // Subscriptions would last for as long as connections may drain.
      stopping ??= Promise.all([stopInterfaces(), listeners.close(drainMs)]).then(close);
      return stopping;
    },
  };
};
