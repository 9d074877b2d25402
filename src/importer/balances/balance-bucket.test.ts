import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { nanosToStreamName } from '../../ledger/timestamp.ts';
import type { BucketLocation } from '../../sources/source-location.ts';
import { type S3Proxy, startS3Proxy } from '../../sources/testing/s3-proxy.fixture.ts';
import {
  type S3TestServer,
  serverKeys,
  startS3Server,
  type TestObject,
  testLocation,
  testStore,
} from '../../sources/testing/s3-server.fixture.ts';
import { electorateOf } from '../../sources/testing/stream-folder.fixture.ts';
import { balanceFileName, csvV1, protobuf } from '../../streams/testing/balance-file.fixture.ts';
import { makeNodes } from '../../streams/testing/network.fixture.ts';
import { BalanceBucket } from './balance-bucket.ts';
import { openBalanceStore } from './open-balance-store.ts';
import {
  type BalanceFolder,
  type BalanceImport,
  importBalances,
  makeBalanceFolder,
} from './testing/balance-folder.fixture.ts';

const nodes = makeNodes(4);
const electorate = electorateOf(nodes);
const T1 = 1_567_188_900_000_000_000n;
const T2 = T1 + 900_000_000_001n;
const T3 = T2 + 900_000_000_000n;
const [name1, name2, name3] = [balanceFileName(T1, 'csv'), balanceFileName(T2, 'pb.gz'), balanceFileName(T3, 'csv')];
const accounts = [
  { num: 2n, balance: 40n },
  { num: 98n, balance: 7n },
];

const manyAccounts = Array.from({ length: 500 }, (_, i) => ({ num: BigInt(i + 2), balance: 1n }));

const objectsIn = ({ path: folder }: BalanceFolder): TestObject[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ key: relative(folder, path), bytes: readFileSync(path) }));

let server: S3TestServer;
let proxy: S3Proxy;
let target: TestDatabase;
/** Three files as four nodes have them, by account. */
let objects: readonly TestObject[];

beforeAll(async () => {
  const folder = makeBalanceFolder();
  folder.publish(nodes, T1, 'csv', csvV1(T1, accounts));
  folder.publish(nodes, T2, 'pb', protobuf(T2, accounts));
  folder.publish(nodes, T3, 'csv', csvV1(T3, accounts));
  objects = objectsIn(folder);
  folder.remove();
  server = await startS3Server(['streams', 'prefixed', 'moved', 'long', 'large']);
  proxy = await startS3Proxy(server.port, serverKeys.secretKey);
  target = await createTestDatabase();
  await server.put(objects);
}, 300_000);
afterAll(async () => {
  await target?.drop();
  await proxy?.stop();
  await server?.stop();
});
beforeEach(async () => {
  proxy.harm = () => undefined;
  for (const table of ['account_balance_file', 'account_balance', 'token_balance']) {
    await target.database.query(`delete from ${table}`);
  }
});

const importFrom = async (location: BucketLocation): Promise<BalanceImport> => {
  const store = openBalanceStore(location);
  try {
    return await importBalances(target, store, electorate);
  } finally {
    store.close();
  }
};
const locationOf = (more: Partial<BucketLocation> = {}): BucketLocation =>
  testLocation([testStore(proxy.endpoint)], more);

