/** The process's log: pino, as JSON for machines or as plain lines for people. Messages go to stderr. */
import { pino } from 'pino';
import type { Style, Terminal } from './terminal/terminal.ts';

export type LogFormat = 'auto' | 'text' | 'json';

/** Whether a command writes records, one JSON object a line, instead of text. `auto`: where nobody is looking. */
export const writesRecords = ({ interactive }: Pick<Terminal, 'interactive'>, format: LogFormat): boolean =>
  format === 'json' || (format === 'auto' && !interactive);

export const createLogger = (terminal: Terminal, level: string, asRecords: boolean): pino.Logger => {
  const write = asRecords
    ? (line: string) => terminal.err(line)
    : (line: string) => terminal.err(formatLogLine(line, terminal.style));
  return recordWriter(write, level);
};

/** Results and progress as records of the same form as the log's, on the stream where their text would be. */
export const createRecorder = (terminal: Terminal): pino.Logger => recordWriter(terminal.out, 'info');

const recordWriter = (write: (line: string) => void, level: string): pino.Logger =>
  pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, { write });

const labels: Readonly<Record<number, readonly [string, keyof Style]>> = {
  10: ['trace', 'dim'],
  20: ['debug', 'dim'],
  30: ['info', 'cyan'],
  40: ['warn', 'yellow'],
  50: ['error', 'red'],
  60: ['fatal', 'red'],
};

/** `14:02:11 warn  message  key=value`; a line that is no log record passes unchanged. */
export const formatLogLine = (line: string, style: Style): string => {
  let record: Record<string, unknown>;
  try {
    record = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return line;
  }
  const { level, time, msg, err, ...details } = record;
  const [label, colour] = labels[Number(level)] ?? ['info', 'cyan'];
  const clock = typeof time === 'string' ? new Date(time).toTimeString().slice(0, 8) : '';
  const facts = Object.entries(details).map(([name, value]) => `${name}=${showDetail(value)}`);
  const fault = err as { message?: string; code?: string } | undefined;
  if (fault?.message) facts.push(`${fault.code ? `${fault.code}: ` : ''}${fault.message}`);
  return `${style.dim(clock)} ${style[colour](label.padEnd(5))} ${String(msg ?? '')}${
    facts.length === 0 ? '' : `  ${style.dim(facts.join(' '))}`
  }\n`;
};

const showDetail = (value: unknown): string =>
  typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value);
