import { open, readFile, rename } from 'node:fs/promises';

/** The content of a file, undefined when there is none. */
export const readIfPresent = async (path: string): Promise<Buffer | undefined> => {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
};

/** Suffix of files that are not complete yet; nothing that reads streams takes such a name for a stream file. */
export const UNFINISHED_SUFFIX = '.unfinished';

/** Writes a file that appears under its name only when it is complete. */
export const writeAtomically = async (path: string, content: Uint8Array, mode = 0o644, sync = false): Promise<void> => {
  const unfinished = `${path}${UNFINISHED_SUFFIX}`;
  const file = await open(unfinished, 'w', mode);
  try {
    await file.writeFile(content);
    if (sync) await file.sync();
  } finally {
    await file.close();
  }
  await rename(unfinished, path);
};
