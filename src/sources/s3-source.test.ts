import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { KagamiError } from '../errors/kagami-error.ts';
import { makeNodes, type TestNode } from '../streams/testing/network.fixture.ts';
import { FallbackSource } from './fallback-source.ts';
import { openSource } from './open-source.ts';
import type { BucketLocation } from './source-location.ts';
import type { StreamSource } from './stream-source.ts';
import { type ProxiedRequest, type S3Proxy, startS3Proxy } from './testing/s3-proxy.fixture.ts';
import {
  accountPath,
  nodeIdPath,
  nodeObjects,
  type S3TestServer,
  serverKeys,
  startS3Server,
  testLocation,
  testStore,
} from './testing/s3-server.fixture.ts';
import { electorateOf, FIRST_FILE, makeChain, type TestFile } from './testing/stream-folder.fixture.ts';
import { type VerifiedRecordFile, verifiedRecordFiles } from './verified-record-files.ts';

const nodes = makeNodes(4);
const [first, second, third, fourth] = nodes as [TestNode, TestNode, TestNode, TestNode];
const electorate = electorateOf(nodes);
const chain = makeChain(6);
const names = chain.map(({ name }) => name);
const fileAt = (i: number): TestFile => chain[i] as TestFile;

const buckets = ['streams', 'by-node-id', 'moved', 'with-prefix', 'oversized', 'long', 'growing'];
let server: S3TestServer;
let proxy: S3Proxy;

beforeAll(async () => {
  server = await startS3Server(buckets);
  proxy = await startS3Proxy(server.port, serverKeys.secretKey);
  await server.put(nodes.flatMap((node) => nodeObjects(accountPath(node), node, chain)));
});
afterAll(async () => {
  await proxy?.stop();
  await server?.stop();
});
beforeEach(() => {
  proxy.requests.length = 0;
  proxy.harm = () => undefined;
});

const locationOf = (more: Partial<BucketLocation> = {}): BucketLocation =>
  testLocation([testStore(proxy.endpoint)], more);

const collect = async (source: StreamSource): Promise<VerifiedRecordFile[]> => {
  const files: VerifiedRecordFile[] = [];
  try {
    for await (const file of verifiedRecordFiles({ source, electorate: () => electorate, readSidecar: () => true })) {
      files.push(file);
    }
    return files;
  } finally {
    source.close();
  }
};

const readAll = (more: Partial<BucketLocation> = {}): Promise<VerifiedRecordFile[]> =>
  collect(openSource(locationOf(more), false));

const namesOf = (files: readonly VerifiedRecordFile[]): string[] => files.map(({ recordFile }) => recordFile.name);
const faultsOf = (files: readonly VerifiedRecordFile[]): string[] => [
  ...new Set(files.flatMap(({ faults }) => faults.map(({ code }) => code))),
];
const isOf =
  (node: TestNode, ending = '') =>
  ({ path, query }: ProxiedRequest): boolean => {
    const key = query.get('prefix') ?? path;
    return key.includes(`record${node.account}/`) && path.endsWith(ending);
  };

