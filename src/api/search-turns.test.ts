import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Database, DatabaseClient } from '../database/connection.ts';
import { KagamiError } from '../errors/kagami-error.ts';
import { everything } from './bounds.ts';
import { HttpProblem } from './problem.ts';
import type { RouteContext } from './route.ts';
import { inSearchTurns, type SearchStage, searchTurns, Turns, takesLong } from './search-turns.ts';
import { inSnapshot } from './snapshot.ts';
import { searchInSteps } from './stepped-search.ts';

const limits = { atOnce: 2, maxWaiting: 3, maxWaitMs: 60_000 };

/** A piece of work that ends when it is told to. */
const held = () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { work: () => promise, end: resolve };
};

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('Turns', () => {
  it('lets so many run at once, and the others in the order in which they came', async () => {
    const turns = new Turns(limits);
    const begun: number[] = [];
    const works = Array.from({ length: 5 }, (_, i) => {
      const { work, end } = held();
      const running = turns.run(() => {
        begun.push(i);
        return work();
      });
      return { running, end };
    });
    await settled();
    expect([begun, turns.running, turns.waiting]).toEqual([[0, 1], 2, 3]);
    works[1]?.end();
    await works[1]?.running;
    await settled();
    expect([begun, turns.running, turns.waiting]).toEqual([[0, 1, 2], 2, 2]);
    for (const { end } of works) end();
    await Promise.all(works.map(({ running }) => running));
    expect([begun, turns.running, turns.waiting]).toEqual([[0, 1, 2, 3, 4], 0, 0]);
  });

  it('refuses who finds too many waiting with 503 and Retry-After, and goes on', async () => {
    const turns = new Turns({ ...limits, atOnce: 1, maxWaiting: 1 });
    const { work, end } = held();
    const first = turns.run(work);
    const second = turns.run(async () => 'second');
    const refused = await turns.run(async () => 'third').catch((error: unknown) => error as HttpProblem);
    expect(refused).toBeInstanceOf(HttpProblem);
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
    end();
    await first;
    expect(await second).toBe('second');
    expect(await turns.run(async () => 'fourth')).toBe('fourth');
  });

  it('refuses who has waited too long', async () => {
    const turns = new Turns({ ...limits, atOnce: 1, maxWaitMs: 1 });
    const { work, end } = held();
    const first = turns.run(work);
    await expect(turns.run(async () => 'second')).rejects.toMatchObject({ status: 503 });
    expect(turns.waiting).toBe(0);
    end();
    await first;
    expect(await turns.run(async () => 'third')).toBe('third');
  });

  it('gives the next turn to the client that has had least, however much another one asks for', async () => {
    const turns = new Turns({ atOnce: 1, maxWaiting: 40, maxWaitMs: 60_000 });
    const begun: string[] = [];
    const { work, end } = held();
    const first = turns.run(work, 'crowd');
    const ask = (client: string, name: string) =>
      turns.run(async () => {
        begun.push(name);
        await pause(5);
      }, client);
    const crowd = Array.from({ length: 6 }, (_, i) => ask('crowd', `crowd ${i}`));
    await settled();
    const others = [ask('other', 'other 0'), ask('other', 'other 1'), ask('third', 'third 0')];
    await pause(20);
    end();
    await Promise.all([first, ...crowd, ...others]);
    expect(begun.slice(0, 2).toSorted()).toEqual(['other 0', 'third 0']);
    expect(begun.indexOf('other 1')).toBeLessThan(begun.indexOf('crowd 1'));
    expect(begun.filter((name) => name.startsWith('crowd'))).toEqual([0, 1, 2, 3, 4, 5].map((i) => `crowd ${i}`));
    expect([turns.running, turns.waiting]).toEqual([0, 0]);
  });

  it('refuses the newest search of the client of which most wait to make room for another client', async () => {
    const turns = new Turns({ atOnce: 1, maxWaiting: 3, maxWaitMs: 60_000 });
    const { work, end } = held();
    const first = turns.run(work, 'crowd');
    const outcomes: string[] = [];
    const ask = (client: string, name: string) =>
      turns
        .run(async () => 'answered', client)
        .catch(({ status }: HttpProblem) => `${status}`)
        .then((outcome) => outcomes.push(`${name}: ${outcome}`));
    const asked = [ask('crowd', '0'), ask('crowd', '1'), ask('crowd', '2'), ask('other', 'other'), ask('crowd', '3')];
    await settled();
    expect(outcomes).toEqual(['2: 503', '3: 503']);
    end();
    await Promise.all([first, ...asked]);
    expect(outcomes.toSorted()).toEqual(['0: answered', '1: answered', '2: 503', '3: 503', 'other: answered']);
  });

  it('gives the turn on when work fails', async () => {
    const turns = new Turns({ ...limits, atOnce: 1 });
    await expect(turns.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await turns.run(async () => 1)).toBe(1);
  });
});

const settingsOf = (maxConnections: number, maxSearches = 0) => ({
  query: { maxSearches, maxWaitingSearches: 50, maxSearchTime: 1000 },
  db: { pool: { maxConnections, connectionTimeout: 20_000, statementTimeout: 20_000 } },
});

/** How many run at once when more want to than there can be connections. */
const mostAtOnce = async (turns: Turns): Promise<number> => {
  const works = Array.from({ length: 40 }, held);
  const running = works.map(({ work }) => turns.run(work));
  await settled();
  const most = turns.running;
  for (const { end } of works) end();
  await Promise.all(running);
  return most;
};

