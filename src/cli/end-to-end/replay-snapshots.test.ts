/** Contract transactions that tests of the network recorded: executing them again gives what the network made of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { hasRealStreams } from '../../streams/testing/real-streams.fixture.ts';
import { LedgerReplay, type Replay } from './testing/replay.fixture.ts';
import { expectedDifferences } from './testing/snapshot-differences.fixture.ts';
import { contractSnapshots, loadSnapshot } from './testing/snapshots.fixture.ts';

const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** `suite/test@item`, and what differs. */
const nameOf = (place: string, { differences }: Replay): string =>
  `${place} ${differences
    .map(({ what }) => what)
    .toSorted()
    .join(', ')}`;

const causeOf = (name: string): string =>
  Object.entries(expectedDifferences).find(([, names]) => names.includes(name))?.[0] ?? 'unknown';

/** How many replays of each cause; those that came out as recorded are `equal`. */
const countsOf = (causes: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const cause of causes) counts[cause] = (counts[cause] ?? 0) + 1;
  return counts;
};

const logsOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

describe.skipIf(!hasRealStreams)('replays of recorded network tests', () => {
  let test: TestDatabase;
  const differing = new Map<string, Replay>();
  const causes: string[] = [];
  beforeAll(async () => {
    test = await createTestDatabase();
    for (const snapshot of contractSnapshots()) {
      await loadSnapshot(test.database, snapshot);
      const replay = await LedgerReplay.open(test.database, { chainId: 298n, ledgerId: '0x00', remembers: true });
      for (const replayed of await replay.replayAll()) {
        const isEqual = replayed.differences.length === 0;
        const place = `${snapshot.name}@${snapshot.times.indexOf(replayed.consensusTimestamp)}`;
        const name = nameOf(place, replayed);
        causes.push(isEqual ? 'equal' : causeOf(name));
        if (!isEqual) differing.set(name, replayed);
      }
    }
  }, 600_000);
  afterAll(() => test.drop());

  it('give what the network recorded, but for what has a cause', () => {
    console.info(`${causes.length} replayed:`, countsOf(causes));
    expect([...differing.keys()].toSorted()).toEqual(Object.values(expectedDifferences).flat().toSorted());
  });

  it('succeed without signatures only where the network missed one', () => {
    const recorded = (expectedDifferences.signatures ?? []).map((name) => differing.get(name)?.failedChildren.recorded);
    expect(recorded).toEqual(recorded.map(() => ['INVALID_FULL_PREFIX_SIGNATURE_FOR_PRECOMPILE']));
  });

  it('log all that the network did, in its order, and transfers besides', () => {
    for (const name of expectedDifferences.events ?? []) {
      const [difference] = differing.get(name)?.differences ?? [];
      const recorded = logsOf(difference?.recorded ?? '');
      const executed = logsOf(difference?.executed ?? '');
      expect(executed.filter((log) => recorded.includes(log))).toEqual(recorded);
      const more = executed.filter((log) => !recorded.includes(log)).map((log) => log.split(' ')[1]);
      expect([name, ...new Set(more)]).toEqual([name, TRANSFER_TOPIC]);
    }
  });
});
