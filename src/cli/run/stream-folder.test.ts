import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamNameToNanos } from '../../ledger/timestamp.ts';
import { findAddressBook, openAddressBook } from './address-book.ts';
import { countRecordFiles } from './record-file-count.ts';

const folder = mkdtempSync(join(tmpdir(), 'kagami-folder-'));
const network = { shard: 0n, realm: 0n };
const names = ['2022-07-13T08_46_08.041986003Z', '2022-07-13T08_46_11.304284003Z'];

beforeAll(() => {
  for (const node of ['record0.0.3', 'record0.0.4']) {
    mkdirSync(join(folder, node, 'sidecar'), { recursive: true });
    for (const name of names) {
      writeFileSync(join(folder, node, `${name}.rcd.gz`), '');
      writeFileSync(join(folder, node, `${name}.rcd_sig`), '');
    }
    writeFileSync(join(folder, node, 'notes.txt'), '');
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('countRecordFiles', () => {
  it('counts what several nodes have once, without signatures and what is imported', async () => {
    expect(await countRecordFiles(folder, -1n)).toBe(2);
    expect(await countRecordFiles(folder, streamNameToNanos(names[0] ?? '') ?? 0n)).toBe(1);
    expect(await countRecordFiles(folder, streamNameToNanos(names[1] ?? '') ?? 0n)).toBe(0);
  });

  it('refuses a folder that is not there', async () => {
    await expect(countRecordFiles(join(folder, 'none'), -1n)).rejects.toMatchObject({ code: 'SOURCE_UNREADABLE' });
  });
});

describe('the address book', () => {
  it('is the configured one, else one beside the streams', () => {
    expect(findAddressBook({ configured: '', folder, cwd: '/' })).toBeUndefined();
    writeFileSync(join(folder, 'addressBook.bin'), 'x');
    expect(findAddressBook({ configured: '', folder, cwd: '/' })).toBe(join(folder, 'addressBook.bin'));
    expect(findAddressBook({ configured: 'mine.bin', folder, cwd: '/srv' })).toBe('/srv/mine.bin');
  });

  it('is refused when it is none or cannot be read', () => {
    const open = (configured: string) => openAddressBook({ configured, folder, cwd: folder }, network, true);
    expect(() => open('addressBook.bin')).toThrow(expect.objectContaining({ code: 'STREAM_BAD_ADDRESS_BOOK' }));
    expect(() => open('none.bin')).toThrow(/Cannot read the address book .*none\.bin/);
  });

  it('may be missing only where signatures are not needed', () => {
    const request = { configured: '', folder: tmpdir(), cwd: '/' };
    expect(() => openAddressBook(request, network, true)).toThrow('No address book');
    expect(openAddressBook(request, network, false).entries).toEqual([]);
  });
});
