/** JSON whose integers stay exact: those beyond 2^53 become BigInts. */

interface ReviverContext {
  readonly source?: string;
}

const integer = /^-?\d+$/;

const revive = (_key: string, value: unknown, context?: ReviverContext): unknown => {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && integer.test(source) ? BigInt(source) : value;
};

/** @throws SyntaxError for text that is not JSON */
export const parseExactJson = (text: string): unknown => JSON.parse(text, revive);

/** JSON text with BigInts as plain numbers. */
export const writeExactJson = (value: unknown): string => {
  if (typeof value === 'bigint') return value.toString();
  if (Array.isArray(value)) return `[${value.map(writeExactJson).join(',')}]`;
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${writeExactJson(member)}`).join(',')}}`;
  }
  return JSON.stringify(value);
};
