/** From settings to connection strings: who connects where, as whom, and how encrypted. */
import pg from 'pg';
import type { ImporterDbSettings } from '../config/settings/db.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { databaseError } from './database-error.ts';

type SslMode = ImporterDbSettings['sslMode'];

export interface ConnectionParts {
  readonly host: string;
  readonly port: number;
  readonly name: string;
  readonly username: string;
  readonly password: string;
  readonly sslMode: SslMode;
  /** Paths; empty or absent: none. */
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** What the interfaces' settings (`hiero.mirror.rest.db.*`) have to say. */
export interface ReaderParts extends Omit<ConnectionParts, 'tls'> {
  readonly tls?: { readonly ca: string; readonly cert: string; readonly key: string; readonly enabled: boolean };
}

/** The connection strings of one database for its three uses; they may be equal. */
export interface DatabaseAddresses {
  /** Makes and migrates the schema. */
  readonly owner: string;
  /** Writes the ledger. */
  readonly writer: string;
  /** Only reads. */
  readonly reader: string;
  /** Schema of the ledger tables. */
  readonly schema: string;
}

/** `sslmode` as libpq spells and means it. */
const sslModes: Readonly<Record<SslMode, string>> = {
  ALLOW: 'prefer',
  DISABLE: 'disable',
  PREFER: 'prefer',
  REQUIRE: 'require',
  VERIFY_CA: 'verify-ca',
  VERIFY_FULL: 'verify-full',
};

/** A `postgresql://` URL of the parts. IPv6 addresses may come with or without brackets. */
export const connectionStringOf = (parts: ConnectionParts): string => {
  const host = parts.host.includes(':') && !parts.host.startsWith('[') ? `[${parts.host}]` : parts.host;
  const user = `${encodeURIComponent(parts.username)}:${encodeURIComponent(parts.password)}`;
  const url = new URL(`postgresql://${user}@${host}:${parts.port}/${encodeURIComponent(parts.name)}`);
  url.searchParams.set('sslmode', sslModes[parts.sslMode]);
  if (parts.tls?.ca) url.searchParams.set('sslrootcert', parts.tls.ca);
  if (parts.tls?.cert) url.searchParams.set('sslcert', parts.tls.cert);
  if (parts.tls?.key) url.searchParams.set('sslkey', parts.tls.key);
  return withLibpqMeaning(url.href);
};

/** The driver reads `sslmode=require` more strictly than PostgreSQL's own tools unless it is asked not to. */
const withLibpqMeaning = (connectionString: string): string => {
  const url = new URL(connectionString);
  const mode = url.searchParams.get('sslmode');
  if (mode === null || mode === 'disable' || url.searchParams.has('uselibpqcompat')) return connectionString;
  url.searchParams.set('uselibpqcompat', 'true');
  return url.href;
};

/** The same connection string without its password, for people's eyes. */
export const withoutPassword = (connectionString: string): string => {
  const url = new URL(connectionString);
  if (url.password !== '') url.password = '******';
  return url.href;
};

/** Default of `hiero.mirror.rest.db.host`. */
const defaultReaderHost = '127.0.0.1';

/** The message does not show the text, which may hold a password. */
const badUrl = (fault: string): KagamiError =>
  new KagamiError(
    'CONFIG_INVALID',
    `kagami.database.url (--database) is no postgres://user:password@host:port/name: ${fault}`,
    { details: { setting: 'kagami.database.url' } },
  );

const isEncoded = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

const checkedUrl = (url: string): string => {
  if (!URL.canParse(url)) throw badUrl('it is no URL; encode special characters of a password, / as %2F and @ as %40');
  const { protocol, hostname, username, password, pathname, searchParams } = new URL(url);
  if (!/^postgres(ql)?:$/.test(protocol)) throw badUrl(`it begins with ${protocol}`);
  if (hostname === '' && !searchParams.has('host')) throw badUrl('it names no host');
  if (![username, password, pathname].every(isEncoded)) throw badUrl('a % in it must be written as %25');
  return url;
};

const refuseInitSql = ({ connectionInitSql }: ImporterDbSettings): void => {
  if (connectionInitSql.trim() === '') return;
  throw new KagamiError('CONFIG_INVALID', 'hiero.mirror.importer.db.connectionInitSql must be empty: no SQL is run', {
    details: { setting: 'hiero.mirror.importer.db.connectionInitSql' },
  });
};

export interface AddressSettings {
  /** `kagami.database.url`; empty: not set. */
  readonly url: string;
  readonly importerDb: ImporterDbSettings;
  readonly restDb: ReaderParts;
}

/**
 * Addresses of the external database that the settings name; undefined when they name none, which means the embedded
 * server. A URL stands for one user who does everything.
 * @throws KagamiError CONFIG_INVALID
 */
export const externalAddresses = ({ url, importerDb, restDb }: AddressSettings): DatabaseAddresses | undefined => {
  const { schema } = importerDb;
  if (url !== '') {
    const address = withLibpqMeaning(checkedUrl(url));
    return { owner: address, writer: address, reader: address, schema };
  }
  if (importerDb.host === '') return undefined;
  refuseInitSql(importerDb);
  const { owner, ownerPassword } = importerDb;
  return {
    owner: connectionStringOf({ ...importerDb, username: owner, password: ownerPassword }),
    writer: connectionStringOf(importerDb),
    reader: connectionStringOf(readerParts(importerDb, restDb)),
    schema,
  };
};

/** The interfaces read where the importer writes, unless their own settings name another place (a replica). */
const readerParts = (importerDb: ImporterDbSettings, restDb: ReaderParts): ConnectionParts => {
  const { username, password } = restDb;
  if (restDb.host === '' || restDb.host === defaultReaderHost) return { ...importerDb, username, password };
  const sslMode = restDb.sslMode === 'DISABLE' && restDb.tls?.enabled ? 'REQUIRE' : restDb.sslMode;
  return { ...restDb, sslMode };
};

/**
 * Settles `sslmode=prefer`, which the driver does not know how to: encrypted when the server offers it, else plain.
 * Other connection strings pass unchanged.
 * @throws KagamiError those of a connection
 */
export const settlePreferredTls = async (connectionString: string): Promise<string> => {
  const url = new URL(connectionString);
  if (url.searchParams.get('sslmode') !== 'prefer') return connectionString;
  url.searchParams.set('sslmode', 'require');
  const client = new pg.Client({ connectionString: url.href, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return url.href;
  } catch (fault) {
    if (!/does not support SSL/i.test((fault as Error).message)) throw databaseError(fault);
    url.searchParams.set('sslmode', 'disable');
    url.searchParams.delete('uselibpqcompat');
    return url.href;
  } finally {
    await client.end().catch(() => undefined);
  }
};
