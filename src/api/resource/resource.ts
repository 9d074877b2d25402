/**
 * A resource of the REST interface: its fields, from which the statement that reads it, the JSON that shows it and the
 * schema that documents it follow.
 */
import { CellTable } from '../../database/cell-table.ts';
import type { CellSource } from '../../database/connection.ts';
import type { JsonSchema } from '../route.ts';
import { statementName } from '../sql.ts';
import { objectSchemaOf } from './field.ts';
import type { Cells, Fields, Related } from './field-type.ts';
import { JsonBytes, literalBytes } from './json-bytes.ts';
import { keyedStatement, relatedStatement, relatedTo } from './related.ts';
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

/** A row as it came, and its keys by name. */
export type ResourceRow<Key extends string> = Cells<Key> & {
  readonly table: CellTable;
  readonly row: number;
  readonly related: Related;
};

/** Writes a row. */
export type RowPut<Key extends string, Given> = (out: JsonBytes, row: ResourceRow<Key>, given?: Given) => void;

/** Statements that read a page and what belongs to its rows. */
export interface PageStatement {
  readonly page: string;
  readonly related: readonly string[];
}

/** @typeParam Given what the fields are made of beside the rows */
export interface Resource<Key extends string = never, Given = unknown> extends NamedSchema {
  readonly fields: Fields;
  /** SQL expressions in the order of the cells. */
  readonly expressions: readonly string[];
  /** The columns of `p` that the expressions read. */
  readonly columns: readonly string[];
  /**
   * The statements that give a page.
   * @param page statement that gives rows with `columns`
   * @param orderBy over a row `p`
   */
  statement(page: string, orderBy: string): PageStatement;
  /** Runs what `statement` gave, prepared, with the values of the page. */
  read(db: CellSource, statement: PageStatement, values: readonly unknown[]): Promise<ResourceRow<Key>[]>;
  /** The row with other values for some keys. */
  replace(row: ResourceRow<Key>, values: Partial<Cells<Key>>): ResourceRow<Key>;
  /** A writer of rows as JSON objects. */
  writer(variant?: Variant): RowPut<Key, Given>;
  /** A writer of rows as JSON objects, without braces. */
  members(variant?: Variant): RowPut<Key, Given>;
  /** Writes the row as a JSON object. */
  readonly put: RowPut<Key, Given>;
  /** The row as a JSON object. */
  json(row: ResourceRow<Key>, given?: Given): string;
}

const objectStart = literalBytes('{');
const objectEnd = literalBytes('}');

const columnOfPage = /\bp\.([a-z_]\w*)/g;

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

export const resource = <Key extends string = never, Given = unknown>(
  definition: ResourceDefinition<Key>,
): Resource<Key, Given> => {
  const { name, description, fields, relatedBy } = definition;
  const keys: Cells<Key> = definition.keys ?? ({} as Cells<Key>);
  const related = Object.values(fields).flatMap((field) => (field.related === undefined ? [] : [field.related]));
  const relatedStatements = related.map((rows) => relatedStatement(rows, relatedBy as string));
  const relatedTables = related.map(({ table }) => table);
  const expressions = [...new Set([...(Object.values(keys) as string[]), ...expressionsOf(fields)])];
  const positions = positionsOf(expressions);
  const keyPositions = Object.entries<string>(keys).map(([key, sql]) => [key, positions.get(sql) as number] as const);
  const relatedKey = relatedBy === undefined ? -1 : expressions.indexOf(`p.${relatedBy}`);
  const writers = new Map<string, RowPut<Key, Given>>();

  /** Keys become texts when they are asked for: mostly of the last row only, for the link to the next page. */
  class Row {
    readonly table: CellTable;
    readonly row: number;
    readonly related: Related;

    constructor(table: CellTable, row: number, related: Related) {
      this.table = table;
      this.row = row;
      this.related = related;
    }

    static {
      for (const [key, position] of keyPositions) {
        Object.defineProperty(Row.prototype, key, {
          get(this: Row) {
            return this.table.text(this.row, position);
          },
        });
      }
    }
  }

  const rowsOf = ([page, ...tables]: readonly CellTable[]): ResourceRow<Key>[] => {
    if (page === undefined) return [];
    const rows: ResourceRow<Key>[] = [];
    const relatedOf = relatedTo(relatedTables, tables);
    for (let row = 0; row < page.rows; row++) {
      const own = relatedKey < 0 ? relatedOf('') : relatedOf(page.text(row, relatedKey));
      rows.push(new Row(page, row, own) as unknown as ResourceRow<Key>);
    }
    return rows;
  };

  const members = (variant: Variant = {}): RowPut<Key, Given> => {
    const id = JSON.stringify(variant);
    const known = writers.get(id);
    if (known !== undefined) return known;
    const write = memberWriter(fields, positions, variant);
    /** Those of the row that is written. */
    const bounds = new Int32Array(2 * expressions.length);
    const writer: RowPut<Key, Given> = (out, { table, row, related: own }, given) => {
      table.locate(row, bounds);
      write(out, table.sources[row] as Buffer, bounds, 0, own, given);
    };
    writers.set(id, writer);
    return writer;
  };

  const writer = (variant: Variant = {}): RowPut<Key, Given> => {
    const write = members(variant);
    return (out, row, given) => {
      out.literal(objectStart);
      write(out, row, given);
      out.literal(objectEnd);
    };
  };

  const put = writer();

  return {
    ...named(name, objectSchemaOf(fields, description)),
    fields,
    expressions,
    columns: [
      ...new Set(expressions.flatMap((sql) => [...sql.matchAll(columnOfPage)].map(([, column]) => column as string))),
    ],

    statement: (page, orderBy) => ({
      page:
        related.length === 0
          ? `select ${expressions.join(', ')} from (${page}) p order by ${orderBy}`
          : keyedStatement(expressions, relatedBy as string, page, orderBy),
      related: relatedStatements,
    }),

    read: async (db, { page, related: others }, values) =>
      rowsOf(
        await db.cells([
          { text: page, values, name: statementName(page) },
          ...others.map((text) => ({ text, name: statementName(text) })),
        ]),
      ),

    replace: ({ table, row, related: own }, values) => {
      const texts = expressions.map((_, position) => table.text(row, position));
      for (const [key, position] of keyPositions) texts[position] = values[key as Key] ?? (texts[position] as string);
      const replaced = new CellTable();
      replaced.addTexts(texts);
      return new Row(replaced, 0, own) as unknown as ResourceRow<Key>;
    },

    writer,
    members,
    put,

    json: (row, given) => {
      const out = new JsonBytes();
      put(out, row, given);
      return out.toString();
    },
  };
};
