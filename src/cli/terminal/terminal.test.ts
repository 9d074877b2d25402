import { describe, expect, it } from 'vitest';
import { formatBanner } from './banner.ts';
import { formatBytes, formatCount, formatElapsed, formatRate } from './figures.ts';
import { createProgressBar, progressText } from './progress.ts';
import { formatStatus, statusRecord } from './status-line.ts';
import { formatPairs } from './table.ts';
import { createStyle, createTerminal, type Terminal, wantsColour } from './terminal.ts';

const plain = createStyle(false);

const recorded = (interactive: boolean): { terminal: Terminal; lines: string[] } => {
  const lines: string[] = [];
  return {
    lines,
    terminal: {
      out: (text) => void lines.push(text),
      err: (text) => void lines.push(text),
      interactive,
      columns: 100,
      style: plain,
    },
  };
};

describe('figures', () => {
  it.each([
    [0, '0'],
    [999, '999'],
    [1_000, '1,000'],
    [12_345_678_901_234_567_890n, '12,345,678,901,234,567,890'],
  ])('count %s is %s', (count, text) => expect(formatCount(count)).toBe(text));

  it.each([
    [0.04, '0.0s'],
    [9.94, '9.9s'],
    [9.96, '10s'],
    [59.4, '59s'],
    [59.6, '1m 00s'],
    [185, '3m 05s'],
    [7_620, '2h 07m'],
    [356_400, '4d 03h'],
  ])('%s seconds are %s', (seconds, text) => expect(formatElapsed(seconds)).toBe(text));

  it.each([
    [512, '512 B'],
    [1_536, '1.5 KiB'],
    [125_829_120, '120 MiB'],
  ])('%s bytes are %s', (bytes, text) => expect(formatBytes(bytes)).toBe(text));

  it.each([
    [0.52, '0.5'],
    [12.4, '12'],
    [13_400, '13,400'],
  ])('rate %s is %s', (rate, text) => expect(formatRate(rate)).toBe(text));
});

describe('progress', () => {
  it('says files, part, rate and time left', () => {
    expect(progressText('Importing', { done: 10, total: 40, transactions: 5_000 }, 2)).toBe(
      'Importing 10 of 40 files, 25%, 2,500 transactions/s, 6.0s left',
    );
    expect(progressText('Importing', { done: 40, total: 40, transactions: 5_000 }, 2)).toBe(
      'Importing 40 of 40 files, 100%, 2,500 transactions/s',
    );
    expect(progressText('Checking', { done: 7, total: undefined, transactions: 0 }, 0)).toBe('Checking 7 files');
  });

  it('redraws one line on a terminal and removes it at the end', () => {
    const { terminal, lines } = recorded(true);
    let time = 0;
    const bar = createProgressBar(terminal, 'Importing', { now: () => time });
    bar.update({ done: 1, total: 4, transactions: 10 });
    time = 50;
    bar.update({ done: 2, total: 4, transactions: 20 });
    time = 1_000;
    bar.update({ done: 3, total: 4, transactions: 30 });
    bar.finish();
    expect(lines).toHaveLength(3);
    expect(lines[1]).toBe(
      `\r\u001b[K${'█'.repeat(23)}${'░'.repeat(7)} Importing 3 of 4 files, 75%, 30 transactions/s, 0.3s left`,
    );
    expect(lines[2]).toBe('\r\u001b[K');
  });

  it('never draws beyond the width of the terminal', () => {
    const { terminal, lines } = recorded(true);
    const bar = createProgressBar({ ...terminal, columns: 20 }, 'Importing');
    bar.update({ done: 1_000, total: 4_000, transactions: 10 });
    expect(lines[0]).toBe('\r\u001b[KImporting 1,000 of ');
  });

  it('writes plain lines elsewhere, one each interval', () => {
    const { terminal, lines } = recorded(false);
    let time = 0;
    const bar = createProgressBar(terminal, 'Importing', { now: () => time, plainInterval: 1_000 });
    for (time = 0; time <= 2_500; time += 100) bar.update({ done: time / 100, total: 25, transactions: time });
    bar.finish();
    expect(lines).toEqual([
      'Importing 10 of 25 files, 40%, 1,000 transactions/s, 1.5s left\n',
      'Importing 20 of 25 files, 80%, 1,000 transactions/s, 0.5s left\n',
    ]);
  });
});

