import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { type S3Proxy, startS3Proxy } from '../../sources/testing/s3-proxy.fixture.ts';
import { type S3TestServer, serverKeys, startS3Server } from '../../sources/testing/s3-server.fixture.ts';
import { hasRealStreams, realStreams } from '../../streams/testing/real-streams.fixture.ts';
import { runCommandLine } from '../command-line.ts';
import { createStyle } from '../terminal/terminal.ts';

const cwd = mkdtempSync(join(tmpdir(), 'kagami-public-'));
const firstFiles = `${realStreams}/records/mainnet-2019-09-13-v2`;
const laterFiles = `${realStreams}/records/mainnet-2025-07-23-v6`;
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const run = async (...args: string[]) => {
  let out = '';
  const terminal = {
    out: (text: string) => {
      out += text;
    },
    err: (text: string) => {
      out += text;
    },
    interactive: false,
    columns: 100,
    style: createStyle(false),
  };
  const code = await runCommandLine(args, { cwd, env: {}, terminal });
  return { code, out };
};

describe.skipIf(!hasRealStreams)('real streams of mainnet, with no address book given', () => {
  it('are proven by the book of their time', async () => {
    const { code, out } = await run('check-stream', firstFiles, '--network', 'mainnet', '--json');
    expect(JSON.parse(out)).toMatchObject({ files: 1, proven: 1, refused: 0, nodes: 7, faults: [] });
    expect(code).toBe(0);
    const other = await run('check-stream', firstFiles, '--network', 'testnet', '--json');
    expect(JSON.parse(other.out)).toMatchObject({ proven: 0, refused: 1 });
    expect(other.code).toBe(3);
  });

  it('need a network to be named', async () => {
    const { code, out } = await run('check-stream', firstFiles);
    expect(out).toContain('No address book');
    expect(code).toBe(2);
  });
});

describe.skipIf(!hasRealStreams)('real streams in a bucket', () => {
  let server: S3TestServer;
  let proxy: S3Proxy;
  let target: TestDatabase;
  const downloader = 'hiero.mirror.importer.downloader';

  beforeAll(async () => {
    server = await startS3Server(['hedera-mainnet-streams']);
    proxy = await startS3Proxy(server.port, serverKeys.secretKey);
    const objects = [firstFiles, laterFiles].flatMap((set) =>
      readdirSync(set, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.rcd/.test(entry.name))
        .map((entry) => {
          const path = join(entry.parentPath, entry.name);
          return { key: `recordstreams/${path.slice(path.indexOf('/record0.0.') + 1)}`, bytes: readFileSync(path) };
        }),
    );
    await server.put(objects, 'hedera-mainnet-streams');
  });
  afterAll(async () => {
    await proxy?.stop();
    await server?.stop();
  });
  beforeEach(async () => {
    target = await createTestDatabase();
  });
  afterEach(() => target.drop());

  const fromBucket = (...more: string[]): string[] => [
    '--network',
    'mainnet',
    '--set',
    `${downloader}.endpointOverride=${proxy.endpoint}`,
    '--set',
    `${downloader}.accessKey=${serverKeys.accessKey}`,
    '--set',
    `${downloader}.secretKey=${serverKeys.secretKey}`,
    ...more,
  ];
  const blocks = (): Promise<{ name: string; index: string }[]> =>
    target.database.query('select name, index from record_file order by consensus_end');

  it('are imported from the bucket of the network, up to the last block wanted', async () => {
    const database = ['--database', target.connectionString];
    const first = await run('import', ...fromBucket(...database, '--set', 'hiero.mirror.importer.endBlockNumber=0'));
    expect(first.out).toContain('"source":"s3://hedera-mainnet-streams, then ');
    expect(first.code).toBe(0);
    const [block, ...rest] = await blocks();
    expect(block).toEqual({ name: '2019-09-13T21_53_51.396440Z.rcd', index: '0' });
    expect(rest).toEqual([]);
    const again = await run('import', ...fromBucket(...database, '--set', 'hiero.mirror.importer.endBlockNumber=0'));
    expect(again.code).toBe(0);
    expect(await blocks()).toEqual([block]);
    const jump = await run('import', ...fromBucket(...database, '--set', 'hiero.mirror.importer.startDate=2025-07-23'));
    expect(jump.out).toContain('startDate lies after block 0, the last one in the database');
    expect(jump.code).toBe(2);
  });

  it('are checked under a URL, from a date on', async () => {
    const url = 's3://hedera-mainnet-streams';
    const { out, code } = await run(
      'check-stream',
      url,
      // The keys of that time are in neither of the books that mainnet is known for.
      ...fromBucket('--json', '--address-book', `${laterFiles}/address_book.bin`),
      '--set',
      'hiero.mirror.importer.startDate=2025-07-23',
    );
    expect(JSON.parse(out)).toMatchObject({ files: 1, proven: 1, refused: 0 });
    expect(code).toBe(0);
  });
});
