import { open, readFile, rm } from 'node:fs/promises';
import { KagamiError } from '../../errors/kagami-error.ts';

const LOCK_FILE = 'simulator.lock';

/** Start of a process in clock ticks since boot where the system tells, so that a reused process id is recognised. */
const startOf = async (pid: number): Promise<string> => {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Folders that this very process works on; the lock file alone can't tell two users within one process. */
const heldHere = new Set<string>();

/**
 * Takes a simulation folder for this process; the result gives it back. A lock whose process is gone is taken over.
 * @throws KagamiError SIMULATOR_FOLDER_BUSY while another simulator works there.
 */
export const lockFolder = async (directory: string): Promise<() => Promise<void>> => {
  const path = `${directory}/${LOCK_FILE}`;
  if (heldHere.has(path)) throw busy(directory, process.pid);
  for (;;) {
    try {
      const file = await open(path, 'wx');
      await file.writeFile(`${process.pid} ${await startOf(process.pid)}`);
      await file.close();
      heldHere.add(path);
      return async () => {
        heldHere.delete(path);
        await rm(path, { force: true });
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const [pid, start] = (await readFile(path, 'utf8').catch(() => '')).split(' ');
    const owner = Number(pid);
    if (owner !== process.pid && owner > 0 && isAlive(owner) && (await startOf(owner)) === start)
      throw busy(directory, owner);
    await rm(path, { force: true });
  }
};

const busy = (directory: string, pid: number): KagamiError =>
  new KagamiError('SIMULATOR_FOLDER_BUSY', `Process ${pid} already simulates in ${directory}`, {
    details: { directory, pid },
  });
