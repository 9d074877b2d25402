import { readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEntityId } from '../ledger/entity-id.ts';
import { streamError } from '../streams/stream-error.ts';
import type { StreamNode } from './stream-source.ts';

export interface NodeFolder extends StreamNode {
  readonly path: string;
}

const ACCOUNT_FOLDER = /^record(\d+\.\d+\.\d+)$/;
const NUMBER = /^\d{1,18}$/;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const RECORD_STREAMS = 'recordstreams';

/**
 * Finds the node folders below `root`, in all layouts that networks use, mixed or not: `record<account>/`,
 * `recordstreams/record<account>/`, `<shard>/<nodeId>/record/` and `<network>/<shard>/<nodeId>/record/`
 * ([HIP-679](https://hips.hedera.com/hip/hip-679)), or in a folder `YYYY-MM-DD` for each day. `root` may also be a
 * node's folder itself.
 * @throws KagamiError SOURCE_UNREADABLE when `root` can't be listed.
 */
export const findNodeFolders = async (root: string): Promise<NodeFolder[]> => {
  const own = nodeFolderItself(resolve(root));
  const names = await rootFolders(root);
  if (own !== undefined) return [own];
  const found = await foldersBelow(root, names);
  for (const name of names) {
    if (DAY.test(name)) found.push(...(await foldersBelow(join(root, name), await subfolders(join(root, name)))));
  }
  return found.sort(byNode);
};

/** All but those of single days: a link there may lead back up. */
const foldersBelow = async (root: string, names: readonly string[]): Promise<NodeFolder[]> => {
  const found: NodeFolder[] = [];
  for (const name of names) {
    const path = join(root, name);
    const account = accountFolder(path);
    if (account !== undefined) found.push(account);
    else if (name === RECORD_STREAMS) found.push(...(await accountFolders(path)));
    else if (NUMBER.test(name)) found.push(...(await nodeIdFolders(path)));
    else if (!DAY.test(name)) found.push(...(await networkFolders(path)));
  }
  return found;
};

const accountFolder = (path: string): NodeFolder | undefined => {
  const match = ACCOUNT_FOLDER.exec(basename(path));
  const accountId = match === null ? undefined : parseEntityId(match[1] as string);
  return accountId === undefined ? undefined : { accountId, nodeId: null, place: path, path };
};

const accountFolders = async (parent: string): Promise<NodeFolder[]> =>
  (await subfolders(parent)).flatMap((name) => accountFolder(join(parent, name)) ?? []);

const nodeIdFolder = (path: string): NodeFolder => ({
  accountId: null,
  nodeId: BigInt(basename(dirname(path))),
  place: path,
  path,
});

const nodeIdFolders = async (shard: string): Promise<NodeFolder[]> => {
  const folders: NodeFolder[] = [];
  for (const nodeId of await subfolders(shard)) {
    if (!NUMBER.test(nodeId)) continue;
    if ((await subfolders(join(shard, nodeId))).includes('record')) {
      folders.push(nodeIdFolder(join(shard, nodeId, 'record')));
    }
  }
  return folders;
};

const networkFolders = async (network: string): Promise<NodeFolder[]> => {
  const folders: NodeFolder[] = [];
  for (const shard of await subfolders(network)) {
    if (NUMBER.test(shard)) folders.push(...(await nodeIdFolders(join(network, shard))));
  }
  return folders;
};

const nodeFolderItself = (path: string): NodeFolder | undefined => {
  if (basename(path) === 'record' && NUMBER.test(basename(dirname(path)))) return nodeIdFolder(path);
  return accountFolder(path);
};

/** Names of the folders in `path`; a folder below the root that can't be listed has none. */
const subfolders = async (path: string): Promise<string[]> => {
  try {
    return await listFolders(path);
  } catch {
    return [];
  }
};

const listFolders = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { withFileTypes: true });
  // Symbolic links may lead to folders.
  return entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map((entry) => entry.name);
};

const rootFolders = async (root: string): Promise<string[]> => {
  try {
    return await listFolders(root);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw streamError('SOURCE_UNREADABLE', { file: root, rule: `the folder cannot be listed (${code})` }, error);
  }
};

const byNode = (a: NodeFolder, b: NodeFolder): number => {
  const left = a.accountId ?? a.nodeId ?? 0n;
  const right = b.accountId ?? b.nodeId ?? 0n;
  if (left !== right) return left < right ? -1 : 1;
  return a.path < b.path ? -1 : 1;
};
