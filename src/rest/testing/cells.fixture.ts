/** Rows of resources without a database. */
import type { Resource, ResourceRow } from '../../api/resource/resource.ts';

/** A row whose cells are given by their expressions; all others are null. */
export const cellsOf = <Key extends string>(
  { expressions, rowOf }: Resource<Key>,
  values: Readonly<Record<string, string>>,
): ResourceRow<Key> => rowOf(expressions.map((sql) => values[sql] ?? ''));
