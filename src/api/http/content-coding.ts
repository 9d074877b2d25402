/** Compression of answers: which coding the client takes, and the compressed bytes. */
import { promisify } from 'node:util';
import { brotliCompress, constants, deflate, gzip } from 'node:zlib';

/** Of equally welcome ones, the first is taken. */
export const contentCodings = ['br', 'gzip', 'deflate'] as const;

export type ContentCoding = (typeof contentCodings)[number];

/** Bodies below this many bytes go out as they are: compressing them gains nothing on the wire. */
export const smallestCompressedBody = 1024;

const gzipAsync = promisify(gzip);
const deflateAsync = promisify(deflate);
const brotliAsync = promisify(brotliCompress);

/**
 * Compresses off the main thread. Brotli's level 4 costs about what gzip's default does and yields less; `deflate` is the
 * zlib format (RFC 9110, 8.4.1.2).
 */
export const compress = (body: Uint8Array, coding: ContentCoding): Promise<Buffer> => {
  switch (coding) {
    case 'gzip':
      return gzipAsync(body);
    case 'deflate':
      return deflateAsync(body);
    case 'br':
      return brotliAsync(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 4,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
        },
      });
  }
};

/** The quality that an `Accept-Encoding` value gives to a coding: 0 refuses it, undefined does not name it. */
const qualities = (acceptEncoding: string): Map<string, number> => {
  const named = new Map<string, number>();
  for (const part of acceptEncoding.split(',')) {
    const [name = '', ...parameters] = part.split(';');
    const quality = parameters.map((text) => /^\s*q\s*=\s*([0-9.]+)\s*$/i.exec(text)?.[1]).find((q) => q !== undefined);
    named.set(name.trim().toLowerCase(), quality === undefined ? 1 : Number(quality));
  }
  return named;
};

/** Which of the codings to answer with (RFC 9110, 12.5.3); undefined: none. */
export const chooseCoding = <C extends ContentCoding>(
  acceptEncoding: string | undefined,
  codings: readonly C[],
): C | undefined => {
  if (acceptEncoding === undefined || acceptEncoding === '') return undefined;
  const named = qualities(acceptEncoding);
  const quality = (coding: ContentCoding): number =>
    Math.max(named.get(coding) ?? named.get('*') ?? 0, coding === 'gzip' ? (named.get('x-gzip') ?? 0) : 0);
  let best: C | undefined;
  for (const coding of codings) {
    if (quality(coding) > (best === undefined ? 0 : quality(best))) best = coding;
  }
  return best;
};
