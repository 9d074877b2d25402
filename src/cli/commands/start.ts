import { Command } from 'commander';
import { roles } from '../../config/settings/roles.ts';
import { type CommandContext, type FlagSettings, overridesOf, prepareSettings } from '../command-context.ts';
import { blockNodeOption, blockStreamFlags, blockStreamSettings } from './block-stream-options.ts';

const flags: FlagSettings = {
  roles: ['--roles', 'kagami.roles'],
  port: ['--port', 'hiero.mirror.rest.port'],
  host: ['--host', 'kagami.server.host'],
  restThreads: ['--rest-threads', 'kagami.server.restThreads'],
  database: ['--database', 'kagami.database.url'],
  source: ['--source', 'kagami.source.folder'],
  network: ['--network', 'hiero.mirror.importer.network'],
  ...blockStreamFlags,
  addressBook: ['--address-book', 'hiero.mirror.importer.initialAddressBook'],
  tps: ['--tps', 'kagami.simulator.tps'],
  seed: ['--seed', 'kagami.simulator.seed'],
  simulate: ['--simulate', 'kagami.simulator.enabled'],
  simulator: ['--no-simulator', 'kagami.simulator.enabled'],
  submit: ['--no-submit', 'kagami.simulator.submit.enabled'],
};

export const startCommand = (context: CommandContext): Command =>
  new Command('start')
    .summary('run the mirror node until Ctrl-C')
    .description(
      'Runs the mirror node: the database, the importer and the interfaces.\n\n' +
        'Without options an embedded PostgreSQL starts, the schema is applied, and a simulated network writes signed ' +
        'record files every two seconds, which are proven, imported and served. Everything lies in .kagami in the ' +
        'working directory; delete that folder to begin anew.',
    )
    .option('--network <name>', 'follow the bucket of mainnet, testnet, previewnet or demo')
    .option(
      '--source <place>',
      'import the stream files of this folder or bucket (s3://bucket/prefix, gs://bucket/prefix), also those that ' +
        'arrive later, instead of simulating',
    )
    .addOption(blockNodeOption())
    .option('--block-stream', 'read block streams in place of record files; the simulated network writes them, too')
    .option('--address-book <file>', 'contents of system file 0.0.102, which prove the first files of --source')
    .option('--database <url>', 'use this PostgreSQL: postgres://user:password@host:5432/name')
    .option('--port <number>', 'primary port (default: 5551)')
    .option('--host <address>', 'address to listen on (default: 127.0.0.1); 0.0.0.0 lets other machines in')
    .option('--rest-threads <number>', 'threads that answer REST requests (default: processors less one)')
    .option('--roles <list>', `what this process does: ${roles.join(',')} (default: all)`)
    .option('--simulate', 'run the simulated network even into a database of --database')
    .option('--tps <number>', 'transactions per second of the simulated network (default: 10)')
    .option('--seed <text>', 'what the simulated network is made from (default: kagami)')
    .option('--no-simulator', 'no simulated network: serve what is in the database')
    .option('--no-submit', 'the simulated network takes no transactions of SDKs (port 50211)')
    .addHelpText(
      'after',
      `
Examples:
  kagami start
  kagami start --tps 500 --seed demo --data ./demo
  kagami start --source /mnt/streams --address-book mainnet-102.bin --database postgres://mirror@db/mirror_node
  kagami start --network demo
  kagami start --block-node bn1.example.org:40840 --block-node bn2.example.org:40840
  kagami start --host 0.0.0.0
  kagami start --roles rest --database postgres://reader@replica/mirror_node

What happens: ports 5551, 8084 and 8545 of this machine answer at once, with 503 until the schema is there. Ctrl-C (or
SIGTERM) ends the block in work and stops with exit code 0; the next start goes on after it. Two importers on one
database are no harm: the second waits. Output that is no terminal is JSON, a record a line.

If something does not work: kagami doctor`,
    )
    .action(async (options: Record<string, unknown>) => {
      // commander gives `--no-simulator` the value true when it is absent; only its presence is a setting.
      const given = {
        ...options,
        ...blockStreamSettings(options),
        simulator: options.simulator === false ? false : undefined,
        submit: options.submit === false ? false : undefined,
      };
      // Settings first: what is wrong with them shows before anything heavy is loaded.
      const ready = await prepareSettings(context, overridesOf(given, flags), 'progress');
      const { runStart } = await import('../run/start.ts');
      await runStart(context, ready);
    });
