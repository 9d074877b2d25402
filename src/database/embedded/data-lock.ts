/** One Kagami process for each data folder: a lock file that names the holder and does not outlive it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KagamiError } from '../../errors/kagami-error.ts';
import { processExists } from './postmaster-file.ts';
import { folderFault } from './start-fault.ts';

interface Holder {
  readonly pid: number;
  /** Start of the process in clock ticks since boot, with the boot's id; empty where the system does not tell. */
  readonly started: string;
}

export interface DataLock {
  release(): void;
}

/** Tells a process from a later one with the same id. */
const startOf = (pid: number): string => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name in parentheses may hold spaces; the start time is field 22, the 20th after it.
    const ticks = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${ticks}`;
  } catch {
    return '';
  }
};

const holderIn = (path: string): Holder | undefined => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Holder;
  } catch {
    return undefined;
  }
};

const isAlive = ({ pid, started }: Holder): boolean => processExists(pid) && startOf(pid) === started;

/**
 * Takes the lock of a folder until `release` or the end of this process.
 * @throws KagamiError DATA_FOLDER_LOCKED when a living process holds it (also this one)
 */
export const lockDataFolder = (folder: string): DataLock => {
  const path = join(folder, 'kagami.lock');
  const text = JSON.stringify({ pid: process.pid, started: startOf(process.pid) } satisfies Holder);
  for (let attempt = 0; attempt < 3; attempt += 1) {
    try {
      writeFileSync(path, text, { flag: 'wx', mode: 0o600 });
      return {
        release: () => {
          if (holderIn(path)?.pid === process.pid) rmSync(path, { force: true });
        },
      };
    } catch (fault) {
      if ((fault as NodeJS.ErrnoException).code !== 'EEXIST') {
        throw folderFault(fault, folder);
      }
    }
    const holder = holderIn(path);
    if (holder !== undefined && isAlive(holder)) {
      throw new KagamiError('DATA_FOLDER_LOCKED', `The data folder ${folder} is in use by process ${holder.pid}`, {
        details: { folder, pid: holder.pid },
      });
    }
    rmSync(path, { force: true });
  }
  throw new KagamiError('DATA_FOLDER_LOCKED', `The data folder ${folder} is being taken by another process`, {
    details: { folder },
  });
};
