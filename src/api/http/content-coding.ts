/** Compression of answers: which coding the client takes, and the compressed bytes. */
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

export type ContentCoding = 'br' | 'gzip';

/** Bodies below this many bytes go out as they are: compressing them gains nothing on the wire. */
export const smallestCompressedBody = 1024;

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/** Compresses off the main thread. Brotli's level 4 costs about what gzip's default does and yields less. */
export const compress = (body: Uint8Array, coding: ContentCoding): Promise<Buffer> =>
  coding === 'gzip'
    ? gzipAsync(body)
    : brotliAsync(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 4,
          [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.byteLength,
        },
      });

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

/** The coding to answer with (RFC 9110, 12.5.3); undefined: none. Of two equally welcome ones, Brotli. */
export const chooseCoding = (acceptEncoding: string | undefined): ContentCoding | undefined => {
  if (acceptEncoding === undefined || acceptEncoding === '') return undefined;
  const named = qualities(acceptEncoding);
  const quality = (coding: string): number => named.get(coding) ?? named.get('*') ?? 0;
  const br = quality('br');
  const gz = Math.max(quality('gzip'), named.get('x-gzip') ?? 0);
  if (br <= 0 && gz <= 0) return undefined;
  return br >= gz ? 'br' : 'gzip';
};
