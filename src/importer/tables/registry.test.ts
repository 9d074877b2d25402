import { describe, expect, it } from 'vitest';
import { tableNames } from '../../database/table.ts';
import { inserted, merged } from './definition.ts';
import {
  growingTables,
  importerTables,
  insertTables,
  tableDefinitions,
  upsertTables,
  writtenTables,
} from './registry.ts';
import { kept, sweptVersions, timedBy } from './retention.ts';

describe('the tables of the importer', () => {
  it('are those of the schema, where those of superseded versions go with the tables whose versions they keep', () => {
    const defined = tableDefinitions.flatMap(({ table, history }) =>
      history === undefined ? [table] : [table, `${table}_history`],
    );
    expect(defined.sort()).toEqual([...tableNames].sort());
    expect(Object.entries(importerTables).filter(([name, { table }]) => name !== table)).toEqual([]);
  });

  it('are written each once: some get rows, some versions', () => {
    expect([...writtenTables].sort()).toEqual([...insertTables, ...upsertTables].sort());
    expect(new Set(writtenTables).size).toBe(26 + 18);
    expect(growingTables).toHaveLength(16);
    expect(insertTables).toEqual(expect.arrayContaining([...growingTables]));
  });

  it('have to say what their columns make necessary', () => {
    // @ts-expect-error: it has superseded versions, which grow old
    merged('topic', { key: ['id'], retention: kept });
    // @ts-expect-error: it has no superseded versions
    inserted('prng', { retention: kept, history: sweptVersions });
    // @ts-expect-error: its amounts may change balances
    inserted('token_transfer', { retention: kept });
    // @ts-expect-error: it has balances
    merged('token_account', { key: ['account_id', 'token_id'], retention: kept, history: sweptVersions });
    // @ts-expect-error: it has no such column
    inserted('record_file', { retention: timedBy('consensus_timestamp') });
    // @ts-expect-error: it has no such column
    merged('ledger', { key: ['id'], retention: kept });
    expect(inserted('prng', { retention: kept })).toEqual({
      table: 'prng',
      write: 'insert',
      grows: false,
      retention: { kind: 'kept' },
    });
  });
});
