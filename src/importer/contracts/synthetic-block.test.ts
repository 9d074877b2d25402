import { beforeAll, describe, expect, it } from 'vitest';
import type { Queryable } from '../../database/connection.ts';
import type { RowOf } from '../../database/table.ts';
import type { VerifiedRecordFile } from '../../sources/verified-record-files.ts';
import type { RecordFileItem } from '../../streams/record-file-content.ts';
import { BlockPreparation, type PreparedGroup } from '../pipeline/block-preparation.ts';
import { account, rawItem, recordFileOf, START } from '../testing/items.fixture.ts';
import { since, useTestLedger } from '../testing/ledger.fixture.ts';
import type { PersistSettings } from '../transaction-handler.ts';
import { transactionHandlers } from '../transactions/registry.ts';
import { writeBatch } from '../write/ledger-writer.ts';
import {
  call,
  callResult,
  childOf,
  defaultPersist,
  hex,
  list,
  transferItem,
} from './testing/synthetic-logs.fixture.ts';

const ledger = useTestLedger();

const preparationOf = (persist: Partial<PersistSettings> = {}): BlockPreparation =>
  new BlockPreparation({
    handlers: transactionHandlers,
    persist: { ...defaultPersist, ...persist },
    persistSidecarBytes: false,
    network: { shard: 0n, realm: 0n },
  });

const fileOf = (number: number, ...items: readonly RecordFileItem[]): VerifiedRecordFile => ({
  recordFile: { ...recordFileOf(items, number), consensusEnd: START + BigInt(number) },
  bytes: new Uint8Array(0),
  node: { nodeId: 0n, accountId: 3n, place: 'node3' },
  signers: [],
  tally: null,
  sidecars: [],
  missingSidecars: [],
  faults: [],
  linked: true,
});

/** The database, which tells the ids whose EVM addresses it was asked for. */
const listening = (): { readonly database: Queryable; readonly asked: unknown[] } => {
  const asked: unknown[] = [];
  const database: Queryable = {
    query: (text, values, name) => {
      if (name === 'lookup_evm_addresses') asked.push(values?.[0]);
      return ledger.database.query(text, values, name);
    },
  };
  return { database, asked };
};

const topicsOf = (logs: readonly RowOf<'contract_log'>[]): (string | null)[][] =>
  logs.map(({ topic1, topic2 }) => [hex(topic1), hex(topic2)]);
const logsOf = ({ batch }: PreparedGroup) => batch.rows('contract_log');

const write = ({ batch }: PreparedGroup): Promise<unknown> =>
  ledger.database.transaction((client) => writeBatch(client, batch));

/** Two accounts with addresses, of which the first begins with a zero byte, and one without. */
const ADDRESS_OF_3001 = `00${'ab'.repeat(19)}`;
const ADDRESS_OF_3002 = 'cd'.repeat(20);
const ADDRESS_OF_701 = 'ef'.repeat(20);
const ADDRESS_OF_3004 = '8f5d1c2b3a49586776859403f2e1d0c9b8a79685';
const bytes = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

beforeAll(() =>
  ledger.write((batch) => {
    const add = (id: bigint, address: string | null) =>
      batch.stage('entity', {
        id,
        type: 'ACCOUNT',
        deleted: false,
        evm_address: address === null ? null : bytes(address),
        timestamp_range: since(10n),
      });
    add(3001n, ADDRESS_OF_3001);
    add(3002n, ADDRESS_OF_3002);
    add(3003n, null);
    add(701n, ADDRESS_OF_701);
  }),
);

const pay = (at: number, from: bigint, to: bigint): RecordFileItem =>
  transferItem([list(500n, [from, -1n], [to, 1n])], { at });

/** The creation of account 3004. */
const creation = (at: number): RecordFileItem =>
  rawItem({
    at,
    body: { data: { $case: 'cryptoCreateAccount', cryptoCreateAccount: { alias: bytes(ADDRESS_OF_3004) } } },
    record: { receipt: { accountID: account(3004n) } },
  });

