/**
 * A resource of the REST interface: its fields, from which the statement that reads it, the JSON that shows it and the
 * schema that documents it follow.
 */
import type { Queryable } from '../../database/connection.ts';
import type { JsonSchema } from '../route.ts';
import { statementName } from '../sql.ts';
import { lineSeparator, packedRow, packedRows, rowSeparator, separatorLiteral } from './cells.ts';
import { objectSchemaOf, relatedCell } from './field.ts';
import type { Cells, Fields, RelatedRows } from './field-type.ts';
import { expressionsOf, memberWriter, positionsOf, type Variant } from './writer.ts';

export interface ResourceDefinition<Key extends string> {
  /** Name of the schema in the OpenAPI document. */
  readonly name: string;
  readonly description?: string;
  readonly fields: Fields;
  /** Expressions over the row `p` whose values the handlers read or replace, beside those that are fields. */
  readonly keys?: Cells<Key>;
  /** The column by which rows of other tables belong to a row; needed by fields of `relatedList`. */
  readonly relatedBy?: string;
}

/** What an answer refers to: a schema by its name, and the schemas that it takes. */
export interface NamedSchema {
  readonly schema: JsonSchema;
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

/** A row as it came: the cells in the order of the resource, and its keys by name. */
export type ResourceRow<Key extends string> = Cells<Key> & { readonly cells: readonly string[] };

export interface Resource<Key extends string = never> extends NamedSchema {
  readonly fields: Fields;
  /** SQL expressions in the order of the cells. */
  readonly expressions: readonly string[];
  /** The columns of `p` that the expressions read. */
  readonly columns: readonly string[];
  /**
   * A statement that gives a page as one text.
   * @param page statement that gives rows with `columns`
   * @param orderBy over a row `p`
   */
  statement(page: string, orderBy: string): string;
  /** Runs a statement of `statement`, prepared. */
  read(db: Queryable, text: string, values: readonly unknown[]): Promise<ResourceRow<Key>[]>;
  /** A row from its cells, in the order of `expressions`. */
  rowOf(cells: readonly string[]): ResourceRow<Key>;
  /** The row with other values for some keys. */
  replace(row: ResourceRow<Key>, values: Partial<Cells<Key>>): ResourceRow<Key>;
  /** A writer of rows as JSON objects, without braces. */
  members(variant?: Variant): (row: ResourceRow<Key>) => string;
  /** The row as a JSON object. */
  json(row: ResourceRow<Key>): string;
}

const columnOfPage = /\bp\.([a-z_]\w*)/g;

/** The texts that a statement gives: the rows of the page, then a line `key cell` for each row of a related table. */
interface Texts {
  readonly page: string | null;
  readonly [related: string]: string | null;
}

const cellsByKey = (text: string | null | undefined): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  if (text === null || text === undefined) return found;
  for (const line of text.split(lineSeparator)) {
    const end = line.indexOf(rowSeparator);
    found.set(line.slice(0, end), line.slice(end + 1));
  }
  return found;
};

/**
 * A line for each value of `key` in the page that has rows in the table. The table is searched by the values as an array,
 * which the planner takes for a few however large the table is, and never joined to the page, since an estimate of one row
 * there would have it searched anew for each row.
 */
const relatedLines = ({ table, packed }: RelatedRows, key: string): string =>
  `(select string_agg(line, ${separatorLiteral(lineSeparator)}) from (
    select ${packedRow([`p.${key}`, packed], rowSeparator)} as line from ${table} p
    where p.${key} = any ((select keys from page_keys)::bigint[]) group by p.${key}) lines) as ${table}`;

/** A schema under a name of its own in the OpenAPI document. */
export const named = (name: string, schema: JsonSchema): NamedSchema => ({
  schema: { $ref: `#/components/schemas/${name}` },
  schemas: { [name]: schema },
});

