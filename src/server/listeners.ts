/** HTTP listeners: one handler on several ports, and their orderly end. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KagamiError } from '../errors/kagami-error.ts';

export interface ListenerOptions {
  readonly host: string;
  /** The port that must be had; 0 takes any free one. */
  readonly primaryPort: number;
  /** Ports that are nice to have. */
  readonly additionalPorts: readonly number[];
  readonly keepAliveTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** Tells of an additional port that could not be had. */
  readonly onUnavailable: (port: number, error: Error) => void;
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

/** @throws KagamiError PORT_UNAVAILABLE when the primary port cannot be opened. */
export const openListeners = async (handler: RequestListener, options: ListenerOptions): Promise<Listeners> => {
  const servers: Server[] = [];
  const add = async (port: number): Promise<void> => {
    const server = createServer({ keepAliveTimeout: options.keepAliveTimeoutMs }, handler);
    server.headersTimeout = options.headersTimeoutMs;
    await open(server, options.host, port);
    servers.push(server);
  };
  try {
    await add(options.primaryPort);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new KagamiError('PORT_UNAVAILABLE', `Cannot listen on port ${options.primaryPort}: ${reason}`, {
      details: { setting: 'hiero.mirror.rest.port', host: options.host, port: options.primaryPort },
      cause,
    });
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
      await Promise.all(servers.map((server) => close(server, drainMs)));
    },
  };
};
