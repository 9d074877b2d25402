import { describe, expect, it } from 'vitest';
import type { ImporterDbSettings } from '../config/settings/db.ts';
import { connectionStringOf, externalAddresses, settlePreferredTls, withoutPassword } from './connect-options.ts';
import { openDatabase } from './connection.ts';
import { createTestDatabase } from './testing/test-database.fixture.ts';

const importerDb: ImporterDbSettings = {
  host: 'db.example',
  port: 5433,
  name: 'mirror_node',
  owner: 'owner',
  ownerPassword: 'o',
  username: 'importer',
  password: 'p@ss/w:rd %',
  restUsername: '',
  restPassword: '',
  schema: 'public',
  tempSchema: 'temporary',
  loadBalance: true,
  connectionInitSql: '',
  sslMode: 'DISABLE',
  tls: { ca: '', cert: '', key: '' },
  pool: { maxConnections: 4, connectionTimeout: 1_000 },
};
const restDb = {
  host: '127.0.0.1',
  port: 5432,
  name: 'mirror_node',
  username: 'api',
  password: 'a',
  sslMode: 'DISABLE' as const,
  tls: { ca: '', cert: '', key: '', enabled: false },
};

describe('connection strings', () => {
  it('escape names and passwords and keep them', () => {
    const text = connectionStringOf(importerDb);
    const url = new URL(text);
    expect(decodeURIComponent(url.password)).toBe('p@ss/w:rd %');
    expect([url.hostname, url.port, url.pathname, url.search]).toEqual([
      'db.example',
      '5433',
      '/mirror_node',
      '?sslmode=disable',
    ]);
    expect(withoutPassword(text)).not.toContain('rd');
  });

  it('bracket IPv6 addresses and name TLS files', () => {
    const text = connectionStringOf({
      ...importerDb,
      host: '::1',
      sslMode: 'VERIFY_CA',
      tls: { ca: '/ca.pem', cert: '', key: '' },
    });
    expect(text).toContain('@[::1]:5433/mirror_node?sslmode=verify-ca&sslrootcert=%2Fca.pem&uselibpqcompat=true');
  });
});

describe('external addresses', () => {
  it('are refused with SQL for new connections', () => {
    const written = { ...importerDb, connectionInitSql: 'set work_mem = 1' };
    expect(() => externalAddresses({ url: '', importerDb: written, restDb })).toThrow(
      'connectionInitSql must be empty',
    );
  });

  it('are none without a URL and a host', () => {
    expect(externalAddresses({ url: '', importerDb: { ...importerDb, host: '' }, restDb })).toBeUndefined();
  });

  it('come from the URL before all else', () => {
    const url = 'postgres://me:x@h:1/n';
    expect(externalAddresses({ url, importerDb, restDb })).toEqual({
      owner: url,
      writer: url,
      reader: url,
      schema: 'public',
    });
    expect(externalAddresses({ url: `${url}?sslmode=require`, importerDb, restDb })?.owner).toBe(
      `${url}?sslmode=require&uselibpqcompat=true`,
    );
    expect(() => externalAddresses({ url: 'localhost:5432', importerDb, restDb })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });

  it('let the interfaces read where the importer writes, or at a replica of their own', () => {
    const same = externalAddresses({ url: '', importerDb, restDb });
    expect(same?.owner).toBe('postgresql://owner:o@db.example:5433/mirror_node?sslmode=disable');
    expect(same?.reader).toBe('postgresql://api:a@db.example:5433/mirror_node?sslmode=disable');
    const replica = externalAddresses({
      url: '',
      importerDb,
      restDb: { ...restDb, host: 'replica', tls: { ...restDb.tls, enabled: true } },
    });
    expect(replica?.reader).toBe('postgresql://api:a@replica:5432/mirror_node?sslmode=require&uselibpqcompat=true');
  });
});

describe('a preferred encryption', () => {
  it('is given up when the server offers none', async () => {
    const test = await createTestDatabase();
    const preferred = `${test.connectionString}?sslmode=prefer&uselibpqcompat=true`;
    const settled = await settlePreferredTls(preferred);
    expect(new URL(settled).search).toBe('?sslmode=disable');
    const database = openDatabase({ connectionString: settled });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.close();
    expect(await settlePreferredTls(test.connectionString)).toBe(test.connectionString);
    await test.drop();
  });
});