describe('a bucket', () => {
  it('gives a proven stream with sidecars, with signed requests for which the reader pays', async () => {
    const files = await readAll();
    expect(namesOf(files)).toEqual(names);
    expect(files.map(({ sidecars }) => sidecars.length)).toEqual([0, 1, 0, 0, 1, 0]);
    expect(files.every(({ faults, signers }) => faults.length === 0 && signers.length === 3)).toBe(true);
    expect(proxy.requests.length).toBeGreaterThan(20);
    for (const { headers } of proxy.requests) {
      expect(headers['x-amz-request-payer']).toBe('requester');
      expect(headers.authorization).toContain('Credential=S3RVER/');
    }
  });

  it('is read without credentials where it allows that', async () => {
    const location = testLocation([testStore(proxy.endpoint, { credentials: 'anonymous' })]);
    expect(namesOf(await collect(openSource(location, false)))).toEqual(names);
    expect(proxy.requests.filter(({ headers }) => headers.authorization !== undefined)).toEqual([]);
  });

  it('is listed on from the last file', async () => {
    const source = openSource(locationOf(), false);
    const [node] = await source.nodes(electorate);
    if (node === undefined) throw new Error('no node');
    const { files, more } = await source.list(node, FIRST_FILE + 6_000_000_000n, 500);
    expect(files.map(({ base }) => base)).toEqual([fileAt(4).base, fileAt(5).base]);
    expect(more).toBe(false);
    expect(files[0]).toMatchObject({ recordNames: [fileAt(4).name], signatureNames: [`${fileAt(4).base}.rcd_sig`] });
    const { query } = proxy.requests[0] as ProxiedRequest;
    expect(query.get('start-after')).toBe(`recordstreams/record0.0.3/${fileAt(3).base.slice(0, 19)}`);
    expect(query.get('delimiter')).toBe('/');
    source.close();
  });

  it('says who pays in a project of Google Cloud', async () => {
    const store = testStore(proxy.endpoint, { type: 'GCP', projectId: 'my-project' });
    expect(namesOf(await collect(openSource(testLocation([store]), false)))).toEqual(names);
    expect(proxy.requests.every(({ query }) => query.get('userProject') === 'my-project')).toBe(true);
  });

  it('may be laid out by node ids, and have a prefix', async () => {
    await server.put(
      nodes.flatMap((node) => nodeObjects(nodeIdPath(node), node, chain)),
      'by-node-id',
    );
    await server.put(
      nodes.flatMap((node) => nodeObjects(`a/b/${accountPath(node)}`, node, chain)),
      'with-prefix',
    );
    expect(namesOf(await readAll({ bucket: 'by-node-id', pathType: 'NODE_ID' }))).toEqual(names);
    expect(namesOf(await readAll({ bucket: 'by-node-id', pathType: 'AUTO' }))).toEqual(names);
    expect(namesOf(await readAll({ bucket: 'with-prefix', prefix: 'a/b' }))).toEqual(names);
  });

  it('may have nodes that move from one layout to the other, each at another file', async () => {
    for (const [i, node] of nodes.entries()) {
      await server.put(nodeObjects(accountPath(node), node, chain.slice(0, i + 1)), 'moved');
      await server.put(nodeObjects(nodeIdPath(node), node, chain.slice(i + 1)), 'moved');
    }
    const source = openSource(locationOf({ bucket: 'moved', pathType: 'AUTO', pathRefreshMs: 0 }), true);
    const stop = new AbortController();
    const found: string[] = [];
    const files = verifiedRecordFiles({
      source,
      electorate: () => electorate,
      follow: true,
      pollMs: 10,
      signal: stop.signal,
    });
    for await (const { recordFile } of files) {
      found.push(recordFile.name);
      if (found.length === names.length) stop.abort();
    }
    expect(found).toEqual(names);
    source.close();
  });

  it('is paged through', async () => {
    const count = 520;
    const bases = Array.from({ length: count }, (_, i) => `2024-01-01T00_${pad(i / 60)}_${pad(i % 60)}.5Z`);
    const objects = bases.flatMap((base) => [
      { key: `${accountPath(first)}${base}.rcd.gz`, bytes: new Uint8Array(1) },
      { key: `${accountPath(first)}${base}.rcd_sig`, bytes: new Uint8Array(1) },
    ]);
    await server.put(objects, 'long');
    const source = openSource(locationOf({ bucket: 'long' }), false);
    const [node] = await source.nodes(electorate);
    if (node === undefined) throw new Error('no node');
    const found: string[] = [];
    let after = -1n;
    const pages: number[] = [];
    for (let more = true; more; ) {
      const page = await source.list(node, after, 250);
      found.push(...page.files.map(({ base }) => base));
      for (const { recordNames, signatureNames } of page.files) {
        expect([recordNames.length, signatureNames.length]).toEqual([1, 1]);
      }
      pages.push(page.files.length);
      after = page.files.at(-1)?.nanos ?? after;
      more = page.more;
    }
    expect(pages).toEqual([250, 250, 20]);
    expect(found).toEqual(bases);
    source.close();
  });

  it('is followed', async () => {
    const put = (files: readonly TestFile[]): Promise<void> =>
      server.put(
        nodes.flatMap((node) => nodeObjects(accountPath(node), node, files)),
        'growing',
      );
    await put(chain.slice(0, 2));
    const source = openSource(locationOf({ bucket: 'growing' }), true);
    const stop = new AbortController();
    const found: string[] = [];
    const files = verifiedRecordFiles({
      source,
      electorate: () => electorate,
      follow: true,
      pollMs: 10,
      signal: stop.signal,
    });
    for await (const { recordFile } of files) {
      found.push(recordFile.name);
      if (found.length === 2) await put(chain.slice(2, 4));
      if (found.length === 4) stop.abort();
    }
    expect(found).toEqual(names.slice(0, 4));
    source.close();
  });
});

const pad = (value: number): string => String(Math.floor(value)).padStart(2, '0');

