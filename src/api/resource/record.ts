/**
 * Objects of answers that are made of something else than the cells of a row: of what several statements and the request
 * say together, of files, of JSON. Each member says once how it is written and documented.
 */
import type { JsonSchema } from '../route.ts';
import { objectSchemaOf } from './field.ts';
import { type NamedSchema, named } from './resource.ts';

export interface Member<Source> {
  readonly schema: JsonSchema;
  /** Whether the member may be left out of an answer, which the empty text from `json` does. */
  readonly isOptional?: boolean;
  json(source: Source): string;
}

/** Members of an object in the order of the answer. */
export type Members<Source> = Readonly<Record<string, Member<Source>>>;

export interface RecordDefinition<Source> extends NamedSchema {
  readonly members: Members<Source>;
  /** A JSON object. */
  json(source: Source): string;
}

/** @param name of the schema in the OpenAPI document */
export const record = <Source>(name: string, members: Members<Source>): RecordDefinition<Source> => {
  const labelled = Object.entries(members).map(([member, { json }]) => ({ label: `${JSON.stringify(member)}:`, json }));
  return {
    ...named(name, objectSchemaOf(members)),
    members,
    json: (source) => {
      let text = '';
      for (const { label, json } of labelled) {
        const value = json(source);
        if (value !== '') text += `${text === '' ? '' : ','}${label}${value}`;
      }
      return `{${text}}`;
    },
  };
};
