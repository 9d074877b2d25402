/** Balance files in a folder, in the layouts that networks use; which nodes have a copy or a signature of which. */
import { createReadStream } from 'node:fs';
import { opendir, readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type EntityId, parseEntityId } from '../../ledger/entity-id.ts';
import type { Nanos } from '../../ledger/timestamp.ts';
import { type BalanceFileName, type BalanceFormat, parseBalanceFileName } from '../../streams/balance-file-name.ts';
import { streamError } from '../../streams/stream-error.ts';

/** A node by account or by node id, whichever its folder tells. */
export interface BalanceNode {
  readonly accountId: EntityId | null;
  readonly nodeId: bigint | null;
  readonly path: string;
}

export interface BalanceCopy {
  readonly node: BalanceNode;
  readonly dataName: string | undefined;
  readonly signatureName: string | undefined;
}

/** One balance file in one format, as the nodes have it. */
export interface BalanceFileGroup {
  /** Name up to and including `Z`. */
  readonly base: string;
  readonly nanos: Nanos;
  readonly format: BalanceFormat;
  /** By node: account or node id, then path. */
  readonly copies: readonly BalanceCopy[];
}

const ACCOUNT_FOLDER = /^balance(\d+\.\d+\.\d+)$/;
/** Full of record files, which take long to list; there are no balances below. */
const RECORD_FOLDER = /^record(?:\d+\.\d+\.\d+)?$/;
const NUMBER = /^\d{1,18}$/;
const ACCOUNT_STREAMS = 'accountBalances';
const NODE_STREAM = 'balance';
/** Names kept of each folder while it is listed. */
const KEPT_NAMES = 4_000;

/**
 * The node folders below `root`: `accountBalances/balance<account>/`, `balance<account>/`, `<shard>/<nodeId>/balance/`
 * and `<network>/<shard>/<nodeId>/balance/` (HIP-679), mixed or not; or `root` itself, if it is one of them.
 * @throws KagamiError SOURCE_UNREADABLE when `root` can't be listed.
 */
export const findBalanceFolders = async (root: string): Promise<BalanceNode[]> => {
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

/**
 * The balance files after a time, earliest first, at most some hundreds; a further call with the last one's time gives
 * the next. For one time the protobuf file comes before the text file.
 */
export const listBalanceFiles = async (nodes: readonly BalanceNode[], after: Nanos): Promise<BalanceFileGroup[]> => {
  const groups = new Map<string, BalanceFileGroup & { copies: BalanceCopy[] }>();
  let bound: Nanos | undefined;
  for (const node of nodes) {
    const { names, cutAt } = await earliestNames(node.path, after);
    if (cutAt !== undefined && (bound === undefined || cutAt < bound)) bound = cutAt;
    for (const name of names) addName(groups, node, name);
  }
  return [...groups.values()].filter(({ nanos }) => bound === undefined || nanos < bound).sort(byTime);
};

/** The bytes of a node's copy, chunk by chunk. */
export const streamCopy = (node: BalanceNode, name: string): AsyncIterable<Uint8Array> => readChunks(node, name);

/** A signature file, which is small. @throws KagamiError SOURCE_UNREADABLE */
export const readSignatureOf = async (node: BalanceNode, name: string): Promise<Uint8Array> => {
  try {
    return await readFile(join(node.path, name));
  } catch (cause) {
    throw unreadable(node, name, cause);
  }
};

async function* readChunks(node: BalanceNode, name: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(join(node.path, name), { highWaterMark: 262_144 })) {
      yield chunk as Buffer;
    }
  } catch (cause) {
    throw unreadable(node, name, cause);
  }
}

const unreadable = (node: BalanceNode, name: string, cause: unknown): unknown =>
  streamError(
    'SOURCE_UNREADABLE',
    { file: name, rule: `it cannot be read (${(cause as NodeJS.ErrnoException).code})`, path: node.path },
    cause,
  );

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

const byTime = (a: BalanceFileGroup, b: BalanceFileGroup): number => {
  if (a.nanos !== b.nanos) return a.nanos < b.nanos ? -1 : 1;
  return a.format === b.format ? 0 : a.format === 'pb' ? -1 : 1;
};

/** The earliest names of a folder after a time; `cutAt` is the time from which on names were left out. */
const earliestNames = async (
  path: string,
  after: Nanos,
): Promise<{ readonly names: readonly BalanceFileName[]; readonly cutAt: Nanos | undefined }> => {
  let kept: BalanceFileName[] = [];
  let cutAt: Nanos | undefined;
  const cut = (): void => {
    kept.sort((a, b) => (a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0));
    const first = kept[KEPT_NAMES];
    if (first === undefined) return;
    cutAt = first.nanos;
    kept = kept.filter(({ nanos }) => nanos < first.nanos);
  };
  for await (const { name } of await opendir(path, { bufferSize: 4_096 })) {
    const parsed = parseBalanceFileName(name);
    if (parsed === undefined || parsed.nanos <= after || (cutAt !== undefined && parsed.nanos >= cutAt)) continue;
    kept.push(parsed);
    if (kept.length >= 2 * KEPT_NAMES) cut();
  }
  cut();
  return { names: kept, cutAt };
};

const addName = (
  groups: Map<string, BalanceFileGroup & { copies: BalanceCopy[] }>,
  node: BalanceNode,
  { base, nanos, format, kind, name }: BalanceFileName,
): void => {
  const key = `${base} ${format}`;
  let group = groups.get(key);
  if (group === undefined) {
    group = { base, nanos, format, copies: [] };
    groups.set(key, group);
  }
  const known = group.copies.at(-1);
  const copy = known?.node === node ? known : { node, dataName: undefined, signatureName: undefined };
  const named = kind === 'balance' ? { ...copy, dataName: copy.dataName ?? name } : { ...copy, signatureName: name };
  if (copy === known) group.copies[group.copies.length - 1] = named;
  else group.copies.push(named);
};
