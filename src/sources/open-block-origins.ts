import type { SettingsOf } from '../config/setting.ts';
import type { blockSettings } from '../config/settings/block.ts';
import { BlockBucket } from './block-files/block-bucket.ts';
import { BlockFiles } from './block-files/block-files.ts';
import { BlockFolder } from './block-files/block-folder.ts';
import type { BlockNodeAddress } from './block-node/block-node-address.ts';
import { BlockNodes } from './block-node/block-nodes.ts';
import { type BlockOrigin, FileOrigin, NodeOrigin } from './block-origin.ts';
import type { BlockStreamLocation } from './block-stream-location.ts';

export interface OpenOriginsOptions {
  readonly settings: SettingsOf<typeof blockSettings>;
  /** Milliseconds that a node may be silent, and a request to a bucket may take. */
  readonly timeoutMs: number;
  /** Files of a bucket that are read at once. */
  readonly batchSize: number;
  /** Nodes that the ledger has registered, beside those of the location. */
  readonly registered?: (configured: readonly BlockNodeAddress[]) => Promise<readonly BlockNodeAddress[]>;
}

/** Bytes of blocks that wait to be proven. */
const READ_AHEAD_BYTES = 24 * 1024 * 1024;
/** A folder is read faster than blocks are proven. */
const FOLDER_READ_AHEAD = 4;
/** Looks into buckets cost money. */
const BUCKET_MAX_POLL_MS = 1_000;
const HOLE_PATIENCE_MS = 10_000;
/** How much longer than its silence a block may take from its beginning to its end. */
const BLOCK_TIMEOUT_FACTOR = 6;

/** Opens what a location names, the preferred first. */
export const openBlockOrigins = (
  location: BlockStreamLocation,
  options: OpenOriginsOptions,
): readonly BlockOrigin[] => {
  const { sourceType, files } = location;
  const origins: BlockOrigin[] = [];
  if (sourceType !== 'FILE') origins.push(nodesOf(location, options));
  if (sourceType !== 'BLOCK_NODE' && files !== undefined) origins.push(filesOf(location, files, options));
  return origins;
};

const nodesOf = (
  location: BlockStreamLocation,
  { settings, timeoutMs, registered }: OpenOriginsOptions,
): NodeOrigin => {
  const { stream, scheduler } = settings;
  const nodes = new BlockNodes({
    nodes: location.nodes,
    limits: {
      maxBlockItems: stream.maxBlockItems,
      maxBlockBytes: stream.maxBlockSize,
      maxMessageBytes: stream.maxStreamResponseSize,
      statusTimeoutMs: stream.responseTimeout,
      silenceMs: timeoutMs,
      blockTimeoutMs: BLOCK_TIMEOUT_FACTOR * timeoutMs,
      readAheadBytes: READ_AHEAD_BYTES,
    },
    scheduler: scheduler.type,
    maxSubscribeAttempts: stream.maxSubscribeAttempts,
    readmitDelayMs: stream.readmitDelay,
  });
  return new NodeOrigin({
    nodes,
    rescheduleLatencyMs: scheduler.rescheduleLatencyThreshold,
    minRescheduleMs: scheduler.minRescheduleInterval,
    maxPostProcessingMs: scheduler.maxPostProcessingLatency,
    probes: {
      frequencyMs: scheduler.latency.frequency,
      timeoutMs: scheduler.latency.timeout,
      backlog: scheduler.latency.backlog,
    },
    ...(location.discoversNodes && registered !== undefined ? { discover: () => registered(location.nodes) } : {}),
  });
};

const filesOf = (
  { network }: BlockStreamLocation,
  files: NonNullable<BlockStreamLocation['files']>,
  { settings, batchSize }: OpenOriginsOptions,
): FileOrigin => {
  const isFolder = files.kind === 'folder';
  return new FileOrigin(
    new BlockFiles({
      store: isFolder
        ? new BlockFolder(files.path, { network, maxFileBytes: settings.stream.maxBlockSize })
        : new BlockBucket({ ...files, maxFileBytes: settings.stream.maxBlockSize }),
      readAhead: isFolder ? FOLDER_READ_AHEAD : batchSize,
      readAheadBytes: READ_AHEAD_BYTES,
      pollMs: settings.frequency,
      maxPollMs: isFolder ? settings.frequency : Math.max(settings.frequency, BUCKET_MAX_POLL_MS),
      holePatienceMs: HOLE_PATIENCE_MS,
    }),
  );
};