describe('searchTurns', () => {
  it.each([
    [10, 0, 3, 3],
    [10, 4, 4, 3],
    [10, 100, 6, 1],
    [3, 0, 1, 1],
    [5, 0, 1, 1],
    [100, 0, 30, 32],
  ])(
    'of %i connections with maxSearches %i lets %i long and %i brief searches run',
    async (max, wanted, long, brief) => {
      const turns = searchTurns(settingsOf(max, wanted));
      expect([await mostAtOnce(turns.long), await mostAtOnce(turns.brief)]).toEqual([long, brief]);
      expect(long + brief).toBeLessThan(max);
    },
  );

  it('lets one search run of two connections, whatever its stage', async () => {
    const { brief, long } = searchTurns(settingsOf(2));
    expect(brief).toBe(long);
    expect(await mostAtOnce(brief)).toBe(1);
  });
});

/** A pool of connections in which a search never ends within its time. */
const pool = (max: number) => {
  let held = 0;
  let mostHeld = 0;
  const search = { query: async () => [] } as unknown as DatabaseClient;
  const transaction = async (work: (client: DatabaseClient) => Promise<unknown>) => {
    held++;
    mostHeld = Math.max(mostHeld, held);
    try {
      return await work(search);
    } finally {
      held--;
    }
  };
  const settings = settingsOf(max);
  const db = { transaction, query: search.query } as unknown as Database;
  const context = { db, settings, searches: searchTurns(settings) } as unknown as RouteContext;
  return { context, mostHeld: () => mostHeld };
};

describe('inSearchTurns', () => {
  /** Takes all turns of the stage. */
  const taken = ({ searches }: RouteContext, stage: SearchStage) => {
    const others: { work: () => Promise<void>; end: () => void }[] = [];
    const running: Promise<void>[] = [];
    while (searches[stage].hasRoom) {
      const other = held();
      others.push(other);
      running.push(searches[stage].run(other.work));
    }
    return {
      end: async () => {
        for (const { end } of others) end();
        await Promise.all(running);
      },
    };
  };

  it('begins among the long ones where there is room, and begins once', async () => {
    const { context } = pool(10);
    const stages: unknown[] = [];
    const result = await inSearchTurns(context, async ({ searchStage }) => {
      stages.push([searchStage, context.searches.brief.running, context.searches.long.running]);
      return 'found';
    });
    expect(result).toBe('found');
    expect(stages).toEqual([['long', 0, 1]]);
  });

  it('tries for a moment where there is no room, and begins anew when it is its turn', async () => {
    const { context } = pool(10);
    const long = taken(context, 'long');
    const stages: unknown[] = [];
    const result = inSearchTurns(context, async ({ searchStage }) => {
      stages.push([searchStage, context.searches.brief.running, context.searches.long.running]);
      if (searchStage === 'brief') throw takesLong();
      return 'found';
    });
    await settled();
    expect(stages).toEqual([['brief', 1, 3]]);
    await long.end();
    expect(await result).toBe('found');
    expect(stages).toEqual([
      ['brief', 1, 3],
      ['long', 0, 1],
    ]);
  });

  it('is one turn for what is in another', async () => {
    const { context } = pool(10);
    const nested = await inSearchTurns(context, (outer) =>
      inSearchTurns(outer, async () => [context.searches.brief.running, context.searches.long.running]),
    );
    expect(nested).toEqual([0, 1]);
  });

  it('gives up a snapshot whose search has to wait, and takes another when it is its turn', async () => {
    const { context } = pool(10);
    const long = taken(context, 'long');
    const brief = taken(context, 'brief');
    const stages: unknown[] = [];
    const answer = inSnapshot(context, async (snapshot) => {
      await snapshot.db.query('select');
      stages.push(snapshot.searchStage);
      return inSearchTurns(snapshot, async ({ searchStage }) => {
        stages.push(searchStage);
        if (searchStage === 'brief') throw takesLong();
        return 'found';
      });
    });
    await settled();
    await settled();
    expect(stages).toEqual(['snapshot']);
    await brief.end();
    await settled();
    await settled();
    expect(stages).toEqual(['snapshot', 'brief', 'brief']);
    await long.end();
    expect(await answer).toBe('found');
    expect(stages).toEqual(['snapshot', 'brief', 'brief', 'long', 'long']);
  });

  it('searches within a snapshot as long as it takes where there is room', async () => {
    const { context } = pool(10);
    const stages: unknown[] = [];
    const answer = inSnapshot(context, async (snapshot) => {
      await snapshot.db.query('select');
      return inSearchTurns(snapshot, async ({ searchStage }) => {
        stages.push([searchStage, context.searches.brief.running, context.searches.long.running]);
        return 'found';
      });
    });
    expect(await answer).toBe('found');
    expect(stages).toEqual([['long', 0, 1]]);
  });

  it('leaves connections to others, however many searches there are, in snapshots or not', async () => {
    const { context, mostHeld } = pool(10);
    const find = async (): Promise<bigint[]> => {
      await settled();
      throw new KagamiError('DATABASE_TIMEOUT', 'canceling statement due to statement timeout');
    };
    const search = (within: RouteContext) =>
      searchInSteps({ interval: everything, order: 'asc', limit: 1, tables: ['t'], find }, within);
    const asked = Array.from({ length: 40 }, (_, i) =>
      (i % 2 === 0 ? search(context) : inSearchTurns(context, search)).catch((error: unknown) => error),
    );
    await Promise.all(asked);
    expect(mostHeld()).toBe(6);
  });
});
