import { describe, expect, it } from 'vitest';
import type { KagamiError } from '../../errors/kagami-error.ts';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import type { ChainPosition } from './chain-position.ts';
import { filesOfRange, type ImportRange, importRangeOf, isImported, startOf } from './import-range.ts';

const settings = { startDate: '', endDate: '', startBlockNumber: -1n, endBlockNumber: -1n };
const whole = importRangeOf(settings);
const position = (index: bigint, consensusEnd: bigint, version = 6): ChainPosition => ({
  name: '2024-01-01T00_00_00Z.rcd.gz',
  consensusEnd,
  hash: '00',
  index,
  version,
  hapiVersion: null,
});

describe('a range', () => {
  it('has no bounds by itself', () => {
    expect(whole).toEqual({ from: undefined, to: undefined, firstBlock: undefined, lastBlock: undefined });
    expect(isImported(whole, position(7n, 100n))).toBe(false);
  });

  it('is read from dates in ISO 8601, UTC unless they say otherwise', () => {
    const from = (startDate: string): bigint | undefined => importRangeOf({ ...settings, startDate }).from;
    expect(from('1970-01-01T00:00:00Z')).toBe(0n);
    expect(from('2019-09-13T21:53:51.39644Z')).toBe(1_568_411_631_396_440_000n);
    expect(from('2019-09-13T21:53:51.396440001')).toBe(1_568_411_631_396_440_001n);
    expect(from('2019-09-14T00:00:00+02:00')).toBe(1_568_412_000_000_000_000n);
    expect(from('2019-09-13')).toBe(1_568_332_800_000_000_000n);
    expect(() => from('yesterday')).toThrow('startDate is not an ISO 8601 time: yesterday');
  });

  it('does not end before it begins', () => {
    const dates = { ...settings, startDate: '2024-01-02', endDate: '2024-01-01' };
    expect(() => importRangeOf(dates)).toThrow('startDate (2024-01-02) lies after endDate (2024-01-01)');
    const instant = importRangeOf({ ...dates, endDate: '2024-01-02' });
    expect(instant.to).toBe(instant.from);
    expect(() => importRangeOf({ ...settings, startBlockNumber: 3n, endBlockNumber: 2n })).toThrow(
      'startBlockNumber (3) lies after endBlockNumber (2)',
    );
  });

  it('is imported when its last block or time is', () => {
    const blocks = importRangeOf({ ...settings, endBlockNumber: 7n });
    expect([6n, 7n, 8n].map((index) => isImported(blocks, position(index, 1n)))).toEqual([false, true, true]);
    expect(isImported(blocks, undefined)).toBe(false);
    const times: ImportRange = { ...whole, to: 100n };
    expect([99n, 100n].map((end) => isImported(times, position(1n, end)))).toEqual([false, true]);
  });
});

describe('the start', () => {
  const last = position(41n, 1_000n);

  it('is the first time, or behind the last block', () => {
    expect(startOf(whole, undefined, false)).toEqual({ after: undefined, from: undefined });
    expect(startOf({ ...whole, from: 5n }, undefined, false)).toEqual({ after: undefined, from: 5n });
    expect(startOf(whole, last, false).after).toBe(last);
    expect(startOf({ ...whole, from: 1_000n }, last, false).after).toBe(last);
  });

  it('leaves blocks out only when that is accepted', () => {
    const range = { ...whole, from: 1_001n };
    expect(() => startOf(range, last, false)).toThrow(
      'startDate lies after block 41, the last one in the database, which ends at 0.000001000',
    );
    expect(startOf(range, last, true)).toEqual({ after: undefined, from: 1_001n });
  });
});

