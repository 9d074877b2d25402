import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { loadSettings } from '../../config/load.ts';
import type { BlockStreamLocation } from '../../sources/block-stream-location.ts';
import { chooseStoredStreams, chooseStreams, placeOfFiles, type StreamChoice } from './block-choice.ts';

const block = 'hiero.mirror.importer.block';
const network = 'hiero.mirror.importer.network';
const folder = 'kagami.source.folder';

const load = (given: Readonly<Record<string, string>>, env: Readonly<Record<string, string>> = {}) => {
  const overrides = Object.entries(given).map(([path, value]) => ({ path, value, origin: '--set' }));
  return loadSettings({ cwd: '/srv', env, overrides, readFile: () => undefined });
};
const choose = (given: Readonly<Record<string, string>>, env?: Readonly<Record<string, string>>) =>
  chooseStreams(load(given, env), '/srv');

const blocksOf = (chosen: Awaited<ReturnType<typeof choose>>): BlockStreamLocation => {
  if (chosen === undefined || chosen === 'simulator' || chosen.blocks === undefined) throw new Error('no blocks');
  return chosen.blocks;
};

const endpoint = (host: string, port = 40_840, requiresTls = false) => ({ host, port, requiresTls });
const enabled = { [`${block}.enabled`]: 'true' };

let root = '';
afterEach(() => (root === '' ? undefined : rm(root, { recursive: true, force: true })));

