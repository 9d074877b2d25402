import { Command } from 'commander';
import { type CommandContext, type FlagSettings, overridesOf, prepareSettings } from '../command-context.ts';

const flags: FlagSettings = {
  folder: ['check-stream', 'kagami.source.folder'],
  addressBook: ['--address-book', 'hiero.mirror.importer.initialAddressBook'],
  trustUnsigned: ['--trust-unsigned', 'kagami.source.trustUnsigned'],
  consensusRatio: ['--consensus-ratio', 'hiero.mirror.importer.downloader.consensusRatio'],
  network: ['--network', 'hiero.mirror.importer.network'],
};

export interface CheckStreamFlags {
  readonly json?: boolean;
}

export const checkStreamCommand = (context: CommandContext): Command =>
  new Command('check-stream')
    .summary('prove a folder or bucket of stream files without a database')
    .description(
      'Reads every record file of a folder or bucket and checks what an import would check: signatures of the nodes, file and ' +
        'running hashes, the chain from file to file, sidecars. Writes nothing.',
    )
    .argument(
      '[source]',
      'folder with record0.0.3/, ... or <network>/<shard>/<node id>/record/, or s3://bucket/prefix, gs://bucket/prefix; ' +
        'without it the bucket of --network',
    )
    .option('--address-book <file>', 'contents of system file 0.0.102 at the time of the first file')
    .option('--network <name>', 'mainnet, testnet, previewnet, demo (their address books are known) or other')
    .option('--consensus-ratio <number>', 'part of the stake that must have signed, 0 to 1 (default: 1/3)')
    .option('--trust-unsigned', 'accept files that no node signed; their hashes are checked all the same')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  kagami check-stream ./streams --address-book 102.bin
  kagami check-stream ./streams --address-book 102.bin --json | jq .faults

Each fault names the file, the byte offset where there is one, and the rule. Exit code 3 when there are any.`,
    )
    .action(async (folder: string | undefined, options: CheckStreamFlags & Record<string, unknown>) => {
      // Settings first: what is wrong with them shows before anything heavy is loaded.
      const ready = await prepareSettings(context, overridesOf({ ...options, folder }, flags));
      const { runCheckStream } = await import('../run/check-stream.ts');
      await runCheckStream(context, ready, options);
    });
