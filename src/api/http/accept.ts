/** What a client's `Accept` header says about 64-bit integers. */

interface MediaRange {
  /** In lower case: `application/json`. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const mediaRange = (text: string): MediaRange => {
  const [type = '', ...rest] = text.split(';');
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const equals = parameter.indexOf('=');
    if (equals < 0) continue;
    const name = parameter.slice(0, equals).trim().toLowerCase();
    const value = parameter
      .slice(equals + 1)
      .trim()
      .replace(/^"(.*)"$/, '$1')
      .toLowerCase();
    if (name === 'q') quality = Number.parseFloat(value) || 0;
    else parameters.set(name, value);
  }
  return { type: type.trim().toLowerCase(), parameters, quality };
};

const isStringForm = ({ type, parameters }: MediaRange): boolean =>
  type === 'application/json' && parameters.get('int64') === 'string';

/** How specific a range is that takes plain JSON; -1: it doesn't. */
const plainRank = (range: MediaRange): number => {
  if (isStringForm(range)) return -1;
  return ['*/*', 'application/*', 'application/json'].indexOf(range.type);
};

/**
 * Whether the client wants 64-bit integers as strings: it names `application/json; int64=string`, and plain JSON is not
 * more welcome by its quality (RFC 9110, 12.5.1).
 */
export const wantsInt64Texts = (accept: string | undefined): boolean => {
  if (accept === undefined || !/int64/i.test(accept)) return false;
  const ranges = accept.split(',').map(mediaRange);
  const asked = Math.max(0, ...ranges.filter(isStringForm).map(({ quality }) => quality));
  if (asked === 0) return false;
  const plain = ranges.filter((range) => plainRank(range) >= 0).sort((a, b) => plainRank(b) - plainRank(a))[0];
  return plain === undefined || asked >= plain.quality;
};
