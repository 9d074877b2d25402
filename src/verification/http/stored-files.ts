/** A verified contract as the files that a repository folder of it would hold. */
import { posix } from 'node:path';
import { bestOf, type StoredContract } from '../model.ts';

export interface StoredFile {
  /** Path within the contract's folder. */
  readonly path: string;
  readonly content: string;
}

/** A source's name as a path below the folder of sources, whatever the name is. */
const sanitisedPath = (path: string): string =>
  posix
    .normalize(path.replaceAll(/[\r\n\0]/g, ''))
    .split('/')
    .filter((segment) => segment !== '..' && segment !== '.' && segment !== '')
    .join('/');

const isFilled = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

/** Sources first. */
export const storedFiles = ({ details }: StoredContract): readonly StoredFile[] => {
  const files: StoredFile[] = [];
  const translation: Record<string, string> = {};
  for (const [name, { content }] of Object.entries(details.target.input.sources)) {
    const path = sanitisedPath(name);
    if (path !== name) translation[name] = path;
    files.push({ path: `sources/${path}`, content });
  }
  if (details.metadata !== undefined) files.push({ path: 'metadata.json', content: JSON.stringify(details.metadata) });
  const { constructorArguments } = details.transformations.creation.values;
  if (typeof constructorArguments === 'string') {
    files.push({ path: 'constructor-args.txt', content: constructorArguments });
  }
  if (details.deployment !== undefined) {
    files.push({ path: 'creator-tx-hash.txt', content: details.deployment.transactionHash });
  }
  if (isFilled(details.libraryMap)) {
    files.push({ path: 'library-map.json', content: JSON.stringify(details.libraryMap) });
  }
  if (isFilled(details.immutableReferences)) {
    files.push({ path: 'immutable-references.json', content: JSON.stringify(details.immutableReferences) });
  }
  if (isFilled(translation)) files.push({ path: 'path-translation.json', content: JSON.stringify(translation) });
  return files;
};

/** `full` when one of the two matches is perfect. */
export const matchKindOf = (stored: StoredContract): 'full' | 'partial' =>
  bestOf(stored) === 'perfect' ? 'full' : 'partial';

/** Path of the contract's folder within the repository. */
export const folderOf = (stored: StoredContract): string =>
  `contracts/${matchKindOf(stored)}_match/${stored.chainId}/${stored.address}`;
