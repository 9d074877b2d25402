import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { acquireWriter, type WriterLease } from '../../database/fencing.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { KagamiError } from '../../errors/kagami-error.ts';
import { readStandstill, StopRecord, type StopRecordOptions } from './stop-record.ts';

let target: TestDatabase;
let lease: WriterLease;
const records: StopRecord[] = [];

beforeAll(async () => {
  target = await createTestDatabase();
});
afterAll(() => target?.drop());
beforeEach(async () => {
  await target.database.query('delete from kagami.importer_state');
  lease = await acquireWriter({ connectionString: target.connectionString, holder: 'the test' });
});
afterEach(async () => {
  for (const record of records.splice(0)) await record.close();
  await lease.release();
});

const open = (options: Partial<StopRecordOptions> = {}): StopRecord => {
  const record = new StopRecord({ database: target.database, lease, ...options });
  records.push(record);
  return record;
};

const eventually = async <T>(look: () => Promise<T | undefined>): Promise<T> => {
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    await pause(10);
  }
};

const unsigned = new KagamiError('STREAM_UNSIGNED', 'no node signed it');
const tooFew = new KagamiError('STREAM_NO_CONSENSUS', '1 of 4 signed');

it('keeps the last reason of a wait that lasts, until what was waited for has come', async () => {
  const record = open({ patienceMs: 20 });
  record.waits(unsigned, 'a');
  record.waits(tooFew, 'a');
  const found = await eventually(() => readStandstill(target.database));
  expect(found).toEqual({
    state: 'waiting',
    code: 'STREAM_NO_CONSENSUS',
    message: '1 of 4 signed',
    file: 'a',
    holder: 'the test',
    since: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
  });
  record.retries(new KagamiError('DATABASE_FULL', 'no space'));
  await record.close();
  expect(await readStandstill(target.database)).toMatchObject({ state: 'retrying', code: 'DATABASE_FULL', file: null });
  record.progressed();
  await record.close();
  expect(await readStandstill(target.database)).toBeUndefined();

  record.waits(unsigned, 'b');
  await eventually(() => readStandstill(target.database));
  record.proceeds();
  await record.close();
  expect(await readStandstill(target.database)).toBeUndefined();
});

it('says nothing of a short wait', async () => {
  const record = open({ patienceMs: 60_000 });
  record.waits(unsigned, 'a');
  record.proceeds();
  await record.close();
  expect(await readStandstill(target.database)).toBeUndefined();
});

it('is not appeased by blocks from before the file that is missing, which are committed later', async () => {
  const told: string[] = [];
  const record = open({
    patienceMs: 20,
    onStandstill: ({ fault, file }) => told.push(`${fault.code} ${file}`),
    onResumed: () => told.push('resumed'),
  });
  record.writes();
  record.waits(unsigned, 'c');
  // What was read before it is still being written: no standstill, however long that takes.
  await pause(80);
  expect(told).toEqual([]);
  record.progressed();
  await eventually(() => readStandstill(target.database));
  expect(told).toEqual(['STREAM_UNSIGNED c']);
  record.progressed();
  await record.close();
  expect(await readStandstill(target.database)).toMatchObject({ code: 'STREAM_UNSIGNED', file: 'c' });
  record.waits(unsigned, 'c');
  record.waits(tooFew, 'c');
  record.proceeds();
  record.progressed();
  await record.close();
  expect(await readStandstill(target.database)).toBeUndefined();
  // Said once for each reason.
  expect(told).toEqual(['STREAM_UNSIGNED c', 'STREAM_NO_CONSENSUS c', 'resumed']);
});

it('reports files that are passed over until one is wanted', async () => {
  const record = open({ patienceMs: 20, follow: true, silenceMs: 60_000 });
  const early = new KagamiError('SOURCE_OUT_OF_RANGE', 'block 3 comes too early');
  record.passesOver(early, 'c');
  // A late signature now and then is no progress.
  record.waits(unsigned, 'd');
  record.proceeds();
  record.passesOver(early, 'd');
  expect(await eventually(() => readStandstill(target.database))).toMatchObject({ code: 'SOURCE_OUT_OF_RANGE' });
  record.progressed();
  await record.close();
  expect(await readStandstill(target.database)).toBeUndefined();
});

it('keeps at once why the import stopped, with the file it had come to; the next importer clears it by a block', async () => {
  const record = open();
  record.waits(unsigned, 'a');
  await record.stopped('stopped', new KagamiError('STREAM_CHAIN_BROKEN', 'block 7 is missing'));
  expect(await readStandstill(target.database)).toMatchObject({
    state: 'stopped',
    code: 'STREAM_CHAIN_BROKEN',
    file: 'a',
  });
  const next = open();
  expect(await readStandstill(target.database)).toBeDefined();
  next.progressed();
  await next.close();
  expect(await readStandstill(target.database)).toBeUndefined();
});

it('leaves the word to the importer that has taken over', async () => {
  const record = open();
  await lease.release();
  const successor = await acquireWriter({ connectionString: target.connectionString });
  try {
    await record.stopped('stopped', tooFew);
    expect(await readStandstill(target.database)).toBeUndefined();
  } finally {
    await successor.release();
  }
});

it('finds a source silent that gives neither blocks nor reasons, but not while a block is written', async () => {
  const heard = Promise.withResolvers<string>();
  const resumed = Promise.withResolvers<void>();
  const record = open({
    silenceMs: 20,
    patienceMs: 20,
    follow: true,
    onStandstill: ({ fault }) => heard.resolve(fault.code),
    onResumed: resumed.resolve,
  });
  expect(await heard.promise).toBe('SOURCE_SILENT');
  expect(await eventually(() => readStandstill(target.database))).toMatchObject({ code: 'SOURCE_SILENT', file: null });
  // A file that isn't signed yet breaks the silence.
  record.waits(unsigned, 'a');
  await resumed.promise;
  await record.close();

  let silent = false;
  const busy = open({
    silenceMs: 20,
    follow: true,
    onStandstill: () => {
      silent = true;
    },
  });
  busy.writes();
  await pause(60);
  expect(silent).toBe(false);
  // Repairs write without a block at their end.
  busy.reads();
  await expect.poll(() => silent).toBe(true);

  const told: string[] = [];
  open({ silenceMs: 10, onStandstill: ({ fault }) => told.push(fault.code) });
  await pause(40);
  expect(told).toEqual([]);
});

it('bears a database that is gone', async () => {
  const record = open();
  await target.database.query('alter table kagami.importer_state rename to importer_state_away');
  await record.stopped('stopped', tooFew);
  await expect(readStandstill(target.database)).rejects.toMatchObject({ code: 'SCHEMA_NOT_READY' });
  await target.database.query('alter table kagami.importer_state_away rename to importer_state');
});
