import { Command } from 'commander';
import { type CommandContext, type FlagSettings, overridesOf, prepareSettings } from '../command-context.ts';
import type { ReconcileFlags } from '../run/reconcile.ts';

const flags: FlagSettings = {
  database: ['--database', 'kagami.database.url'],
  tokens: ['--tokens', 'hiero.mirror.importer.reconciliation.token'],
  strategy: ['--strategy', 'hiero.mirror.importer.reconciliation.remediationStrategy'],
};

export const reconcileCommand = (context: CommandContext): Command =>
  new Command('reconcile')
    .summary('prove that the ledger in the database adds up')
    .description(
      'Adds up the ledger from its own tables: every transaction moves hbars without making or losing any, all balances ' +
        'together are 50 billion hbars, each balance is the sum of its transfers, supplies of tokens are what accounts ' +
        'hold. Where balance files were imported, each must be the one before it plus what moved between them. May run ' +
        'beside a running Kagami; changes nothing but the notes in reconciliation_job.',
    )
    .option('--database <url>', 'look at this PostgreSQL')
    .option('--limit <number>', 'differences to list for each check (default: 20)')
    .option('--tokens', 'compare token balances of balance files too')
    .option('--strategy <name>', 'after a difference between balance files: FAIL, RESET or ACCUMULATE (default: FAIL)')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `
Each check is one of
  proven      it was compared, and it is right
  DIFFERENT   something is wrong; the differences are listed by id
  not known   the database does not hold what the check needs, and the line says what that is. Balances, for example,
              can only be checked when history begins with the network, or was begun from a balance file.

Between balance files, FAIL stops at the first that differs, RESET goes on from what that file says, ACCUMULATE goes on
from what was computed. The next run goes on after the last file that this one got to.

Examples:
  kagami reconcile
  kagami reconcile --json | jq '.checks[] | select(.outcome == "different")'

Exit code 1 when anything differs, 0 otherwise, also when not everything could be known.`,
    )
    .action(async (options: ReconcileFlags & Record<string, unknown>) => {
      // Settings first: what is wrong with them shows before anything heavy is loaded.
      const ready = await prepareSettings(context, overridesOf(options, flags));
      const { runReconcile } = await import('../run/reconcile.ts');
      await runReconcile(context, ready, options);
    });
