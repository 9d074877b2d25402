/** One file out of a package as npm packs it (tar in gzip). */
import { gunzipSync } from 'node:zlib';

const BLOCK = 512;

/** Packages of compilers unpack to less than 60 MiB. */
const MAX_UNPACKED_BYTES = 256 * 1024 * 1024;

const textAt = (archive: Buffer, start: number, length: number): string => {
  const end = archive.indexOf(0, start);
  return archive.toString('latin1', start, end < 0 || end > start + length ? start + length : end);
};

/** The content of the file `name`; undefined when the archive has none. */
export const tarEntry = (archive: Uint8Array, name: string): Uint8Array | undefined => {
  const tar = gunzipSync(archive, { maxOutputLength: MAX_UNPACKED_BYTES });
  for (let at = 0; at + BLOCK <= tar.length; ) {
    const prefix = textAt(tar, at + 345, 155);
    const entry = textAt(tar, at, 100);
    const size = Number.parseInt(textAt(tar, at + 124, 12).trim() || '0', 8);
    if (Number.isNaN(size)) return undefined;
    const isFile = tar[at + 156] === 0 || tar[at + 156] === 0x30;
    const content = at + BLOCK;
    if (isFile && (prefix === '' ? entry : `${prefix}/${entry}`) === name) return tar.subarray(content, content + size);
    at = content + Math.ceil(size / BLOCK) * BLOCK;
  }
  return undefined;
};
