import { choice, dataSize, duration, flag, integer, list, text } from '../setting.ts';

const blockNodeApis = ['STATUS', 'SUBSCRIBE_STREAM'] as const;

/** `hiero.mirror.importer.block.*`: block streams, from block nodes and block files. */
export const blockSettings = {
  autoDiscoveryEnabled: flag(true, 'Reads also from the block nodes that the ledger itself has registered (HIP-1137).'),
  bucketName: text('', 'Bucket with block files; empty: the one that the network is known for.'),
  cutover: {
    enabled: choice(
      'auto',
      ['auto', 'true', 'false'],
      'Goes over from record files to blocks when the network does; `auto`: where it is known to (`mainnet`, `testnet`), and with a folder that holds both.',
    ),
    hapiVersion: text('0.76.0', 'HAPI version of the first record files that blocks may follow.'),
    threshold: duration(16_000, 'Time without anything new after which the other stream is asked.', { min: 8_000 }),
    firstStage: {
      enabled: flag(false, 'Reads wrapped record blocks in place of record files before the cutover.'),
      hapiVersion: text('0.75.0', 'HAPI version of the first record files that wrapped record blocks may follow.'),
      latencyCheckThreshold: duration(10_000, 'Time after which the latency of wrapped record blocks counts.', {
        min: 10_000,
      }),
      maxLatency: duration(4_000, 'Latency above which wrapped record blocks give way to record files for once.', {
        min: 2_000,
      }),
    },
  },
  enabled: flag(
    false,
    'Reads block streams in place of record files; `downloader.record.enabled` cannot be set to true beside it.',
  ),
  frequency: duration(100, 'Shortest pause between two looks for the next block.'),
  initialLedgerIdPublication: text(
    '',
    'File with a serialized LedgerIdPublicationTransactionBody, or the hexadecimal id of the ledger, which prove the first ' +
      'blocks; empty: what the ledger publishes in block 0, or the network is known for.',
  ),
  nodes: list(
    {
      endpoints: list(
        {
          apis: list(choice('STATUS', blockNodeApis, 'Service of a block node.'), blockNodeApis, 'What it serves.'),
          host: text('', 'Name or address of the block node.'),
          port: integer(40_840, 'Its port.', { min: 1, max: 65_535 }),
          requiresTls: flag(false, 'Whether it speaks TLS.'),
        },
        [],
        'Where the block node is reached; together they serve both APIs.',
      ),
      host: text('', 'Short for one endpoint with both APIs: its host.'),
      port: integer(40_840, 'Short for one endpoint with both APIs: its port.', { min: 1, max: 65_535 }),
      priority: integer(0, 'Nodes of the least number are asked first.', { min: 0 }),
      requiresTls: flag(false, 'Short for one endpoint with both APIs: whether it speaks TLS.'),
    },
    [],
    'Block nodes. `..._NODES_0_HOST` and `..._NODES_0_PORT` name one with everything else as usual.',
  ),
  persistBytes: flag(false, 'Keeps the raw bytes of block files.'),
  scheduler: {
    latency: {
      backlog: integer(1, 'Nodes beside the one in use that are measured at a time, less one.', { min: 1 }),
      frequency: duration(10_000, 'Pause between two measurements of nodes that are not in use.', { min: 2_000 }),
      timeout: duration(5_000, 'How long a measurement may take.', { min: 500 }),
    },
    maxPostProcessingLatency: duration(
      1_000,
      'Time from receipt to proof above which latencies say nothing about the node.',
      { min: 100 },
    ),
    minRescheduleInterval: duration(10_000, 'How long a node is kept at least before a faster one is taken.', {
      min: 2_000,
    }),
    rescheduleLatencyThreshold: duration(50, 'By how much another node must be faster to be taken.', { min: 10 }),
    type: choice(
      'PRIORITY_THEN_LATENCY',
      ['PRIORITY_THEN_LATENCY', 'PRIORITY', 'LATENCY'],
      'Which block node is asked: the fastest of the best priority, the first of the best priority, or the fastest.',
    ),
  },
  sourceType: choice(
    'AUTO',
    ['AUTO', 'BLOCK_NODE', 'FILE'],
    'Where blocks come from: block nodes, block files (`kagami.source.folder` or the bucket), or whichever works: block ' +
      'nodes where any is known, and the other kind after three faults.',
  ),
  stream: {
    maxBlockItems: integer(800_000, 'Most items of a block that is read.', { min: 1_000 }),
    maxBlockSize: dataSize(536_870_912, 'Largest block that is read.'),
    maxStreamResponseSize: dataSize(131_072_000, 'Largest message of a block node.'),
    maxSubscribeAttempts: integer(3, 'Faults after which a block node is left alone.', { min: 1 }),
    readmitDelay: duration(60_000, 'How long it is left alone, unless no other has the next block.', { min: 10_000 }),
    responseTimeout: duration(400, 'How long a block node may take to tell which blocks it has.', { min: 100 }),
    shutdownTimeout: duration(5_000, 'Without effect: the connection to a block node is closed at once.', {
      min: 1_000,
    }),
  },
  writeFiles: flag(false, 'Without effect: Kagami writes no stream files.'),
};