describe('a bucket that does harm', () => {
  it('is asked again after a passing fault', async () => {
    const seen = new Set<string>();
    const harms = [
      'reset',
      'truncate',
      { status: 503, code: 'SlowDown' },
      { status: 500, code: 'InternalError' },
    ] as const;
    proxy.harm = ({ path, query }) => {
      const subject = `${path} ${query.get('prefix')}`;
      if (seen.has(subject)) return undefined;
      seen.add(subject);
      return harms[seen.size % harms.length];
    };
    const files = await readAll();
    expect(namesOf(files)).toEqual(names);
    expect(faultsOf(files)).toEqual([]);
  });

  it('does not stop the stream with a node that hangs, and leaves that node alone', async () => {
    proxy.harm = (request) => (isOf(first)(request) ? 'hang' : undefined);
    expect(namesOf(await readAll({ timeoutMs: 3_000 }))).toEqual(names);
    // One listing; while the node rests nothing more is asked of it.
    expect(proxy.requests.filter(isOf(first)).length).toBe(1);
  });

  it('does not stop the stream with a node whose files hang', async () => {
    proxy.harm = (request) => (isOf(first, '.rcd_sig')(request) ? 'hang' : undefined);
    const files = await readAll({ timeoutMs: 600_000 });
    expect(namesOf(files)).toEqual(names);
  });

  it.each([
    ['forbidden', { status: 403, code: 'AccessDenied' }, 'SOURCE_ACCESS_DENIED'],
    ['missing', { status: 404, code: 'NoSuchKey' }, 'SOURCE_FILE_MISSING'],
    ['broken off', 'truncate', 'SOURCE_UNREADABLE'],
  ] as const)("takes other nodes' copies of %s files", async (_, harm, code) => {
    proxy.harm = (request) => (isOf(first, '.rcd.gz')(request) || isOf(second, '.rcd_sig')(request) ? harm : undefined);
    const files = await readAll();
    expect(namesOf(files)).toEqual(names);
    expect(faultsOf(files)).toContain(code);
    expect(files.some(({ node }) => node.nodeId === 0n)).toBe(false);
  });

  it('refuses objects that are larger than told', async () => {
    await server.put(
      nodes.flatMap((node) => nodeObjects(accountPath(node), node, chain)),
      'oversized',
    );
    await server.put([{ key: accountPath(first) + fileAt(2).name, bytes: new Uint8Array(200_001) }], 'oversized');
    const files = await readAll({ bucket: 'oversized', maxFileBytes: 200_000 });
    expect(namesOf(files)).toEqual(names);
    expect(files[2]?.faults.map(({ code, message }) => `${code} ${message}`)).toEqual([
      `STREAM_OVERSIZED recordstreams/record0.0.3/${fileAt(2).name}: 200001 bytes, at most 200000 are read`,
    ]);
  });

  it('gives nothing that less than a third of the stake signed', async () => {
    proxy.harm = (request) =>
      [second, third, fourth].some((node) => isOf(node, '.rcd_sig')(request))
        ? { status: 404, code: 'NoSuchKey' }
        : undefined;
    await expect(readAll()).rejects.toMatchObject({ code: 'STREAM_NO_CONSENSUS' });
  });
});

describe('a bucket that cannot be read', () => {
  const refusalOf = async (reading: Promise<unknown>): Promise<string> => {
    const { code, message } = (await reading.catch((error: unknown) => error)) as KagamiError;
    return `${code} ${message}`;
  };
  const withKeys = (accessKey: string, secretKey: string): BucketLocation =>
    testLocation([testStore(proxy.endpoint, { credentials: { accessKey, secretKey } })]);

  it('says whether keys, secret or bucket are wrong, or the reader must pay', async () => {
    expect(await refusalOf(collect(openSource(withKeys('NOBODY', 'S3RVER'), false)))).toMatch(
      /^SOURCE_ACCESS_DENIED streams\/recordstreams\/record0.0.3\/: .*InvalidAccessKeyId/,
    );
    // The server behind takes any, the proxy reckons.
    expect(await refusalOf(collect(openSource(withKeys('S3RVER', 'wrong'), false)))).toMatch(
      /^SOURCE_ACCESS_DENIED .*SignatureDoesNotMatch/,
    );
    expect(await refusalOf(readAll({ bucket: 'nowhere' }))).toMatch(/^SOURCE_BUCKET_MISSING .*NoSuchBucket/);
    proxy.harm = () => ({ status: 400, code: 'UserProjectMissing' });
    expect(await refusalOf(readAll())).toMatch(/^SOURCE_ACCESS_DENIED .*UserProjectMissing/);
  });

  it('says whether it hangs, fails or is not there', async () => {
    proxy.harm = () => 'hang';
    expect(await refusalOf(readAll({ timeoutMs: 200 }))).toMatch(/^SOURCE_TIMEOUT .* within 200 ms/);
    proxy.harm = () => ({ status: 503, code: 'ServiceUnavailable' });
    expect(await refusalOf(readAll())).toMatch(/^SOURCE_UNREADABLE .*the store answers 503/);
    const unused = testStore('http://127.0.0.1:9');
    expect(await refusalOf(collect(openSource(testLocation([unused]), false)))).toMatch(
      /^SOURCE_UNREADABLE .*cannot be reached \(ECONNREFUSED/,
    );
  });

  it('is replaced by the next one', async () => {
    const source = openSource(testLocation([testStore('http://127.0.0.1:9'), testStore(proxy.endpoint)]), false);
    expect(source).toBeInstanceOf(FallbackSource);
    expect(namesOf(await collect(source))).toEqual(names);
  });

  it('ends requests when it is closed', async () => {
    proxy.harm = () => 'hang';
    const source = openSource(locationOf(), false);
    const [node] = await source.nodes(electorate);
    if (node === undefined) throw new Error('no node');
    const listing = source.list(node, FIRST_FILE, 10);
    while (proxy.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    source.close();
    await expect(listing).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  });
});
