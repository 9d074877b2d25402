import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { KagamiError } from '../errors/kagami-error.ts';
import { formatError } from './error-report.ts';
import { exitCodeOf } from './exit-code.ts';
import { watchInterruption } from './interruption.ts';
import { createLogger, formatLogLine, writesRecords } from './logger.ts';
import { createStyle, type Terminal } from './terminal/terminal.ts';

const style = createStyle(false);

const recorded = (interactive = false) => {
  const errors: string[] = [];
  const terminal: Terminal = {
    out: () => undefined,
    err: (text) => void errors.push(text),
    interactive,
    columns: 80,
    style,
  };
  return { terminal, errors };
};

describe('errors', () => {
  const error = new KagamiError('CONFIG_INVALID', 'Setting x is wrong', { cause: new Error('the cause') });

  it('are message, advice and code', () => {
    expect(formatError(error, style, false)).toBe(
      'Error: Setting x is wrong\n' +
        '  Correct the named setting; docs/configuration.md lists every setting with its type and default.\n' +
        '  CONFIG_INVALID\n',
    );
  });

  it('have stacks and causes for those who ask', () => {
    const text = formatError(error, style, true);
    expect(text).toContain('reporting.test.ts');
    expect(text).toContain('Caused by: Error: the cause');
  });

  it('that nobody foresaw say so', () => {
    expect(formatError(new TypeError('x is undefined'), style, false)).toBe(
      'Error: x is undefined\n  Unexpected; --debug shows where it happened.\n',
    );
    expect(formatError('text', style, false)).toContain('Error: text');
  });

  it('end with the code of their kind', () => {
    expect(exitCodeOf(error)).toBe(2);
    expect(exitCodeOf(new KagamiError('STREAM_CHAIN_BROKEN', ''))).toBe(3);
    expect(exitCodeOf(new KagamiError('SOURCE_EMPTY', ''))).toBe(3);
    expect(exitCodeOf(new KagamiError('DATABASE_UNAVAILABLE', ''))).toBe(4);
    expect(exitCodeOf(new KagamiError('EMBEDDED_POSTGRES_MISSING', ''))).toBe(4);
    expect(exitCodeOf(new KagamiError('DATA_FOLDER_FULL', ''))).toBe(4);
    expect(exitCodeOf(new KagamiError('SOURCE_UNSUPPORTED', ''))).toBe(2);
    expect(exitCodeOf(new KagamiError('SIMULATOR_MIX_INVALID', ''))).toBe(2);
    expect(exitCodeOf(new KagamiError('ADDRESS_BOOK_MISSING', ''))).toBe(2);
    expect(exitCodeOf(new KagamiError('RECORD_ITEM_UNDECODABLE', ''))).toBe(3);
    expect(exitCodeOf(new KagamiError('PORT_UNAVAILABLE', ''))).toBe(1);
    expect(exitCodeOf(new KagamiError('INVALID_ENTITY_ID', ''))).toBe(1);
    expect(exitCodeOf(new Error())).toBe(1);
  });
});

describe('Ctrl-C', () => {
  it('asks for a clean stop first and ends the process the second time', async () => {
    const { terminal, errors } = recorded();
    const signals = new EventEmitter();
    const exits: number[] = [];
    let time = 1_000;
    const exit = (code: number) => void exits.push(code);
    const interruption = watchInterruption(terminal, signals as never, exit, () => time);
    expect(interruption.signal.aborted).toBe(false);
    signals.emit('SIGINT', 'SIGINT');
    await interruption.requested;
    expect(interruption.signal.aborted).toBe(true);
    expect(exits).toEqual([]);
    expect(errors).toEqual(['\nStopping; Ctrl-C again to stop at once.\n']);
    // npm hands on what the terminal has sent to this process too.
    time = 1_100;
    signals.emit('SIGINT', 'SIGINT');
    expect(exits).toEqual([]);
    time = 3_000;
    signals.emit('SIGINT', 'SIGINT');
    expect(exits).toEqual([130]);
  });

  it.each(['SIGTERM', 'SIGHUP'] as const)('%s asks for a clean stop too', async (name) => {
    const { terminal, errors } = recorded();
    const signals = new EventEmitter();
    const interruption = watchInterruption(terminal, signals as never);
    signals.emit(name, name);
    await interruption.requested;
    expect(interruption.signal.reason).toBe(name);
    expect(errors).toEqual(['\nStopping.\n']);
  });

  it('gives the signals back', () => {
    const signals = new EventEmitter();
    watchInterruption(recorded().terminal, signals as never).release();
    expect(signals.listenerCount('SIGINT') + signals.listenerCount('SIGTERM') + signals.listenerCount('SIGHUP')).toBe(
      0,
    );
  });
});

describe('the log', () => {
  it('is lines for people or JSON for machines', () => {
    const text = recorded(true);
    createLogger(text.terminal, 'info', writesRecords(text.terminal, 'auto')).warn(
      { port: 8084, why: 'is taken' },
      'port is not available',
    );
    expect(text.errors[0]).toMatch(/^\d\d:\d\d:\d\d warn {2}port is not available {2}port=8084 why="is taken"\n$/);
    const json = recorded(false);
    createLogger(json.terminal, 'info', writesRecords(json.terminal, 'auto')).info({ port: 1 }, 'x');
    expect(JSON.parse(json.errors[0] ?? '')).toMatchObject({ level: 30, port: 1, msg: 'x' });
  });

  it('leaves out what is less severe than wanted', () => {
    const { terminal, errors } = recorded();
    createLogger(terminal, 'warn', true).info('x');
    expect(errors).toEqual([]);
  });

  it('shows errors by code and message, and passes other lines', () => {
    const line = JSON.stringify({
      level: 50,
      time: '2026-01-01T00:00:00Z',
      msg: 'm',
      err: { code: 'X', message: 'y' },
    });
    expect(formatLogLine(line, style)).toMatch(/error m {2}X: y\n$/);
    expect(formatLogLine('plain\n', style)).toBe('plain\n');
  });
});
