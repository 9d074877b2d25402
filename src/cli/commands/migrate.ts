import { Command } from 'commander';
import { type CommandContext, type FlagSettings, overridesOf, prepareSettings } from '../command-context.ts';

const flags: FlagSettings = { database: ['--database', 'kagami.database.url'] };

export interface MigrateFlags {
  readonly adopt?: boolean;
  readonly status?: boolean;
}

export const migrateCommand = (context: CommandContext): Command =>
  new Command('migrate')
    .summary('bring the database schema up to date')
    .description(
      'Applies the schema to an empty database, or the migrations that are missing. `start` and `import` do the same ' +
        'by themselves; use this to do it ahead, with rights that the running process need not have.',
    )
    .option('--status', 'only say what the database holds and what is missing')
    .option('--adopt', 'take over a database that the reference mirror node made')
    .option('--database <url>', 'use this PostgreSQL instead of the embedded one')
    .addHelpText(
      'after',
      `
Examples:
  kagami migrate --status
  kagami migrate --database postgres://owner:secret@db:5432/mirror_node
  kagami migrate --adopt --database postgres://owner:secret@db:5432/mirror_node

A database of the reference mirror node is served read-only as it stands. --adopt adds the schema "kagami" to it, after
which Kagami's importer may write; stop the other importer first. Each migration is one transaction: it is applied
whole or not at all.`,
    )
    .action(async (options: MigrateFlags & Record<string, unknown>) => {
      // Settings first: what is wrong with them shows before anything heavy is loaded.
      const ready = await prepareSettings(context, overridesOf(options, flags), 'progress');
      const { runMigrate } = await import('../run/migrate.ts');
      await runMigrate(context, ready, options);
    });