describe('balance files in a bucket', { timeout: 120_000 }, () => {
  it('are proven and imported in order of time, going on after the last one', async () => {
    expect(await importFrom(locationOf())).toEqual({
      imported: [name1, name2, name3],
      skipped: {},
      initialized: undefined,
    });
    expect(
      await target.database.query('select * from account_balance order by consensus_timestamp, account_id'),
    ).toEqual(
      [T1, T2, T3].flatMap((time) => [
        { consensus_timestamp: String(time), account_id: '2', balance: '40' },
        { consensus_timestamp: String(time), account_id: '98', balance: '7' },
      ]),
    );
    expect((await importFrom(locationOf())).imported).toEqual([]);
  });

  it('lie below a prefix, where it is set', async () => {
    await server.put(
      objects.map(({ key, bytes }) => ({ key: `some/where/${key}`, bytes })),
      'prefixed',
    );
    expect((await importFrom(locationOf({ bucket: 'prefixed' }))).imported).toEqual([]);
    const { imported } = await importFrom(locationOf({ bucket: 'prefixed', prefix: 'some/where' }));
    expect(imported).toEqual([name1, name2, name3]);
  });

  it('are found by node id, and in both places while nodes move', async () => {
    const moved = objects.map(({ key, bytes }) => {
      const node = nodes.find(({ account }) => key.includes(`/balance${account}/`));
      const late = !key.includes(name1.replace('.csv', ''));
      return { key: late ? `testnet/0/${node?.nodeId}/balance/${key.split('/').at(-1)}` : key, bytes };
    });
    await server.put(moved, 'moved');
    expect((await importFrom(locationOf({ bucket: 'moved' }))).imported).toEqual([name1]);
    expect((await importFrom(locationOf({ bucket: 'moved', pathType: 'NODE_ID' }))).imported).toEqual([name2, name3]);
    await target.database.query('delete from account_balance_file');
    await target.database.query('delete from account_balance');
    const { imported } = await importFrom(locationOf({ bucket: 'moved', pathType: 'AUTO' }));
    expect(imported).toEqual([name1, name2, name3]);
  });

  it('are paged through', async () => {
    const times = Array.from({ length: 520 }, (_, i) => T1 + BigInt(i) * 700_000_000n);
    const [{ account = '' } = {}] = nodes;
    await server.put(
      times.flatMap((time) =>
        (['csv', 'csv_sig'] as const).map((kind) => ({
          key: `accountBalances/balance${account}/${balanceFileName(time, kind)}`,
          bytes: new Uint8Array(1),
        })),
      ),
      'long',
    );
    const store = new BalanceBucket(locationOf({ bucket: 'long' }));
    const [node] = await store.nodes(electorate);
    if (node === undefined) throw new Error('no node');
    const found: bigint[] = [];
    let lists = 0;
    for (let after = -1n; ; lists++) {
      const { names, cutAt } = await store.list(node, after);
      found.push(...names.filter(({ kind }) => kind === 'balance').map(({ nanos }) => nanos));
      expect(names.every(({ nanos }) => nanos > after && (cutAt === undefined || nanos < cutAt))).toBe(true);
      if (cutAt === undefined) break;
      after = names.at(-1)?.nanos ?? after;
    }
    store.close();
    expect(lists).toBe(1);
    expect(found).toEqual(times);
  }, 300_000);

  it('are looked for again, not passed over, when the store fails', async () => {
    proxy.harm = ({ path }) => (path.endsWith(name2) ? { status: 503, code: 'ServiceUnavailable' } : undefined);
    await expect(importFrom(locationOf())).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
    proxy.harm = ({ path }) => (path.includes('_sig') ? { status: 503, code: 'ServiceUnavailable' } : undefined);
    await expect(importFrom(locationOf())).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
    proxy.harm = () => undefined;
    expect((await importFrom(locationOf())).imported).toEqual([name2, name3]);
  });

  it('come from the next store when the first one fails', async () => {
    const stores = [testStore('http://127.0.0.1:9'), testStore(proxy.endpoint)];
    const { imported } = await importFrom(testLocation(stores));
    expect(imported).toEqual([name1, name2, name3]);
  });

  it('that are too large are passed over', async () => {
    const folder = makeBalanceFolder();
    folder.publish(nodes, T1, 'csv', csvV1(T1, manyAccounts));
    folder.publish(nodes, T2, 'csv', csvV1(T2, accounts));
    await server.put(objectsIn(folder), 'large');
    folder.remove();
    const { imported, skipped } = await importFrom(locationOf({ bucket: 'large', maxFileBytes: 4_000 }));
    expect(imported).toEqual([balanceFileName(T2, 'csv')]);
    expect(skipped).toEqual({ [nanosToStreamName(T1)]: 'STREAM_OVERSIZED' });
  });
});
