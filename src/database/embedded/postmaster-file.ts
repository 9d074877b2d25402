/** `postmaster.pid`, the file by which a running server says who and where it is. */
import { readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

type PostmasterStatus = 'starting' | 'stopping' | 'ready' | 'standby' | 'unknown';

export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly status: PostmasterStatus;
}

const statuses: readonly string[] = ['starting', 'stopping', 'ready', 'standby'];

/** The fields that matter of the file's text; undefined while it is incomplete. Lines: 1 pid, 4 port, 8 status. */
export const parsePostmaster = (text: string): Postmaster | undefined => {
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  const port = Number(lines[3]);
  if (!Number.isSafeInteger(pid) || pid <= 0) return undefined;
  const status = lines[7] ?? '';
  return {
    pid,
    port: Number.isSafeInteger(port) ? port : 0,
    status: statuses.includes(status) ? (status as PostmasterStatus) : 'unknown',
  };
};

export const postmasterFile = (dataFolder: string): string => join(dataFolder, 'postmaster.pid');

/** What the data folder's file says; undefined when there is none. */
export const readPostmaster = (dataFolder: string): Postmaster | undefined => {
  try {
    return parsePostmaster(readFileSync(postmasterFile(dataFolder), 'utf8'));
  } catch {
    return undefined;
  }
};

/** True when a process of that id exists, whoever owns it. */
export const processExists = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    return (fault as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/**
 * True when the process is alive and, where the system can tell (Linux), works in that data folder: ids are given out
 * again, notably in containers, where a new process often has the id of the one before.
 */
export const isPostmasterOf = (pid: number, dataFolder: string): boolean => {
  if (!processExists(pid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(dataFolder);
  } catch (fault) {
    // EACCES: a process of another user; assume the worst, which is that it is the server.
    return (fault as NodeJS.ErrnoException).code !== 'ENOENT';
  }
};
