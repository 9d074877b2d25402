/**
 * One store that speaks the S3 protocol: lists and reads objects of one bucket. It owns credentials, retries, time-outs
 * and bounds; what the objects are is for `s3-source.ts`.
 */
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3';
import { isKagamiError } from '../errors/kagami-error.ts';
import { streamError } from '../streams/stream-error.ts';
import { ConcurrencyLimit } from './concurrency-limit.ts';
import { isMissingObject, isPassingFault, sourceFailure, timeoutFailure } from './s3-failure.ts';
import type { BucketLocation, ObjectStore } from './source-location.ts';

const ATTEMPTS = 3;
const FIRST_PAUSE_MS = 100;
/** As many as a store gives at most. */
const KEYS_PER_PAGE = 1_000;
const GOOGLE_ENDPOINT = 'https://storage.googleapis.com';

export interface ObjectPage {
  /** In the order of their bytes. */
  readonly keys: readonly string[];
  /** Names of folders directly under the prefix, each with `/` at its end; none of a deep listing. */
  readonly folders: readonly string[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: string | undefined;
}

export interface PageRequest {
  readonly prefix: string;
  /** Only keys behind this text; ignored with `from`. */
  readonly startAfter: string | undefined;
  /** `next` of the page before. */
  readonly from: string | undefined;
  /** Whether objects in folders below count as well. */
  readonly deep?: boolean;
  /** Most keys of the page, as many as the store gives by default. */
  readonly limit?: number;
}

type Library = typeof import('@aws-sdk/client-s3');

export class BucketClient {
  readonly #location: BucketLocation;
  readonly #store: ObjectStore;
  readonly #limit: ConcurrencyLimit;
  readonly #closing = new AbortController();
  #opened: Promise<Opened> | undefined;

  constructor(location: BucketLocation, store: ObjectStore) {
    this.#location = location;
    this.#store = store;
    this.#limit = new ConcurrencyLimit(store.maxConcurrency);
  }

  /**
   * The objects directly under a prefix that ends in `/`, without those in folders below it unless they are asked for.
   * @throws KagamiError of `isSourceFailure`.
   */
  list({ prefix, startAfter, from, deep = false, limit = KEYS_PER_PAGE }: PageRequest): Promise<ObjectPage> {
    return this.#request(`${this.#location.bucket}/${prefix}`, async ({ library, client }, signal) => {
      const command = new library.ListObjectsV2Command({
        Bucket: this.#location.bucket,
        Prefix: prefix,
        ...(deep ? {} : { Delimiter: '/' }),
        MaxKeys: limit,
        RequestPayer: 'requester',
        ...(from === undefined ? { StartAfter: startAfter } : { ContinuationToken: from }),
      });
      const answer = await client.send(command, { abortSignal: signal });
      return {
        keys: (answer.Contents ?? []).flatMap(({ Key }) => Key ?? []),
        folders: (answer.CommonPrefixes ?? []).flatMap(({ Prefix }) => Prefix ?? []),
        next: answer.IsTruncated ? answer.NextContinuationToken : undefined,
      };
    });
  }

  /** An object's content, undefined when there is none. @throws KagamiError STREAM_OVERSIZED, or of `isSourceFailure`. */
  async read(key: string, maxBytes = this.#location.maxFileBytes): Promise<Uint8Array | undefined> {
    return this.#request(key, async ({ library, client }, signal) => {
      const command = new library.GetObjectCommand({
        Bucket: this.#location.bucket,
        Key: key,
        RequestPayer: 'requester',
      });
      try {
        const { Body, ContentLength } = await client.send(command, { abortSignal: signal });
        return await this.#readBody({ key, maxBytes }, Body as Readable, ContentLength, signal);
      } catch (error) {
        if (isMissingObject(error)) return undefined;
        throw error;
      }
    });
  }

  close(): void {
    this.#closing.abort();
    this.#opened?.then(({ client }) => client.destroy()).catch(() => undefined);
  }

  async #readBody(
    bound: { readonly key: string; readonly maxBytes: number },
    body: Readable,
    contentLength: number | undefined,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const abort = (): void => {
      body.destroy(signal.reason);
    };
    signal.addEventListener('abort', abort, { once: true });
    try {
      refuseOversized(contentLength ?? 0, bound);
      const chunks: Uint8Array[] = [];
      let size = 0;
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        size += chunk.length;
        refuseOversized(size, bound);
        chunks.push(chunk);
      }
      if (contentLength !== undefined && size !== contentLength) {
        throw new Error(`${size} of ${contentLength} bytes arrived`);
      }
      return Buffer.concat(chunks, size);
    } finally {
      signal.removeEventListener('abort', abort);
      body.destroy();
    }
  }

  /** The time-out covers all attempts, but not the wait for a free connection. */
  #request<T>(subject: string, send: (opened: Opened, signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#limit.run(async () => {
      const opened = await this.#open();
      const { timeoutMs } = this.#location;
      const timeout = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([timeout, this.#closing.signal]);
      let fault: unknown;
      for (let attempt = 1; ; attempt++) {
        try {
          return await send(opened, signal);
        } catch (error) {
          if (isKagamiError(error)) throw error;
          // What went wrong before tells more than that there was no time left to try again.
          if (timeout.aborted) {
            throw fault === undefined ? timeoutFailure(subject, timeoutMs, error) : sourceFailure(subject, fault);
          }
          fault = error;
          if (signal.aborted || attempt === ATTEMPTS || !isPassingFault(error)) throw sourceFailure(subject, error);
        }
        await delay(FIRST_PAUSE_MS * 2 ** (attempt - 1), undefined, { signal }).catch(() => undefined);
      }
    });
  }

  /** The library takes a fifth of a second to load; whoever reads folders never pays for it. */
  #open(): Promise<Opened> {
    this.#opened ??= import('@aws-sdk/client-s3').then((library) => {
      const client = new library.S3Client(clientConfig(this.#store));
      const { projectId } = this.#store;
      if (projectId !== undefined) addQuery(client, 'userProject', projectId);
      return { library, client };
    });
    return this.#opened;
  }
}

