/** What keeps the embedded server from starting, in the words of its programs, with a code that says whose business it is. */
import { isKagamiError, KagamiError } from '../../errors/kagami-error.ts';

/** `2026-01-01 00:00:00.000 UTC [123] ` before each line of the server's log. */
const logPrefix = /^\d{4}-\d\d-\d\d \S+ \S+ \[\d+\] (?:LOG: {2}startup: )?/;
const telling = /\b(?:FATAL|PANIC|ERROR|HINT|error|hint):|could not|No space left|Permission denied|not permitted/;
/** Lines that repeat what another one says better. */
const idle = /^(?:initdb: removing|LOG:|DETAIL:|child process|initdb: error: program|performing|creating|running)/;
const LONGEST_REASON = 600;

/** The lines of a program's output that say why it ended, as one. */
export const reasonIn = (output: string): string => {
  const lines = output
    .split('\n')
    .map((line) => line.replace(logPrefix, '').trim())
    .filter((line) => line !== '');
  const decisive = lines.filter((line) => telling.test(line) && !idle.test(line));
  const chosen = decisive.length > 0 ? decisive : lines.slice(-3);
  return [...new Set(chosen)].join(' ').slice(-LONGEST_REASON);
};

const noSpace = /No space left on device|Disk quota exceeded|ENOSPC|EDQUOT/;
/** /dev/shm is small in containers, and says the same when it is full. */
const sharedMemory = /shared memory|semaphore|\/dev\/shm|shmget|shmat/;
const notAllowed = /Permission denied|Operation not permitted|Read-only file system|EACCES|EPERM|EROFS/;

export interface StartFaultDetails {
  readonly folder: string;
  readonly output: string;
  readonly logFile?: string;
}

/** @param what failed, as the begin of a sentence that ends with the reason */
export const startFault = (what: string, details: StartFaultDetails): KagamiError => {
  const reason = reasonIn(details.output);
  const message = reason === '' ? what : `${what}: ${reason}`;
  if (sharedMemory.test(reason))
    return new KagamiError('EMBEDDED_POSTGRES_NO_MEMORY', message, { details: { ...details } });
  if (noSpace.test(reason)) return new KagamiError('DATA_FOLDER_FULL', message, { details: { ...details } });
  if (notAllowed.test(reason)) return new KagamiError('DATA_FOLDER_UNUSABLE', message, { details: { ...details } });
  return new KagamiError('EMBEDDED_POSTGRES_START_FAILED', message, { details: { ...details } });
};

/** Failures of our own work in the data folder; errors that mean something else pass unchanged. */
export const folderFault = (fault: unknown, folder: string): unknown => {
  if (isKagamiError(fault) || !(fault instanceof Error)) return fault;
  const { code } = fault as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const message = `The data folder ${folder} cannot be written: ${fault.message}`;
    return new KagamiError('DATA_FOLDER_FULL', message, { details: { folder }, cause: fault });
  }
  if (code === undefined || !/^(?:EACCES|EPERM|EROFS|ENOTDIR|EEXIST|EISDIR|EIO|ENAMETOOLONG|ELOOP)$/.test(code))
    return fault;
  const message = `The data folder ${folder} cannot be used: ${fault.message}`;
  return new KagamiError('DATA_FOLDER_UNUSABLE', message, { details: { folder }, cause: fault });
};