describe('block streams', () => {
  it('are read where that is said, from the nodes that are named in variables', async () => {
    const chosen = await choose(
      { [network]: 'other' },
      {
        HIERO_MIRROR_IMPORTER_BLOCK_ENABLED: 'true',
        HIERO_MIRROR_IMPORTER_BLOCK_NODES_0_HOST: 'block-node-1.solo',
        HIERO_MIRROR_IMPORTER_BLOCK_NODES_1_HOST: 'block-node-2.solo',
        HIERO_MIRROR_IMPORTER_BLOCK_NODES_1_PORT: '40980',
        HIERO_MIRROR_IMPORTER_BLOCK_NODES_1_PRIORITY: '1',
        HIERO_MIRROR_IMPORTER_DOWNLOADER_RECORD_ENABLED: 'false',
      },
    );
    expect(chosen).toEqual({
      blocks: {
        sourceType: 'AUTO',
        discoversNodes: true,
        files: undefined,
        network: 'other',
        nodes: [
          { priority: 0, status: endpoint('block-node-1.solo'), subscribe: endpoint('block-node-1.solo') },
          {
            priority: 1,
            status: endpoint('block-node-2.solo', 40_980),
            subscribe: endpoint('block-node-2.solo', 40_980),
          },
        ],
      },
    });
    expect(placeOfFiles(chosen as StreamChoice)).toBeUndefined();
  });

  it('may have an endpoint for each API, which both must have one', async () => {
    const nodes = (endpoints: string) => ({ ...enabled, [`${block}.nodes`]: `[{"endpoints": ${endpoints}}]` });
    const { nodes: named } = blocksOf(
      await choose(
        nodes(
          '[{"host": "a", "apis": ["STATUS"]}, {"host": "b", "port": 443, "requiresTls": true, "apis": ["SUBSCRIBE_STREAM"]}]',
        ),
      ),
    );
    expect(named).toEqual([{ priority: 0, status: endpoint('a'), subscribe: endpoint('b', 443, true) }]);
    await expect(choose(nodes('[{"host": "a", "apis": ["STATUS"]}]'))).rejects.toThrow(
      'no endpoint with SUBSCRIBE_STREAM',
    );
    await expect(choose(nodes('[]'))).rejects.toThrow('no endpoint with STATUS');
  });

  it('come from the bucket of a public network', async () => {
    const { files } = blocksOf(await choose({ ...enabled, [network]: 'testnet' }));
    expect(files).toMatchObject({ kind: 'bucket', bucket: 'hedera-testnet-recent-block-streams', network: 'testnet' });
    const named = blocksOf(await choose({ ...enabled, [network]: 'testnet', [`${block}.bucketName`]: 'mine' }));
    expect(named.files).toMatchObject({ kind: 'bucket', bucket: 'mine' });
  });

  it('are those of the simulated network where nothing is named', async () => {
    expect(await choose(enabled)).toBe('simulator');
    await expect(choose({ ...enabled, 'kagami.database.url': 'postgres://me@db.example/mirror' })).rejects.toThrow(
      'would be filled with the transactions of a simulated network',
    );
    expect(await choose({ ...enabled, 'kagami.simulator.enabled': 'false' })).toBeUndefined();
  });

  it('are not read beside record files', async () => {
    const both = { ...enabled, 'hiero.mirror.importer.downloader.record.enabled': 'true' };
    await expect(choose(both)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(await choose({ 'hiero.mirror.importer.downloader.record.enabled': 'false' })).toBeUndefined();
  });

  it('are what a folder holds that has nothing else', async () => {
    root = await mkdtemp(join(tmpdir(), 'kagami-block-choice-'));
    const given = { [folder]: root };
    expect(await choose(given)).toEqual({ records: { kind: 'folder', path: root } });
    await writeFile(join(root, '0.blk.gz'), '');
    expect(await chooseStoredStreams(load(given), '/srv')).toMatchObject({
      blocks: { sourceType: 'FILE', files: { kind: 'folder', path: root } },
    });
  });

  it('follow the record files of a folder that holds both', async () => {
    root = await mkdtemp(join(tmpdir(), 'kagami-block-choice-'));
    await mkdir(join(root, 'record0.0.3'));
    const given = { [folder]: root };
    expect(await chooseStoredStreams(load(given), '/srv')).toEqual({ records: { kind: 'folder', path: root } });
    await writeFile(join(root, '8.blk.gz'), '');
    expect(await chooseStoredStreams(load(given), '/srv')).toMatchObject({
      records: { kind: 'folder', path: root },
      blocks: { sourceType: 'AUTO', files: { kind: 'folder', path: root } },
    });
    const without = { ...given, [`${block}.cutover.enabled`]: 'false' };
    expect(await chooseStoredStreams(load(without), '/srv')).not.toHaveProperty('blocks');
  });

  it('follow record files where the network goes over to them, and where that is said', async () => {
    const chosen = (await choose({ [network]: 'mainnet' })) as StreamChoice;
    expect(chosen.records).toMatchObject({ bucket: 'hedera-mainnet-streams' });
    expect(chosen.blocks?.files).toMatchObject({ bucket: 'hedera-mainnet-recent-block-streams' });
    expect(await choose({ [network]: 'previewnet' })).not.toHaveProperty('blocks');
    expect(await choose({ [network]: 'mainnet', [`${block}.cutover.enabled`]: 'false' })).not.toHaveProperty('blocks');
    expect(await choose({ [network]: 'previewnet', [`${block}.cutover.enabled`]: 'true' })).toHaveProperty('blocks');
    expect(await chooseStoredStreams(load({ [network]: 'mainnet' }), '/srv')).toEqual(chosen);
  });

  it('must be named to be read once', async () => {
    await expect(chooseStoredStreams(load({}), '/srv')).rejects.toThrow('no source: name a folder or bucket');
    expect(await chooseStoredStreams(load({ [network]: 'demo' }), '/srv')).toMatchObject({
      records: { bucket: 'hedera-demo-streams' },
    });
  });

  it('have bounds that are held', () => {
    const problem = (setting: string, value: string) => () => load({ [`${block}.${setting}`]: value });
    for (const [setting, value] of [
      ['stream.maxBlockItems', '999'],
      ['stream.readmitDelay', '9s'],
      ['stream.responseTimeout', '99ms'],
      ['stream.maxBlockSize', 'much'],
      ['scheduler.minRescheduleInterval', '1s'],
      ['scheduler.latency.timeout', '400ms'],
      ['cutover.threshold', '7s'],
      ['cutover.firstStage.latencyCheckThreshold', '9s'],
      ['sourceType', 'CLOUD'],
    ] as const) {
      expect(problem(setting, value), setting).toThrow(`${block}.${setting}`);
    }
    const { stream } = load({ [`${block}.stream.maxStreamResponseSize`]: '100MB' }).settings.hiero.mirror.importer
      .block;
    expect(stream).toMatchObject({
      maxStreamResponseSize: 104_857_600,
      maxBlockSize: 536_870_912,
      maxSubscribeAttempts: 3,
    });
  });
});
