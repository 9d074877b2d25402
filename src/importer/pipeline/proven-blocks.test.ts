import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { BlockOrigin, OpenedOrigin } from '../../sources/block-origin.ts';
import type { RawBlock } from '../../sources/block-source.ts';
import type { Electorate } from '../../sources/electorate.ts';
import { START_OF_CHAIN } from '../../streams/block/chain.ts';
import type { RecordFile } from '../../streams/record-file-content.ts';
import { streamError } from '../../streams/stream-error.ts';
import type { BlockReader, ReadBlock } from './block-reader.ts';
import type { ChainPosition } from './chain-position.ts';
import { CommitGate } from './commit-gate.ts';
import { provenBlocks } from './proven-blocks.ts';

const lastRecordFile: ChainPosition = {
  name: '2026-01-01T00_00_00Z.rcd.gz',
  consensusEnd: 1n,
  hash: '00'.repeat(48),
  index: 4n,
  version: 6,
  hapiVersion: { major: 0, minor: 76, patch: 0 },
};

const rawBlock = (number: bigint): RawBlock => ({
  number,
  bytes: new Uint8Array(8),
  name: `${number}.blk`,
  isFile: false,
  from: 'node',
  receivedAt: 0,
  receivedTime: 0,
});

const readBlock = (number: bigint): ReadBlock => ({
  recordFile: {
    name: `${number}.blk`,
    blockNumber: number,
    hash: new Uint8Array(48),
    consensusEnd: number,
  } as RecordFile,
  sidecars: [],
  number,
  wrapped: true,
  linked: true,
  genesis: undefined,
  chain: START_OF_CHAIN,
});

/** Blocks 5 and 6 at once. @param lies gets an entry for each block that is held against the node */
const originOf = (lies: string[]): BlockOrigin => ({
  kind: 'nodes',
  description: 'node',
  isUsable: async () => true,
  earliest: async () => 5n,
  close: () => undefined,
  open: async ({ next }): Promise<OpenedOrigin> => ({
    label: 'node',
    blocks: (async function* () {
      for (let number = next; number <= 6n; number++) yield rawBlock(number);
    })(),
    proved: () => undefined,
    failed: ({ message }, lied) => void (lied && lies.push(message)),
    completed: () => undefined,
    shouldMove: () => false,
  }),
});

it('judges who signed a block after record files once the block before it is committed', async () => {
  const gate = new CommitGate(undefined);
  for (const number of [0n, 1n, 2n, 3n, 4n]) gate.settled(number);
  let committed = 4n;
  const reader = {
    prove: async ({ blocks }) => {
      const outcomes: Awaited<ReturnType<BlockReader['prove']>>[number][] = [];
      for (const { name } of blocks) {
        const number = BigInt(Number.parseInt(name, 10));
        // Block 5 has the address book that block 6 is signed by.
        if (number === 6n && committed < 5n) {
          outcomes.push(streamError('STREAM_NO_CONSENSUS', { file: name, rule: 'nobody known has signed it' }));
          break;
        }
        outcomes.push(readBlock(number));
      }
      return outcomes;
    },
  } as Pick<BlockReader, 'prove'> as BlockReader;
  const lies: string[] = [];
  const stop = new AbortController();
  const blocks = provenBlocks({
    origins: [originOf(lies)],
    reader,
    last: lastRecordFile,
    chain: START_OF_CHAIN,
    kept: async () => undefined,
    first: undefined,
    to: 6n,
    ledger: async () => null,
    electorate: () => ({ book: { entries: [] } }) as unknown as Electorate,
    trustUnsigned: false,
    limits: {},
    persistBytes: false,
    follow: true,
    acceptGaps: false,
    gate,
    minPauseMs: 5,
    signal: stop.signal,
  });
  const taken: bigint[] = [];
  for await (const { recordFile } of blocks) {
    const number = recordFile.blockNumber as bigint;
    taken.push(number);
    void delay(30).then(() => {
      committed = number;
      gate.settled(number);
    });
  }
  expect(taken).toEqual([5n, 6n]);
  expect(lies).toEqual([]);
});
