import { expect, it } from 'vitest';
import { socketDirectories, socketFolder } from './unix-socket.ts';

/** A path of so many bytes. */
const pathOf = (bytes: number): string => `/${'d'.repeat(bytes - 1)}`;

/** `/.s.PGSQL.65535` */
const nameBytes = 15;

it.each<[NodeJS.Platform, number, boolean]>([
  ['linux', 107 - nameBytes, true],
  ['linux', 108 - nameBytes, false],
  ['darwin', 103 - nameBytes, true],
  ['darwin', 104 - nameBytes, false],
  ['win32', 20, false],
])('on %s a folder of %i bytes can hold the socket: %s', (platform, bytes, can) => {
  const folder = pathOf(bytes);
  expect(socketDirectories(folder, folder, platform)).toBe(can ? folder : '');
});

it('counts bytes, not characters', () => {
  expect(socketDirectories(`/${'ä'.repeat(50)}`, '/proc/self/cwd', 'linux')).toBe('');
  expect(socketDirectories(`/${'ä'.repeat(40)}`, '/proc/self/cwd', 'linux')).toBe('/proc/self/cwd');
});

it('does without a socket where the folder has another meaning in a list of folders', () => {
  for (const folder of ['/tmp/a,b', '/tmp/a b', '/tmp/"a"'])
    expect(socketDirectories(folder, folder, 'darwin')).toBe('');
  expect(socketDirectories('/tmp/a,b', '/proc/self/cwd', 'linux')).toBe('/proc/self/cwd');
});

it('finds no socket where none is', () => {
  expect(socketFolder('/tmp', 1)).toBeUndefined();
});
