/** The uncompressed content of a balance file, chunk by chunk: these files are too large to hold. */
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { streamError } from './stream-error.ts';

/** Content above this is taken for an attack; the largest files of public networks held some tens of megabytes. */
const MAX_BALANCE_CONTENT_BYTES = 8 * 1024 ** 3;

const CHUNK_BYTES = 65_536;

export interface HashedContent {
  /** SHA-384 of the uncompressed content, which is what nodes sign. */
  readonly hash: Uint8Array;
  /** Bytes of the uncompressed content. */
  readonly size: number;
}

/**
 * Hands the uncompressed content of a file to `take`, one chunk at a time, and hashes it. Compression is told by its
 * magic bytes.
 * @throws KagamiError STREAM_TRUNCATED, STREAM_OVERSIZED, STREAM_BAD_COMPRESSION, STREAM_TRAILING_BYTES, and what
 * `chunks` and `take` throw.
 */
export const hashContent = async (
  file: string,
  chunks: AsyncIterable<Uint8Array>,
  take: (chunk: Uint8Array) => void | Promise<void>,
  limit = MAX_BALANCE_CONTENT_BYTES,
): Promise<HashedContent> => {
  const hash = createHash('sha384');
  let size = 0;
  for await (const chunk of uncompressed(file, chunks)) {
    size += chunk.length;
    if (size > limit) throw streamError('STREAM_OVERSIZED', { file, rule: `it holds more than ${limit} bytes` });
    hash.update(chunk);
    await take(chunk);
  }
  return { hash: hash.digest(), size };
};

async function* uncompressed(file: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const iterator = chunks[Symbol.asyncIterator]();
  try {
    const head = await takeHead(iterator, 4);
    if (head.length === 0) throw streamError('STREAM_TRUNCATED', { file, offset: 0, rule: 'the file is empty' });
    if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) {
      const rule = 'balance files are never zstd-compressed';
      throw streamError('STREAM_BAD_COMPRESSION', { file, offset: 0, rule });
    }
    const whole = startingWith(head, iterator);
    if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzipped(file, whole);
    else yield* whole;
  } finally {
    await iterator.return?.(undefined);
  }
}

/** The first chunks joined until they hold `least` bytes, or all there are. */
const takeHead = async (iterator: AsyncIterator<Uint8Array>, least: number): Promise<Uint8Array> => {
  let head: Uint8Array = new Uint8Array(0);
  while (head.length < least) {
    const { done, value } = await iterator.next();
    if (done === true) break;
    head = head.length === 0 ? value : Buffer.concat([head, value]);
  }
  return head;
};

async function* startingWith(head: Uint8Array, iterator: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield head;
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value;
}

async function* gunzipped(file: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let compressed = 0;
  let sourceFault: unknown;
  const counted = async function* (): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        compressed += chunk.length;
        yield chunk;
      }
    } catch (fault) {
      sourceFault = fault;
      throw fault;
    }
  };
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES });
  const flow = pipeline(Readable.from(counted(), { objectMode: false }), gunzip);
  // The same fault reaches the loop below through the stream.
  flow.catch(() => undefined);
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
    await flow;
  } catch (fault) {
    throw sourceFault ?? gunzipFault(file, fault);
  } finally {
    gunzip.destroy();
  }
  const consumed = gunzip.bytesWritten;
  if (consumed < compressed) {
    throw streamError('STREAM_TRAILING_BYTES', {
      file,
      offset: consumed,
      rule: `${compressed - consumed} bytes follow the compressed data (offset in the compressed file)`,
    });
  }
}

const gunzipFault = (file: string, fault: unknown): unknown => {
  const { code } = fault as { code?: unknown };
  if (code === 'Z_BUF_ERROR') {
    return streamError('STREAM_TRUNCATED', { file, rule: 'the compressed data ends too early' }, fault);
  }
  if (typeof code === 'string' && code.startsWith('Z_')) {
    return streamError('STREAM_BAD_COMPRESSION', { file, rule: 'the compressed data is damaged' }, fault);
  }
  return fault;
};
