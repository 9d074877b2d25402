import { choice, decimal, duration, integer, list, secret, text } from '../setting.ts';

const storeTypes = ['S3', 'GCP', 'LOCAL'] as const;

/** `hiero.mirror.importer.downloader.*`: the bucket that record files are read from, and how. */
export const bucketSettings = {
  accessKey: secret('', 'Access key of the bucket; with `secretKey` this store comes before those of `sources`.'),
  secretKey: secret('', 'Secret key of the bucket.'),
  allowAnonymousAccess: choice(
    'auto',
    ['auto', 'true', 'false'],
    'Reads the bucket without credentials; `auto`: where the network is known to allow it (`demo`).',
  ),
  bucketName: text('', 'Bucket with the streams; empty: the one that the network is known for.'),
  cloudProvider: choice(
    'S3',
    storeTypes,
    'Kind of the store: `S3` and whatever speaks its protocol, `GCP`, or `LOCAL`: the folder `streams` in `dataPath`, ' +
      'laid out as a bucket or with such a layout for each day. Kagami deletes nothing there.',
  ),
  endpointOverride: text('', 'Address of the store, such as `http://minio:9000`; empty: the one of the provider.'),
  region: text('us-east-1', 'Region of the bucket.'),
  gcpProjectId: text('', 'Google Cloud project that pays for requests to a requester-pays bucket.'),
  batchSize: integer(25, 'Record files that are read and proven ahead of the one being imported.', {
    min: 1,
    max: 500,
  }),
  downloadRatio: decimal(
    1,
    'Part of the stake whose nodes are asked while following a bucket: with less than 1 each look asks another random ' +
      'choice of nodes, which saves requests. At least the consensus ratio.',
    { min: 0, max: 1 },
  ),
  maxConcurrency: integer(1_000, 'Most requests at a time.', { min: 1 }),
  maxSize: integer(52_428_800, 'Bytes of the largest file that is read.', { min: 2 }),
  pathType: choice(
    'ACCOUNT_ID',
    ['ACCOUNT_ID', 'NODE_ID', 'AUTO'],
    'Where a node has its files: `recordstreams/record<account>/`, `<network>/<shard>/<node id>/record/`, or, node by ' +
      'node, the second where the first has no more.',
  ),
  pathPrefix: text('', 'Folder in the bucket that holds those paths.'),
  pathRefreshInterval: duration(10_000, 'Pause between two looks for a node that moved to the second kind of path.'),
  timeout: duration(5_000, 'How long a request may take, with all its attempts. A node that takes longer is left out.'),
  sources: list(
    {
      backoff: duration(60_000, 'How long a store that failed is left alone while there is another one.'),
      connectionTimeout: duration(5_000, 'How long connecting may take.'),
      credentials: {
        accessKey: secret(
          '',
          'Access key; without one the usual places are looked through (environment, files, roles).',
        ),
        secretKey: secret('', 'Secret key.'),
      },
      maxConcurrency: integer(1_000, 'Most requests at a time.', { min: 1 }),
      projectId: text('', 'Google Cloud project that pays for the requests.'),
      region: text('us-east-1', 'Region of the bucket.'),
      type: choice('S3', storeTypes, 'Kind of the store. One of type `LOCAL` comes first and alone.'),
      uri: text('', 'Address of the store; empty: the one of the provider.'),
    },
    [],
    'Stores that have the bucket, asked in this order: the next one when one fails.',
  ),
};
