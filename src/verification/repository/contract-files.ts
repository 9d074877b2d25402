/** A verified contract as files, in the layout that tools of Sourcify know. */
import { posix } from 'node:path';
import { bestOf, type StoredContract } from '../model.ts';

export interface RepositoryFile {
  /** Relative to the contract's folder, parts joined by `/`. */
  readonly path: string;
  readonly content: string;
}

/** `full` when one of the two matches is perfect. */
export const matchKindOf = (contract: StoredContract): 'full' | 'partial' =>
  bestOf(contract) === 'perfect' ? 'full' : 'partial';

/** `full_match/295/0xABC...` without what lies above. */
export const contractFolder = (contract: StoredContract): string =>
  `${matchKindOf(contract)}_match/${contract.chainId}/${contract.address}`;

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what has to go
const unprintable = /[\u0000-\u001f\u007f]/g;

const LONGEST_PART = 255;

/** A source's name as a relative path that stays within its folder. */
export const sanitizedPath = (path: string): string => {
  const parts = posix
    .normalize(path.replace(unprintable, '').replaceAll('\\', '/'))
    .split('/')
    .filter((part) => part !== '' && part !== '.' && part !== '..')
    .map((part) => part.slice(0, LONGEST_PART));
  return parts.length === 0 ? 'source' : parts.join('/');
};

const isNotEmpty = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0;

const jsonFile = (path: string, value: unknown): RepositoryFile[] =>
  isNotEmpty(value) ? [{ path, content: JSON.stringify(value) }] : [];

const textFile = (path: string, content: unknown): RepositoryFile[] =>
  typeof content === 'string' ? [{ path, content }] : [];

const ancestorsOf = (path: string): string[] => {
  const parts = path.split('/');
  return parts.slice(1).map((_, i) => parts.slice(0, i + 1).join('/'));
};

/** Gives each name a path of its own, which is no folder of another one either. */
const createPlacing = (): ((name: string) => string) => {
  const files = new Set<string>();
  const folders = new Set<string>();
  const isFree = (path: string): boolean =>
    !files.has(path) && !folders.has(path) && !ancestorsOf(path).some((folder) => files.has(folder));
  return (name) => {
    const wanted = sanitizedPath(name);
    const flat = wanted.replaceAll('/', '_');
    let path = isFree(wanted) ? wanted : flat;
    for (let i = 2; !isFree(path); i++) path = `${flat}.${i}`;
    files.add(path);
    for (const folder of ancestorsOf(path)) folders.add(folder);
    return path;
  };
};

/** Sources first, each under a path of its own. */
export const contractFiles = ({ details }: StoredContract): readonly RepositoryFile[] => {
  const translation: Record<string, string> = {};
  const place = createPlacing();
  const sources = Object.entries(details.target.input.sources).map(([name, { content }]) => {
    const path = place(name);
    if (path !== name) translation[name] = path;
    return { path: `sources/${path}`, content };
  });
  return [
    ...sources,
    ...jsonFile('metadata.json', details.metadata),
    ...textFile('constructor-args.txt', details.transformations.creation.values.constructorArguments),
    ...textFile('creator-tx-hash.txt', details.deployment?.transactionHash),
    ...jsonFile('library-map.json', details.libraryMap),
    ...jsonFile('immutable-references.json', details.immutableReferences),
    ...jsonFile('path-translation.json', translation),
  ];
};
