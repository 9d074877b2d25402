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
    for await (const entry of await opendir(node.path, { bufferSize: 1_000 })) {
      const name = parseStreamFileName(entry.name);
      if (name?.kind === 'record' && name.nanos > after) times.add(name.nanos);
    }
  }
  return times.size;
};