const refuseOversized = (
  size: number,
  { key, maxBytes }: { readonly key: string; readonly maxBytes: number },
): void => {
  if (size <= maxBytes) return;
  throw streamError('STREAM_OVERSIZED', { file: key, rule: `${size} bytes, at most ${maxBytes} are read` });
};

interface Opened {
  readonly library: Library;
  readonly client: S3Client;
}

const clientConfig = (store: ObjectStore): S3ClientConfig => {
  const endpoint = store.endpoint ?? (store.type === 'GCP' ? GOOGLE_ENDPOINT : undefined);
  const agent = { maxSockets: store.maxConcurrency, keepAlive: true };
  return {
    region: store.region,
    // Stores other than Amazon's have no host name for each bucket.
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    ...(store.type === 'S3' && endpoint === undefined ? { followRegionRedirects: true } : {}),
    ...credentialsOf(store),
    // Attempts are counted here, together with those of reading the body.
    maxAttempts: 1,
    // Files are proven by their hashes, and other stores don't know these checksums.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: store.connectionTimeoutMs, httpAgent: agent, httpsAgent: agent },
  };
};

const credentialsOf = ({ credentials }: ObjectStore): S3ClientConfig => {
  if (credentials === 'default') return {};
  if (credentials === 'anonymous') {
    return {
      credentials: { accessKeyId: '', secretAccessKey: '' },
      signer: { sign: async (request) => request },
    };
  }
  return { credentials: { accessKeyId: credentials.accessKey, secretAccessKey: credentials.secretKey } };
};

/** Adds a parameter to each request before it is signed. Google's store takes the payer this way next to `x-amz-` headers. */
const addQuery = (client: S3Client, name: string, value: string): void => {
  client.middlewareStack.add(
    (next) => async (args) => {
      const { request } = args as { request: { query?: Record<string, string> } };
      request.query = { ...request.query, [name]: value };
      return next(args);
    },
    { step: 'build', name: `query-${name}` },
  );
};
