import { describe, expect, it } from 'vitest';
import type { CommittedBlocks } from '../../importer/pipeline/block-commit.ts';
import { createStyle } from '../terminal/terminal.ts';
import { ImportTotals } from './import-totals.ts';

const style = createStyle(false);

const committed = (types: Record<string, number>, unhandled: Record<string, number> = {}): CommittedBlocks => ({
  blockNumber: 41n,
  consensusEnd: 1_234_567_890_000_000_001n,
  name: 'x',
  version: 6,
  blocks: 2,
  transactions: Object.values(types).reduce((sum, count) => sum + count, 0),
  bytes: 2_048,
  types: new Map(Object.entries(types)),
  unhandledTypes: new Map(Object.entries(unhandled)),
  errors: [],
  errorCount: 0,
  writeMs: 1,
  gapsBefore: [],
  sidecars: { read: 0, missing: 0, unwanted: 0 },
  electorateChanged: false,
});

describe('the summary of an import', () => {
  it('says when there was nothing to do', () => {
    expect(new ImportTotals().summary(1, style, { index: 7n })).toBe(
      'Nothing to import: of what is wanted, the source has nothing after block 7, the newest in the database.\n',
    );
    expect(new ImportTotals().summary(1, style)).toBe('Nothing was imported.\n');
  });

  it('names what was left out', () => {
    const totals = new ImportTotals();
    totals.add({ ...committed({}), sidecars: { read: 3, missing: 1_200, unwanted: 0 } });
    totals.add({ ...committed({}), sidecars: { read: 1, missing: 0, unwanted: 2 } });
    const lines = totals.summary(1, style).split('\n');
    const lost = 'the contracts that they describe cannot be called, traced or verified';
    expect(lines.slice(4, 7)).toEqual([
      '  Sidecars      4 files',
      `  Left out      1,200 sidecar files, which are missing: ${lost}`,
      `  Left out      2 sidecar files, by hiero.mirror.importer.parser.record.sidecar: ${lost}`,
    ]);
  });

  it('adds up commits, largest types first', () => {
    const totals = new ImportTotals();
    totals.add(committed({ CRYPTOTRANSFER: 1_000, FREEZE: 1 }, { FREEZE: 1 }));
    totals.add(committed({ CONSENSUSSUBMITMESSAGE: 2_000 }));
    expect(totals.summary(2, style).split('\n')).toEqual([
      '  Files             4, 4.0 KiB',
      '  Transactions      3,001: CONSENSUSSUBMITMESSAGE 2,000, CRYPTOTRANSFER 1,000, FREEZE 1',
      '  Newest block      41, consensus time 1234567890.000000001',
      '  Took              2.0s, 1,501 transactions/s',
      '  Common rows only  FREEZE 1',
      '',
    ]);
  });

  it('names the eight largest types and counts the others', () => {
    const totals = new ImportTotals();
    totals.add(committed(Object.fromEntries(Array.from({ length: 10 }, (_, index) => [`T${index}`, 10 - index]))));
    expect(totals.summary(1, style)).toContain('T6 4, T7 3 and 3 others');
  });
});
