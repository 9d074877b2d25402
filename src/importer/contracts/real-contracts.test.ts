/** What contracts of real networks left, imported from their files with sidecars and without. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { hasRealStreams, readReal, realStreams } from '../../streams/testing/real-streams.fixture.ts';
import { defaultImporterSettings, importFolder } from '../pipeline/testing/import-run.fixture.ts';

/** Milliseconds that a busy machine may take. */
const PATIENCE = 60_000;

interface RealSet {
  readonly set: string;
  readonly book?: string;
  readonly ratio?: string;
  readonly gaps?: boolean;
}

const CREATION: RealSet = { set: 'v6-sidecars', book: 'addressbooks/test/test-v6-sidecar-4n.bin' };
const STORAGE: RealSet = { set: 'v6-with-sidecars-2023', gaps: true };
const MAINNET: RealSet = {
  set: 'mainnet-2025-07-23-v6',
  book: 'records/mainnet-2025-07-23-v6/address_book.bin',
};
const ETHEREUM: RealSet = {
  set: 'v5-ethereum',
  book: 'addressbooks/test/test-v6-4n.bin',
  ratio: '0.25',
  gaps: true,
};
const WITHOUT_CONTRACTS: RealSet = { set: 'v5-to-v6', book: 'addressbooks/test/test-v6-4n.bin' };

const TABLES = [
  'contract_action',
  'contract_log',
  'contract_result',
  'contract_state',
  'contract_state_change',
  'contract_transaction',
  'contract_transaction_hash',
] as const;

