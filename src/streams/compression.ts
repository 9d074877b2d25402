import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { streamError } from './stream-error.ts';

/** Uncompressed content above this is taken for an attack; the largest record files of public networks are far below. */
export const MAX_CONTENT_BYTES = 256 * 1024 * 1024;

export interface Content {
  readonly bytes: Uint8Array;
  readonly compression: 'none' | 'gzip' | 'zstd';
}

const startsWith = (bytes: Uint8Array, ...magic: number[]): boolean => magic.every((byte, i) => bytes[i] === byte);

/** A gzip member ends with the size of its content, modulo 2^32 (RFC 1952). */
const SIZE_BYTES = 4;

/** Deflate makes of a byte at most so many. */
const MAX_DEFLATE_RATIO = 1_032;

/** Bytes that zlib gives at a time by default. */
const DEFAULT_CHUNK_BYTES = 16 * 1024;

/** zlib reports where it stopped only in the message or code of the error it throws. */
const codeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? '');

const isGzip = (bytes: Uint8Array): boolean => startsWith(bytes, 0x1f, 0x8b);
const isZstd = (bytes: Uint8Array): boolean => startsWith(bytes, 0x28, 0xb5, 0x2f, 0xfd);

/**
 * The content of a stream file. Compression is told by its magic bytes, not by the name: v6 files occur plain as well.
 * @throws KagamiError STREAM_OVERSIZED when the content exceeds `limit` (bytes), STREAM_TRUNCATED, STREAM_BAD_COMPRESSION,
 * STREAM_TRAILING_BYTES when anything follows the compressed data.
 */
export const contentOf = (file: string, bytes: Uint8Array, limit = MAX_CONTENT_BYTES): Content => {
  if (isZstd(bytes)) {
    throw streamError('STREAM_BAD_COMPRESSION', { file, offset: 0, rule: 'record streams are never zstd-compressed' });
  }
  return isGzip(bytes) ? unpacked(file, bytes, limit, 'gzip') : plain(file, bytes, limit);
};

/**
 * The content of a block file, which may also be compressed with zstd.
 * @throws KagamiError as `contentOf`.
 */
export const blockContentOf = (file: string, bytes: Uint8Array, limit: number): Content =>
  isZstd(bytes) ? unpacked(file, bytes, limit, 'zstd') : contentOf(file, bytes, limit);

const plain = (file: string, bytes: Uint8Array, limit: number): Content => {
  if (bytes.length === 0) throw streamError('STREAM_TRUNCATED', { file, offset: 0, rule: 'the file is empty' });
  if (bytes.length > limit) {
    throw streamError('STREAM_OVERSIZED', { file, rule: `${bytes.length} bytes, at most ${limit} are read` });
  }
  return { bytes, compression: 'none' };
};

const unpacked = (file: string, bytes: Uint8Array, limit: number, compression: 'gzip' | 'zstd'): Content => {
  const { buffer, consumed } = decompress(file, bytes, limit, compression);
  if (consumed < bytes.length) {
    throw streamError('STREAM_TRAILING_BYTES', {
      file,
      offset: consumed,
      rule: `${bytes.length - consumed} bytes follow the compressed data (offset in the compressed file)`,
    });
  }
  return { bytes: buffer, compression };
};

/**
 * Room for all of the content, if the last bytes tell its size, so that it need not be put together from chunks: as much
 * garbage as content otherwise. A size that lies costs time, not memory beyond what the file could hold.
 */
const roomFor = (bytes: Uint8Array, limit: number): number => {
  if (bytes.length < SIZE_BYTES) return DEFAULT_CHUNK_BYTES;
  const stated = new DataView(bytes.buffer, bytes.byteOffset + bytes.length - SIZE_BYTES).getUint32(0, true);
  // zlib asks for another chunk when one is full.
  return Math.max(DEFAULT_CHUNK_BYTES, Math.min(stated, limit, bytes.length * MAX_DEFLATE_RATIO) + 1);
};

const decompress = (
  file: string,
  bytes: Uint8Array,
  limit: number,
  compression: 'gzip' | 'zstd',
): { buffer: Buffer; consumed: number } => {
  const options = { maxOutputLength: limit, info: true };
  try {
    const result = (compression === 'gzip'
      ? gunzipSync(bytes, { ...options, chunkSize: roomFor(bytes, limit) })
      : zstdDecompressSync(bytes, options)) as unknown as {
      buffer: Buffer;
      engine: { bytesWritten: number };
    };
    return { buffer: result.buffer, consumed: result.engine.bytesWritten };
  } catch (error) {
    switch (codeOf(error)) {
      case 'ERR_BUFFER_TOO_LARGE':
        throw streamError('STREAM_OVERSIZED', { file, rule: `decompresses to more than ${limit} bytes` }, error);
      case 'Z_BUF_ERROR':
        throw streamError('STREAM_TRUNCATED', { file, rule: 'the compressed data ends too early' }, error);
      default:
        throw streamError('STREAM_BAD_COMPRESSION', { file, rule: 'the compressed data is damaged' }, error);
    }
  }
};
