/** Expands ZIP archives in memory, within bounds. Encrypted and ZIP64 archives are refused. */
import { crc32, inflateRawSync } from 'node:zlib';
import { KagamiError } from '../../errors/kagami-error.ts';
import type { UploadedFile } from '../model.ts';

export interface ZipBounds {
  /** Most entries of one archive. */
  readonly entries: number;
  /** Most bytes that all its files have together. */
  readonly bytes: number;
}

const END_RECORD = 0x06054b50;
const CENTRAL_ENTRY = 0x02014b50;
const LOCAL_ENTRY = 0x04034b50;
const END_LENGTH = 22;
const MAX_COMMENT = 65_535;

const broken = (path: string, reason: string): KagamiError =>
  new KagamiError('VERIFICATION_INPUT_INVALID', `Error while unzipping ${path}: ${reason}`, { details: { path } });

export const isZip = ({ content }: UploadedFile): boolean =>
  content[0] === 0x50 &&
  content[1] === 0x4b &&
  [0x03, 0x05, 0x07].includes(content[2] ?? 0) &&
  [0x04, 0x06, 0x08].includes(content[3] ?? 0);

/** A path with `/`, without empty parts, `.` and `..`; undefined for folders and for what macOS adds. */
const plainPath = (name: string): string | undefined => {
  const path = name.replaceAll('\\', '/');
  if (path.endsWith('/') || path.split('/').includes('__MACOSX')) return undefined;
  const parts = path.split('/').filter((part) => part !== '' && part !== '.' && part !== '..');
  return parts.length === 0 ? undefined : parts.join('/');
};

const endOf = (archive: Buffer): number => {
  const earliest = Math.max(0, archive.length - END_LENGTH - MAX_COMMENT);
  for (let at = archive.length - END_LENGTH; at >= earliest; at--) {
    if (archive.readUInt32LE(at) === END_RECORD) return at;
  }
  return -1;
};

const contentOf = (archive: Buffer, entry: number, room: number): Uint8Array => {
  const method = archive.readUInt16LE(entry + 10);
  const compressedLength = archive.readUInt32LE(entry + 20);
  const local = archive.readUInt32LE(entry + 42);
  if ((archive.readUInt16LE(entry + 8) & 1) === 1) throw new Error('it is encrypted');
  if (archive.readUInt32LE(local) !== LOCAL_ENTRY) throw new Error('an entry is not where the list says');
  const start = local + 30 + archive.readUInt16LE(local + 26) + archive.readUInt16LE(local + 28);
  const packed = archive.subarray(start, start + compressedLength);
  if (packed.length !== compressedLength) throw new Error('it is cut off');
  if (method !== 0 && method !== 8) throw new Error(`compression method ${method} is not known`);
  if (method === 0 && packed.length > room) throw new RangeError('too large');
  // What the list says of the size is no promise, so the bound is on what comes out.
  const content = method === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(room, 1) });
  if (crc32(content) !== archive.readUInt32LE(entry + 16)) throw new Error('a check sum is wrong');
  return content;
};

const isTooLarge = (fault: unknown): boolean =>
  fault instanceof Error &&
  ['ERR_BUFFER_TOO_LARGE', 'Z_BUF_ERROR'].includes((fault as NodeJS.ErrnoException).code ?? '');

/** @throws KagamiError VERIFICATION_INPUT_INVALID */
export const unzip = (file: UploadedFile, bounds: ZipBounds): UploadedFile[] => {
  const archive = Buffer.from(file.content.buffer, file.content.byteOffset, file.content.byteLength);
  const tooLarge = (): KagamiError => broken(file.path, `its files have more than ${bounds.bytes} bytes`);
  const files: UploadedFile[] = [];
  try {
    const end = endOf(archive);
    if (end < 0) throw new Error('it has no list of its files');
    const entries = archive.readUInt16LE(end + 10);
    if (entries > bounds.entries) throw broken(file.path, `it has more than ${bounds.entries} entries`);
    let at = archive.readUInt32LE(end + 16);
    let room = bounds.bytes;
    for (let i = 0; i < entries; i++) {
      if (archive.readUInt32LE(at) !== CENTRAL_ENTRY) throw new Error('its list is damaged');
      const nameLength = archive.readUInt16LE(at + 28);
      const path = plainPath(archive.toString('utf8', at + 46, at + 46 + nameLength));
      if (path !== undefined) {
        const content = contentOf(archive, at, room);
        room -= content.length;
        if (room < 0) throw tooLarge();
        files.push({ path, content });
      }
      at += 46 + nameLength + archive.readUInt16LE(at + 30) + archive.readUInt16LE(at + 32);
    }
  } catch (fault) {
    if (fault instanceof KagamiError) throw fault;
    if (fault instanceof RangeError && fault.message === 'too large') throw tooLarge();
    if (isTooLarge(fault)) throw tooLarge();
    throw broken(file.path, fault instanceof Error ? fault.message : 'it is damaged');
  }
  return files;
};
