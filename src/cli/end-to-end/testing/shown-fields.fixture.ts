/** Which fields of the documented answers were ever seen with something in them. */
import type { JsonSchema, Route } from '../../../api/route.ts';

interface Shape extends JsonSchema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
  readonly additionalProperties?: boolean | Shape;
  readonly anyOf?: readonly Shape[];
  readonly oneOf?: readonly Shape[];
  readonly allOf?: readonly Shape[];
}

const REFERENCE = /^#\/components\/schemas\/(.+)$/;
/** Texts that stand for nothing: empty, zero bytes of any length, the zero entity and moment. */
const NOTHING = /^(0x)?0*$|^0\.0\.0$|^0\.0$/;

/** Whether the value is neither null nor empty, zero or false. */
export const saysSomething = (value: unknown): boolean => {
  if (value === null || value === undefined || value === false || value === 0) return false;
  if (typeof value === 'string') return !NOTHING.test(value);
  if (Array.isArray(value)) return value.length > 0;
  return typeof value === 'object' ? Object.keys(value).length > 0 : true;
};

/** Schemas that a value may follow: what is referred to, and alternatives. */
const facesOf = (shape: Shape, named: string, route: Route): (readonly [string, Shape])[] => {
  const name = shape.$ref === undefined ? undefined : REFERENCE.exec(shape.$ref)?.[1];
  const target = name === undefined ? undefined : (route.operation.schemas?.[name] as Shape | undefined);
  const alternatives = [...(shape.anyOf ?? []), ...(shape.oneOf ?? []), ...(shape.allOf ?? [])];
  return [
    ...(name !== undefined && target !== undefined ? facesOf(target, name, route) : [[named, shape] as const]),
    ...alternatives.flatMap((alternative) => facesOf(alternative, named, route)),
  ];
};

/**
 * Gathers fields by the place that documents them: `Schema.field`, or `/path field` where the schema has no name. A list's
 * elements share their list's place.
 */
export class ShownFields {
  readonly #shown = new Map<string, boolean>();

  /** Names all fields of the route's answer, so that those are known which no answer has. */
  expect(route: Route): void {
    this.#walk(route.operation.answer.schema as Shape, route.path, undefined, route, new Set());
  }

  add(route: Route, answer: unknown): void {
    this.#walk(route.operation.answer.schema as Shape, route.path, answer, route);
  }

  /** Fields that were null, empty, zero or false in every answer, sorted. */
  empty(): string[] {
    return [...this.#shown].flatMap(([field, shown]) => (shown ? [] : [field])).toSorted();
  }

  get size(): number {
    return this.#shown.size;
  }

  #walk(shape: Shape, named: string, value: unknown, route: Route, declared?: Set<Shape>): void {
    for (const [place, face] of facesOf(shape, named, route)) {
      if (declared?.has(face) === true) continue;
      declared?.add(face);
      if (face.items !== undefined) {
        if (declared !== undefined) this.#walk(face.items, place, undefined, route, declared);
        else if (Array.isArray(value)) for (const entry of value) this.#walk(face.items, place, entry, route);
      }
      for (const [property, inner] of Object.entries(face.properties ?? {})) {
        const found =
          typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[property] : undefined;
        const field = `${place} ${property}`;
        this.#shown.set(field, (this.#shown.get(field) ?? false) || saysSomething(found));
        if (declared !== undefined || saysSomething(found)) this.#walk(inner, field, found, route, declared);
      }
    }
  }
}
