import { join, resolve } from 'node:path';

/** What lies where under `kagami.dataPath`. */
export interface DataFolders {
  readonly root: string;
  /** The embedded server: cluster, credentials, log. */
  readonly postgres: string;
  /** What the simulated network writes. */
  readonly network: string;
}

export const dataFolders = (dataPath: string, cwd: string): DataFolders => {
  const root = resolve(cwd, dataPath);
  return { root, postgres: join(root, 'postgres'), network: join(root, 'network') };
};
