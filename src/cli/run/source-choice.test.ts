import { describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import type { BucketLocation } from '../../sources/source-location.ts';
import { parseBucketUrl } from './bucket-location.ts';
import { chooseSource, namedNetwork } from './source-choice.ts';

const network = 'hiero.mirror.importer.network';
const downloader = 'hiero.mirror.importer.downloader';
const folder = 'kagami.source.folder';
const kind = 'kagami.source.kind';

const load = (given: Readonly<Record<string, string>>) => {
  const overrides = Object.entries(given).map(([path, value]) => ({ path, value, origin: '--set' }));
  return loadSettings({ cwd: '/srv', env: {}, overrides, readFile: () => undefined });
};
const choose = (given: Readonly<Record<string, string>>) => chooseSource(load(given), '/srv');
const bucketOf = (given: Readonly<Record<string, string>>): BucketLocation => {
  const chosen = choose(given);
  if (chosen === undefined || chosen === 'simulator' || chosen.kind !== 'bucket') throw new Error('no bucket');
  return chosen;
};

describe('the source', () => {
  it('is the simulated network while nothing is configured', () => {
    expect(choose({})).toBe('simulator');
    expect(choose({ 'kagami.simulator.enabled': 'false' })).toBeUndefined();
    expect(namedNetwork(load({}))).toBeUndefined();
    expect(namedNetwork(load({ [network]: 'demo' }))).toBe('demo');
  });

  it('is not the simulated network where another one was named', () => {
    for (const name of ['other', 'integration', 'testnetlocal']) {
      expect(() => choose({ [network]: name })).toThrow(
        expect.objectContaining({
          code: 'CONFIG_INVALID',
          message: expect.stringContaining(`the network ${name} has no bucket`),
        }),
      );
      expect(choose({ [network]: name, 'kagami.simulator.enabled': 'true' })).toBe('simulator');
      expect(choose({ [network]: name, [folder]: 'streams' })).toEqual({ kind: 'folder', path: '/srv/streams' });
    }
    for (const slip of ['mainet', 'Tesnet', 'tesnet-2', 'previewnett', 'othr', 'dmeo']) {
      expect(() => choose({ [network]: slip, [folder]: 'streams' })).toThrow(
        /did you mean (mainnet|testnet|previewnet|other|demo)\?/,
      );
    }
  });

  it('is the simulated network for a database of the operator only if someone asked for that', () => {
    const external = { 'kagami.database.url': 'postgres://me@db.example:5433/mirror' };
    expect(() => choose(external)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringContaining('db.example:5433/mirror would be filled with the transactions of a simulated'),
      }),
    );
    expect(() => choose({ 'hiero.mirror.importer.db.host': 'db' })).toThrow('--simulate');
    expect(choose({ ...external, 'kagami.simulator.enabled': 'true' })).toBe('simulator');
    expect(choose({ ...external, [kind]: 'simulator' })).toBe('simulator');
    expect(choose({ ...external, 'kagami.simulator.enabled': 'false' })).toBeUndefined();
    expect(bucketOf({ ...external, [network]: 'testnet' }).network).toBe('testnet');
  });

  it('is the bucket of a public network that someone named', () => {
    expect(bucketOf({ [network]: 'mainnet' })).toMatchObject({ bucket: 'hedera-mainnet-streams', network: 'mainnet' });
    expect(bucketOf({ [network]: 'testnet-2' }).bucket).toBe('hedera-testnet-streams-2024-02');
    expect(bucketOf({ [network]: 'demo' }).bucket).toBe('hedera-demo-streams');
    expect(bucketOf({ [`${downloader}.bucketName`]: 'mine' }).bucket).toBe('mine');
    expect(bucketOf({ [kind]: 'bucket' }).bucket).toBe('hedera-demo-streams');
    expect(choose({ [network]: 'mainnet', [kind]: 'simulator' })).toBe('simulator');
  });

  it('is the folder of streams in the folder of data, if the first store is a local one', () => {
    const local = { [`${downloader}.cloudProvider`]: 'LOCAL' };
    const streams = { kind: 'folder', path: '/srv/data/streams' };
    expect(choose(local)).toEqual(streams);
    expect(choose({ ...local, [network]: 'mainnet', [kind]: 'bucket' })).toEqual(streams);
    expect(choose({ ...local, 'hiero.mirror.importer.dataPath': '/var/lib/mirror' })).toEqual({
      kind: 'folder',
      path: '/var/lib/mirror/streams',
    });
    expect(choose({ [`${downloader}.sources[0].type`]: 'LOCAL' })).toEqual(streams);
    expect(choose({ ...local, [kind]: 'simulator' })).toBe('simulator');
    expect(choose({ ...local, [folder]: 'other' })).toEqual({ kind: 'folder', path: '/srv/other' });
    expect(bucketOf({ ...local, [folder]: 's3://b' }).stores).toMatchObject([{ type: 'S3' }]);
  });

  it('is a folder or bucket that is named before any other', () => {
    expect(choose({ [folder]: 'streams', [network]: 'mainnet' })).toEqual({ kind: 'folder', path: '/srv/streams' });
    expect(choose({ [folder]: 'file:///mnt/x' })).toEqual({ kind: 'folder', path: '/mnt/x' });
    expect(bucketOf({ [folder]: 's3://b/a/c/' })).toMatchObject({
      bucket: 'b',
      prefix: 'a/c',
      stores: [{ type: 'S3' }],
    });
    expect(bucketOf({ [folder]: 'streams', [kind]: 'bucket', [network]: 'testnet' }).bucket).toContain('testnet');
    expect(() => choose({ [folder]: 'https://x/y' })).toThrow(expect.objectContaining({ code: 'SOURCE_UNSUPPORTED' }));
    expect(() => choose({ [kind]: 'folder' })).toThrow('kagami.source.folder is empty');
  });

  it('needs a bucket name where the network has none', () => {
    expect(() => choose({ [kind]: 'bucket', [network]: 'other' })).toThrow('the network other has no bucket');
  });
});

