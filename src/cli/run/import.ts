/** `kagami import`: proves and imports a folder once. */
import { openDatabase } from '../../database/connection.ts';
import { prepareDatabase } from '../../database/prepare.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { readChainPosition } from '../../importer/pipeline/chain-position.ts';
import type { ImporterMessage } from '../../importer/pipeline/importer-messages.ts';
import { startImporterThread } from '../../importer/pipeline/importer-thread.ts';
import { streamNameToNanos } from '../../ledger/timestamp.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { exitCodes } from '../exit-code.ts';
import { watchInterruption } from '../interruption.ts';
import { createProgressBar } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { findAddressBook, openAddressBook } from './address-book.ts';
import { dataFolders } from './data-folders.ts';
import { errorOfFault } from './fault-error.ts';
import { holderName } from './holder-name.ts';
import { ImportTotals } from './import-totals.ts';
import { openDatabaseAccess } from './open-database.ts';
import { countRecordFiles } from './record-file-count.ts';
import { sourceFolder } from './source-folder.ts';

export const runImport = async (context: CommandContext, ready: ReadySettings): Promise<void> => {
  const { terminal, cwd } = context;
  const { settings, logger } = ready;
  const { importer, common } = settings.hiero.mirror;
  const { trustUnsigned, acceptGaps } = settings.kagami.source;
  const folder = sourceFolder(settings.kagami.source.folder, cwd);
  if (trustUnsigned) warnOfTrust(terminal);
  const request = { configured: importer.initialAddressBook, folder, cwd };
  // A database that holds blocks has its own address book; whether one is needed shows when the import begins.
  const book = findAddressBook(request) === undefined ? undefined : openAddressBook(request, common, true);

  const access = await openDatabaseAccess(ready, dataFolders(settings.kagami.dataPath, cwd).postgres, logger);
  const interruption = watchInterruption(terminal);
  try {
    const { writable } = await prepareDatabase(access.addresses, {
      onWait: () => logger.info('waiting for another migration'),
    });
    if (!writable) throw new KagamiError('DATABASE_NOT_ADOPTED', 'The database was made by the reference mirror node');
    const { writer, schema } = access.addresses;
    const total = await countRecordFiles(folder, await lastImported(writer, schema));
    terminal.out(`Importing ${folder} into ${access.description}\n`);

    const totals = new ImportTotals();
    const progress = createProgressBar(terminal, 'Imported');
    const began = performance.now();
    const onMessage = (message: ImporterMessage): void => {
      switch (message.kind) {
        case 'committed':
          totals.add(message.blocks);
          progress.update({
            done: totals.blocks,
            total: Math.max(total, totals.blocks),
            transactions: totals.transactions,
          });
          for (const file of message.blocks.gapsBefore) logger.warn({ file }, 'files are missing before this one');
          for (const error of message.blocks.errors) logger.debug({ ...error }, 'oddity in a record');
          break;
        case 'standby':
          logger.warn({ holder: message.holder }, 'another importer writes to this database; waiting until it ends');
          break;
        case 'skipped':
          logger.warn({ file: message.file, code: message.fault.code }, 'passed over a file that too few nodes signed');
          break;
        default:
      }
    };
    const thread = startImporterThread(
      {
        connectionString: writer,
        schema,
        folder,
        settings: importer,
        network: common,
        ...(book === undefined ? {} : { initialAddressBook: book.bytes }),
        follow: false,
        trustUnsigned,
        acceptGaps,
        holder: holderName('import'),
      },
      onMessage,
    );
    void interruption.requested.then(() => thread.stop());
    const fault = await thread.ended;
    progress.finish();
    if (totals.blocks > 0 || fault === undefined) {
      terminal.out(totals.summary((performance.now() - began) / 1_000, terminal.style));
    }
    if (fault) throw errorOfFault(fault);
    if (interruption.signal.aborted) context.setExitCode(exitCodes.interrupted);
  } finally {
    interruption.release();
    await access.stop();
  }
};

/** Nanoseconds in the name of the newest imported file; -1n for an empty ledger. */
const lastImported = async (connectionString: string, schema: string): Promise<bigint> => {
  const database = openDatabase({ connectionString, schema, max: 1, applicationName: 'kagami import' });
  try {
    const last = await readChainPosition(database);
    return last === undefined ? -1n : (streamNameToNanos(last.name) ?? -1n);
  } finally {
    await database.close();
  }
};

const warnOfTrust = ({ err, style }: Terminal): void => {
  const line = '*'.repeat(72);
  err(
    style.yellow(
      `${line}\n* --trust-unsigned: files that no node signed will be imported as they are.\n` +
        '* Nothing proves that this ledger is true. Use it for files that you made.\n' +
        `${line}\n`,
    ),
  );
};
