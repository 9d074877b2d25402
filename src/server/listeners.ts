/** HTTP listeners: one handler on several ports, what their clients may take, and their orderly end. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createClientIdentity } from '../api/client-identity.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { type ClientPatience, endOverdue, watchAnswersBeingTaken, watchBodyArriving } from './client-patience.ts';
import { type ConnectionCaps, ConnectionTable } from './connection-table.ts';
import { handOverHttp2, type UndecidedConnections } from './http2-connections.ts';

/** Connections are bound by who made them; whom a proxy made them for shows only in their requests. */
const connectedClient = createClientIdentity([]);

/** Times in milliseconds. */
export interface ConnectionLimits extends ClientPatience, ConnectionCaps {
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number;
  /** From the begin of a request, or of the connection, to the end of the headers; 0: any time. */
  readonly headersMs: number;
  /** For a whole request, its body included; 0: any time. */
  readonly requestMs: number;
}

export interface ListenerOptions {
  readonly host: string;
  /** The port that must be had; 0 takes any free one. */
  readonly primaryPort: number;
  /** Ports that are nice to have. */
  readonly additionalPorts: readonly number[];
  readonly limits: ConnectionLimits;
  /** The setting that holds `primaryPort`; left out: `hiero.mirror.rest.port`. */
  readonly portSetting?: string;
  /** Tells of an additional port that could not be had. */
  readonly onUnavailable: (port: number, error: Error) => void;
  /** Tells that a client was refused a connection: it, or all together, have as many at work as they may. */
  readonly onRefused: (client: string) => void;
  /** Takes connections of clients that speak HTTP/2 from the first byte on; left out: they are refused. */
  readonly onHttp2?: (socket: Socket) => void;
}

export interface Listeners {
  /** Ports that are open, the primary first. */
  readonly ports: readonly number[];
  /** Takes no new connections, lets running requests end for at most `drainMs`, then cuts what is left. */
  close(drainMs: number): Promise<void>;
}

const open = (server: Server, host: string, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      resolve();
    });
  });

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

const idleSweepMs = 20;

const close = async (server: Server, drainMs: number): Promise<void> => {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  // A connection whose request ends during the drain becomes idle, and would stay until its keep-alive time.
  const sweep = setInterval(() => server.closeIdleConnections(), idleSweepMs);
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(sweep);
  clearTimeout(cut);
};

const refusal = 'HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n';

/** Node looks for what is overdue at intervals; a quarter of the shortest time is exact enough. */
const checkIntervalMs = ({ headersMs, requestMs }: ConnectionLimits): number =>
  Math.min(
    5_000,
    Math.max(10, Math.min(headersMs || Number.POSITIVE_INFINITY, requestMs || Number.POSITIVE_INFINITY) / 4),
  );

const PRIMARY_PORT = 'hiero.mirror.rest.port';

/** The setting that would have to be another one. */
const settingOf: Readonly<Record<string, string>> = {
  EADDRNOTAVAIL: 'kagami.server.host',
  ENOTFOUND: 'kagami.server.host',
  EAI_AGAIN: 'kagami.server.host',
};

const reasonOf: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program listens there',
  EACCES: 'this user may not open that port',
  EADDRNOTAVAIL: 'this machine has no such address',
  ENOTFOUND: 'there is no such host',
};

const unavailable = (host: string, port: number, cause: unknown, ofPort = PRIMARY_PORT): KagamiError => {
  const { code = '', message } = cause as NodeJS.ErrnoException;
  const setting = settingOf[code] ?? ofPort;
  const named = setting === ofPort && ofPort !== PRIMARY_PORT ? ` (${ofPort})` : '';
  const text = `Cannot listen on ${host} port ${port}${named}: ${reasonOf[code] ?? message}`;
  return new KagamiError('PORT_UNAVAILABLE', text, { details: { setting, host, port }, cause });
};

/**
 * Finds out whether a port can be opened, for those who have much to prepare before they open it.
 * @param setting that of the port, if it is not the primary one
 * @throws KagamiError PORT_UNAVAILABLE naming the setting
 */
export const checkPort = async (host: string, port: number, setting?: string): Promise<void> => {
  const server = createServer();
  try {
    await open(server, host, port);
  } catch (cause) {
    throw unavailable(host, port, cause, setting);
  }
  await new Promise<void>((resolve) => server.close(() => resolve()));
};

/** @throws KagamiError PORT_UNAVAILABLE when the primary port cannot be opened. */
export const openListeners = async (handler: RequestListener, options: ListenerOptions): Promise<Listeners> => {
  const servers: Server[] = [];
  const undecided: UndecidedConnections[] = [];
  const { limits, onHttp2 } = options;
  const table = new ConnectionTable(limits);
  const endWatch = watchAnswersBeingTaken(table, limits);
  const timedHandler: RequestListener = (request, response) => {
    const connection = table.get(request.socket);
    if (connection === undefined) {
      request.socket.destroy();
      return;
    }
    connection.response = response;
    watchBodyArriving(request, response, limits);
    handler(request, response);
  };
  const admit = (socket: Socket): void => {
    const client = connectedClient(socket.remoteAddress, undefined);
    if (table.admit(socket, client)) return;
    options.onRefused(client);
    socket.end(refusal, () => socket.destroy());
  };
  const add = async (port: number): Promise<void> => {
    const server = createServer(
      {
        keepAliveTimeout: limits.keepAliveMs,
        headersTimeout: limits.headersMs,
        // Node would read a request's time that is shorter than that of its headers the other way round.
        requestTimeout: limits.requestMs === 0 ? 0 : Math.max(limits.requestMs, limits.headersMs),
        connectionsCheckingInterval: checkIntervalMs(limits),
      },
      timedHandler,
    );
    endOverdue(server, table, limits);
    if (onHttp2 !== undefined) {
      const take = (socket: Socket): void => {
        table.release(socket);
        onHttp2(socket);
      };
      undecided.push(handOverHttp2(server, { take, firstBytesMs: limits.headersMs }));
    }
    server.prependListener('connection', admit);
    await open(server, options.host, port);
    servers.push(server);
  };
  try {
    await add(options.primaryPort);
  } catch (cause) {
    endWatch();
    throw unavailable(options.host, options.primaryPort, cause, options.portSetting);
  }
  for (const port of new Set(options.additionalPorts)) {
    if (port !== 0 && port === options.primaryPort) continue;
    try {
      await add(port);
    } catch (error) {
      options.onUnavailable(port, error as Error);
    }
  }
  return {
    ports: servers.map(portOf),
    close: async (drainMs) => {
      for (const connections of undecided) connections.cut();
      await Promise.all(servers.map((server) => close(server, drainMs)));
      endWatch();
    },
  };
};
