/** Processes that must not outlive the script that started them, however that script ends. */
import { type ChildProcess, spawn } from 'node:child_process';

/** Waits for the end of its input, which the system closes with the process that holds the other side, and then signals. */
const GUARD = 'read -r _; kill -TERM "$0"';

/**
 * Ends a process when this one ends, by SIGKILL too: a shell holds the other end of a pipe from here. The guard goes when
 * the process has ended. There is none on Windows, which has no such shell.
 */
export const endWithThisProcess = (child: ChildProcess): void => {
  if (process.platform === 'win32' || child.pid === undefined) return;
  const guard = spawn('sh', ['-c', GUARD, String(child.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // A group of its own: a terminal's Ctrl-C would otherwise end the guard before its work is done.
    detached: true,
  });
  guard.unref();
  child.once('exit', () => guard.kill('SIGKILL'));
};