describe('the files of a range', () => {
  interface Block {
    readonly number: bigint | null;
    readonly start: bigint;
  }

  async function* streamOf(blocks: readonly Block[]): AsyncGenerator<VerifiedRecordFile> {
    for (const { number, start } of blocks) {
      yield { recordFile: { name: `file ${start}`, blockNumber: number, consensusStart: start } } as VerifiedRecordFile;
    }
  }

  const startsOf = async (
    blocks: readonly Block[],
    range: Partial<ImportRange>,
    last?: ChainPosition,
    acceptGaps = false,
  ): Promise<bigint[]> => {
    const starts: bigint[] = [];
    for await (const { recordFile } of filesOfRange(streamOf(blocks), { ...whole, ...range }, last, { acceptGaps })) {
      starts.push(recordFile.consensusStart);
    }
    return starts;
  };
  const stated = [5n, 6n, 7n, 8n].map((number) => ({ number, start: number * 10n }));
  const counted = [50n, 60n, 70n, 80n].map((start) => ({ number: null, start }));

  it('are all without bounds', async () => {
    expect(await startsOf(stated, {})).toEqual([50n, 60n, 70n, 80n]);
  });

  it('end with the last block, stated or counted, and with the last time', async () => {
    expect(await startsOf(stated, { lastBlock: 6n })).toEqual([50n, 60n]);
    expect(await startsOf(stated, { lastBlock: 4n })).toEqual([]);
    expect(await startsOf(counted, { lastBlock: 1n })).toEqual([50n, 60n]);
    expect(await startsOf(counted, { lastBlock: 12n }, position(9n, 1n, 2))).toEqual([50n, 60n, 70n]);
    expect(await startsOf(stated, { to: 70n })).toEqual([50n, 60n, 70n]);
    expect(await startsOf(stated, { to: 69n })).toEqual([50n, 60n]);
  });

  it('does not ask for a file behind the last block, which may be long in coming', async () => {
    let asked = 0;
    async function* endless(): AsyncGenerator<VerifiedRecordFile> {
      for await (const file of streamOf(stated)) {
        asked++;
        yield file;
      }
    }
    const found: VerifiedRecordFile[] = [];
    for await (const file of filesOfRange(endless(), { ...whole, lastBlock: 6n }, undefined)) found.push(file);
    expect(found).toHaveLength(2);
    expect(asked).toBe(2);
  });

  it('report each file before the first block', async () => {
    const passed: string[] = [];
    const onPassedOver = (file: string, { code, message }: KagamiError): void => {
      passed.push(`${file} ${code} ${message}`);
    };
    const files = filesOfRange(streamOf(stated), { ...whole, firstBlock: 7n }, undefined, { onPassedOver });
    expect((await files.next()).value?.recordFile.name).toBe('file 70');
    expect(passed).toEqual([
      'file 50 SOURCE_OUT_OF_RANGE file 50: block 5, and the import begins with block 7 (startBlockNumber)',
      'file 60 SOURCE_OUT_OF_RANGE file 60: block 6, and the import begins with block 7 (startBlockNumber)',
    ]);
  });

  it('begin with the first block in an empty database only', async () => {
    expect(await startsOf(stated, { firstBlock: 7n })).toEqual([70n, 80n]);
    expect(await startsOf(counted, { firstBlock: 7n })).toEqual([50n, 60n, 70n, 80n]);
    expect(await startsOf(counted, { firstBlock: 7n, lastBlock: 8n })).toEqual([50n, 60n]);
    expect(await startsOf(stated, { firstBlock: 7n }, position(4n, 1n))).toEqual([50n, 60n, 70n, 80n]);
  });

  it('are refused when the first block is missing, unless gaps are accepted', async () => {
    await expect(startsOf(stated, { firstBlock: 3n })).rejects.toMatchObject({
      code: 'STREAM_CHAIN_BROKEN',
      message: 'file 50: is block 5: blocks 3 to 4 are missing',
    });
    await expect(startsOf(stated, { firstBlock: 4n })).rejects.toThrow('is block 5: block 4 is missing');
    expect(await startsOf(stated, { firstBlock: 3n }, undefined, true)).toEqual([50n, 60n, 70n, 80n]);
  });
});
