/**
 * A small JSON document with its numbers as they were written: 64-bit integers must stay exact, and a document must not be
 * able to cost more than its bounds say. Owns syntax only; what members mean is call-body.ts.
 */
import { type HttpProblem, reasonedProblem } from '../../api/problem.ts';

export type JsonValue =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  /** The literal. */
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'array'; readonly items: readonly JsonValue[] }
  | JsonObject;

export interface JsonObject {
  readonly kind: 'object';
  /** The last one of a name counts. */
  readonly members: ReadonlyMap<string, JsonValue>;
}

/** Characters: two hex digits for each byte of the largest call data, and room for the rest. */
export const longestDocument = (mostData: number): number => mostData * 2 + 1_024;

/** Under the limits that networks have. */
export const LONGEST_DOCUMENT = longestDocument(131_072);

const LONGEST_NAME = 100;
const DEEPEST_NESTING = 10;
const LONGEST_NUMBER = 19;

/** The 400 for a body that cannot be read. */
export const parseProblem = (text: string): HttpProblem => reasonedProblem(400, `JSON parse error: ${text}`);

const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const decoder = new TextDecoder('utf-8', { fatal: true });

const decode = (body: Uint8Array): string => {
  try {
    return decoder.decode(body);
  } catch {
    throw parseProblem('Invalid UTF-8');
  }
};

class DocumentReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonValue {
    this.#skipSpace();
    if (this.#at === this.#text.length) throw parseProblem('No content to map due to end-of-input');
    const value = this.#value(0);
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#unexpected('was expecting the end of the document');
    return value;
  }

  #value(depth: number): JsonValue {
    this.#skipSpace();
    const first = this.#text[this.#at];
    if (first === '{') return this.#object(depth + 1);
    if (first === '[') return this.#array(depth + 1);
    if (first === '"') return { kind: 'string', value: this.#string() };
    if (first === '-' || (first !== undefined && first >= '0' && first <= '9')) return this.#number();
    for (const [word, value] of [
      ['true', { kind: 'boolean', value: true }],
      ['false', { kind: 'boolean', value: false }],
      ['null', { kind: 'null' }],
    ] as const) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    throw this.#unexpected('was expecting a JSON value');
  }

  #object(depth: number): JsonObject {
    this.#enter(depth);
    const members = new Map<string, JsonValue>();
    if (this.#takeAfterSpace('}')) return { kind: 'object', members };
    do {
      this.#skipSpace();
      if (this.#text[this.#at] !== '"') throw this.#unexpected('was expecting double-quote to start property name');
      const name = this.#string();
      if (name.length > LONGEST_NAME) {
        throw parseProblem(`Name length (${name.length}) exceeds the maximum allowed (${LONGEST_NAME})`);
      }
      if (!this.#takeAfterSpace(':')) {
        throw this.#unexpected('was expecting a colon to separate field name and value');
      }
      members.set(name, this.#value(depth));
    } while (this.#takeAfterSpace(','));
    if (!this.#takeAfterSpace('}')) throw this.#unexpected('was expecting comma to separate Object entries');
    return { kind: 'object', members };
  }

  #array(depth: number): JsonValue {
    this.#enter(depth);
    const items: JsonValue[] = [];
    if (this.#takeAfterSpace(']')) return { kind: 'array', items };
    do items.push(this.#value(depth));
    while (this.#takeAfterSpace(','));
    if (!this.#takeAfterSpace(']')) throw this.#unexpected('was expecting comma to separate Array entries');
    return { kind: 'array', items };
  }

  /** Past an opening bracket. */
  #enter(depth: number): void {
    if (depth > DEEPEST_NESTING) {
      throw parseProblem(`Document nesting depth (${depth}) exceeds the maximum allowed (${DEEPEST_NESTING})`);
    }
    this.#at++;
  }

  #number(): JsonValue {
    const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
    literal.lastIndex = this.#at;
    const text = literal.exec(this.#text)?.[0];
    if (text === undefined) {
      this.#at++;
      throw this.#unexpected('was expecting a digit');
    }
    if (text.length > LONGEST_NUMBER) {
      throw parseProblem(`Number value length (${text.length}) exceeds the maximum allowed (${LONGEST_NUMBER})`);
    }
    this.#at += text.length;
    const next = this.#text[this.#at];
    if (next !== undefined && /[\w.+-]/.test(next)) throw this.#unexpected('was expecting the end of a number');
    return { kind: 'number', text };
  }

  #string(): string {
    this.#at++;
    let value = '';
    for (;;) {
      const plain = /[ !#-[\]-\uffff]*/y;
      plain.lastIndex = this.#at;
      const part = plain.exec(this.#text)?.[0] ?? '';
      value += part;
      this.#at += part.length;
      const next = this.#text[this.#at];
      if (next === undefined) throw parseProblem('Unexpected end-of-input in a string value');
      if (next === '"') {
        this.#at++;
        return value;
      }
      if (next !== '\\') {
        throw parseProblem(`Illegal unquoted character ((CTRL-CHAR, code ${next.charCodeAt(0)})): has to be escaped`);
      }
      value += this.#escape();
    }
  }

  #escape(): string {
    const letter = this.#text[this.#at + 1] ?? '';
    const digits = this.#text.slice(this.#at + 2, this.#at + 6);
    if (letter === 'u' && /^[0-9a-fA-F]{4}$/.test(digits)) {
      this.#at += 6;
      return String.fromCharCode(Number.parseInt(digits, 16));
    }
    const character = Object.hasOwn(escapes, letter) ? escapes[letter] : undefined;
    if (character === undefined) throw parseProblem(`Unrecognized character escape '${letter}'`);
    this.#at += 2;
    return character;
  }

  #takeAfterSpace(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at++;
    return true;
  }

  #skipSpace(): void {
    const space = /[ \t\r\n]*/y;
    space.lastIndex = this.#at;
    this.#at += space.exec(this.#text)?.[0].length ?? 0;
  }

  #unexpected(expectation: string): HttpProblem {
    const character = this.#text.codePointAt(this.#at);
    return character === undefined
      ? parseProblem(`Unexpected end-of-input: ${expectation}`)
      : parseProblem(`Unexpected character ('${String.fromCodePoint(character)}' (code ${character})): ${expectation}`);
  }
}

/**
 * @param longest characters
 * @throws HttpProblem 400 for what is no JSON, or exceeds the bounds on length, names, nesting and numbers.
 */
export const parseDocument = (body: Uint8Array, longest = LONGEST_DOCUMENT): JsonValue => {
  const text = decode(body);
  if (text.length > longest) {
    throw parseProblem(`Document length (${text.length}) exceeds the maximum allowed (${longest})`);
  }
  return new DocumentReader(text).document();
};