describe('status line', () => {
  const time = new Date(2026, 0, 1, 14, 2, 11);
  const status = { block: 1_204n, transactions: 500, lagSeconds: 1.24, memoryBytes: 125_829_120 };

  it('says block, rate since the last line, lag and memory', () => {
    expect(formatStatus(status, { ...status, transactions: 250 }, 5, time)).toBe(
      '14:02:11  block 1,204  50 tx/s  lag 1.2s  memory 120 MiB',
    );
  });

  it('is a record elsewhere', () => {
    expect(statusRecord({ ...status, note: 'waiting' }, { ...status, transactions: 250 }, 5)).toEqual({
      block: '1204',
      transactionsPerSecond: 50,
      lagSeconds: 1.2,
      memoryBytes: 125_829_120,
      note: 'waiting',
    });
  });

  it('says when there is nothing yet, and why nothing happens', () => {
    const empty = { block: undefined, transactions: 0, lagSeconds: undefined, memoryBytes: 1_024, note: 'waiting' };
    expect(formatStatus(empty, undefined, 0, time)).toBe('14:02:11  no block yet  memory 1.0 KiB  waiting');
  });
});

describe('banner', () => {
  const facts = {
    version: '0.1.0',
    nodeVersion: '24.1.0',
    database: 'PostgreSQL 18.4, embedded',
    dataPath: '/srv/.kagami',
    source: 'simulated network',
    host: '127.0.0.1',
    ports: [5551, 8084],
    interfacePorts: { grpc: 5600, rosetta: 5700 },
    node: undefined,
    roles: ['importer', 'rest'],
  };

  it('names versions, places and a request to try', () => {
    const text = formatBanner(facts, { style: plain });
    expect(text).toContain('Kagami 0.1.0, Node 24.1.0, roles importer, rest');
    expect(text).toContain('REST     http://127.0.0.1:5551/api/v1 (also on 8084)');
    expect(text).toContain('gRPC     127.0.0.1:5600');
    expect(text).toContain('Rosetta  http://127.0.0.1:5700');
    expect(text).toContain("curl 'http://127.0.0.1:5551/api/v1/transactions?limit=3'");
  });

  it.each([
    ['127.0.0.1', 'http://127.0.0.1:5551', 'this machine only (127.0.0.1); --host 0.0.0.0 lets others in'],
    ['localhost', 'http://localhost:5551', 'this machine only (localhost)'],
    ['0.0.0.0', 'http://127.0.0.1:5551', 'every machine that reaches this one (0.0.0.0)'],
    ['::', 'http://127.0.0.1:5551', 'every machine that reaches this one (::)'],
    ['10.1.2.3', 'http://10.1.2.3:5551', 'whoever reaches 10.1.2.3'],
    ['fe80::1', 'http://[fe80::1]:5551', 'whoever reaches fe80::1'],
  ])('says who reaches %s', (host, base, whom) => {
    const text = formatBanner({ ...facts, host }, { style: plain });
    expect(text).toContain(`REST     ${base}/api/v1`);
    expect(text).toContain(`Open to  ${whom}`);
  });

  it('lists the accounts of a network that takes transactions', () => {
    const node = {
      address: '127.0.0.1:50211',
      account: '0.0.3',
      operator: { account: '0.0.2', privateKey: '302e' },
      accounts: [{ account: '0.0.1002', evmAddress: '0x67d8', privateKey: '0x105d' }],
    };
    const text = formatBanner({ ...facts, node }, { style: plain });
    expect(text).toContain('Node     127.0.0.1:50211 (0.0.3, for SDKs)');
    expect(text).toMatch(/0\.0\.2 +operator +302e\n/);
    expect(text).toMatch(/0\.0\.1002 +0x67d8 +0x105d\n/);
  });

  it('names no address where nothing is served', () => {
    expect(
      formatBanner({ ...facts, ports: [], interfacePorts: { grpc: 5600, rosetta: undefined } }, { style: plain }),
    ).not.toContain('http://');
  });
});

describe('colours', () => {
  it('follow the terminal and the conventions', () => {
    expect(wantsColour(true, {})).toBe(true);
    expect(wantsColour(false, {})).toBe(false);
    expect(wantsColour(true, { NO_COLOR: '1' })).toBe(false);
    expect(wantsColour(true, { NO_COLOR: '' })).toBe(true);
    expect(wantsColour(false, { FORCE_COLOR: '1' })).toBe(true);
    expect(wantsColour(true, { TERM: 'dumb' })).toBe(false);
    expect(createStyle(true).red('x')).toBe('\u001b[31mx\u001b[39m');
    expect(plain.red('x')).toBe('x');
  });

  it('are absent from a pipe', () => {
    const written: string[] = [];
    const stream = { write: (text: string) => written.push(text) };
    const terminal = createTerminal(stream, stream, {});
    terminal.out(terminal.style.bold('x'));
    expect(written).toEqual(['x']);
    expect(terminal.interactive).toBe(false);
  });
});

describe('pairs', () => {
  it('stand in columns', () => {
    expect(
      formatPairs(
        [
          ['Files', '4'],
          ['Transactions', '1,000'],
        ],
        plain,
      ),
    ).toBe('  Files         4\n  Transactions  1,000\n');
  });
});
