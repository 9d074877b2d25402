/**
 * A process that imports a folder and says so after every commit, for tests that kill it:
 * `node import-process.fixture.ts <database url> <folder> <book>`.
 */
import { readFileSync } from 'node:fs';
import { openDatabase } from '../../../database/connection.ts';
import { writerSessionSettings } from '../../../database/fencing.ts';
import { defaultImporterSettings, importFolder } from './import-run.fixture.ts';

const [connectionString = '', folder = '', book = ''] = process.argv.slice(2);
const database = openDatabase({ connectionString, max: 3, sessionSettings: writerSessionSettings });
const { parser } = defaultImporterSettings;
const oneFileEach = { ...parser.record, batch: { ...parser.record.batch, maxFiles: 1 } };

await importFolder(
  { connectionString, database, drop: () => database.close() },
  {
    folder,
    addressBook: readFileSync(book),
    settings: { ...defaultImporterSettings, parser: { ...defaultImporterSettings.parser, record: oneFileEach } },
    committed: () => process.stdout.write('committed\n'),
  },
);
await database.close();
process.stdout.write('done\n');