describe('the URL of a bucket', () => {
  it.each([
    ['s3://bucket', { type: 'S3', bucket: 'bucket', prefix: '' }],
    ['S3://bucket/', { type: 'S3', bucket: 'bucket', prefix: '' }],
    ['gs://my.bucket/a/b/', { type: 'GCP', bucket: 'my.bucket', prefix: 'a/b' }],
    ['https://bucket', undefined],
    ['bucket/a', undefined],
    ['s3://', undefined],
  ])('%s', (text, url) => {
    expect(parseBucketUrl(text)).toEqual(url);
  });
});

describe('the stores of a bucket', () => {
  const keys = { [`${downloader}.accessKey`]: 'id', [`${downloader}.secretKey`]: 'key' };
  const storesOf = (given: Readonly<Record<string, string>>) => bucketOf({ [network]: 'testnet', ...given }).stores;

  it('are as the short settings say', () => {
    expect(
      storesOf({ ...keys, [`${downloader}.endpointOverride`]: 'http://minio:9000', [`${downloader}.region`]: 'eu-1' }),
    ).toEqual([
      {
        type: 'S3',
        endpoint: 'http://minio:9000',
        region: 'eu-1',
        credentials: { accessKey: 'id', secretKey: 'key' },
        backoffMs: 60_000,
        connectionTimeoutMs: 5_000,
        maxConcurrency: 1_000,
      },
    ]);
  });

  it('are those of the list, after the short one if that has keys', () => {
    const list = {
      [`${downloader}.sources[0].type`]: 'GCP',
      [`${downloader}.sources[0].projectId`]: 'project',
      [`${downloader}.sources[0].backoff`]: '30s',
      [`${downloader}.sources[0].connectionTimeout`]: '10s',
      [`${downloader}.sources[0].maxConcurrency`]: '50',
      [`${downloader}.sources[0].credentials.accessKey`]: 'gid',
      [`${downloader}.sources[0].credentials.secretKey`]: 'gkey',
      [`${downloader}.sources[1].uri`]: 'https://store.example',
      [`${downloader}.sources[1].region`]: 'us-2',
    };
    const [google, other, ...rest] = storesOf(list);
    expect(google).toEqual({
      type: 'GCP',
      region: 'us-east-1',
      credentials: { accessKey: 'gid', secretKey: 'gkey' },
      projectId: 'project',
      backoffMs: 30_000,
      connectionTimeoutMs: 10_000,
      maxConcurrency: 50,
    });
    expect(other).toMatchObject({ type: 'S3', endpoint: 'https://store.example', credentials: 'default' });
    expect(rest).toEqual([]);
    expect(storesOf({ ...list, ...keys }).map(({ type }) => type)).toEqual(['S3', 'GCP', 'S3']);
    expect(storesOf({ ...list, ...keys, [folder]: 'gs://bucket' })).toEqual([google]);
    expect(storesOf({ ...keys, [folder]: 'gs://bucket' })).toMatchObject([
      { type: 'GCP', credentials: { accessKey: 'id' } },
    ]);
  });

  it('can be set by environment variables', () => {
    const { settings } = loadSettings({
      cwd: '/srv',
      env: {
        HIERO_MIRROR_IMPORTER_DOWNLOADER_SOURCES_0_CREDENTIALS_ACCESSKEY: 'id',
        HIERO_MIRROR_IMPORTER_DOWNLOADER_SOURCES_0_CREDENTIALS_SECRETKEY: 'key',
        HIERO_MIRROR_IMPORTER_DOWNLOADER_SOURCES_0_TYPE: 's3',
      },
      readFile: () => undefined,
    });
    expect(settings.hiero.mirror.importer.downloader.sources).toMatchObject([
      { type: 'S3', credentials: { accessKey: 'id', secretKey: 'key' }, backoff: 60_000 },
    ]);
  });

  it('are read without credentials where that is known to be allowed, or told', () => {
    const anonymous = `${downloader}.allowAnonymousAccess`;
    expect(storesOf({})).toMatchObject([{ credentials: 'default' }]);
    expect(storesOf({ [network]: 'demo' })).toMatchObject([{ credentials: 'anonymous' }]);
    expect(storesOf({ [network]: 'demo', [`${downloader}.bucketName`]: 'x' })).toMatchObject([
      { credentials: 'default' },
    ]);
    expect(storesOf({ [network]: 'demo', [anonymous]: 'false' })).toMatchObject([{ credentials: 'default' }]);
    expect(storesOf({ ...keys, [anonymous]: 'true' })).toMatchObject([{ credentials: 'anonymous' }]);
    expect(storesOf({ ...keys, [network]: 'demo' })).toMatchObject([{ credentials: { accessKey: 'id' } }]);
  });

  it.each([
    ['half a key pair', { [`${downloader}.accessKey`]: 'id' }, 'belong together'],
    ['Google without keys', { [`${downloader}.cloudProvider`]: 'GCP' }, 'HMAC key'],
    [
      'a local store after another',
      { [`${downloader}.sources[0].type`]: 'S3', [`${downloader}.sources[1].type`]: 'LOCAL' },
      'a store of type LOCAL comes first',
    ],
    ['no URL', { [`${downloader}.endpointOverride`]: 'minio' }, 'minio is not a URL'],
  ])('are refused for %s', (_, given, message) => {
    expect(() => storesOf(given)).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(message) }),
    );
  });
});
