/** Contract transactions that tests of the network recorded: executing them again gives what the network made of them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { hasRealStreams } from '../../streams/testing/real-streams.fixture.ts';
import { type Difference, gasSummaryOf, LedgerReplay, type Replay } from './testing/replay.fixture.ts';
import { expectedDifferences } from './testing/snapshot-differences.fixture.ts';
import { contractSnapshots, loadSnapshot } from './testing/snapshots.fixture.ts';

const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

type Cause = keyof typeof expectedDifferences;

/** `suite/test@item`, and what differs. */
const nameOf = (place: string, { differences }: Replay): string =>
  `${place} ${differences
    .map(({ what }) => what)
    .toSorted()
    .join(', ')}`;

const linesOf = (text: string): string[] => (text === '' ? [] : text.split('\n'));

describe.skipIf(!hasRealStreams)('replays of recorded network tests', () => {
  let test: TestDatabase;
  const replays: Replay[] = [];
  const differing = new Map<string, Replay>();
  /** Replays of ledgers in which a token had been deleted. */
  const withDeletedTokens = new Set<Replay>();
  beforeAll(async () => {
    test = await createTestDatabase();
    for (const snapshot of contractSnapshots()) {
      await loadSnapshot(test.database, snapshot);
      const deleted = await test.database.query(`select 1 from entity where type = 'TOKEN' and deleted limit 1`);
      const replay = await LedgerReplay.open(test.database, { chainId: 298n, ledgerId: '0x00', remembers: true });
      for (const replayed of await replay.replayAll()) {
        replays.push(replayed);
        if (deleted.length > 0) withDeletedTokens.add(replayed);
        if (replayed.differences.length === 0) continue;
        const place = `${snapshot.name}@${snapshot.times.indexOf(replayed.consensusTimestamp)}`;
        differing.set(nameOf(place, replayed), replayed);
      }
    }
  }, 1_200_000);
  afterAll(() => test?.drop());

  const of = (cause: Cause): Replay[] =>
    expectedDifferences[cause].map((name) => {
      const replayed = differing.get(name);
      if (replayed === undefined) throw new Error(`${name} no longer differs like that`);
      return replayed;
    });
  const different = ({ differences }: Replay, what: Difference['what']): Difference => {
    const found = differences.find((one) => one.what === what);
    if (found === undefined) throw new Error(`${what} does not differ`);
    return found;
  };

  it('give what the network recorded, but for what is listed', () => {
    const counts = Object.entries(expectedDifferences).map(([cause, names]) => [cause, names.length]);
    console.info(`${replays.length} replayed, ${replays.length - differing.size} equal:`, Object.fromEntries(counts));
    expect([...differing.keys()].toSorted()).toEqual(Object.values(expectedDifferences).flat().toSorted());
    expect([replays.length, replays.length - differing.size]).toEqual([775, 699]);
  });

  it('have the gas of the engine itself compared wherever the record lets it be known', () => {
    const gas = gasSummaryOf(replays);
    console.info('gas of recorded network tests:', gas);
    expect(gas).toEqual({
      exact: { replayed: 153, equal: 144 },
      atSystemContracts: { replayed: 148, equal: 94 },
      onlyBounded: { replayed: 474, equal: 461 },
    });
    // Until system contracts were called, the engine had used exactly as much as the network in all of them.
    expect(
      replays.filter(({ differences }) => differences.some(({ what }) => what === 'gas at system contracts')),
    ).toEqual([]);
  });

  it.each([
    ['signatures', 'INVALID_FULL_PREFIX_SIGNATURE_FOR_PRECOMPILE'],
    ['allowances', 'SPENDER_DOES_NOT_HAVE_ALLOWANCE'],
  ] as const)('succeed for want of %s only where the network missed one', (cause, status) => {
    for (const { failedChildren } of of(cause)) {
      expect(failedChildren.recorded).toEqual([status]);
      expect(failedChildren.executed).not.toContain(status);
    }
  });

  it('log all that the network did, in its order, and transfers besides', () => {
    for (const replayed of of('events')) {
      const difference = different(replayed, 'logs');
      const recorded = linesOf(difference.recorded);
      const executed = linesOf(difference.executed);
      expect(executed.filter((log) => recorded.includes(log))).toEqual(recorded);
      const more = executed.filter((log) => !recorded.includes(log)).map((log) => log.split(' ')[1]);
      expect([...new Set(more)]).toEqual([TRANSFER_TOPIC]);
    }
  });

  it('run out of what system contracts cost more since', () => {
    for (const { failedChildren, systemCalls } of of('associationPrices')) {
      expect(failedChildren).toEqual({ recorded: [], executed: ['INSUFFICIENT_GAS'] });
      const [call] = systemCalls;
      expect(call?.recorded.gasUsed).toBe(14_085n);
      expect(call?.executed.gasUsed).toBe(call?.executed.gas);
    }
    for (const { failedChildren } of of('creationPrices')) {
      expect(failedChildren).toEqual({ recorded: [], executed: ['INSUFFICIENT_TX_FEE'] });
    }
  });

  it('go beyond what the network limited', () => {
    for (const { failedChildren } of of('limits')) {
      expect(failedChildren.recorded).toEqual(['TOKENS_PER_ACCOUNT_LIMIT_EXCEEDED']);
    }
    for (const replayed of of('leastCharges')) {
      const { recorded, executed } = different(replayed, 'gas');
      expect(BigInt(recorded)).toBe((replayed.gas.limit * 19n) / 20n);
      expect(BigInt(executed)).toBeLessThan(BigInt(recorded));
    }
  });

  it('log what they read of a block that is not the one of the network', () => {
    for (const replayed of of('blocks')) {
      const { recorded, executed } = different(replayed, 'logs');
      const withoutData = (logs: string) => linesOf(logs).map((log) => log.split(' ').slice(0, -1));
      expect(withoutData(executed)).toEqual(withoutData(recorded));
    }
  });

  it('do not find tokens that were deleted', () => {
    for (const replayed of of('deletedTokens')) {
      expect(withDeletedTokens).toContain(replayed);
      expect(replayed.failedChildren).toEqual({ recorded: [], executed: ['INVALID_TOKEN_ID'] });
    }
  });

  it('create contracts without code where no record tells it', () => {
    for (const replayed of of('unknownCode')) {
      expect(different(replayed, 'created contracts').executed).toMatch(/^\d+ by number $/);
    }
  });

  it('create nothing that destroys itself meanwhile', () => {
    for (const replayed of of('selfDestroyed')) {
      const { recorded, executed } = different(replayed, 'created contracts');
      expect(linesOf(recorded).length).toBe(linesOf(executed).length + 1);
      // Nothing of its code is in the tables.
      for (const line of linesOf(recorded)) expect(line).toMatch(/ -$/);
    }
  });

  it('end without a name where the network ran out of child records', () => {
    for (const replayed of of('exhaustion')) {
      const { recorded, executed } = different(replayed, 'output');
      expect(Buffer.from(recorded, 'hex').toString()).toBe('MAX_CHILD_RECORDS_EXCEEDED');
      expect(executed).toBe('');
    }
  });
});
