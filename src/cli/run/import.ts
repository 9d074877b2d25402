/** `kagami import`: proves and imports a folder or bucket once. */
import { openDatabase } from '../../database/connection.ts';
import { prepareDatabase } from '../../database/prepare.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { type ChainPosition, readChainPosition } from '../../importer/pipeline/chain-position.ts';
import { importRangeOf } from '../../importer/pipeline/import-range.ts';
import type { ImporterMessage } from '../../importer/pipeline/importer-messages.ts';
import { streamNameToNanos } from '../../ledger/timestamp.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { exitCodes } from '../exit-code.ts';
import { noticesOf, watchInterruption } from '../interruption.ts';
import { createProgressBar, createProgressRecords } from '../terminal/progress.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readAddressBook } from './address-book.ts';
import { chooseStoredStreams, placeOfFiles } from './block-choice.ts';
import { blockStreamTask, blocksBegin } from './block-stream-task.ts';
import { dataFolders } from './data-folders.ts';
import { errorOfFault } from './fault-error.ts';
import { holderName } from './holder-name.ts';
import { ImportTotals } from './import-totals.ts';
import { acceptsMissingSidecars } from './importer-settings.ts';
import { describeStreams } from './live-source.ts';
import { type DatabaseAccess, openDatabaseAccess } from './open-database.ts';
import { importPersistently } from './persistent-import.ts';
import { countRecordFiles } from './record-file-count.ts';
import { namedNetwork } from './source-choice.ts';

export const runImport = async (context: CommandContext, ready: ReadySettings): Promise<void> => {
  const { terminal, cwd } = context;
  const { settings, logger, records } = ready;
  const { importer, common } = settings.hiero.mirror;
  const { trustUnsigned, acceptGaps, bulk } = settings.kagami.source;
  const streams = await chooseStoredStreams(ready, cwd);
  const { records: stored } = streams;
  if (trustUnsigned && records !== undefined)
    logger.warn('Files that no node signed are imported: nothing proves that this ledger is true.');
  else if (trustUnsigned) warnOfTrust(terminal);
  // A database that holds blocks has its own address book; whether one is needed shows when the import begins.
  const book = await readAddressBook(
    {
      configured: importer.initialAddressBook,
      location: placeOfFiles(streams),
      cwd,
      network: namedNetwork(ready),
      begins: importRangeOf(importer).from ?? blocksBegin(streams, importer),
    },
    common,
  );

  const interruption = watchInterruption(noticesOf(terminal, ready));
  let access: DatabaseAccess | undefined;
  try {
    access = await openDatabaseAccess(ready, dataFolders(settings.kagami.dataPath, cwd).postgres, logger);
    const { writable } = await prepareDatabase(access.addresses, {
      onWait: () => logger.info('waiting for another migration'),
    });
    if (!writable) throw new KagamiError('DATABASE_NOT_ADOPTED', 'The database was made by the reference mirror node');
    const { writer, schema } = access.addresses;
    const before = await newestBlock(writer, schema);
    const lastTime = before === undefined ? -1n : (streamNameToNanos(before.name) ?? -1n);
    const total = stored?.kind === 'folder' ? await countRecordFiles(stored.path, lastTime) : undefined;
    const begins = { source: describeStreams(streams), database: access.description };
    if (records === undefined) terminal.out(`Importing ${begins.source} into ${begins.database}\n`);
    else records.info(begins, 'import begins');

    const totals = new ImportTotals();
    const progress =
      records === undefined
        ? createProgressBar(terminal, 'Imported')
        : createProgressRecords((figures, message) => records.info(figures, message), 'imported');
    const began = performance.now();
    const onMessage = (message: ImporterMessage): void => {
      switch (message.kind) {
        case 'committed':
          totals.add(message.blocks);
          progress.update({
            done: totals.blocks,
            total: total === undefined ? undefined : Math.max(total, totals.blocks),
            transactions: totals.transactions,
          });
          for (const gap of message.blocks.gapsBefore) logger.warn(gap, 'files are missing before this one');
          for (const error of message.blocks.errors) logger.debug({ ...error }, 'oddity in a record');
          break;
        case 'job-failed':
          logger.warn(
            { job: message.job, code: message.fault.code },
            `${message.fault.message}. ${message.fault.hint}`,
          );
          break;
        case 'balances-initialized':
          logger.info({ ...message.balances }, 'took the first balances from a balance file');
          break;
        case 'indexing': {
          const { index, table, done, total: all } = message.index;
          if (done === 0) progress.finish();
          logger.info({ index, table }, `building index ${done + 1} of ${all}`);
          break;
        }
        case 'standby':
          logger.warn({ holder: message.holder }, 'another importer writes to this database; waiting until it ends');
          break;
        case 'skipped':
          logger.warn({ file: message.file, code: message.fault.code }, 'passed over a file that too few nodes signed');
          break;
        default:
      }
    };
    const fault = await importPersistently({
      task: {
        connectionString: writer,
        schema,
        source: stored,
        blocks: await blockStreamTask(streams, importer.block.initialLedgerIdPublication, cwd),
        settings: importer,
        network: common,
        ...(book === undefined ? {} : { initialAddressBook: book.bytes }),
        follow: false,
        trustUnsigned,
        acceptGaps,
        acceptMissingSidecars: acceptsMissingSidecars(ready),
        bulk,
        holder: holderName('import'),
      },
      onMessage,
      onRetry: ({ code, message }, pauseMs) => {
        progress.finish();
        logger.warn({ code, pauseMs }, `${message}; trying again`);
      },
      retry: importer.parser.record.retry,
      signal: interruption.signal,
    });
    progress.finish();
    if (totals.blocks > 0 || fault === undefined) {
      const seconds = (performance.now() - began) / 1_000;
      if (records === undefined) terminal.out(totals.summary(seconds, terminal.style, before));
      else records.info(totals.record(seconds), 'import ended');
    }
    if (fault) throw errorOfFault(fault);
    if (interruption.signal.aborted) context.setExitCode(exitCodes.interrupted);
  } finally {
    await access?.stop();
    interruption.release();
  }
};

const newestBlock = async (connectionString: string, schema: string): Promise<ChainPosition | undefined> => {
  const database = openDatabase({ connectionString, schema, max: 1, applicationName: 'kagami import' });
  try {
    return await readChainPosition(database);
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
