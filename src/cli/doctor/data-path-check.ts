import { accessSync, constants, existsSync, type Stats, statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { formatBytes } from '../terminal/figures.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

const subject = 'data folder';
const SCARCE = 1024 ** 3;
const TOO_LITTLE = 200 * 1024 ** 2;

/** Whether the data folder can be written, or made, and has room. */
export const checkDataPath = (dataPath: string): Finding => {
  const place = nearestExisting(dataPath);
  let stats: Stats;
  try {
    stats = statSync(place);
    accessSync(place, constants.W_OK | constants.X_OK);
  } catch (error) {
    return fail(
      subject,
      `${place} cannot be written (${(error as NodeJS.ErrnoException).code})`,
      'Give this user the right to write there, or choose another place with --data.',
    );
  }
  if (!stats.isDirectory()) {
    return fail(subject, `${place} is no folder`, 'Remove that file, or choose another place with --data.');
  }
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

const nearestExisting = (path: string): string => {
  let place = path;
  while (!existsSync(place) && dirname(place) !== place) place = dirname(place);
  return place;
};