describe('transfer logs of a block', () => {
  it('name accounts by EVM address where they have one, whichever block of a batch made them', async () => {
    const first = fileOf(
      1,
      pay(1, 3001n, 3002n),
      pay(2, 3003n, 3999n),
      creation(3),
      pay(4, 3004n, 3001n),
      call(5),
      transferItem([list(500n, [3001n, -1n], [3003n, 1n])], { at: 6, nonce: 1, record: childOf(5) }),
    );
    const second = fileOf(2, pay(7, 3002n, 3004n), pay(8, 3999n, 3001n));
    const trimmed = 'ab'.repeat(19);
    const expected = [
      [trimmed, ADDRESS_OF_3002],
      ['0bbb', '0f9f'],
      [ADDRESS_OF_3004, trimmed],
      [trimmed, '0bbb'],
      [ADDRESS_OF_3002, ADDRESS_OF_3004],
      ['0f9f', trimmed],
    ];

    const together = listening();
    const group = await preparationOf().prepare([first, second], undefined, together.database);
    expect(topicsOf(logsOf(group))).toEqual(expected);
    // Nothing is asked twice within a batch, and nothing that the batch itself made.
    expect(together.asked).toEqual([[3001n, 3002n, 3003n, 3999n]]);

    const apart = listening();
    const preparation = preparationOf();
    const one = await preparation.prepare([first], undefined, apart.database);
    await write(one);
    const two = await preparation.prepare([second], one.blocks[0]?.position, apart.database);
    await write(two);
    expect([...logsOf(one), ...logsOf(two)]).toEqual(logsOf(group));
    expect(apart.asked).toEqual([
      [3001n, 3002n, 3003n, 3999n],
      [3004n, 3999n],
    ]);

    const stored = await ledger.database.query<{ topics: string }>(
      `select concat_ws(' ', consensus_timestamp - $1::bigint, index, contract_id, synthetic,
         encode(topic1, 'hex'), encode(topic2, 'hex'), encode(data, 'hex'), encode(bloom, 'hex')) as topics
       from contract_log order by consensus_timestamp, index`,
      [START],
    );
    expect(stored.map(({ topics }) => topics)).toEqual([
      `1 0 500 t ${trimmed} ${ADDRESS_OF_3002} 01 00`,
      '2 1 500 t 0bbb 0f9f 01 00',
      `4 2 500 t ${ADDRESS_OF_3004} ${trimmed} 01 00`,
      `5 3 701 t ${trimmed} 0bbb 01 00`,
      `7 0 500 t ${ADDRESS_OF_3002} ${ADDRESS_OF_3004} 01 00`,
      `8 1 500 t 0f9f ${trimmed} 01 00`,
    ]);
  });

  it('keep long-zero addresses, without asking for others, when the settings say so', async () => {
    const { database, asked } = listening();
    const preparation = preparationOf({ syntheticContractLogEvmAddressLookup: false });
    const group = await preparation.prepare([fileOf(1, pay(1, 3001n, 3002n))], undefined, database);
    expect(topicsOf(logsOf(group))).toEqual([['0bb9', '0bba']]);
    expect(asked).toEqual([]);
  });

  it('have blooms of the addresses they show, in their own block alone', async () => {
    const precompiled = (at: number, parent: number) =>
      transferItem([list(500n, [3001n, -1n], [3003n, 1n])], {
        at,
        nonce: 1,
        record: { ...childOf(parent), body: callResult(359n) },
      });
    const files = [fileOf(1, call(1), precompiled(2, 1)), fileOf(2, call(3)), fileOf(3, pay(4, 3001n, 3002n))];
    const { database, asked } = listening();
    const group = await preparationOf().prepare(files, undefined, database);
    const [log] = logsOf(group);
    const setBytes = [...(log?.bloom ?? [])].flatMap((byte, position) => (byte === 0 ? [] : [[position, byte]]));
    // Address of 701, the event, address of 3001 and 3003, computed by other means.
    expect(setBytes).toEqual([
      [35, 2],
      [45, 129],
      [71, 8],
      [75, 8],
      [104, 8],
      [114, 64],
      [122, 16],
      [123, 16],
      [170, 32],
      [195, 2],
      [206, 16],
    ]);
    expect(asked).toEqual([[3001n, 3003n, 701n], [3002n]]);
    expect(group.batch.rows('record_file').map((row) => row.logs_bloom)).toEqual([
      log?.bloom,
      new Uint8Array(256),
      new Uint8Array(0),
    ]);
    expect(group.batch.rows('contract_result').map((row) => [row.consensus_timestamp - START, row.bloom])).toEqual([
      [1n, log?.bloom],
      [2n, new Uint8Array(0)],
      [3n, new Uint8Array(0)],
    ]);
  });
});
