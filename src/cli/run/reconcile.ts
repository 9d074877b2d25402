/** `kagami reconcile`: whether the ledger in the database adds up. */
import { type Database, openDatabase } from '../../database/connection.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { type LedgerProof, type ProofResult, proveLedger } from '../../importer/balances/ledger-proof.ts';
import {
  type ReconciledFile,
  type ReconciliationReport,
  reconcileBalanceFiles,
  reconciliationStatus,
} from '../../importer/balances/reconciliation.ts';
import { timeOf } from '../../importer/pipeline/import-range.ts';
import type { CommandContext, ReadySettings } from '../command-context.ts';
import { checkEmbedded } from '../doctor/embedded-check.ts';
import { exitCodes } from '../exit-code.ts';
import { watchInterruption } from '../interruption.ts';
import { formatElapsed } from '../terminal/figures.ts';
import { dataFolders } from './data-folders.ts';
import { externalTarget } from './database-target.ts';
import { openDatabaseAccess } from './open-database.ts';
import { formatFile, formatResult, formatVerdict, proofJson } from './reconcile-report.ts';

export interface ReconcileFlags {
  readonly json?: boolean;
  readonly limit?: string;
}

const DEFAULT_LIMIT = 20;

export const runReconcile = async (
  context: CommandContext,
  ready: ReadySettings,
  { json = false, limit: limitText }: ReconcileFlags,
): Promise<void> => {
  const { terminal } = context;
  const limit = limitOf(limitText);
  const interruption = watchInterruption(terminal);
  let opened: OpenedLedger | undefined;
  const began = performance.now();
  const say = (text: string): void => {
    if (!json) terminal.out(text);
  };
  try {
    opened = await openLedger(context, ready);
    say(`Adding up the ledger in ${opened.description}\n\n`);
    const proof = await proveLedger(opened.database, {
      limit,
      onResult: (result: ProofResult) => say(formatResult(result, terminal.style)),
    });
    const files: ReconciledFile[] = [];
    const onFile = (file: ReconciledFile): void => {
      files.push(file);
      say(formatFile(file, terminal.style));
    };
    const report = await reconcile(opened.database, ready, limit, onFile, interruption.signal);
    if (json) terminal.out(`${proofJson(proof, report, files)}\n`);
    else {
      terminal.out(formatVerdict(proof, report, terminal.style));
      terminal.out(terminal.style.dim(`Took ${formatElapsed((performance.now() - began) / 1_000)}\n`));
    }
    if (interruption.signal.aborted) context.setExitCode(exitCodes.interrupted);
    else if (!addsUp(proof, report)) context.setExitCode(exitCodes.failure);
  } finally {
    await opened?.close();
    interruption.release();
  }
};

const addsUp = ({ results }: LedgerProof, report: ReconciliationReport | undefined): boolean =>
  !results.some(({ outcome }) => outcome === 'different') &&
  (report === undefined || report.status === reconciliationStatus.success);

const limitOf = (text: string | undefined): number => {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (Number.isInteger(limit) && limit > 0 && limit <= 1_000_000) return limit;
  throw new KagamiError('CONFIG_INVALID', `--limit must be a number from 1 to 1000000, not ${JSON.stringify(text)}`);
};

const reconcile = (
  database: Database,
  { settings }: ReadySettings,
  limit: number,
  onFile: (file: ReconciledFile) => void,
  signal: AbortSignal,
): Promise<ReconciliationReport | undefined> => {
  const { reconciliation } = settings.hiero.mirror.importer;
  return reconcileBalanceFiles({
    database,
    strategy: reconciliation.remediationStrategy,
    tokens: reconciliation.token,
    from: timeOf(reconciliation.startDate, 'reconciliation.startDate'),
    to: timeOf(reconciliation.endDate, 'reconciliation.endDate'),
    // The pause spares a server that has other work; whoever waits at a terminal wants none.
    delayMs: 0,
    limit,
    onFile,
    signal,
  });
};

interface OpenedLedger {
  readonly database: Database;
  /** For people. */
  readonly description: string;
  close(): Promise<void>;
}

/** The embedded server of a running Kagami is used as it is; one that is not running is started for the time. */
const openLedger = async ({ cwd }: CommandContext, ready: ReadySettings): Promise<OpenedLedger> => {
  const { settings, logger } = ready;
  const folder = dataFolders(settings.kagami.dataPath, cwd).postgres;
  const running = externalTarget(ready) === undefined ? checkEmbedded(folder).running : undefined;
  const open = (connectionString: string, schema: string): Database =>
    openDatabase({ connectionString, schema, max: 2, applicationName: 'kagami reconcile' });
  if (running !== undefined) {
    const { port, username, password } = running;
    const place = `127.0.0.1:${port}/mirror_node`;
    const database = open(
      `postgres://${encodeURIComponent(username)}:${encodeURIComponent(password)}@${place}`,
      'public',
    );
    return { database, description: `the embedded PostgreSQL on port ${port}`, close: () => database.close() };
  }
  const access = await openDatabaseAccess(ready, folder, logger);
  const database = open(access.addresses.writer, access.addresses.schema);
  return {
    database,
    description: access.description,
    close: async () => {
      await database.close();
      await access.stop();
    },
  };
};
