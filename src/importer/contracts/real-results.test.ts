/** Results that tests of a network left, without a database. */
import { describe, expect, it } from 'vitest';
import { CachedEntityLookup } from '../entity-lookup.ts';
import { contractResultOf } from '../record-item.ts';
import { unwritableColumns } from '../transactions/testing/column-check.fixture.ts';
import { applyItem, contextOf, type Handed, RecordingBatch } from '../transactions/testing/handled.fixture.ts';
import { hasSnapshots, type RealLedger, snapshotLedgers } from '../transactions/testing/real-items.fixture.ts';
import { addContractOutput } from './contract-output.ts';

/** Milliseconds that a busy machine may take. */
const PATIENCE = 120_000;

interface Outcome {
  readonly problems: string[];
  readonly rows: Map<string, number>;
  readonly unwritable: string[];
  /** Items with a result in their record. */
  results: number;
}

const addLedger = ({ items }: RealLedger, outcome: Outcome): void => {
  const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
  const batch = new RecordingBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
  lookup.useBatch(batch);
  batch.beginBlock();
  const context = contextOf(batch, { lookup }, outcome.problems);
  const handed: Handed[] = [];
  for (const item of items) {
    context.evm.begin(item);
    const entityId = applyItem(item, context);
    const before = batch.handed.length;
    addContractOutput(item, entityId, context);
    handed.push(...batch.handed.slice(before));
    if (contractResultOf(item) !== undefined) outcome.results++;
  }
  const before = batch.handed.length;
  context.evm.flush(batch);
  for (const one of [...handed, ...batch.handed.slice(before)]) {
    outcome.rows.set(one.table, (outcome.rows.get(one.table) ?? 0) + 1);
    outcome.unwritable.push(...unwritableColumns(one));
  }
};

describe.skipIf(!hasSnapshots)('contracts in transactions that tests of a network left', () => {
  it(
    'leave a result each, and whatever else their records tell',
    () => {
      const outcome: Outcome = { problems: [], rows: new Map(), unwritable: [], results: 0 };
      for (const ledger of snapshotLedgers()) addLedger(ledger, outcome);
      expect(outcome).toEqual({
        problems: [],
        unwritable: [],
        results: 1046,
        rows: new Map([
          ['entity', 332],
          ['contract_result', 1046],
          ['contract_transaction_hash', 1046],
          ['contract_transaction', 2108],
          ['contract_log', 115],
        ]),
      });
    },
    PATIENCE,
  );
});
