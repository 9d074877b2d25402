/** REST served by Kagami's own command in a process of its own, as users have it. */
import { resolve } from 'node:path';
import { serveTree } from '../conformance/comparison/served-tree.ts';

export interface ServedRest {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ServeRestOptions {
  readonly connectionString: string;
  /** Root of another checkout. */
  readonly tree?: string | undefined;
  /** Further flags of `kagami start`. */
  readonly flags?: readonly string[];
}

export const serveRest = async ({ connectionString, tree, flags = [] }: ServeRestOptions): Promise<ServedRest> => {
  const root = resolve(tree ?? resolve(import.meta.dirname, '..'));
  const { base, pid, stop } = await serveTree({ tree: root, built: false, connectionString, flags });
  return { port: Number(base.port), pid, stop };
};
