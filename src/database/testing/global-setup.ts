/** Vitest's global setup: names the folder of the run, and removes it with the server in it at the end. */
import { createRunFolder, removeAbandonedRuns, removeRunFolder, runFolderVariable } from './test-server.fixture.ts';

export default async function setup(): Promise<() => Promise<void>> {
  await removeAbandonedRuns();
  const folder = createRunFolder();
  process.env[runFolderVariable] = folder;
  return () => removeRunFolder(folder);
}
