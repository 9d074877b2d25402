import { Command } from 'commander';
import { type CommandContext, type FlagSettings, overridesOf } from '../command-context.ts';

const flags: FlagSettings = {
  database: ['--database', 'kagami.database.url'],
  source: ['--source', 'kagami.source.folder'],
  addressBook: ['--address-book', 'hiero.mirror.importer.initialAddressBook'],
};

export interface DoctorFlags {
  readonly json?: boolean;
}

export const doctorCommand = (context: CommandContext): Command =>
  new Command('doctor')
    .summary('find out what is wrong and what to do')
    .description(
      'Checks the configuration, the data folder, the embedded database programs, the database and its schema, the ' +
        'ports, the source of stream files and the clock. Changes nothing and may run beside a running Kagami.',
    )
    .option('--database <url>', 'look at this PostgreSQL')
    .option('--source <folder>', 'look at this folder of stream files')
    .option('--address-book <file>', 'look at this address book')
    .option('--json', 'print the findings as JSON')
    .addHelpText(
      'after',
      `
Each finding is ok, warn or fail. Exit code 1 when anything fails.

Examples:
  kagami doctor
  kagami doctor --json | jq '.[] | select(.result != "ok")'`,
    )
    .action(async (options: DoctorFlags & Record<string, unknown>) => {
      const { runDoctor } = await import('../run/doctor.ts');
      await runDoctor(context, overridesOf(options, flags), options);
    });
