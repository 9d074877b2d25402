import { Command } from 'commander';
import { type CommandContext, type FlagSettings, overridesOf, prepareSettings } from '../command-context.ts';
import { blockNodeOption, blockStreamFlags, blockStreamSettings } from './block-stream-options.ts';

const flags: FlagSettings = {
  folder: ['import', 'kagami.source.folder'],
  addressBook: ['--address-book', 'hiero.mirror.importer.initialAddressBook'],
  trustUnsigned: ['--trust-unsigned', 'kagami.source.trustUnsigned'],
  bulk: ['--bulk', 'kagami.source.bulk'],
  acceptGaps: ['--accept-gaps', 'kagami.source.acceptGaps'],
  consensusRatio: ['--consensus-ratio', 'hiero.mirror.importer.downloader.consensusRatio'],
  database: ['--database', 'kagami.database.url'],
  network: ['--network', 'hiero.mirror.importer.network'],
  ...blockStreamFlags,
};

export const importCommand = (context: CommandContext): Command =>
  new Command('import')
    .summary('import a folder or bucket of stream files once')
    .description(
      'Proves and imports the record files or blocks of a folder or bucket, or those of a block node, then stops with a summary. What the database already holds is ' +
        'skipped, so that the same command continues an import that was cut off.',
    )
    .argument(
      '[source]',
      'folder with record0.0.3/, ... or <network>/<shard>/<node id>/record/, or s3://bucket/prefix, gs://bucket/prefix; ' +
        'without it the bucket of --network',
    )
    .option(
      '--address-book <file>',
      'contents of system file 0.0.102 at the time of the first file: the keys of the nodes',
    )
    .option('--network <name>', 'mainnet, testnet, previewnet, demo (their address books are known) or other')
    .addOption(blockNodeOption())
    .option('--block-stream', 'read the blocks of the source in place of its record files')
    .option('--consensus-ratio <number>', 'part of the stake that must have signed, 0 to 1 (default: 1/3)')
    .option('--trust-unsigned', 'import files that no node signed (then nothing proves that they are true)')
    .option('--accept-gaps', 'go on where files are missing between two proven ones')
    .option('--bulk', 'for long histories: load without secondary indexes, build them at the end')
    .option('--database <url>', 'use this PostgreSQL instead of the embedded one')
    .addHelpText(
      'after',
      `
Examples:
  kagami import ./streams --address-book 102.bin
  kagami import ./one-node --address-book 102.bin --consensus-ratio 0.1     one of ten nodes signed
  kagami import ./made-by-me --trust-unsigned
  kagami import ./blocks                             files such as 0000/0000/0000/0000/007.blk.zstd or 7.blk.gz
  kagami import --block-node localhost:40840
  kagami import --network demo

A file is imported when nodes with enough stake signed it, its hashes are right and it follows the one before. The
first file that fails ends the import; everything before it stays imported. Prove a folder without a database first:
kagami check-stream ./streams --address-book 102.bin`,
    )
    .action(async (folder: string | undefined, options: Record<string, unknown>) => {
      // Settings first: what is wrong with them shows before anything heavy is loaded.
      const ready = await prepareSettings(
        context,
        overridesOf({ ...options, ...blockStreamSettings(options), folder }, flags),
        'progress',
      );
      const { runImport } = await import('../run/import.ts');
      await runImport(context, ready);
    });
