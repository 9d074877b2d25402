/**
 * `hiero.mirror.importer.db.*`: the PostgreSQL that the importer writes to. Names are those operators of mirror nodes
 * already have; the defaults too, except the host, which is empty: Kagami then uses its embedded server.
 */
import { choice, duration, flag, integer, type SettingsOf, secret, text, withoutEffect } from '../setting.ts';

const restUser = withoutEffect('the user of the interfaces is `rest.db.username`');

export const importerDbSettings = {
  host: text(
    '',
    'Host of an external PostgreSQL (15 to 18). Empty: `kagami.database.url`, or else the embedded server under ' +
      '`kagami.dataPath`.',
  ),
  port: integer(5432, 'Port of the database.', { min: 1, max: 65_535 }),
  name: text('mirror_node', 'Name of the database; it must exist.'),
  owner: text('mirror_node', 'User that makes and owns the schema.'),
  ownerPassword: secret('mirror_node_pass', 'Password of the owner.'),
  username: text(
    'mirror_importer',
    'User that writes the ledger; made by the owner when missing, and given its rights.',
  ),
  password: secret('mirror_importer_pass', 'Password of the user that writes.'),
  restUsername: text('mirror_rest', restUser),
  restPassword: secret('mirror_rest_pass', restUser),
  schema: text('public', 'Schema of the ledger tables.'),
  tempSchema: text('temporary', withoutEffect('temporary tables are in the schema that PostgreSQL has for them')),
  loadBalance: flag(true, withoutEffect('there is one host, and nothing to balance')),
  connectionInitSql: text(
    '',
    'Must be empty: no SQL is run for new connections. Give the users what they need with `alter role ... set ...`.',
  ),
  sslMode: choice(
    'DISABLE',
    ['ALLOW', 'DISABLE', 'PREFER', 'REQUIRE', 'VERIFY_CA', 'VERIFY_FULL'],
    'How the connection is encrypted, with the meanings that PostgreSQL gives to `sslmode`.',
  ),
  tls: {
    ca: text('', 'Path of the certificate authority file.'),
    cert: text('', 'Path of the client certificate.'),
    key: text('', "Path of the client certificate's key."),
  },
  pool: {
    maxConnections: integer(4, 'Largest number of connections that the importer opens.', { min: 2 }),
    connectionTimeout: duration(10_000, 'How long to wait for a connection.'),
  },
};

export type ImporterDbSettings = SettingsOf<typeof importerDbSettings>;
