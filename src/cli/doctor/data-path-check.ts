import { accessSync, constants, lstatSync, statfsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { formatBytes } from '../terminal/figures.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const subject = 'data folder';
const SCARCE = 1024 ** 3;
const TOO_LITTLE = 200 * 1024 ** 2;

/** Whether the data folder can be written, or made, and has room. */
export const checkDataPath = (dataPath: string): Finding => {
  const place = nearestExisting(dataPath);
  // What is in it must be writable as well: the folder may be a mounted one, with others inside.
  for (const folder of place === dataPath ? [place, ...partsOf(place)] : [place]) {
    const fault = faultOf(folder);
    if (fault !== undefined) return fault;
  }
  const stats = statSync(place);
  const owner = process.getuid?.();
  if (place === dataPath && owner !== undefined && owner !== 0 && stats.uid !== owner) {
    return warn(
      subject,
      `${place} belongs to user ${stats.uid}, this is user ${owner}`,
      'Run Kagami as the user that made the folder, or choose another place with --data.',
    );
  }
  const space = statfsSync(place);
  const free = space.bavail * space.bsize;
  const text = `${dataPath}${place === dataPath ? '' : ' (will be made)'}, ${formatBytes(free)} free`;
  if (free < TOO_LITTLE) return fail(subject, text, 'Free some space, or choose another place with --data.');
  if (free < SCARCE) return warn(subject, text, 'A ledger grows; an embedded database without space stops.');
  return ok(subject, text);
};

const partsOf = (dataPath: string): string[] =>
  ['postgres', 'network', 'compilers'].map((name) => join(dataPath, name)).filter((part) => isThere(part));

const faultOf = (folder: string): Finding | undefined => {
  try {
    if (!statSync(folder).isDirectory()) {
      return fail(subject, `${folder} is no folder`, 'Remove that file, or choose another place with --data.');
    }
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') {
      const advice = 'Make the folder that it points to, remove the link, or choose another place with --data.';
      return fail(subject, `${folder} is a link to nothing`, advice);
    }
    const reason = code === 'EROFS' ? 'the disk is read only' : code;
    const advice = 'Give this user the right to write there, or choose another place with --data.';
    return fail(subject, `${folder} cannot be written (${reason})`, advice);
  }
};

/** A link counts also when nothing is behind it: then no folder can be made there. */
const isThere = (path: string): boolean => {
  try {
    lstatSync(path);
    return true;
  } catch (error) {
    return !['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
};

const nearestExisting = (path: string): string => {
  let place = path;
  while (!isThere(place) && dirname(place) !== place) place = dirname(place);
  return place;
};
