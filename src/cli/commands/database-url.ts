import { Command } from 'commander';
import { type CommandContext, type FlagSettings, overridesOf, prepareSettings } from '../command-context.ts';

const flags: FlagSettings = { database: ['--database', 'kagami.database.url'] };

export interface DatabaseUrlFlags {
  readonly owner?: boolean;
}

export const databaseUrlCommand = (context: CommandContext): Command =>
  new Command('database-url')
    .summary('print where the database is, for psql and other programs')
    .description(
      'Prints the URL of the database with user and password: of the embedded server while `kagami start` runs, or of ' +
        'the one in the settings. The user is the one of the interfaces, who may only read.',
    )
    .option('--owner', 'with the user who owns the tables; what is changed by hand is no longer proven')
    .option('--database <url>', 'of this PostgreSQL')
    .addHelpText(
      'after',
      `
Examples:
  kagami database-url
  psql "$(kagami database-url)"
  pg_dump "$(kagami database-url --owner)" --format custom --file ledger.dump

The passwords of the embedded server are made at its first start and lie in postgres/credentials.json in the data
folder. Its port is another one after each start.`,
    )
    .action(async (options: DatabaseUrlFlags & Record<string, unknown>) => {
      const ready = await prepareSettings(context, overridesOf(options, flags));
      const { runDatabaseUrl } = await import('../run/database-url.ts');
      runDatabaseUrl(context, ready, options);
    });
