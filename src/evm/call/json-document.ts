/**
 * A small JSON document with its numbers as they were written: 64-bit integers must stay exact, and a document must not be
 * able to cost more than its bounds say. What members mean is call-body.ts.
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

const decoder = new TextDecoder('utf-8', { fatal: true });

const decode = (body: Uint8Array): string => {
  try {
    return decoder.decode(body);
  } catch {
    throw parseProblem('Invalid UTF-8');
  }
};

/** Refuses deep documents before they are parsed: brackets outside of strings, whatever else is wrong with the text. */
const checkNesting = (text: string): void => {
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (inString && character === '\\') at++;
    else if (character === '"') inString = !inString;
    else if (inString) continue;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth > DEEPEST_NESTING) {
      throw parseProblem(`Document nesting depth (${depth}) exceeds the maximum allowed (${DEEPEST_NESTING})`);
    }
  }
};

const numberOf = (text: string): JsonValue => {
  if (text.length <= LONGEST_NUMBER) return { kind: 'number', text };
  throw parseProblem(`Number value length (${text.length}) exceeds the maximum allowed (${LONGEST_NUMBER})`);
};

/** A reviver: it comes to members and items before the object or array that they are in. */
const revive = (name: string, value: unknown, context?: { readonly source?: string }): JsonValue => {
  if (name.length > LONGEST_NAME) {
    throw parseProblem(`Name length (${name.length}) exceeds the maximum allowed (${LONGEST_NAME})`);
  }
  if (typeof value === 'string') return { kind: 'string', value };
  if (typeof value === 'boolean') return { kind: 'boolean', value };
  if (typeof value === 'number') return numberOf(context?.source ?? String(value));
  if (Array.isArray(value)) return { kind: 'array', items: value };
  return value === null ? { kind: 'null' } : { kind: 'object', members: new Map(Object.entries(value as object)) };
};

/**
 * @param longest characters
 * @throws HttpProblem 400 for what is no JSON, or exceeds the bounds on length, names, nesting and numbers.
 */
export const parseDocument = (body: Uint8Array, longest = LONGEST_DOCUMENT): JsonValue => {
  const text = decode(body);
  if (text.length > longest) {
    throw parseProblem(`Document length (${text.length}) exceeds the maximum allowed (${longest})`);
  }
  if (text.trim() === '') throw parseProblem('No content to map due to end-of-input');
  checkNesting(text);
  try {
    return JSON.parse(text, revive) as JsonValue;
  } catch (fault) {
    throw fault instanceof SyntaxError ? parseProblem(fault.message) : fault;
  }
};
