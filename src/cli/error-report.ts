/** How an error that ends a command is shown: what happened, what to do, the code. */
import { isKagamiError } from '../errors/kagami-error.ts';
import type { Style } from './terminal/terminal.ts';

/** @param debug adds the stack and the causes, for reports of faults */
export const formatError = (error: unknown, style: Style, debug: boolean): string => {
  const lines: string[] = [];
  if (isKagamiError(error)) {
    lines.push(`${style.red('Error:')} ${error.message}`, `  ${error.hint}`, ...choicesIn(error.details));
    lines.push(`  ${style.dim(error.code)}`);
  } else {
    lines.push(`${style.red('Error:')} ${messageOf(error)}`);
    if (!debug) lines.push(`  ${style.dim('Unexpected; --debug shows where it happened.')}`);
  }
  if (debug && error instanceof Error) lines.push('', ...stacks(error));
  return `${lines.join('\n')}\n`;
};

/** The same as the fields of a log record. */
export const errorRecord = (error: unknown, debug: boolean): object => ({
  ...(isKagamiError(error) ? { code: error.code, hint: error.hint, details: exactly(error.details) } : {}),
  ...(debug && error instanceof Error ? { stack: stacks(error).join('\n') } : {}),
});

export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message || error.name : String(error);

/** 64-bit integers as texts: JSON of other programs has no room for them. */
const exactly = (details: Readonly<Record<string, unknown>>): object =>
  JSON.parse(JSON.stringify(details, (_, value) => (typeof value === 'bigint' ? value.toString() : value)));

/** Details that list names, such as what could have been written instead. */
const choicesIn = (details: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(details).flatMap(([name, value]) =>
    Array.isArray(value) && value.every((item) => typeof item === 'string') ? [`  ${name}: ${value.join(', ')}`] : [],
  );

const stacks = (error: Error): string[] => {
  const lines: string[] = [];
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    lines.push(`${lines.length === 0 ? '' : 'Caused by: '}${current.stack ?? current.message}`);
  }
  return lines;
};
