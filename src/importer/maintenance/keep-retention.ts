/** Retention beside a running import: on a connection of its own, one pass after the other. */
import { openDatabase } from '../../database/connection.ts';
import { type WriterLease, writerSessionSettings } from '../../database/fencing.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { type Pruned, prune } from './retention.ts';
import { type RetentionSettings, retentionPlan } from './retention-tables.ts';
import { type JobFailure, runPeriodically } from './schedule.ts';

export interface KeepRetentionOptions {
  readonly connectionString: string;
  readonly schema?: string | undefined;
  readonly lease: Pick<WriterLease, 'check'>;
  readonly settings: RetentionSettings;
  readonly signal: AbortSignal;
  /** After each step of a pass. */
  readonly onStep: (step: Pruned) => void;
  /** After a pass that deleted something: all of its steps together. */
  readonly onPass: (pass: Pruned) => void;
  readonly onError: (failure: JobFailure) => void;
}

/**
 * Deletes old rows now and then (`retention.frequency`), if that is switched on, until `signal`. Resolves when the pass in
 * work has ended.
 * @throws KagamiError CONFIG_INVALID at once, for unknown tables in the settings
 */
export const keepRetention = async (options: KeepRetentionOptions): Promise<void> => {
  const { connectionString, schema, lease, settings, signal, onStep, onPass, onError } = options;
  if (!settings.enabled) return;
  retentionPlan(settings);
  const database = openDatabase({
    connectionString,
    max: 1,
    applicationName: 'kagami retention',
    sessionSettings: writerSessionSettings,
    ...(schema === undefined ? {} : { schema }),
  });
  const pass = async (): Promise<void> => {
    const steps: Pruned[] = [];
    const onPruned = (step: Pruned): void => {
      steps.push(step);
      onStep(step);
    };
    try {
      await prune({ database, lease, settings, signal, onPruned });
    } finally {
      if (steps.length > 0) onPass(together(steps));
    }
  };
  try {
    await runPeriodically({ name: 'retention', everyMs: settings.frequency, run: pass, signal, onError });
  } finally {
    await database.close();
  }
};

const together = (steps: readonly Pruned[]): Pruned => {
  const rows = new Map<string, bigint>();
  let upTo: Nanos = 0n;
  for (const step of steps) {
    if (step.upTo > upTo) upTo = step.upTo;
    for (const [table, count] of step.rows) rows.set(table, (rows.get(table) ?? 0n) + count);
  }
  return { upTo, rows, partitions: steps.flatMap(({ partitions }) => partitions) };
};
