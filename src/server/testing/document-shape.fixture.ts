/** What an OpenAPI document says about operations, parameters and answer fields, flat, so that two can be compared. */

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members =>
  value !== null && typeof value === 'object' && !Array.isArray(value) ? (value as Members) : {};

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const methods = ['get', 'post', 'put', 'delete'] as const;

/** Follows references within the document until there is none. */
const resolved = (document: Members, value: unknown): Members => {
  const members = membersOf(value);
  if (typeof members.$ref !== 'string') return members;
  const target = members.$ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((at, name) => membersOf(at)[name], document);
  return resolved(document, target);
};

/** Fields whose values hold fields of the same kind again end there. */
const deepest = 8;

/** Every field of a schema as `a.b[].c: integer`, null left out of the types. */
const fieldsOf = (
  document: Members,
  schema: unknown,
  path: string,
  depth: number,
  into: Map<string, Set<string>>,
): void => {
  const { type, allOf, oneOf, anyOf, properties, items } = resolved(document, schema);
  for (const part of [...listOf(allOf), ...listOf(oneOf), ...listOf(anyOf)])
    fieldsOf(document, part, path, depth, into);
  const types = into.get(path) ?? new Set();
  into.set(path, types);
  for (const one of Array.isArray(type) ? type : [type]) if (typeof one === 'string' && one !== 'null') types.add(one);
  if (depth === deepest) return;
  if (items !== undefined) fieldsOf(document, items, `${path}[]`, depth + 1, into);
  for (const [name, property] of Object.entries(membersOf(properties))) {
    fieldsOf(document, property, path === '' ? name : `${path}.${name}`, depth + 1, into);
  }
};

const answerSchema = (document: Members, operation: Members): unknown => {
  const answer = resolved(document, membersOf(operation.responses)['200']);
  return membersOf(membersOf(answer.content)['application/json']).schema;
};

/**
 * One line per fact: `get /path`, `get /path ?limit` (`{name}` in the path, `@name` a header), `get /path -> field: type`
 * and `get /path => 404`. Types of a field with several are in alphabetical order.
 */
export const shapeOf = (document: Members): ReadonlySet<string> => {
  const lines = new Set<string>();
  for (const [path, item] of Object.entries(membersOf(document.paths))) {
    for (const method of methods) {
      const operation = membersOf(item)[method];
      if (operation === undefined) continue;
      const name = `${method} ${path}`;
      lines.add(name);
      for (const written of listOf(membersOf(operation).parameters)) {
        const parameter = resolved(document, written);
        const mark = { query: '?', path: '/', header: '@' }[String(parameter.in)];
        lines.add(`${name} ${mark}${parameter.name}`);
      }
      const fields = new Map<string, Set<string>>();
      fieldsOf(document, answerSchema(document, membersOf(operation)), '', 0, fields);
      fields.delete('');
      for (const [field, types] of fields) lines.add(`${name} -> ${field}: ${[...types].sort().join('|')}`);
      for (const status of Object.keys(membersOf(membersOf(operation).responses))) lines.add(`${name} => ${status}`);
    }
  }
  return lines;
};
