/** Which tables lose their old rows, by their definitions and by settings. */
import type { SettingsOf } from '../../config/setting.ts';
import type { retentionSettings } from '../../config/settings/retention.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { tableDefinitions } from '../tables/registry.ts';
import type { Retention } from '../tables/retention.ts';

export type RetentionSettings = SettingsOf<typeof retentionSettings>;

export interface RetainedTable {
  readonly name: string;
  /** SQL for "lies wholly at or before $1" (nanoseconds). */
  readonly isOld: string;
}

/** A table with an index that begins with the time of its rows. */
export interface TimedTable extends RetainedTable {
  readonly column: string;
}

/** What settings choose. */
export interface RetentionPlan {
  /** Emptied step by step, all tables at once. */
  readonly timed: readonly TimedTable[];
  /** Emptied with each step as well; their rows have ranges of time, or few of them are old. */
  readonly ranged: readonly RetainedTable[];
  /** No index leads to their old rows: they are read through, once for each pass over the database. */
  readonly swept: readonly RetainedTable[];
  /** Lose whole partitions. */
  readonly partitioned: readonly string[];
}

/** All tables, each followed by the one that keeps its superseded versions. */
const retained: readonly { readonly name: string; readonly retention: Retention }[] = tableDefinitions.flatMap(
  ({ table, retention, history }) => [
    { name: table, retention },
    ...(history === undefined ? [] : [{ name: `${table}_history`, retention: history }]),
  ],
);

const found = (kind: 'ranged' | 'swept'): RetainedTable[] =>
  retained.flatMap(({ name, retention }) => (retention.kind === kind ? [{ name, isOld: retention.isOld }] : []));

const timed: readonly TimedTable[] = retained.flatMap(({ name, retention }) =>
  retention.kind === 'timed' ? [{ name, column: retention.column, isOld: retention.isOld }] : [],
);
const ranged = found('ranged');
const swept = found('swept');
const partitioned = retained.filter(({ retention }) => retention.kind === 'partitioned').map(({ name }) => name);

const known: ReadonlySet<string> = new Set(
  retained.filter(({ retention }) => retention.kind !== 'kept').map(({ name }) => name),
);

const namesIn = (settings: RetentionSettings, list: 'include' | 'exclude'): ReadonlySet<string> => {
  const names = settings[list].map((name) => name.trim().toLowerCase());
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return new Set(names);
  const setting = `hiero.mirror.importer.retention.${list}`;
  throw new KagamiError(
    'CONFIG_INVALID',
    `${setting}: ${JSON.stringify(unknown)} is no table that can lose old rows; these can: ${[...known].join(', ')}`,
    { details: { setting } },
  );
};

/** @throws KagamiError CONFIG_INVALID for a table that is unknown, or kept in any case */
export const retentionPlan = (settings: RetentionSettings): RetentionPlan => {
  const included = namesIn(settings, 'include');
  const excluded = namesIn(settings, 'exclude');
  const isChosen = (name: string): boolean => (included.size === 0 || included.has(name)) && !excluded.has(name);
  const chosen = <T extends RetainedTable>(tables: readonly T[]): T[] => tables.filter(({ name }) => isChosen(name));
  return {
    timed: chosen(timed),
    ranged: chosen(ranged),
    swept: chosen(swept),
    partitioned: partitioned.filter((name) => included.has(name) && isChosen(name)),
  };
};
