/** Texts into the values of single settings, with a sentence about what is allowed when a text does not fit. */
import { formatDataSize, parseDataSize } from './data-size.ts';
import { formatDuration, parseDuration } from './duration.ts';
import { canonicalName, suggestWord } from './names.ts';
import type { Setting } from './setting.ts';

export type Parsed = { readonly value: unknown } | { readonly expected: string };

const INTEGER = /^[+-]?\d+(_\d+)*$/;
const DECIMAL = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i;
const TRUE = new Set(['true', 'yes', 'on', '1']);
const FALSE = new Set(['false', 'no', 'off', '0']);

/** Parses a text for a setting that is neither a list nor a map. */
export const parseScalar = (setting: Setting<unknown>, text: string): Parsed => {
  const trimmed = text.trim();
  switch (setting.kind) {
    case 'text':
      return isSlip(setting, trimmed)
        ? { expected: allowedValues(setting) + meant(setting.known, trimmed) }
        : { value: text };
    case 'secret':
      return { value: text };
    case 'flag': {
      const lower = trimmed.toLowerCase();
      if (TRUE.has(lower)) return { value: true };
      return FALSE.has(lower) ? { value: false } : { expected: allowedValues(setting) };
    }
    case 'integer': {
      const value = INTEGER.test(trimmed) ? Number(trimmed.replaceAll('_', '')) : Number.NaN;
      return Number.isSafeInteger(value) && inBounds(setting, value) ? { value } : { expected: allowedValues(setting) };
    }
    case 'bigint': {
      const value = INTEGER.test(trimmed) ? BigInt(trimmed.replaceAll(/[_+]/g, '')) : undefined;
      return value !== undefined && inBounds(setting, value) ? { value } : { expected: allowedValues(setting) };
    }
    case 'decimal': {
      const value = DECIMAL.test(trimmed) ? Number(trimmed) : Number.NaN;
      return Number.isFinite(value) && inBounds(setting, value) ? { value } : { expected: allowedValues(setting) };
    }
    case 'duration': {
      const value = parseDuration(trimmed);
      return value !== undefined && inBounds(setting, value) ? { value } : { expected: allowedValues(setting) };
    }
    case 'data-size': {
      const value = parseDataSize(trimmed);
      return value !== undefined && inBounds(setting, value) ? { value } : { expected: allowedValues(setting) };
    }
    case 'choice': {
      const value = setting.choices?.find((choice) => canonicalName(choice) === canonicalName(trimmed));
      return value === undefined ? { expected: allowedValues(setting) + meant(setting.choices, trimmed) } : { value };
    }
    default:
      return { expected: allowedValues(setting) };
  }
};

/** Case counts as little as in choices; after a `-` anything may follow a known name. */
const isSlip = ({ known }: Setting<unknown>, text: string): boolean => {
  const [first = ''] = text.split('-', 1);
  if (known === undefined || known.some((word) => word === first.trim().toLowerCase())) return false;
  const meantWord = suggestWord(known, first);
  return meantWord !== undefined && Math.abs(meantWord.length - first.length) <= 2;
};

const meant = (words: readonly string[] = [], text: string): string => {
  const suggestion = suggestWord(words, text) ?? suggestWord(words, text.split('-', 1)[0] ?? '');
  return suggestion === undefined ? '' : `; did you mean ${suggestion}?`;
};

/** What may be written for a setting, as the end of a sentence: `a whole number from 1 to 65535`. */
export const allowedValues = (setting: Setting<unknown>): string => {
  switch (setting.kind) {
    case 'text':
      return setting.known === undefined ? 'a text' : `${setting.known.join(', ')} or a name of its own`;
    case 'secret':
      return 'a text';
    case 'flag':
      return 'true or false';
    case 'integer':
    case 'bigint':
      return `a whole number${boundsText(setting)}`;
    case 'decimal':
      return `a number${boundsText(setting)}`;
    case 'duration':
      return `a duration such as 500ms, 10s, 5m, 2h, 7d or PT10S${setting.min ? `, at least ${formatDuration(Number(setting.min))}` : ''}`;
    case 'data-size':
      return `a size such as 512MB${Number(setting.min) > 1 ? `, at least ${formatDataSize(Number(setting.min))}` : ''}`;
    case 'choice':
      return `one of ${setting.choices?.join(', ')}`;
    case 'list':
      return 'a list';
    case 'map':
      return 'names with values';
  }
};

/** A setting's value as an operator would write it; secrets are hidden. */
export const showValue = (setting: Setting<unknown>, value: unknown): string => {
  if (setting.kind === 'secret') return value === '' ? '' : '******';
  if (setting.kind === 'duration') return formatDuration(value as number);
  if (setting.kind === 'data-size') return formatDataSize(value as number);
  if (setting.kind === 'decimal') return String(Math.round((value as number) * 10_000) / 10_000);
  if (setting.kind === 'list' || setting.kind === 'map') {
    return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? Number(item) : item));
  }
  return String(value);
};

const inBounds = (setting: Setting<unknown>, value: number | bigint): boolean =>
  (setting.min === undefined || value >= setting.min) && (setting.max === undefined || value <= setting.max);

const boundsText = ({ min, max }: Setting<unknown>): string => {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? '' : ` of at most ${max}`;
};
