/** Brings what a batch staged for one table into the database: deltas first, then versions. */

import type { Int8Range } from '../../database/column.ts';
import type { DatabaseClient } from '../../database/connection.ts';
import { tableNamed } from '../../database/table.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { StagedRow, StagedRows } from '../state/staged-table.ts';
import type { UpsertTable } from '../tables/registry.ts';
import { arrayParameters } from './array-parameters.ts';
import { deltaSql, mergeSql, type StagedSql } from './merge-sql.ts';

/** More rows than this go in several statements, so that no parameter grows beyond what the server takes. */
const MAX_ROWS = 50_000;

const run = async (
  client: DatabaseClient,
  table: UpsertTable,
  purpose: 'delta' | 'merge',
  sql: StagedSql,
  rows: readonly StagedRow[],
): Promise<void> => {
  let parameters: (Buffer | null)[];
  try {
    parameters = arrayParameters(rows, sql.columns, tableNamed(table).columns);
  } catch (cause) {
    throw new KagamiError('ROW_INVALID', `A staged row of ${table} does not fit: ${(cause as Error).message}`, {
      details: { table },
      cause,
    });
  }
  await client.query(sql.text, parameters, `${purpose}_${table}`);
};

/** Writes the staged rows of one table inside the caller's transaction; does nothing when there are none. */
export const writeStaged = async (client: DatabaseClient, table: UpsertTable, staged: StagedRows): Promise<void> => {
  if (staged.size === 0) return;
  let deltas: StagedRow[] = [];
  let versions: StagedRow[] = [];
  let mergedLast: StagedRow[] = [];
  const flushDeltas = async (): Promise<void> => {
    const sql = deltaSql[table];
    if (sql !== undefined && deltas.length > 0) await run(client, table, 'delta', sql, deltas);
    deltas = [];
  };
  const flushVersions = async (): Promise<void> => {
    // The deltas of the same keys come before their versions.
    await flushDeltas();
    if (versions.length > 0) await run(client, table, 'merge', mergeSql[table], versions);
    versions = [];
  };
  for (const state of staged.settled()) {
    if (state.delta !== undefined) deltas.push(state.delta);
    const { mergedFirst } = state;
    if (mergedFirst === undefined) for (const version of state.versions) versions.push(version);
    else {
      versions.push(
        ...state.versions.slice(0, mergedFirst - 1),
        openEnded(state.versions[mergedFirst - 1] as StagedRow),
      );
      mergedLast.push(...state.versions.slice(mergedFirst));
    }
    if (deltas.length >= MAX_ROWS) await flushDeltas();
    if (versions.length >= MAX_ROWS) await flushVersions();
  }
  await flushVersions();
  [versions, mergedLast] = [mergedLast, []];
  await flushVersions();
};

/** What comes after it is not there yet. */
const openEnded = (version: StagedRow): StagedRow => ({
  ...version,
  timestamp_range: { lower: (version.timestamp_range as Int8Range).lower, upper: null },
});
