import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { TestNode } from '../../streams/testing/network.fixture.ts';
import { writeSignatureFileV6 } from '../../streams/write/signature-file.ts';
import type { BucketLocation, ObjectStore } from '../source-location.ts';
import type { TestFile } from './stream-folder.fixture.ts';

/** The only key pair that the server knows. */
export const serverKeys = { accessKey: 'S3RVER', secretKey: 'S3RVER' } as const;
const testBucket = 'streams';

const UPLOADS_AT_ONCE = 20;
const script = fileURLToPath(new URL('./s3-server-process.fixture.ts', import.meta.url));

export interface TestObject {
  readonly key: string;
  readonly bytes: Uint8Array;
}

export interface S3TestServer {
  readonly endpoint: string;
  readonly port: number;
  put(objects: readonly TestObject[], bucket?: string): Promise<void>;
  stop(): Promise<void>;
}

/** Starts an S3 server in a process of its own, with empty buckets. */
export const startS3Server = async (buckets: readonly string[] = [testBucket]): Promise<S3TestServer> => {
  const directory = mkdtempSync(join(tmpdir(), 'kagami-s3-'));
  // The server makes its tokens for further pages with a cipher that is no longer on by itself.
  const flags = ['--no-deprecation', '--openssl-legacy-provider'];
  const server = spawn(process.execPath, [...flags, script, directory, ...buckets], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(server, 'exit');
  const [output] = (await Promise.race([
    once(server.stdout, 'data'),
    exited.then(() => {
      throw new Error('the S3 server ended');
    }),
  ])) as [Buffer];
  const port = Number(output.toString());
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new S3Client({
    endpoint,
    region: 'us-east-1',
    forcePathStyle: true,
    credentials: { accessKeyId: serverKeys.accessKey, secretAccessKey: serverKeys.secretKey },
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  return {
    endpoint,
    port,
    put: async (objects, bucket = testBucket) => {
      const left = [...objects];
      const upload = async (): Promise<void> => {
        for (let object = left.pop(); object !== undefined; object = left.pop()) {
          await client.send(new PutObjectCommand({ Bucket: bucket, Key: object.key, Body: object.bytes }));
        }
      };
      await Promise.all(Array.from({ length: UPLOADS_AT_ONCE }, upload));
    },
    stop: async () => {
      client.destroy();
      server.stdin.end();
      await exited;
      rmSync(directory, { recursive: true, force: true });
    },
  };
};

/** Objects of one node's record, signature and sidecar files under a path that ends in `/`. */
export const nodeObjects = (path: string, node: TestNode, files: readonly TestFile[]): TestObject[] =>
  files.flatMap((file) => [
    { key: path + file.name, bytes: file.bytes },
    {
      key: `${path}${file.base}.rcd_sig`,
      bytes: writeSignatureFileV6({ ...file, privateKey: node.privateKey }),
    },
    ...(file.sidecar === undefined ? [] : [{ key: `${path}sidecar/${file.base}_01.rcd.gz`, bytes: file.sidecar }]),
  ]);

export const accountPath = ({ account }: TestNode): string => `recordstreams/record${account}/`;
export const nodeIdPath = ({ nodeId }: TestNode): string => `testnet/0/${nodeId}/record/`;

export const testStore = (endpoint: string, more: Partial<ObjectStore> = {}): ObjectStore => ({
  type: 'S3',
  endpoint,
  region: 'us-east-1',
  credentials: serverKeys,
  backoffMs: 60_000,
  connectionTimeoutMs: 5_000,
  maxConcurrency: 20,
  ...more,
});

export const testLocation = (stores: readonly ObjectStore[], more: Partial<BucketLocation> = {}): BucketLocation => ({
  kind: 'bucket',
  bucket: testBucket,
  prefix: '',
  network: 'testnet',
  shard: 0n,
  pathType: 'ACCOUNT_ID',
  pathRefreshMs: 10_000,
  timeoutMs: 5_000,
  maxFileBytes: 1_000_000,
  downloadRatio: '1',
  stores,
  ...more,
});
