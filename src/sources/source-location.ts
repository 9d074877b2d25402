/** Where record streams lie, as plain data that can be sent between threads. */
export type SourceLocation = FolderLocation | BucketLocation;

export interface FolderLocation {
  readonly kind: 'folder';
  /** Absolute path. */
  readonly path: string;
}

export interface BucketLocation {
  readonly kind: 'bucket';
  readonly bucket: string;
  /** Folder in the bucket that holds the layouts, without `/` at its ends; may be empty. */
  readonly prefix: string;
  /** First part of paths by node id. */
  readonly network: string;
  readonly shard: bigint;
  /** AUTO: by account, until a node has no more files there but has some by node id. */
  readonly pathType: 'ACCOUNT_ID' | 'NODE_ID' | 'AUTO';
  /** Milliseconds between two looks for a node's files by node id. */
  readonly pathRefreshMs: number;
  /** Milliseconds that a request may take with all its attempts. */
  readonly timeoutMs: number;
  /** Bytes of the largest file that is read. */
  readonly maxFileBytes: number;
  /** Part of the weight whose nodes are asked while following, a ratio as `parseRatio` reads it. */
  readonly downloadRatio: string;
  /** Stores that have the bucket, the preferred one first. */
  readonly stores: readonly ObjectStore[];
}

export interface ObjectStore {
  readonly type: 'S3' | 'GCP';
  /** Address of the store; the provider's when absent. */
  readonly endpoint?: string;
  readonly region: string;
  /** `default`: from the environment, configuration files or the machine's role. */
  readonly credentials: 'anonymous' | 'default' | StaticCredentials;
  /** Google Cloud project that pays. */
  readonly projectId?: string;
  /** Milliseconds for which the store is left alone after a failure. */
  readonly backoffMs: number;
  readonly connectionTimeoutMs: number;
  readonly maxConcurrency: number;
}

export interface StaticCredentials {
  readonly accessKey: string;
  readonly secretKey: string;
}

/** For people: a path, or `s3://bucket/prefix`. */
export const describeLocation = (location: SourceLocation): string => {
  if (location.kind === 'folder') return location.path;
  const scheme = location.stores[0]?.type === 'GCP' ? 'gs' : 's3';
  return `${scheme}://${location.bucket}${location.prefix === '' ? '' : `/${location.prefix}`}`;
};
