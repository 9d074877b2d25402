import { Command } from 'commander';
import { type CommandContext, type FlagSettings, overridesOf, prepareSettings } from '../command-context.ts';
import { blockNodeOption, blockStreamFlags, blockStreamSettings } from './block-stream-options.ts';

const flags: FlagSettings = {
  folder: ['check-stream', 'kagami.source.folder'],
  addressBook: ['--address-book', 'hiero.mirror.importer.initialAddressBook'],
  trustUnsigned: ['--trust-unsigned', 'kagami.source.trustUnsigned'],
  consensusRatio: ['--consensus-ratio', 'hiero.mirror.importer.downloader.consensusRatio'],
  network: ['--network', 'hiero.mirror.importer.network'],
  ...blockStreamFlags,
};

export interface CheckStreamFlags {
  readonly json?: boolean;
}

export const checkStreamCommand = (context: CommandContext): Command =>
  new Command('check-stream')
    .summary('prove a folder or bucket of stream files, or a block node, without a database')
    .description(
      'Reads every record file and block of a folder or bucket and checks what an import would check: signatures of the ' +
        'nodes, proofs of blocks, file, running and root hashes, the chain from file to file and from block to block, ' +
        'sidecars. Writes nothing.',
    )
    .argument(
      '[source]',
      'folder with record0.0.3/, ... or <network>/<shard>/<node id>/record/, or s3://bucket/prefix, gs://bucket/prefix; ' +
        'without it the bucket of --network',
    )
    .option('--address-book <file>', 'contents of system file 0.0.102 at the time of the first file')
    .option('--network <name>', 'mainnet, testnet, previewnet, demo (their address books are known) or other')
    .addOption(blockNodeOption())
    .option('--block-stream', 'check only the blocks of a folder that holds both, or those of a bucket')
    .option('--consensus-ratio <number>', 'part of the stake that must have signed, 0 to 1 (default: 1/3)')
    .option('--trust-unsigned', 'accept files and blocks that nobody signed; their hashes are checked all the same')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Examples:
  kagami check-stream ./streams --address-book 102.bin
  kagami check-stream ./streams --address-book 102.bin --json | jq .faults
  kagami check-stream ./blocks                       from block 0 on, which publishes the ledger id
  kagami check-stream ./blocks --json | jq .blocks.proofs
  kagami check-stream --block-node localhost:40840

Each fault names the file or block, the byte offset where there is one, and the rule. A block that is proven proves
those before it that it is linked to. The ledger id comes from block 0, from the record files before the blocks, or from
the setting hiero.mirror.importer.block.initialLedgerIdPublication. Exit code 3 when there are faults, or blocks are
missing.`,
    )
    .action(async (folder: string | undefined, options: CheckStreamFlags & Record<string, unknown>) => {
      // Settings first: what is wrong with them shows before anything heavy is loaded.
      const ready = await prepareSettings(
        context,
        overridesOf({ ...options, ...blockStreamSettings(options), folder }, flags),
      );
      const { runCheckStream } = await import('../run/check-stream.ts');
      await runCheckStream(context, ready, options);
    });
