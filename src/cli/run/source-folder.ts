/** The folder that a user named as source of stream files. */
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KagamiError } from '../../errors/kagami-error.ts';

/**
 * Absolute path of a folder given as path or `file:` URL.
 * @throws KagamiError SOURCE_UNSUPPORTED for other URLs
 */
export const sourceFolder = (source: string, cwd: string): string => {
  if (source.startsWith('file:')) return fileURLToPath(source);
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(source)?.[1];
  if (scheme !== undefined) {
    throw new KagamiError('SOURCE_UNSUPPORTED', `Stream files cannot be read from ${scheme}: sources: ${source}`, {
      details: { source },
    });
  }
  return resolve(cwd, source);
};
