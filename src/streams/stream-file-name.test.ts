import { describe, expect, it } from 'vitest';
import { compareStreamNames, parseStreamFileName } from './stream-file-name.ts';

describe('stream file names', () => {
  it.each([
    ['2019-08-30T18_10_05.249678Z.rcd', 'record', 1567188605249678000n, '2019-08-30T18_10_05.249678Z', 0, false],
    [
      '2022-07-13T08_46_11.304284003Z.rcd.gz',
      'record',
      1657701971304284003n,
      '2022-07-13T08_46_11.304284003Z',
      0,
      true,
    ],
    ['a/b/2022-07-13T08_46_11Z.rcd_sig', 'signature', 1657701971000000000n, '2022-07-13T08_46_11Z', 0, false],
    ['2022-07-13T08_46_11.5Z_01.rcd.gz', 'sidecar', 1657701971500000000n, '2022-07-13T08_46_11.5Z', 1, true],
    ['2022-07-13T08_46_11.5Z_112.rcd', 'sidecar', 1657701971500000000n, '2022-07-13T08_46_11.5Z', 112, false],
  ] as const)('parses %s', (path, kind, nanos, base, sidecarId, compressed) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    expect(parseStreamFileName(path)).toEqual({ name, base, kind, nanos, compressed, sidecarId });
  });

  it.each([
    '2022-07-13T08:46:11.304284003Z.rcd',
    '2022-07-13T08_46_11.3042840031Z.rcd',
    '2022-13-13T08_46_11Z.rcd',
    '2022-07-13T08_46_11Z.evts',
    '2022-07-13T08_46_11Z.rcd.gz.part',
    '.2022-07-13T08_46_11Z.rcd',
    '2022-07-13T08_46_11Z_01.rcd_sig',
    '2022-07-13T08_46_11Z',
    '',
  ])('knows that %j is none', (name) => {
    expect(parseStreamFileName(name)).toBeUndefined();
  });

  it('orders by time where text would not', () => {
    const names = ['2022-07-13T08_46_11Z.rcd', '2022-07-13T08_46_11.5Z.rcd', '2022-07-13T08_46_11.50001Z.rcd'];
    const parsed = [...names].reverse().map((name) => parseStreamFileName(name));
    const sorted = parsed.flatMap((name) => name ?? []).sort(compareStreamNames);
    expect(sorted.map(({ name }) => name)).toEqual(names);
  });
});
