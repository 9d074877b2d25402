/**
 * A process that imports blocks, or record files and then blocks, and says so after every commit, for tests that kill it:
 * `node block-import-process.fixture.ts <database url> <folder> <port of a block node, or 0> <last block> <book> <records>`.
 */
import { readFileSync } from 'node:fs';
import { openDatabase } from '../../../database/connection.ts';
import { writerSessionSettings } from '../../../database/fencing.ts';
import type { BlockStreamLocation } from '../../../sources/block-stream-location.ts';
import { importBlocks } from './block-run.fixture.ts';
import { defaultImporterSettings } from './import-run.fixture.ts';

const [connectionString = '', folder = '', port = '0', last = '-1', book = '', records = ''] = process.argv.slice(2);
const database = openDatabase({ connectionString, max: 4, sessionSettings: writerSessionSettings });
const { parser, block } = defaultImporterSettings;
const endpoint = { host: '127.0.0.1', port: Number(port), requiresTls: false };
const location: Partial<BlockStreamLocation> =
  port === '0'
    ? { sourceType: 'FILE', files: { kind: 'folder', path: folder } }
    : { sourceType: 'BLOCK_NODE', nodes: [{ priority: 0, status: endpoint, subscribe: endpoint }] };

await importBlocks(
  { connectionString, database, drop: () => database.close() },
  {
    location,
    follow: true,
    ...(book === '' ? {} : { addressBook: readFileSync(book) }),
    ...(records === '' ? {} : { records }),
    settings: {
      ...defaultImporterSettings,
      endBlockNumber: BigInt(last),
      // A cutover in seconds.
      block: { ...block, cutover: { ...block.cutover, threshold: 300 } },
      parser: { ...parser, record: { ...parser.record, batch: { ...parser.record.batch, maxFiles: 1 } } },
    },
    events: { committed: () => process.stdout.write('committed\n') },
  },
);
await database.close();
process.stdout.write('done\n');
