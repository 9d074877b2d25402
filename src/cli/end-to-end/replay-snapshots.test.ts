/** Contract transactions that tests of the network recorded: executing them again gives what the network made of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { hasRealStreams } from '../../streams/testing/real-streams.fixture.ts';
import { LedgerReplay, type Replay, summaryOf } from './testing/replay.fixture.ts';
import { contractSnapshots, loadSnapshot } from './testing/snapshots.fixture.ts';

/** Those about the EVM alone: system contracts had other prices and fewer events then. */
const SUITES = [
  'BalanceOperation',
  'CallCodeOperation',
  'CallOperation',
  'ContractCallLocal',
  'DelegateCallOperation',
  'ExtCodeCopyOperation',
  'ExtCodeHashOperation',
  'ExtCodeSizeOperation',
  'Logs',
  'PushZeroOperation',
  'SStore',
  'SelfDestruct',
];

/** What comes out differently, and why. */
const KNOWN: readonly string[] = [
  // A contract that destroys itself while it is created is listed as created all the same.
  [
    '1004 created contracts: 1004 by number -',
    '1005 bdf33a51e377df21d35bb4073dba7a1d43d1ccbd - <> 1004 bdf33a51e377df21d35bb4073dba7a1d43d1ccbd -',
  ].join('\n'),
];

describe.skipIf(!hasRealStreams)('replays of recorded network tests', () => {
  let test: TestDatabase;
  beforeAll(async () => {
    test = await createTestDatabase();
  });
  afterAll(() => test.drop());

  it('give what the network recorded', { timeout: 240_000 }, async () => {
    const replays: Replay[] = [];
    for (const snapshot of contractSnapshots(SUITES)) {
      await loadSnapshot(test.database, snapshot);
      const replay = await LedgerReplay.open(test.database, { chainId: 298n, remembers: true });
      replays.push(...(await replay.replayAll()));
    }
    expect(summaryOf(replays)).toEqual({ replayed: 94, equal: 93, withoutCode: 0, differences: KNOWN });
  });
});
