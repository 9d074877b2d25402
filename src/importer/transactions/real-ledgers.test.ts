import { describe, expect, it } from 'vitest';
import { transactionTypeName } from '../../ledger/transaction-type.ts';
import { CachedEntityLookup } from '../entity-lookup.ts';
import { transactionHandlers } from './registry.ts';
import { unwritableColumns } from './testing/column-check.fixture.ts';
import { applyItem, contextOf, type Handed, RecordingBatch } from './testing/handled.fixture.ts';
import {
  hasRecordFiles,
  hasSnapshots,
  type RealLedger,
  recordFileLedgers,
  snapshotLedgers,
} from './testing/real-items.fixture.ts';

/** Milliseconds that a busy machine may take. */
const PATIENCE = 120_000;

/** Types whose transactions are about no single entity; a freeze is only about one when it updates the software. */
const WITHOUT_ENTITY: ReadonlySet<number> = new Set([14, 23, 28, 48, 49, 51, 52, 56, 58, 59, 60, 74, 77, 78, 79, 80]);

interface Outcome {
  transactions: number;
  /** Types of successful transactions whose main entity is missing, or there against expectation. */
  readonly wrongEntity: string[];
  readonly problems: string[];
  readonly unwritable: string[];
  readonly unhandled: Set<string>;
  readonly rows: Map<string, number>;
}

const handleLedger = ({ name, items }: RealLedger, outcome: Outcome): void => {
  const lookup = new CachedEntityLookup({ shard: 0n, realm: 0n });
  const batch = new RecordingBatch({ entityHistory: true, entityStaged: lookup.entityStaged });
  lookup.useBatch(batch);
  batch.beginBlock();
  for (const item of items) {
    outcome.transactions++;
    const typeName = transactionTypeName(item.type);
    if (!transactionHandlers.has(item.type)) outcome.unhandled.add(typeName);
    const problems: string[] = [];
    const entityId = applyItem(item, contextOf(batch, { lookup }, problems));
    outcome.problems.push(...problems.map((message) => `${typeName}: ${message}`));
    if (item.successful && (entityId === 0n) !== WITHOUT_ENTITY.has(item.type)) {
      outcome.wrongEntity.push(`${name} ${item.consensusTimestamp} ${typeName}`);
    }
  }
  count(batch.handed, outcome);
};

const count = (handed: readonly Handed[], outcome: Outcome): void => {
  for (const one of handed) {
    outcome.rows.set(one.table, (outcome.rows.get(one.table) ?? 0) + 1);
    outcome.unwritable.push(...unwritableColumns(one));
  }
};

const handleAll = (ledgers: Iterable<RealLedger>): Outcome => {
  const outcome: Outcome = {
    transactions: 0,
    wrongEntity: [],
    problems: [],
    unwritable: [],
    unhandled: new Set(),
    rows: new Map(),
  };
  for (const ledger of ledgers) handleLedger(ledger, outcome);
  return outcome;
};

describe.skipIf(!hasSnapshots)('transactions that tests of a network left', () => {
  it(
    'are all handled, with the main entity that their type asks for',
    () => {
      expect(handleAll(snapshotLedgers())).toEqual({
        transactions: 4091,
        wrongEntity: [],
        problems: [],
        unwritable: [],
        unhandled: new Set(),
        rows: new Map([
          ['entity', 2200],
          ['token', 454],
          ['custom_fee', 332],
          ['token_account', 630],
          ['file_data', 971],
          ['contract', 326],
          ['nft', 225],
          ['nft_allowance', 38],
          ['ethereum_transaction', 32],
          ['token_allowance', 36],
          ['crypto_allowance', 18],
          ['schedule', 1],
          ['topic', 32],
          ['topic_message', 17],
        ]),
      });
    },
    PATIENCE,
  );
});

describe.skipIf(!hasRecordFiles)('transactions of real record files', () => {
  it(
    'are all handled, with the main entity that their type asks for',
    () => {
      expect(handleAll(recordFileLedgers())).toEqual({
        transactions: 13_015,
        wrongEntity: [],
        // Creations that name 0.0.0.
        problems: Array(3).fill('CONTRACTCREATEINSTANCE: No auto renew account'),
        unwritable: [],
        unhandled: new Set(),
        rows: new Map([
          ['topic_message', 4],
          ['entity', 751],
          ['ethereum_transaction', 3],
          ['file_data', 16],
          ['contract', 5],
          ['network_freeze', 1],
          ['network_stake', 1],
          ['node_stake', 1],
        ]),
      });
    },
    PATIENCE,
  );
});
