import { expect, it } from 'vitest';
import { sourceFolder } from './source-folder.ts';

it.each([
  ['streams', '/home/me/streams'],
  ['/mnt/streams', '/mnt/streams'],
  ['../streams', '/home/streams'],
  ['file:///mnt/my%20streams', '/mnt/my streams'],
])('reads %s as %s', (source, folder) => {
  expect(sourceFolder(source, '/home/me')).toBe(folder);
});

it.each(['https://example.com/streams', 'ftp://example.com'])('refuses %s by name', (source) => {
  expect(() => sourceFolder(source, '/home/me')).toThrow(
    expect.objectContaining({ code: 'SOURCE_UNSUPPORTED', message: expect.stringContaining(source) }),
  );
});
