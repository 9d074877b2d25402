/** The repository's optional copy as files. The database is what counts; the files can be made from it again. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StoredContract } from '../model.ts';
import { contractFiles, contractFolder } from './contract-files.ts';

export interface FileRepository {
  /** Writes the contract's files and takes away those of an earlier match. */
  write(contract: StoredContract): Promise<void>;
}

export const openFileRepository = (folder: string): FileRepository => {
  const root = join(folder, 'contracts');
  return {
    write: async (contract) => {
      const target = join(root, contractFolder(contract));
      const draft = `${target}.${contract.matchId}.draft`;
      await rm(draft, { recursive: true, force: true });
      for (const { path, content } of contractFiles(contract)) {
        const file = join(draft, path);
        await mkdir(dirname(file), { recursive: true });
        await writeFile(file, content);
      }
      for (const kind of ['full_match', 'partial_match']) {
        await rm(join(root, kind, contract.chainId, contract.address), { recursive: true, force: true });
      }
      await rename(draft, target);
    },
  };
};
