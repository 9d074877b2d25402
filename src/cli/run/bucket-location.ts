/** The bucket that the settings name, with the stores that have it. */
import type { SettingsOf } from '../../config/setting.ts';
import type { importerSettings } from '../../config/settings/importer.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { networkName, networkPreset } from '../../importer/networks/network-preset.ts';
import type { BucketLocation, ObjectStore } from '../../sources/source-location.ts';

type ImporterSettings = SettingsOf<typeof importerSettings>;
type DownloaderSettings = ImporterSettings['downloader'];
type StoreSettings = DownloaderSettings['sources'][number];

/** A bucket that was named by its URL, or that is known otherwise. */
export interface BucketUrl {
  /** Left out: any. */
  readonly type?: ObjectStore['type'];
  readonly bucket: string;
  readonly prefix: string;
  /** It is known to give its objects to anyone. */
  readonly anonymous?: boolean;
}

const SCHEMES: Readonly<Record<string, ObjectStore['type']>> = { s3: 'S3', gs: 'GCP' };

/** `s3://bucket/prefix` or `gs://bucket/prefix`; undefined for anything else. */
export const parseBucketUrl = (text: string): BucketUrl | undefined => {
  const match = /^([a-z0-9]+):\/\/([^/]+)\/*(.*?)\/*$/i.exec(text);
  const type = SCHEMES[match?.[1]?.toLowerCase() ?? ''];
  if (match === null || type === undefined) return undefined;
  return { type, bucket: match[2] ?? '', prefix: match[3] ?? '' };
};

/**
 * The bucket of `url`, else the one that is configured, else the one that the network is known for.
 * @throws KagamiError CONFIG_INVALID when there is none, or its stores are described badly.
 */
export const bucketLocation = (
  { downloader, network }: Pick<ImporterSettings, 'downloader' | 'network'>,
  shard: bigint,
  url?: BucketUrl,
): BucketLocation => {
  const preset = networkPreset(network);
  const bucket = url?.bucket ?? (downloader.bucketName || preset?.recordBucket);
  if (bucket === undefined) {
    throw invalid('bucketName', `the network ${network} has no bucket that is known: name one in bucketName`);
  }
  const known = url?.anonymous ?? (bucket === preset?.recordBucket && preset.anonymous);
  const anonymous = downloader.allowAnonymousAccess === 'auto' ? known : downloader.allowAnonymousAccess === 'true';
  const preferred = downloader.allowAnonymousAccess === 'true';
  return {
    kind: 'bucket',
    bucket,
    prefix: url?.prefix ?? downloader.pathPrefix.replace(/^\/+|\/+$/g, ''),
    network: networkName(network),
    shard,
    pathType: downloader.pathType,
    pathRefreshMs: downloader.pathRefreshInterval,
    timeoutMs: downloader.timeout,
    maxFileBytes: downloader.maxSize,
    downloadRatio: String(downloader.downloadRatio),
    stores: storesOf(downloader, url?.type).map((store) => objectStore(store, { anonymous, preferred })),
  };
};

/** Whether the store that comes first is a folder on this machine. */
export const isLocalStore = (downloader: DownloaderSettings): boolean =>
  storesOf(downloader, undefined)[0]?.type === 'LOCAL';

/** As configured, the one of the short settings first; of those only what the URL's scheme means. */
const storesOf = (downloader: DownloaderSettings, type: ObjectStore['type'] | undefined): readonly StoreSettings[] => {
  const { accessKey, secretKey, cloudProvider, endpointOverride, gcpProjectId, maxConcurrency, region } = downloader;
  const short: StoreSettings = {
    backoff: 60_000,
    connectionTimeout: 5_000,
    credentials: { accessKey, secretKey },
    maxConcurrency,
    projectId: gcpProjectId,
    region,
    type: cloudProvider,
    uri: endpointOverride,
  };
  const hasKeys = accessKey !== '' || secretKey !== '';
  const all = hasKeys || downloader.sources.length === 0 ? [short, ...downloader.sources] : downloader.sources;
  if (type === undefined) return all;
  const fitting = all.filter((store) => store.type === type);
  return fitting.length > 0 ? fitting : [{ ...short, type }];
};

const objectStore = (
  { type, uri, region, credentials, projectId, backoff, connectionTimeout, maxConcurrency }: StoreSettings,
  access: { readonly anonymous: boolean; readonly preferred: boolean },
): ObjectStore => {
  if (type === 'LOCAL') {
    throw invalid('sources', 'a store of type LOCAL comes first, in place of a bucket, not after other stores');
  }
  if (uri !== '' && !URL.canParse(uri)) throw invalid('endpointOverride', `${uri} is not a URL`);
  return {
    type,
    ...(uri === '' ? {} : { endpoint: uri }),
    region,
    credentials: credentialsOf(type, credentials, access),
    ...(projectId === '' ? {} : { projectId }),
    backoffMs: backoff,
    connectionTimeoutMs: connectionTimeout,
    maxConcurrency,
  };
};

const credentialsOf = (
  type: ObjectStore['type'],
  { accessKey, secretKey }: StoreSettings['credentials'],
  { anonymous, preferred }: { readonly anonymous: boolean; readonly preferred: boolean },
): ObjectStore['credentials'] => {
  if (preferred) return 'anonymous';
  if (accessKey !== '' && secretKey !== '') return { accessKey, secretKey };
  if (accessKey !== '' || secretKey !== '') throw invalid('accessKey', 'accessKey and secretKey belong together');
  if (anonymous) return 'anonymous';
  if (type === 'GCP') {
    throw invalid('accessKey', 'Google Cloud Storage needs the accessKey and secretKey of an HMAC key');
  }
  return 'default';
};

const invalid = (setting: string, message: string): KagamiError =>
  new KagamiError('CONFIG_INVALID', `hiero.mirror.importer.downloader: ${message}`, {
    details: { setting: `hiero.mirror.importer.downloader.${setting}` },
  });
