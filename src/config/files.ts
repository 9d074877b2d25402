/**
 * Which configuration files are read, weakest first: `/usr/etc/hiero/`, the working directory, its `config/` folder,
 * `CONFIG_PATH`, `SPRING_CONFIG_ADDITIONAL_LOCATION`, `HIERO_MIRROR_ROSETTA_API_CONFIG`, `--config`. In folders the file is `application.yml` or
 * `application.yaml`, or the name that `CONFIG_NAME` gives instead of `application`.
 */
import { isAbsolute, join, resolve } from 'node:path';
import type { Environment } from './environment.ts';

export interface FileCandidate {
  readonly path: string;
  /** Who asked for exactly this file, which is a fault then when it is missing; undefined for places that may be empty. */
  readonly requiredBy?: string;
}

const SYSTEM_FOLDER = '/usr/etc/hiero';

/** Names a configuration file, as operators of the Rosetta interface know it, although it looks like a setting. */
export const ROSETTA_FILE_VARIABLE = 'HIERO_MIRROR_ROSETTA_API_CONFIG';

/** Candidates in the order in which they are laid over each other. */
export const configurationFiles = (
  cwd: string,
  env: Environment,
  named: readonly string[] = [],
): readonly FileCandidate[] => {
  const name = env.CONFIG_NAME || 'application';
  const inFolder = (folder: string): FileCandidate[] =>
    ['.yml', '.yaml'].map((ending) => ({ path: join(resolve(cwd, folder), name + ending) }));
  const candidates = [...inFolder(SYSTEM_FOLDER), ...inFolder('.'), ...inFolder('config')];
  if (env.CONFIG_PATH) candidates.push(...inFolder(env.CONFIG_PATH));
  for (const written of (env.SPRING_CONFIG_ADDITIONAL_LOCATION ?? '').split(/[,;]/)) {
    const optional = written.trim().startsWith('optional:');
    const location = pathOfLocation(written.trim().replace(/^optional:/, ''));
    if (location === undefined) continue;
    if (!isYamlFile(location)) candidates.push(...inFolder(location));
    else {
      const path = resolve(cwd, location);
      candidates.push(optional ? { path } : { path, requiredBy: 'SPRING_CONFIG_ADDITIONAL_LOCATION' });
    }
  }
  const rosettaFile = env[ROSETTA_FILE_VARIABLE];
  if (rosettaFile) candidates.push({ path: resolve(cwd, rosettaFile), requiredBy: ROSETTA_FILE_VARIABLE });
  for (const path of named)
    candidates.push({ path: isAbsolute(path) ? path : resolve(cwd, path), requiredBy: '--config' });
  // A folder named twice is read once, at its strongest place.
  return candidates.filter(({ path }, index) => candidates.findLastIndex((other) => other.path === path) === index);
};

const isYamlFile = (path: string): boolean => /\.ya?ml$/i.test(path);

/** A path, or a `file:` location with or without slashes; other schemes (`classpath:`) have no meaning here. */
const pathOfLocation = (location: string): string | undefined => {
  if (location === '') return undefined;
  if (location.startsWith('file:')) return location.slice(5).replace(/^\/\/(?=\/)/, '');
  return /^[a-z]{2,}:/i.test(location) ? undefined : location;
};
