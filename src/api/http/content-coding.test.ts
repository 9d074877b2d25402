import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { chooseCoding, compress, contentCodings } from './content-coding.ts';

describe('chooseCoding', () => {
  it.each([
    ['gzip', 'gzip'],
    ['gzip, deflate, br', 'br'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['x-gzip', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['deflate', 'deflate'],
    ['deflate, gzip', 'gzip'],
    ['gzip;q=0.5, deflate', 'deflate'],
    ['deflate;q=0, *;q=0', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const)('%s: %s', (acceptEncoding, coding) => expect(chooseCoding(acceptEncoding, contentCodings)).toBe(coding));

  it('chooses among those there are', () => {
    expect(chooseCoding('deflate, gzip;q=0.5', ['br', 'gzip'])).toBe('gzip');
    expect(chooseCoding('deflate', ['br', 'gzip'])).toBeUndefined();
  });
});

describe('compress', () => {
  const body = Buffer.from('{"blocks":[]}'.repeat(500));

  it('gives what the coding says', async () => {
    expect(gunzipSync(await compress(body, 'gzip')).equals(body)).toBe(true);
    expect(inflateSync(await compress(body, 'deflate')).equals(body)).toBe(true);
    expect(brotliDecompressSync(await compress(body, 'br')).equals(body)).toBe(true);
  });
});
