import { beforeEach, describe, expect, it } from 'vitest';
import { useTestLedger } from '../testing/ledger.fixture.ts';
import { blockNumbers } from './block-numbers.ts';
import { duplicateBlock } from './duplicate-block.ts';
import { insertBlock, insertTransaction, runRepair } from './testing/repair.fixture.ts';

const ledger = useTestLedger();

beforeEach(async () => {
  await ledger.database.query('delete from record_file');
  await ledger.database.query('delete from transaction');
});

const numbers = async (): Promise<string[]> => {
  const rows = await ledger.database.query<{ index: string }>('select index from record_file order by consensus_end');
  return rows.map(({ index }) => index);
};

describe('block numbers', () => {
  const KNOWN = 1_656_461_547_557_609_267n;

  it('follow from that of a known block', async () => {
    for (const [position, end] of [KNOWN - 1n, KNOWN, KNOWN + 2n].entries()) {
      await insertBlock(ledger.database, end, { index: position });
    }
    expect(await runRepair(ledger.database, blockNumbers)).toBe(3);
    expect(await numbers()).toEqual(['34305851', '34305852', '34305853']);
    expect(await runRepair(ledger.database, blockNumbers)).toBe(0);
  });

  it('stay as they are where that block is not', async () => {
    await insertBlock(ledger.database, KNOWN + 1n, { index: 7 });
    expect(await runRepair(ledger.database, blockNumbers)).toBe(0);
    expect(await numbers()).toEqual(['7']);
  });

  it('are looked at once the block has a follower', () => {
    const reach = (consensusEnd: bigint) => ({ begins: 0n, newest: { consensusEnd, hapiVersion: null } });
    expect(blockNumbers.isDue({ begins: 0n, newest: undefined })).toBe(false);
    expect(blockNumbers.isDue(reach(KNOWN))).toBe(false);
    expect(blockNumbers.isDue(reach(KNOWN + 1n))).toBe(true);
  });
});

describe('the block whose number two files bear', () => {
  const FIRST = 1_675_962_000_231_859_003n;
  const SECOND = 1_675_962_001_984_524_003n;
  const bloom = (byte: number): Buffer => Buffer.concat([Buffer.of(byte), Buffer.alloc(255)]);

  const insertBoth = async (): Promise<void> => {
    await insertBlock(ledger.database, FIRST - 9n, { index: 44_029_065 });
    await insertBlock(ledger.database, FIRST, {
      name: 'first',
      index: 44_029_066,
      consensus_start: FIRST - 2n,
      count: 2,
      gas_used: 10,
      load_start: 1,
      prev_hash: 'before',
      logs_bloom: bloom(1),
      sidecar_count: 1,
      size: 100,
    });
    await insertBlock(ledger.database, SECOND, {
      name: 'second',
      hash: 'second hash',
      index: 44_029_066,
      consensus_start: FIRST + 5n,
      count: 3,
      gas_used: 20,
      load_start: 8,
      load_end: 9,
      prev_hash: `${FIRST}`,
      logs_bloom: bloom(6),
      sidecar_count: 2,
      size: 50,
    });
    await insertBlock(ledger.database, SECOND + 9n, { index: 44_029_067 });
    for (const [index, at] of [FIRST - 2n, FIRST].entries()) await insertTransaction(ledger.database, at, { index });
    for (const [index, at] of [FIRST + 5n, FIRST + 6n, SECOND].entries()) {
      await insertTransaction(ledger.database, at, { index });
    }
    await insertTransaction(ledger.database, SECOND + 9n, { index: 0 });
  };

  it('becomes one', async () => {
    await insertBoth();
    expect(await runRepair(ledger.database, duplicateBlock)).toBe(2 + 3);
    expect(await numbers()).toEqual(['44029065', '44029066', '44029067']);
    expect(
      await ledger.row(
        'record_file',
        'name, hash, prev_hash, consensus_start, consensus_end, count, gas_used, load_start, load_end, sidecar_count, size, ' +
          'get_byte(logs_bloom, 0) as bloom, length(logs_bloom) as bloom_length',
        'index = 44029066',
      ),
    ).toEqual({
      name: 'first',
      hash: 'second hash',
      prev_hash: 'before',
      consensus_start: `${FIRST - 2n}`,
      consensus_end: `${SECOND}`,
      count: '5',
      gas_used: '30',
      load_start: '1',
      load_end: '9',
      sidecar_count: 3,
      size: 150,
      bloom: 7,
      bloom_length: 256,
    });
    const indexes = await ledger.database.query('select index from transaction order by consensus_timestamp');
    expect(indexes.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 0]);
    expect(await runRepair(ledger.database, duplicateBlock)).toBe(0);
  });

  it('keeps an empty bloom where neither file had contracts', async () => {
    await insertBoth();
    await ledger.database.query(`update record_file set logs_bloom = ''`);
    await runRepair(ledger.database, duplicateBlock);
    expect(await ledger.row('record_file', 'length(logs_bloom) as length', 'index = 44029066')).toEqual({ length: 0 });
  });

  it('stays as it is where only one of the files was imported', async () => {
    await insertBlock(ledger.database, SECOND, { index: 44_029_066, name: 'second' });
    expect(await runRepair(ledger.database, duplicateBlock)).toBe(0);
    expect(await ledger.row('record_file', 'name', 'true')).toEqual({ name: 'second' });
  });
});
