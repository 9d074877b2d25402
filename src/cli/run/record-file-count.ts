import { opendir } from 'node:fs/promises';
import { findNodeFolders } from '../../sources/folder-layout.ts';
import { parseStreamFileName } from '../../streams/stream-file-name.ts';

/**
 * How many different record files the nodes of a folder have after a consensus time, for the progress of an import.
 * @param after nanoseconds in the name of the last file that is imported already; -1n for none
 * @throws KagamiError SOURCE_UNREADABLE
 */
export const countRecordFiles = async (folder: string, after: bigint): Promise<number> => {
  const times = new Set<bigint>();
  for (const node of await findNodeFolders(folder)) {
    await eachName(node.path, (text) => {
      const name = parseStreamFileName(text);
      if (name?.kind === 'record' && name.nanos > after) times.add(name.nanos);
    });
  }
  return times.size;
};

/** Visits the names in a node's folder; one that can't be listed has none, and no hindrance to the other nodes. */
export const eachName = async (folder: string, visit: (name: string) => void): Promise<void> => {
  try {
    for await (const { name } of await opendir(folder, { bufferSize: 1_000 })) visit(name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall === undefined) throw error;
  }
};
