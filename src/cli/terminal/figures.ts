/** Figures for people: thousands separated, durations and sizes with two leading digits that matter. */

/** `1234567` as `1,234,567`. */
export const formatCount = (count: number | bigint): string => count.toString().replace(/\B(?=(\d{3})+(?!\d))/g, ',');

/** Seconds as `0.4s`, `12s`, `3m 05s`, `2h 07m`, `4d 03h`. */
export const formatElapsed = (seconds: number): string => {
  if (seconds < 9.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole}s`;
  const two = (value: number): string => String(Math.floor(value)).padStart(2, '0');
  if (whole < 3_600) return `${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  if (whole < 86_400) return `${Math.floor(whole / 3_600)}h ${two((whole % 3_600) / 60)}m`;
  return `${Math.floor(whole / 86_400)}d ${two((whole % 86_400) / 3_600)}h`;
};

/** Bytes as `512 B`, `1.5 KiB`, `120 MiB`. */
export const formatBytes = (bytes: number): string => {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
};

/** Events per second with as many digits as mean something: `0.5`, `12`, `13,400`. */
export const formatRate = (perSecond: number): string =>
  perSecond < 10 ? perSecond.toFixed(1) : formatCount(Math.round(perSecond));
