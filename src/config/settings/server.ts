import { choice, integer, list, secret, text } from '../setting.ts';

/** `kagami.*` except `kagami.source` and `kagami.simulator`: the process itself. */
export const serverSettings = {
  dataPath: text(
    '.kagami',
    'Folder for everything that Kagami keeps: the embedded database, the simulated network, logs. Relative to the ' +
      'working directory.',
  ),
  roles: list(
    choice('rest', ['importer', 'rest'], 'Part of Kagami.'),
    ['importer', 'rest'],
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
    host: text('0.0.0.0', 'Address that the HTTP listeners bind.'),
    additionalPorts: list(
      integer(1, 'TCP port.', { min: 1, max: 65_535 }),
      [8084, 8545],
      'Ports beside `hiero.mirror.rest.port` that answer the same; some SDKs turn to these on localhost.',
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
