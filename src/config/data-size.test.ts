import { expect, it } from 'vitest';
import { formatDataSize, parseDataSize } from './data-size.ts';

it('reads sizes with binary units', () => {
  expect(parseDataSize('512MB')).toBe(536_870_912);
  expect(parseDataSize('125 mb')).toBe(131_072_000);
  expect(parseDataSize('10KB')).toBe(10_240);
  expect(parseDataSize('1000')).toBe(1_000);
  for (const text of ['', 'MB', '-1MB', '1.5MB', '1MiB', '99999999TB']) expect(parseDataSize(text)).toBeUndefined();
});

it('writes them as they are read', () => {
  for (const bytes of [0, 1, 1_000, 1_024, 131_072_000, 2 ** 40]) {
    expect(parseDataSize(formatDataSize(bytes))).toBe(bytes);
  }
  expect(formatDataSize(536_870_912)).toBe('512MB');
});
