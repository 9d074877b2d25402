import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { streamNameToNanos } from '../../ledger/timestamp.ts';
import { type AddressBookRequest, findAddressBook, openAddressBook } from './address-book.ts';
import { countRecordFiles } from './record-file-count.ts';

const folder = mkdtempSync(join(tmpdir(), 'kagami-folder-'));
const location = { kind: 'folder', path: folder } as const;
const elsewhere: AddressBookRequest = { configured: '', location: { kind: 'folder', path: tmpdir() }, cwd: '/' };
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
    expect(findAddressBook({ configured: '', location, cwd: '/' })).toBeUndefined();
    writeFileSync(join(folder, 'addressBook.bin'), 'x');
    expect(findAddressBook({ configured: '', location, cwd: '/' })).toBe(join(folder, 'addressBook.bin'));
    expect(findAddressBook({ configured: 'mine.bin', location, cwd: '/srv' })).toBe('/srv/mine.bin');
  });

  it('is refused when it is none or cannot be read', async () => {
    const open = (configured: string) => openAddressBook({ configured, location, cwd: folder }, network, true);
    await expect(open('addressBook.bin')).rejects.toMatchObject({ code: 'STREAM_BAD_ADDRESS_BOOK' });
    await expect(open('none.bin')).rejects.toThrow(/Cannot read the address book .*none\.bin/);
  });

  it('may be missing only where signatures are not needed', async () => {
    await expect(openAddressBook(elsewhere, network, true)).rejects.toThrow('No address book');
    expect((await openAddressBook(elsewhere, network, false)).entries).toEqual([]);
  });

  it('is that of the named network when the import begins', async () => {
    const nodesOf = async (request: Partial<AddressBookRequest>): Promise<number> =>
      (await openAddressBook({ ...elsewhere, network: 'mainnet', ...request }, network, true)).entries.length;
    // The files here are of 2022.
    const beside = { location: { kind: 'folder', path: join(folder, 'record0.0.3') } } as const;
    expect(await nodesOf(beside)).toBe(13);
    expect(await nodesOf({ begins: 1_800_000_000_000_000_000n })).toBe(32);
    expect(await nodesOf({ network: 'testnet-7', begins: 0n })).toBe(7);
    await expect(nodesOf({ network: 'other' })).rejects.toThrow('No address book');
  });
});
