/** `${NAME:default}` in written values, as operators know them from Spring: an environment variable or another setting. */

export class UnresolvedPlaceholder extends Error {
  readonly placeholder: string;
  constructor(placeholder: string, reason: string) {
    super(reason);
    this.placeholder = placeholder;
  }
}

const MAX_DEPTH = 16;

/**
 * Replaces every placeholder in a text; defaults and found values may hold placeholders themselves.
 * @param lookUp the text that a name stands for, or undefined
 * @throws UnresolvedPlaceholder when a name without a default is unknown, or placeholders run in a circle
 */
export const resolvePlaceholders = (text: string, lookUp: (name: string) => string | undefined, depth = 0): string => {
  let resolved = '';
  let position = 0;
  for (;;) {
    const start = text.indexOf('${', position);
    if (start < 0) return resolved + text.slice(position);
    const end = closingBrace(text, start + 2);
    if (end < 0) return resolved + text.slice(position);
    const body = text.slice(start + 2, end);
    if (depth >= MAX_DEPTH) throw new UnresolvedPlaceholder(body, `placeholder \${${body}} refers to itself`);
    const colon = body.indexOf(':');
    const name = colon < 0 ? body : body.slice(0, colon);
    const value = lookUp(name.trim()) ?? (colon < 0 ? undefined : body.slice(colon + 1));
    if (value === undefined) {
      throw new UnresolvedPlaceholder(
        name,
        `placeholder \${${name}} has neither a value nor a default (\${${name}:default})`,
      );
    }
    resolved += text.slice(position, start) + resolvePlaceholders(value, lookUp, depth + 1);
    position = end + 1;
  }
};

const closingBrace = (text: string, from: number): number => {
  let open = 1;
  for (let index = from; index < text.length; index++) {
    if (text[index] === '}' && --open === 0) return index;
    if (text[index] === '{' && text[index - 1] === '$') open++;
  }
  return -1;
};
