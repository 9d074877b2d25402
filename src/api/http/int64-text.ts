/**
 * The second form of JSON answers: every 64-bit integer as a string, for clients whose JSON parser rounds numbers beyond
 * 2^53. Which members are meant is said by the route's answer schema (`format: int64`), so that a member has one type
 * whatever its value.
 */
import type { JsonSchema, OpenApiOperation, Route } from '../route.ts';

/** Where 64-bit integers stand in a JSON value. A value without any has no shape. */
export interface Int64Shape {
  /** The value itself is one, where it is a number. */
  isInt64: boolean;
  readonly members: Map<string, Int64Shape>;
  /** Of members that `members` doesn't name. */
  others: Int64Shape | undefined;
  /** Of the elements of an array. */
  items: Int64Shape | undefined;
}

const newShape = (): Int64Shape => ({ isInt64: false, members: new Map(), others: undefined, items: undefined });

const isEmpty = ({ isInt64, members, others, items }: Int64Shape): boolean =>
  !isInt64 && members.size === 0 && others === undefined && items === undefined;

const referencePrefix = '#/components/schemas/';

type Schemas = NonNullable<OpenApiOperation['schemas']>;

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Shapes of one operation. A schema that refers to itself meets its own shape, so that the walk ends. */
const shapeReader = (schemas: Schemas) => {
  const named = new Map<string, Int64Shape>();

  const referred = (reference: string): Int64Shape => {
    const name = reference.slice(referencePrefix.length);
    const known = named.get(name);
    if (known !== undefined) return known;
    const shape = newShape();
    named.set(name, shape);
    const schema = schemas[name];
    if (schema !== undefined) read(schema, shape);
    return shape;
  };

  const part = (schema: unknown, before: Int64Shape | undefined): Int64Shape | undefined => {
    if (!isSchema(schema)) return before;
    const shape = before ?? newShape();
    read(schema, shape);
    return isEmpty(shape) ? undefined : shape;
  };

  const read = (schema: JsonSchema, shape: Int64Shape): void => {
    if (typeof schema.$ref === 'string') merge(shape, referred(schema.$ref));
    if (schema.format === 'int64') shape.isInt64 = true;
    for (const [name, member] of Object.entries(isSchema(schema.properties) ? schema.properties : {})) {
      const found = part(member, shape.members.get(name));
      if (found !== undefined) shape.members.set(name, found);
    }
    shape.items = part(schema.items, shape.items);
    shape.others = part(schema.additionalProperties, shape.others);
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const alternatives = schema[keyword];
      for (const alternative of Array.isArray(alternatives) ? alternatives : []) {
        if (isSchema(alternative)) read(alternative, shape);
      }
    }
  };

  return (schema: JsonSchema): Int64Shape | undefined => part(schema, undefined);
};

const merged = (into: Int64Shape | undefined, from: Int64Shape | undefined): Int64Shape | undefined => {
  if (from === undefined || into === from) return into;
  const shape = into ?? newShape();
  merge(shape, from);
  return shape;
};

const merge = (into: Int64Shape, from: Int64Shape): void => {
  if (into === from) return;
  if (from.isInt64) into.isInt64 = true;
  for (const [name, member] of from.members)
    into.members.set(name, merged(into.members.get(name), member) as Int64Shape);
  into.items = merged(into.items, from.items);
  into.others = merged(into.others, from.others);
};

/** Where 64-bit integers stand in the answers of an operation; undefined: nowhere. */
export const int64ShapeOf = ({ answer, schemas = {} }: OpenApiOperation): Int64Shape | undefined =>
  shapeReader(schemas)(answer.schema);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const SPACE = 0x20;

/** The place after the string that begins at `from`. */
const afterString = (text: string, from: number): number => {
  for (let end = text.indexOf('"', from + 1); ; end = text.indexOf('"', end + 1)) {
    if (end < 0) return text.length;
    let before = end;
    while (text.charCodeAt(before - 1) === BACKSLASH) before--;
    if ((end - before) % 2 === 0) return end + 1;
  }
};

const afterSpace = (text: string, from: number): number => {
  let at = from;
  while (text.charCodeAt(at) <= SPACE) at++;
  return at;
};

/** The place after a number or a word, which begins at `from`. */
const afterScalar = (text: string, from: number): number => {
  let at = from;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA || code === CLOSE_BRACE || code === CLOSE_BRACKET || code <= SPACE) return at;
  }
  return at;
};

/** The place after the value that begins at `from`, whatever it holds. */
const afterValue = (text: string, from: number): number => {
  const first = text.charCodeAt(from);
  if (first === QUOTE) return afterString(text, from);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return afterScalar(text, from);
  let depth = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = afterString(text, at) - 1;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return text.length;
};

const isNumberStart = (code: number): boolean => code === MINUS || (code >= 0x30 && code <= 0x39);

/** One pass over a text, noting what has been copied so far. */
const createRewriter = (text: string) => {
  let written = '';
  let copied = 0;

  const elements = (open: number, shape: Int64Shape | undefined): number => {
    let at = afterSpace(text, open + 1);
    while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACKET) {
      at = afterSpace(text, value(at, shape));
      if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
    }
    return at + 1;
  };

  const nameOf = (from: number, to: number): string => {
    const name = text.slice(from + 1, to - 1);
    return name.includes('\\') ? (JSON.parse(text.slice(from, to)) as string) : name;
  };

  const members = (open: number, shape: Int64Shape): number => {
    let at = afterSpace(text, open + 1);
    while (at < text.length && text.charCodeAt(at) !== CLOSE_BRACE) {
      const end = afterString(text, at);
      const member = shape.members.get(nameOf(at, end)) ?? shape.others;
      at = afterSpace(text, end);
      if (text.charCodeAt(at) === COLON) at = afterSpace(text, at + 1);
      at = afterSpace(text, value(at, member));
      if (text.charCodeAt(at) === COMMA) at = afterSpace(text, at + 1);
    }
    return at + 1;
  };

  const value = (at: number, shape: Int64Shape | undefined): number => {
    if (shape === undefined) return afterValue(text, at);
    const first = text.charCodeAt(at);
    if (first === OPEN_BRACE) return members(at, shape);
    if (first === OPEN_BRACKET) return elements(at, shape.items);
    if (!shape.isInt64 || !isNumberStart(first)) return afterValue(text, at);
    const end = afterScalar(text, at);
    written += `${text.slice(copied, at)}"${text.slice(at, end)}"`;
    copied = end;
    return end;
  };

  return (shape: Int64Shape): string => {
    value(afterSpace(text, 0), shape);
    return copied === 0 ? text : written + text.slice(copied);
  };
};

/** The JSON text with the digits of its 64-bit integers in quotes, and not one other character changed. */
export const withInt64Texts = (text: string, shape: Int64Shape | undefined): string =>
  shape === undefined ? text : createRewriter(text)(shape);

/** Gives the text of a route's answer in that form; works out each route's shape once. */
export const createInt64Writer = (): ((route: Route, body: string) => string) => {
  const shapes = new Map<Route, Int64Shape | undefined>();
  return (route, body) => {
    if (!shapes.has(route)) shapes.set(route, int64ShapeOf(route.operation));
    return withInt64Texts(body, shapes.get(route));
  };
};