describe.skipIf(!hasRealStreams)('contracts of real networks', () => {
  let test: TestDatabase;
  beforeEach(async () => {
    test = await createTestDatabase();
  });
  afterEach(() => test.drop());

  const importSet = async ({ set, book, ratio, gaps = false }: RealSet, enabled: boolean): Promise<void> => {
    const { downloader, parser } = defaultImporterSettings;
    await importFolder(test, {
      folder: `${realStreams}/records/${set}`,
      addressBook: book === undefined ? undefined : readReal(book),
      trustUnsigned: book === undefined,
      acceptGaps: gaps,
      settings: {
        ...defaultImporterSettings,
        downloader: { ...downloader, consensusRatio: ratio ?? downloader.consensusRatio },
        parser: {
          ...parser,
          record: {
            ...parser.record,
            entity: { persist: { ...parser.record.entity.persist, syntheticContractLogs: false } },
            sidecar: { ...parser.record.sidecar, enabled },
          },
        },
      },
    });
  };

  /** The values of each row. */
  const values = async (text: string): Promise<unknown[][]> =>
    (await test.database.query(text)).map((row) => Object.values(row as object));

  /** How many rows each table has, in the order of `TABLES`. */
  const counts = async (): Promise<unknown[]> => {
    const parts = TABLES.map((table) => `(select count(*)::int from ${table}) as ${table}`);
    const [row] = await values(`select ${parts.join(', ')}`);
    return row ?? [];
  };

  it('record a call that creates a contract', { timeout: PATIENCE }, async () => {
    await importSet(CREATION, true);
    expect(await counts()).toEqual([0, 0, 2, 2, 2, 5, 2]);
    expect(
      await values(
        'select consensus_timestamp, contract_id, amount, gas_limit, gas_used, gas_consumed, sender_id, ' +
          'transaction_index, transaction_nonce, transaction_result, failed_initcode, error_message, ' +
          "created_contract_ids, encode(function_parameters, 'hex') as parameters, " +
          'octet_length(bloom) as bloom, octet_length(call_result) as call_result ' +
          'from contract_result order by consensus_timestamp',
      ),
    ).toEqual([
      [
        '1657701971304284003',
        '1002',
        '0',
        '1000000',
        '800000',
        null,
        '2',
        0,
        0,
        22,
        null,
        '',
        ['1003'],
        'efc81a8c',
        0,
        0,
      ],
      ['1657701971304284004', '1003', '0', '0', '0', null, '2', 0, 1, 22, null, '', [], '', 0, 0],
    ]);
    expect(
      await values("select encode(function_result, 'hex') from contract_result where transaction_nonce = 1"),
    ).toEqual([['0a0318eb074a160a1400000000000000000000000000000000000003eb']]);
    expect(
      await values(
        "select h.entity_id, encode(h.hash, 'hex') as hash, h.hash = r.transaction_hash as same " +
          'from contract_transaction_hash h join contract_result r using (consensus_timestamp) order by 1',
      ),
    ).toEqual([
      ['1002', '3af126ef15641b785e3edb5018209959fc6c6b063deaa55a3331c5489cdbe31b', true],
      ['1003', 'ae40c9cd4f8cf3f7b1ff708f0fb8491b71c1db918d37dcda3e3b1d396f1044e5', true],
    ]);
    expect(
      await values(
        "select contract_id, encode(slot, 'hex') as slot, encode(value_read, 'hex') as read, " +
          "encode(value_written, 'hex') as written, migration from contract_state_change order by 1",
      ),
    ).toEqual([
      ['1002', '', '', '03eb', false],
      ['1003', '', '', '08', false],
    ]);
    expect(
      await values(
        "select contract_id, encode(slot, 'hex') as slot, encode(value, 'hex') as value from contract_state order by 1",
      ),
    ).toEqual([
      ['1002', '00'.repeat(32), '03eb'],
      ['1003', '00'.repeat(32), '08'],
    ]);
    expect(
      await values('select entity_id, contract_ids from contract_transaction order by consensus_timestamp, entity_id'),
    ).toEqual([
      ['2', ['2', '1002', '1003']],
      ['1002', ['2', '1002', '1003']],
      ['1003', ['2', '1002', '1003']],
      ['2', ['2', '1003']],
      ['1003', ['2', '1003']],
    ]);
    expect(
      await values('select gas_used, sidecar_count, octet_length(logs_bloom) as bloom from record_file order by index'),
    ).toEqual([
      ['0', 0, 0],
      ['800000', 1, 256],
    ]);
    expect(await values('select id, count, size, types from sidecar_file')).toEqual([[1, 2, 279, [1, 3]]]);
  });

  it('tell less without sidecars', { timeout: PATIENCE }, async () => {
    await importSet(CREATION, false);
    expect(await counts()).toEqual([0, 0, 2, 0, 0, 4, 2]);
    expect(await values('select id, count, size, types from sidecar_file')).toEqual([[1, null, null, [1, 3]]]);
  });

  it('record calls that use storage', { timeout: PATIENCE }, async () => {
    await importSet(STORAGE, true);
    expect(await counts()).toEqual([9, 0, 9, 23, 35, 18, 9]);
    expect(
      await values(
        'select contract_id, gas_limit, gas_used, gas_consumed, transaction_index ' +
          'from contract_result order by consensus_timestamp limit 5',
      ),
    ).toEqual([
      // 386 for the run, 21,000 and 32,000, 1,619 bytes of code at 16 and 168 at 4.
      ['1002', '250000', '200000', '79962', 0],
      ['1002', '400000', '320000', '133917', 0],
      ['1002', '400000', '320000', '99717', 1],
      ['1002', '400000', '320000', '99717', 2],
      ['1002', '400000', '320000', '61845', 3],
    ]);
    expect(
      await values(
        "select contract_id, encode(value, 'hex') as value, created_timestamp, modified_timestamp " +
          "from contract_state where slot = decode(repeat('00', 31) || '01', 'hex') order by 1",
      ),
    ).toEqual([
      ['1002', '03', '1681939502446651003', '1681939503471424003'],
      ['1004', '03', '1681939522771232003', '1681939523794410003'],
    ]);
  });

  it('record calls, logs and traces of mainnet', { timeout: PATIENCE }, async () => {
    await importSet(MAINNET, true);
    expect(await counts()).toEqual([214, 23, 39, 16, 221, 109, 39]);
    expect(
      await values(
        'select contract_id, sender_id, gas_used, gas_consumed, transaction_index, transaction_result, error_message ' +
          'from contract_result where transaction_nonce = 0 order by consensus_timestamp',
      ),
    ).toEqual([
      ['9306447', '3926417', '208000', '146863', 0, 22, ''],
      ['9306447', '3926417', '208000', '140962', 1, 22, ''],
      ['9306447', '3926417', '208000', '140964', 2, 22, ''],
      ['9306447', '3926417', '208000', '134126', 3, 22, ''],
      ['9306447', '3926417', '208000', '175069', 4, 22, ''],
      // An Ethereum transaction with a wrong nonce: the record has a result all the same.
      ['0', '7641326', '0', null, null, 312, '0x57524f4e475f4e4f4e4345'],
      ['7308459', '8806202', '960000', '730099', 5, 22, ''],
    ]);
    // Calls of the token service have their caller's place, its transfers none.
    expect(
      await values(
        'select r.transaction_index, t.type, count(*)::int as count from contract_result r ' +
          'join transaction t using (consensus_timestamp) where r.transaction_nonce > 0 group by 1, 2 order by 1, 2',
      ),
    ).toEqual([
      [0, 7, 4],
      [1, 7, 4],
      [2, 7, 4],
      [3, 7, 4],
      [4, 7, 4],
      [5, 7, 1],
      [null, 14, 11],
    ]);
    expect(
      await values(
        'select index, contract_id, root_contract_id, transaction_index, synthetic, ' +
          "left(encode(topic0, 'hex'), 8) as topic0, encode(topic1, 'hex') as topic1, encode(topic2, 'hex') as topic2, " +
          "encode(topic3, 'hex') as topic3, octet_length(data) as data, octet_length(bloom) as bloom " +
          'from contract_log where index >= 17 order by index',
      ),
    ).toEqual([
      [17, '7308459', '7308459', 5, false, '804c9b84', '1647e8', null, null, 160, 256],
      [18, '7308459', '7308459', 5, false, '44c58d81', '1647e8', '865f3a', null, 0, 256],
      [
        19,
        '1460200',
        '7308459',
        5,
        false,
        'ddf252ad',
        'ec9cef1167b4673726b1e5f5a978150e63cdf23b',
        '865f3a',
        null,
        32,
        256,
      ],
      [20, '7308493', '7308459', 5, false, 'ddf252ad', '865f3a', '00', null, 32, 256],
      [21, '7308493', '7308459', 5, false, '5d624aa9', '865f3a', '865f3a', null, 64, 256],
      [22, '7308459', '7308459', 5, false, '3115d144', '1647e8', '865f3a', '865f3a', 32, 256],
    ]);
    expect(
      await values(
        'select index, call_depth, call_type, call_operation_type, caller, caller_type, gas, gas_used, ' +
          'recipient_account, recipient_contract, recipient_address, result_data_type, octet_length(result_data) as data ' +
          'from contract_action where consensus_timestamp = 1753303062076472454 order by index limit 3',
      ),
    ).toEqual([
      [0, 0, 1, 1, '3926417', 'ACCOUNT', '238292', '125155', null, '9306447', null, 11, 0],
      [1, 1, 1, 1, '9306447', 'CONTRACT', '228670', '107387', null, '3964804', null, 11, 64],
      [2, 2, 1, 3, '3964804', 'CONTRACT', '208656', '649', null, '3946806', null, 11, 32],
    ]);
    expect(
      await values(
        'select contract_ids from contract_transaction where entity_id = payer_account_id ' +
          'and consensus_timestamp in (1753303062076472454, 1753303062449196000) order by consensus_timestamp',
      ),
    ).toEqual([[['9306447', '3964804', '3926417']], [['0', '6319439']]]);
    expect(await values('select gas_used, octet_length(logs_bloom) as bloom from record_file')).toEqual([
      ['2000000', 256],
    ]);
  });

  it('tell nothing of traces and storage of mainnet without sidecars', { timeout: PATIENCE }, async () => {
    await importSet(MAINNET, false);
    expect(await counts()).toEqual([0, 23, 39, 0, 0, 85, 39]);
    expect(await values('select count(gas_consumed)::int as known from contract_result')).toEqual([[0]]);
  });

  it('record Ethereum transactions that create contracts', { timeout: PATIENCE }, async () => {
    await importSet(ETHEREUM, false);
    expect(await counts()).toEqual([0, 0, 4, 0, 0, 8, 4]);
    expect(
      await values(
        'select contract_id, created_contract_ids, gas_limit, gas_used, transaction_index, transaction_nonce, ' +
          "octet_length(function_parameters) as parameters, encode(transaction_hash, 'hex') as hash " +
          'from contract_result order by consensus_timestamp',
      ),
    ).toEqual([
      [
        '1104',
        ['1104'],
        '4000000',
        '3200000',
        0,
        0,
        4035,
        '352299a2fa76bf35142faf4a0a46f7bdb973a1be5e11e3cf0dc5942dd8d59ad9',
      ],
      ['1104', [], '0', '0', 0, 1, 0, '10822156210645ed4bf5f7eb28c9b92d4fe2d95b3dfc15f303d67e8c3793b74b'],
      [
        '1112',
        ['1112'],
        '4000000',
        '3200000',
        0,
        0,
        4035,
        'b686002fd6f77256fd883549ced3b0dad8475221be7267b93e687d43e79d5bfd',
      ],
      ['1112', [], '0', '0', 0, 1, 0, '8b7512214e854a3acbaec4bca256c83de582d46a67a6fabd810f2acbc74a2ae5'],
    ]);
  });

  it('are none in blocks without them', { timeout: PATIENCE }, async () => {
    await importSet(WITHOUT_CONTRACTS, true);
    expect(await counts()).toEqual([0, 0, 0, 0, 0, 0, 0]);
    expect(await values('select gas_used, octet_length(logs_bloom) as bloom from record_file')).toEqual([
      ['0', 0],
      ['0', 0],
    ]);
  });
});
