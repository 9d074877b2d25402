/** Balance files in a folder, in the layouts that networks use. */
import { opendir, readdir } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { parseEntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { maxBytesOf } from '../../sources/file-bounds.ts';
import { type FileToRead, RegularFiles } from '../../sources/regular-files.ts';
import { type BalanceFileName, parseBalanceFileName } from '../../streams/balance-file-name.ts';
import { streamError } from '../../streams/stream-error.ts';
import type { BalanceNode, BalanceStore, EarliestNames } from './balance-store.ts';

const ACCOUNT_FOLDER = /^balance(\d+\.\d+\.\d+)$/;
/** Full of record files, which take long to list; there are no balances below. */
const RECORD_FOLDER = /^record(?:\d+\.\d+\.\d+)?$/;
const NUMBER = /^\d{1,18}$/;
const ACCOUNT_STREAMS = 'accountBalances';
const NODE_STREAM = 'balance';
/** Names kept of each folder while it is listed. */
const KEPT_NAMES = 4_000;

/** Balance files of millions of accounts have some hundred MiB. */
const MAX_FILE_BYTES = 16 * 1024 ** 3;

/** @param root absolute path */
export const balanceFolder = (root: string): BalanceStore => {
  const files = new RegularFiles();
  const fileOf = ({ path }: BalanceNode, name: string): FileToRead => ({
    place: path,
    path: join(path, name),
    name,
    maxBytes: maxBytesOf(name, MAX_FILE_BYTES),
  });
  return {
    nodes: () => findBalanceFolders(root),
    list: ({ path }, after) => earliestNames(path, after),
    read: (node, name) => files.chunks(fileOf(node, name)),
    readSignature: async (node, name) => {
      const bytes = await files.read(fileOf(node, name));
      if (bytes === undefined)
        throw streamError('SOURCE_FILE_MISSING', { file: name, rule: 'gone since it was listed' });
      return bytes;
    },
    close: () => files.close(),
  };
};

/**
 * The node folders below `root`: `accountBalances/balance<account>/`, `balance<account>/`, `<shard>/<nodeId>/balance/`
 * and `<network>/<shard>/<nodeId>/balance/` ([HIP-679](https://hips.hedera.com/hip/hip-679)), mixed or not; or `root`
 * itself, if it is one of them.
 * @throws KagamiError SOURCE_UNREADABLE when `root` can't be listed.
 */
const findBalanceFolders = async (root: string): Promise<BalanceNode[]> => {
  if (RECORD_FOLDER.test(basename(resolve(root)))) return [];
  const names = await listFolders(root).catch((cause: NodeJS.ErrnoException) => {
    throw streamError('SOURCE_UNREADABLE', { file: root, rule: `the folder cannot be listed (${cause.code})` }, cause);
  });
  const own = nodeOf(resolve(root));
  if (own !== undefined) return [own];
  const found: BalanceNode[] = [];
  for (const name of names) {
    if (RECORD_FOLDER.test(name)) continue;
    const path = join(root, name);
    const account = nodeOf(path);
    if (account !== undefined) found.push(account);
    else if (name === ACCOUNT_STREAMS) found.push(...(await nodesIn(path)));
    else if (NUMBER.test(name)) found.push(...(await shardNodes(path)));
    else {
      for (const shard of await subfolders(path)) {
        if (NUMBER.test(shard)) found.push(...(await shardNodes(join(path, shard))));
      }
    }
  }
  return found.sort(byNode);
};

const nodeOf = (path: string): BalanceNode | undefined => {
  const account = ACCOUNT_FOLDER.exec(basename(path))?.[1];
  const accountId = account === undefined ? undefined : parseEntityId(account);
  if (accountId !== undefined) return { accountId, nodeId: null, path };
  const nodeId = basename(dirname(path));
  if (basename(path) !== NODE_STREAM || !NUMBER.test(nodeId)) return undefined;
  return { accountId: null, nodeId: BigInt(nodeId), path };
};

const nodesIn = async (parent: string): Promise<BalanceNode[]> =>
  (await subfolders(parent)).flatMap((name) => nodeOf(join(parent, name)) ?? []);

const shardNodes = async (shard: string): Promise<BalanceNode[]> => {
  const found: BalanceNode[] = [];
  for (const nodeId of await subfolders(shard)) {
    if (NUMBER.test(nodeId)) found.push(...(await nodesIn(join(shard, nodeId))));
  }
  return found;
};

const listFolders = async (path: string): Promise<string[]> => {
  const entries = await readdir(path, { withFileTypes: true });
  // Symbolic links may lead to folders.
  return entries.filter((entry) => !entry.isFile() && !entry.name.startsWith('.')).map(({ name }) => name);
};

/** A folder below the root that can't be listed has none. */
const subfolders = (path: string): Promise<string[]> => listFolders(path).catch(() => []);

const byNode = (a: BalanceNode, b: BalanceNode): number => {
  const left = a.accountId ?? a.nodeId ?? 0n;
  const right = b.accountId ?? b.nodeId ?? 0n;
  if (left !== right) return left < right ? -1 : 1;
  return a.path < b.path ? -1 : 1;
};

const earliestNames = async (path: string, after: Nanos): Promise<EarliestNames> => {
  let kept: BalanceFileName[] = [];
  let cutAt: Nanos | undefined;
  const cut = (): void => {
    kept.sort((a, b) => (a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0));
    const first = kept[KEPT_NAMES];
    if (first === undefined) return;
    cutAt = first.nanos;
    kept = kept.filter(({ nanos }) => nanos < first.nanos);
  };
  try {
    for await (const { name } of await opendir(path, { bufferSize: 4_096 })) {
      const parsed = parseBalanceFileName(name);
      if (parsed === undefined || parsed.nanos <= after || (cutAt !== undefined && parsed.nanos >= cutAt)) continue;
      kept.push(parsed);
      if (kept.length >= 2 * KEPT_NAMES) cut();
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw streamError('SOURCE_UNREADABLE', { file: path, rule: `the folder cannot be listed (${code})` }, cause);
  }
  cut();
  return { names: kept, cutAt };
};
