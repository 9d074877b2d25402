/**
 * A process that imports a folder in the importer's thread and says so at its end, for tests that kill it:
 * `node bulk-process.fixture.ts <database url> <folder> <book> <bulk|ordinary>`.
 */
import { readFileSync } from 'node:fs';
import { startImporterThread } from '../../pipeline/importer-thread.ts';
import { defaultImporterSettings } from '../../pipeline/testing/import-run.fixture.ts';

const [connectionString = '', folder = '', book = '', manner] = process.argv.slice(2);
const { parser } = defaultImporterSettings;
const oneFileEach = { ...parser.record, batch: { ...parser.record.batch, maxFiles: 1 } };

const thread = startImporterThread(
  {
    connectionString,
    source: { kind: 'folder', path: folder },
    settings: { ...defaultImporterSettings, parser: { ...parser, record: oneFileEach } },
    network: { shard: 0n, realm: 0n },
    initialAddressBook: readFileSync(book),
    follow: false,
    trustUnsigned: false,
    bulk: manner === 'bulk',
    holder: 'test',
  },
  () => undefined,
);
const fault = await thread.ended;
if (fault !== undefined) throw new Error(`${fault.code} ${fault.message}`);
process.stdout.write('done\n');
