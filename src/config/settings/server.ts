import { choice, duration, integer, list, type SettingsOf, secret, text } from '../setting.ts';
import { roles } from './roles.ts';

/** `kagami.*` except `kagami.source` and `kagami.simulator`: the process itself. */
export const serverSettings = {
  dataPath: text(
    '.kagami',
    'Folder for everything that Kagami keeps: the embedded database, the simulated network, logs. Relative to the ' +
      'working directory.',
  ),
  roles: list(
    choice('rest', roles, 'Part of Kagami.'),
    roles,
    'What this process does. Several processes on one database can share the work.',
  ),
  database: {
    url: secret(
      '',
      'External PostgreSQL (15 to 18) as `postgres://user:password@host:port/name`, for one user who does everything. ' +
        'Empty: `hiero.mirror.importer.db` when its host is set, else the embedded server under `kagami.dataPath`.',
    ),
  },
  server: {
    host: text(
      '127.0.0.1',
      'Address that the HTTP listeners bind. `0.0.0.0` (or `::`, with IPv6) opens them to other machines, which containers ' +
        'need; there are no passwords in front of them.',
    ),
    additionalPorts: list(
      integer(1, 'TCP port.', { min: 1, max: 65_535 }),
      [8084, 8545],
      'Ports beside `hiero.mirror.rest.port` that answer the same; some SDKs turn to these on localhost.',
    ),
    connections: {
      bodyTimeout: duration(60_000, 'Longest pause between two pieces of the body of a request; 0: any.'),
      max: integer(
        2_048,
        'Most open connections. One more closes the oldest that waits for a request of the client with the most; where ' +
          'all are at work, it is refused.',
        { min: 1 },
      ),
      maxPerClient: integer(
        512,
        'Most open connections of one client (an IPv4 address, a /64 network of IPv6); 0: no limit of its own. A reverse ' +
          'proxy is one client: raise this where one stands in front.',
        { min: 0 },
      ),
      requestTimeout: duration(300_000, 'Longest time in which a request arrives, its body included; 0: any.'),
      sendTimeout: duration(
        60_000,
        'Longest pause in which a client takes nothing of the answer that it is sent; 0: any.',
      ),
    },
    restThreads: integer(
      0,
      'Threads that answer REST requests, that of the listeners included; 0: one less than there are processors, one at ' +
        'least. The connections of `hiero.mirror.rest.db.pool` are divided among them, four at least for each.',
      { min: 0, max: 64 },
    ),
    trustedProxies: list(
      text('', 'Address.'),
      [],
      'Addresses, networks (`10.0.0.0/8`) or `private` (all that are not public) whose `X-Forwarded-For` tells which ' +
        'client a request comes from. Clients share contract calls and verification fairly; behind a proxy that is not ' +
        'named here, all of them count as one.',
    ),
  },
  log: {
    level: choice(
      'info',
      ['trace', 'debug', 'info', 'warn', 'error', 'fatal'],
      'Least severe messages that are logged.',
    ),
    format: choice(
      'auto',
      ['auto', 'text', 'json'],
      'Lines for people or one JSON object per line; `auto` is text on a terminal and JSON elsewhere.',
    ),
  },
};

export type ServerSettings = SettingsOf<typeof serverSettings.server>;