/** The schema of objects that have further members after those of a resource. */
export const extended = (
  name: string,
  { fields }: { readonly fields: Fields },
  members: Readonly<Record<string, JsonSchema>>,
): NamedSchema => {
  const { required, properties } = objectSchemaOf(fields) as {
    required: readonly string[];
    properties: Record<string, JsonSchema>;
  };
  return named(name, {
    type: 'object',
    required: [...required, ...Object.keys(members)],
    properties: { ...properties, ...members },
  });
};

export const resource = <Key extends string = never>(definition: ResourceDefinition<Key>): Resource<Key> => {
  const { name, description, fields, relatedBy } = definition;
  const keys: Cells<Key> = definition.keys ?? ({} as Cells<Key>);
  const related = Object.values(fields).flatMap((field) => (field.related === undefined ? [] : [field.related]));
  const relatedCells = new Set(related.map(({ table }) => relatedCell(table)));
  const own = [...new Set([...(Object.values(keys) as string[]), ...expressionsOf(fields)])].filter(
    (sql) => !relatedCells.has(sql),
  );
  const expressions = [...own, ...relatedCells];
  const positions = positionsOf(expressions);
  const keyPositions = Object.entries<string>(keys).map(([key, sql]) => [key, positions.get(sql) as number] as const);
  const relatedKey = relatedBy === undefined ? -1 : own.indexOf(`p.${relatedBy}`);
  const relatedPart = related.map((rows) => relatedLines(rows, relatedBy as string)).join();
  /** Handlers know few orders. */
  const packedBy = new Map<string, string>();
  const writers = new Map<string, (row: ResourceRow<Key>) => string>();

  const rowOf = (cells: readonly string[]): ResourceRow<Key> => {
    const row: Record<string, unknown> = { cells };
    for (const [key, position] of keyPositions) row[key] = cells[position];
    return row as ResourceRow<Key>;
  };

  const rowsOf = (texts: Texts): ResourceRow<Key>[] => {
    if (texts.page === null) return [];
    const cells = texts.page.split(rowSeparator);
    const lists = related.map(({ table }) => cellsByKey(texts[table]));
    const rows: ResourceRow<Key>[] = [];
    for (let start = 0; start < cells.length; start += own.length) {
      const row = cells.slice(start, start + own.length);
      for (const cellsOf of lists) row.push(cellsOf.get(row[relatedKey] as string) ?? '');
      rows.push(rowOf(row));
    }
    return rows;
  };

  const members = (variant: Variant = {}): ((row: ResourceRow<Key>) => string) => {
    const id = JSON.stringify(variant);
    const known = writers.get(id);
    if (known !== undefined) return known;
    const write = memberWriter(fields, positions, variant);
    const writer = (row: ResourceRow<Key>): string => write(row.cells, 0);
    writers.set(id, writer);
    return writer;
  };

  return {
    ...named(name, objectSchemaOf(fields, description)),
    fields,
    expressions,
    columns: [...new Set(own.flatMap((sql) => [...sql.matchAll(columnOfPage)].map(([, column]) => column as string)))],

    statement: (page, orderBy) => {
      const rows = packedBy.get(orderBy) ?? packedRows(own, rowSeparator, orderBy);
      packedBy.set(orderBy, rows);
      if (related.length === 0) return `select ${rows} as page from (${page}) p`;
      return `with page as materialized (${page}),
        page_keys as materialized (select array_agg(${relatedBy}) as keys from page)
        select (select ${rows} from page p) as page, ${relatedPart}`;
    },

    read: async (db, text, values) => {
      const [texts] = await db.query<Texts>(text, values, statementName(text));
      return texts === undefined ? [] : rowsOf(texts);
    },

    rowOf,

    replace: (row, values) => {
      const cells = [...row.cells];
      for (const [key, position] of keyPositions) {
        const value = values[key as Key];
        if (value !== undefined) cells[position] = value;
      }
      return rowOf(cells);
    },

    members,
    json: (row) => `{${members()(row)}}`,
  };
};
