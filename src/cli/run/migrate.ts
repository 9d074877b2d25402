/** `kagami migrate`: the schema, by itself. */
import type { DatabaseAddresses } from '../../database/connect-options.ts';
import { openDatabase } from '../../database/connection.ts';
import type { DatabaseState } from '../../database/inspection.ts';
import { databaseState, loadMigrations } from '../../database/migrate.ts';
import { type Preparation, prepareDatabase } from '../../database/prepare.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { exitCodes } from '../exit-code.ts';
import { noticesOf, watchInterruption } from '../interruption.ts';
import { dataFolders } from './data-folders.ts';
import { type DatabaseAccess, openDatabaseAccess } from './open-database.ts';

const states: Readonly<Record<DatabaseState, string>> = {
  empty: 'The database is empty.',
  kagami: 'The database is one of Kagami.',
  'newer-kagami': 'The database was made by a newer Kagami.',
  reference: 'The database was made by the reference mirror node; --adopt takes it over.',
  foreign: 'The database holds tables of another application.',
};

export const runMigrate = async (
  context: CommandContext,
  ready: ReadySettings,
  { adopt = false, status = false }: { readonly adopt?: boolean; readonly status?: boolean },
): Promise<void> => {
  const { terminal, cwd } = context;
  const { settings, logger } = ready;
  // A migration is not cut short; but the embedded server is to be stopped after it.
  const interruption = watchInterruption(noticesOf(terminal, ready));
  const say = (text: string): void => {
    if (ready.records === undefined) terminal.out(text);
    else for (const line of text.trimEnd().split('\n')) ready.records.info(line.trim());
  };
  let access: DatabaseAccess | undefined;
  try {
    access = await openDatabaseAccess(ready, dataFolders(settings.kagami.dataPath, cwd).postgres, logger);
    say(`${access.description}\n`);
    if (status) {
      const { text, complete } = await describeState(access.addresses);
      say(text);
      if (!complete) context.setExitCode(exitCodes.failure);
      return;
    }
    const report = await prepareDatabase(access.addresses, {
      adopt,
      onMigration: ({ version, name }) => say(`Applying ${version} ${name}\n`),
      onWait: () => say('Another process is migrating; waiting for it.\n'),
    });
    if (!report.writable) {
      throw new KagamiError('DATABASE_NOT_ADOPTED', 'The database was made by the reference mirror node');
    }
    say(summaryOf(report));
  } finally {
    await access?.stop();
    interruption.release();
  }
};

const describeState = async ({ owner, schema }: DatabaseAddresses): Promise<{ text: string; complete: boolean }> => {
  const database = openDatabase({ connectionString: owner, schema, max: 1, applicationName: 'kagami migrate' });
  try {
    const state = await databaseState(database, schema);
    const rows =
      state === 'kagami'
        ? await database.query<{ version: number }>('select version from kagami.schema_migration')
        : [];
    const applied = new Set(rows.map(({ version }) => version));
    const lines = loadMigrations().map(
      ({ version, name }) => `  ${applied.has(version) ? 'applied' : 'missing'}  ${version} ${name}\n`,
    );
    return {
      text: `${states[state]}\n${state === 'kagami' || state === 'empty' ? lines.join('') : ''}`,
      complete: state === 'kagami' && lines.length === applied.size,
    };
  } finally {
    await database.close();
  }
};

const summaryOf = ({ before, applied }: Preparation): string => {
  if (applied.length === 0) return 'The schema is up to date.\n';
  const milliseconds = applied.reduce((sum, migration) => sum + migration.milliseconds, 0);
  const adopted = before === 'reference' ? ' The database of the reference mirror node is adopted.' : '';
  return `Applied ${applied.length} migrations in ${Math.round(milliseconds)} ms.${adopted}\n`;
};
