/** Which database the settings mean: one of the operator's, or the embedded one. Opens nothing. */
import type { LoadedSettings } from '../../config/load.ts';
import type { RootSettings } from '../../config/settings/root.ts';
import {
  connectionStringOf,
  type DatabaseAddresses,
  externalAddresses,
  type ReaderParts,
} from '../../database/connect-options.ts';

type Settled = Pick<LoadedSettings<RootSettings>, 'settings' | 'origins'>;

/**
 * Addresses of the operator's database; undefined stands for the embedded server. Parts of the interfaces' own settings
 * (`hiero.mirror.rest.db`) that nobody set follow the importer's: both mean the same server unless someone says otherwise.
 */
export const externalTarget = ({ settings, origins }: Settled): DatabaseAddresses | undefined => {
  const { importer, rest } = settings.hiero.mirror;
  const isSet = (part: string): boolean => origins.has(`hiero.mirror.rest.db.${part}`);
  const restDb: ReaderParts = {
    ...rest.db,
    host: isSet('host') ? rest.db.host : importer.db.host,
    port: isSet('port') ? rest.db.port : importer.db.port,
    name: isSet('name') ? rest.db.name : importer.db.name,
    sslMode: isSet('sslMode') || isSet('host') ? rest.db.sslMode : importer.db.sslMode,
  };
  const { url } = settings.kagami.database;
  const addresses = externalAddresses({ url, importerDb: importer.db, restDb });
  if (addresses !== undefined || settings.kagami.roles.includes('importer')) return addresses;
  if (!['host', 'name', 'username', 'password'].some(isSet)) return undefined;
  const reader = connectionStringOf(rest.db);
  return { owner: reader, writer: reader, reader, schema: importer.db.schema };
};

/** Host, port and name of an address, without who connects. */
export const placeOf = (address: string): string => {
  const { host, pathname } = new URL(address);
  return `${host}${decodeURIComponent(pathname)}`;
};
