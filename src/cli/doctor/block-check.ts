import type { SettingsOf } from '../../config/setting.ts';
import type { blockSettings } from '../../config/settings/block.ts';
import { isKagamiError, type KagamiError } from '../../errors/kagami-error.ts';
import { BlockBucket } from '../../sources/block-files/block-bucket.ts';
import { BlockFolder } from '../../sources/block-files/block-folder.ts';
import type { BlockNodeAddress } from '../../sources/block-node/block-node-address.ts';
import { BlockNodeClient } from '../../sources/block-node/block-node-client.ts';
import type { BlockStreamLocation } from '../../sources/block-stream-location.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Whether block nodes and block files can be read, and which blocks they have. */
export const checkBlockStream = async (
  { sourceType, nodes, files, network, discoversNodes }: BlockStreamLocation,
  settings: SettingsOf<typeof blockSettings>,
): Promise<Finding[]> => {
  const findings: Finding[] = [];
  // A single place that has no blocks keeps the import from going on.
  const isOnly = (sourceType === 'AUTO' ? nodes.length + (files === undefined ? 0 : 1) : nodes.length) < 2;
  if (sourceType !== 'FILE') {
    findings.push(...(await Promise.all(nodes.map((node) => checkNode(node, settings, isOnly)))));
    if (nodes.length === 0 && sourceType === 'BLOCK_NODE' && discoversNodes) {
      const advice = 'Name one in hiero.mirror.importer.block.nodes, unless the database knows registered ones.';
      findings.push(warn('block nodes', 'none is configured', advice));
    }
  }
  if (sourceType !== 'BLOCK_NODE' && files !== undefined) {
    findings.push(await checkFiles(files, network, settings, sourceType === 'FILE' || nodes.length === 0));
  }
  return findings;
};

const checkNode = async (
  address: BlockNodeAddress,
  { stream }: SettingsOf<typeof blockSettings>,
  isOnly: boolean,
): Promise<Finding> => {
  const client = new BlockNodeClient({
    address,
    limits: {
      maxBlockItems: stream.maxBlockItems,
      maxBlockBytes: stream.maxBlockSize,
      maxMessageBytes: stream.maxStreamResponseSize,
      statusTimeoutMs: stream.responseTimeout,
      silenceMs: stream.responseTimeout,
      blockTimeoutMs: stream.responseTimeout,
      readAheadBytes: 0,
    },
  });
  const subject = `block node ${client.name}`;
  try {
    const blocks = await client.available();
    if (blocks !== undefined) return ok(subject, `blocks ${blocks.first} to ${blocks.last}`);
    return warn(subject, 'it has no blocks', 'Wait until its network produces some, or name another one.');
  } catch (error) {
    return finding(subject, error, isOnly);
  } finally {
    client.close();
  }
};

const checkFiles = async (
  files: NonNullable<BlockStreamLocation['files']>,
  network: string,
  { stream }: SettingsOf<typeof blockSettings>,
  isOnly: boolean,
): Promise<Finding> => {
  const subject = 'block files';
  const store =
    files.kind === 'folder'
      ? new BlockFolder(files.path, { network, maxFileBytes: stream.maxBlockSize })
      : new BlockBucket(files);
  try {
    const first = await store.firstFrom(0n);
    if (first !== undefined) return ok(subject, `${store.description}: from block ${first} on`);
    const advice =
      'Block files are <network>/block/0000/0000/0000/0000/007.blk.zstd, or 7.blk.gz and so on in one folder.';
    return (isOnly ? fail : warn)(subject, `${store.description} has none`, advice);
  } catch (error) {
    return finding(subject, error, isOnly);
  } finally {
    store.close();
  }
};

const finding = (subject: string, error: unknown, isOnly: boolean): Finding => {
  if (!isKagamiError(error)) throw error;
  const { message, hint }: KagamiError = error;
  return (isOnly ? fail : warn)(subject, message, hint);
};
