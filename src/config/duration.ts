/** Durations as operators write them: `500ms`, `10s`, `1.5h`, `7d`, ISO 8601 (`PT1M30S`), or a bare number of milliseconds. */

const unitMilliseconds = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;
type Unit = keyof typeof unitMilliseconds;

const SIMPLE = /^(\d+(?:\.\d+)?)\s*(ms|s|m|h|d)?$/i;
const ISO = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/i;

/**
 * Milliseconds of a duration text, or undefined when it is none. Signs, weeks, months and years are not durations here;
 * fractions of a millisecond are refused rather than rounded.
 */
export const parseDuration = (text: string): number | undefined => {
  const trimmed = text.trim();
  const simple = SIMPLE.exec(trimmed);
  if (simple) return wholeMilliseconds(Number(simple[1]) * unitMilliseconds[(simple[2] ?? 'ms').toLowerCase() as Unit]);
  const iso = ISO.exec(trimmed);
  if (!iso || trimmed.length < 3 || /T$/i.test(trimmed)) return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = iso;
  return wholeMilliseconds(
    Number(days) * unitMilliseconds.d +
      Number(hours) * unitMilliseconds.h +
      Number(minutes) * unitMilliseconds.m +
      Number(seconds) * unitMilliseconds.s,
  );
};

/** Shortest exact text with one unit, for example `90s`, `7d`, `1500ms`. */
export const formatDuration = (milliseconds: number): string => {
  for (const unit of ['d', 'h', 'm', 's'] as const) {
    const size = unitMilliseconds[unit];
    if (milliseconds !== 0 && milliseconds % size === 0) return `${milliseconds / size}${unit}`;
  }
  return `${milliseconds}ms`;
};

/** Decimal fractions such as 1.001 s are binary approximations; what is within a millionth of a whole counts as whole. */
const wholeMilliseconds = (value: number): number | undefined => {
  const rounded = Math.round(value);
  return Math.abs(value - rounded) < 1e-6 && Number.isSafeInteger(rounded) ? rounded : undefined;
};
