import { describe, expect, it } from 'vitest';
import type { Resource } from '../../api/resource/resource.ts';
import { cellsOf } from '../../api/resource/testing/cells.fixture.ts';
import { AccountID } from '../../protobuf/generated/services/basic_types.ts';
import { ContractFunctionResult } from '../../protobuf/generated/services/contract_types.ts';
import { contractResultLog } from '../contracts/contract-log.ts';
import { blockResult, briefResult, type DetailsFormat, type ResultFormat, resultDetails } from './result.ts';
import { stateChange } from './state-change.ts';

/** Columns of a row as PostgreSQL sends them; null: the empty cell. */
type Columns = Readonly<Record<string, string | null>>;

const plain: Columns = {
  amount: '30',
  bloom: '\\x0505',
  call_result: '\\x0606',
  consensus_timestamp: '187654000123456',
  contract_id: '5001',
  created_contract_ids: '7001,7002',
  error_message: null,
  evm_address: '\\x70f2b2914a2a4b783faefb75f459a580616fcb5e',
  failed_initcode: null,
  function_parameters: '\\x0707',
  function_result: null,
  gas_consumed: '9223372036854775807',
  gas_limit: '1000000',
  gas_used: '123',
  payer_account_id: '8001',
  sender_id: '8001',
  transaction_hash: '\\x1656',
  transaction_index: '1',
  transaction_result: '22',
  fees_end: '8',
  rates_end: '9',
  block_gas_used: '400000',
  block_hash: '6ceecd8b',
  block_number: '17',
  ethereum_type: null,
  ethereum_access_list: null,
  ethereum_authorization_list: null,
  ethereum_chain_id: null,
  ethereum_gas_price: null,
  ethereum_max_fee_per_gas: null,
  ethereum_max_priority_fee_per_gas: null,
  ethereum_nonce: null,
  ethereum_recovery_id: null,
  ethereum_signature_r: null,
  ethereum_signature_s: null,
  ethereum_signature_v: null,
  ethereum_to_address: null,
  ethereum_value: null,
};

const signed: Columns = {
  ...plain,
  ethereum_type: '2',
  ethereum_access_list: '[{"address": "0xa0", "storage_keys": []}]',
  ethereum_chain_id: '\\x012a',
  ethereum_gas_price: '\\xad78ebc5ac620000',
  ethereum_max_fee_per_gas: '\\xcf38224400',
  ethereum_nonce: '5',
  ethereum_recovery_id: '1',
  ethereum_signature_r: '\\xb5',
  ethereum_signature_s: '\\x10',
  ethereum_signature_v: '\\x1b',
  ethereum_to_address: '\\x00000000000000000000000000000000000000aa',
  ethereum_value: '\\x002e90edd000',
};

const format: ResultFormat = {
  unit: 'tinybar',
  chainId: '0x128',
  showsAuthorizationList: false,
  gasPrice: () => null,
};

/** Expressions that are more than a column. */
const expressions: Readonly<Record<string, (columns: Columns) => string | null | undefined>> = {
  "to_json(nullif(p.error_message, ''))": ({ error_message }) => error_message && JSON.stringify(error_message),
  "array_to_string(p.created_contract_ids, ',')": ({ created_contract_ids }) => created_contract_ids,
  'nullif(p.block_gas_used, -1)': ({ block_gas_used }) => (block_gas_used === '-1' ? null : block_gas_used),
  'coalesce(p.ethereum_type, 0)': ({ ethereum_type }) => ethereum_type ?? '0',
  'coalesce(p.ethereum_gas_limit, p.gas_limit)': ({ ethereum_gas_limit, gas_limit }) => ethereum_gas_limit ?? gas_limit,
};

const rowOf = <Key extends string>(of: Pick<Resource<Key>, 'expressions' | 'replace'>, columns: Columns) =>
  cellsOf(
    of,
    Object.fromEntries(
      of.expressions.map((sql) => {
        const computed = expressions[sql];
        return [sql, (computed === undefined ? columns[sql.slice('p.'.length)] : computed(columns)) ?? ''];
      }),
    ),
  );

const resultJson = (columns: Columns, changes: Partial<ResultFormat> = {}): string =>
  blockResult.json(rowOf(blockResult, columns), { ...format, ...changes });

const read = (columns: Columns, changes?: Partial<ResultFormat>) => JSON.parse(resultJson(columns, changes));

const briefJson = (columns: Columns): string => briefResult.json(rowOf(briefResult, columns));

describe('a result in the list of a contract', () => {
  it('has the members of its row, with exact integers', () => {
    expect(briefJson(plain)).toBe(
      '{"address":"0x70f2b2914a2a4b783faefb75f459a580616fcb5e","amount":30,"bloom":"0x0505","call_result":"0x0606",' +
        '"contract_id":"0.0.5001","created_contract_ids":["0.0.7001","0.0.7002"],"error_message":null,' +
        '"from":"0x0000000000000000000000000000000000001f41","function_parameters":"0x0707",' +
        '"gas_consumed":9223372036854775807,"gas_limit":1000000,"gas_used":123,"timestamp":"187654.000123456",' +
        '"to":"0x0000000000000000000000000000000000001389","hash":"0x1656"}',
    );
  });

  it('shows what is missing as null, or as no bytes', () => {
    const bare = {
      ...plain,
      amount: null,
      bloom: null,
      call_result: null,
      contract_id: '0',
      created_contract_ids: null,
      error_message: null,
      evm_address: null,
      function_parameters: '\\x',
      gas_consumed: null,
      gas_used: null,
      sender_id: null,
      transaction_hash: null,
    };
    expect(JSON.parse(briefJson(bare))).toEqual({
      address: null,
      amount: null,
      bloom: '0x',
      call_result: '0x',
      contract_id: null,
      created_contract_ids: [],
      error_message: null,
      from: null,
      function_parameters: '0x',
      gas_consumed: null,
      gas_limit: 1_000_000,
      gas_used: null,
      timestamp: '187654.000123456',
      to: null,
      hash: '0x',
    });
  });

  it('fills an empty bloom with zeros, and addresses by num alone', () => {
    const result = JSON.parse(
      briefJson({ ...plain, bloom: '\\x', contract_id: '18014948265295872', evm_address: '\\x' }),
    );
    expect(result.bloom).toBe(`0x${'0'.repeat(512)}`);
    expect(result.contract_id).toBe('1.2.0');
    expect(result.address).toBe(`0x${'0'.repeat(40)}`);
  });

  it('knows a sender without id by its alias', () => {
    const alias = Buffer.from('58598a70c23487d16735d18127e5deef73c94c0d', 'hex');
    const function_result = `\\x${Buffer.from(
      ContractFunctionResult.encode(
        ContractFunctionResult.fromPartial({ senderId: AccountID.fromPartial({ account: { $case: 'alias', alias } }) }),
      ).finish(),
    ).toString('hex')}`;
    const from = (row: Columns) => JSON.parse(briefJson({ ...plain, ...row })).from;
    expect(from({ sender_id: null, function_result })).toBe('0x58598a70c23487d16735d18127e5deef73c94c0d');
    expect(from({ sender_id: null, function_result: '\\x0a05ff' })).toBeNull();
    expect(from({ sender_id: '0' })).toBeNull();
  });

  it('escapes error messages', () => {
    expect(JSON.parse(briefJson({ ...plain, error_message: 'a "b"\n' })).error_message).toBe('a "b"\n');
  });
});

describe('a result in the list of all', () => {
  it('takes chain and price from the network where nothing was signed', () => {
    expect(read(plain)).toMatchObject({
      access_list: [],
      amount: 30,
      chain_id: '0x128',
      gas_price: null,
      max_fee_per_gas: null,
      nonce: null,
      r: null,
      type: 0,
      v: null,
    });
    const priced: Partial<ResultFormat> = {
      gasPrice: ({ feesEnd, ratesEnd }, at) => (`${feesEnd} ${ratesEnd} ${at}` === '8 9 187654000123456' ? 71n : null),
    };
    expect(read(plain, priced).gas_price).toBe('0x47');
    expect(read(plain, { ...priced, unit: 'weibar' })).toMatchObject({
      amount: 300_000_000_000,
      gas_price: '0xa54f4c3c00',
    });
    expect(read({ ...plain, amount: null }, { unit: 'weibar' }).amount).toBeNull();
  });

  it('shows what was signed', () => {
    expect(read(signed)).toMatchObject({
      access_list: [{ address: '0xa0', storage_keys: [] }],
      amount: 20,
      chain_id: '0x12a',
      gas_limit: 1_000_000,
      gas_price: '0x4a817c80',
      max_fee_per_gas: '0x59',
      max_priority_fee_per_gas: '0x',
      nonce: 5,
      r: '0xb5',
      s: '0x10',
      to: '0x00000000000000000000000000000000000000aa',
      type: 2,
      v: 1,
    });
    expect(read(signed, { unit: 'weibar' })).toMatchObject({
      amount: 200_000_000_000,
      gas_price: '0xad78ebc5ac620000',
      max_fee_per_gas: '0xcf38224400',
    });
  });

  it('shows v of a legacy transaction', () => {
    expect(read({ ...signed, ethereum_type: '0', ethereum_signature_v: '\\x0274' }).v).toBe(628);
    expect(read({ ...signed, ethereum_type: '0', ethereum_signature_v: '\\x' }).v).toBe(1);
    expect(
      read({ ...signed, ethereum_type: '0', ethereum_signature_v: null, ethereum_recovery_id: null }).v,
    ).toBeNull();
  });

  it('shows the authorization list only when asked to', () => {
    const authorized = { ...signed, ethereum_authorization_list: '[{"nonce": 9223372036854775807}]' };
    expect(read(authorized)).not.toHaveProperty('authorization_list');
    expect(resultJson(authorized, { showsAuthorizationList: true })).toContain(
      '"authorization_list":[{"nonce": 9223372036854775807}]',
    );
    expect(read(signed, { showsAuthorizationList: true }).authorization_list).toEqual([]);
    expect(read(plain, { showsAuthorizationList: true })).not.toHaveProperty('authorization_list');
    expect(read({ ...signed, ethereum_access_list: '"0x"' }).access_list).toEqual([]);
  });

  it('names the response code of a failed Ethereum transaction that gave no reason', () => {
    const failed = { transaction_result: '33' };
    expect(read({ ...signed, ...failed })).toMatchObject({
      error_message: 'CONTRACT_REVERT_EXECUTED',
      result: 'CONTRACT_REVERT_EXECUTED',
      status: '0x0',
    });
    expect(read({ ...signed, ...failed, error_message: '0x08c3' }).error_message).toBe('0x08c3');
    expect(read({ ...plain, ...failed }).error_message).toBeNull();
    expect(read({ ...signed, transaction_result: '220' })).toMatchObject({ error_message: null, status: '0x1' });
  });

  it('shows the block, if it is known', () => {
    expect(read(plain)).toMatchObject({ block_gas_used: 400_000, block_hash: '0x6ceecd8b', block_number: 17 });
    expect(read({ ...plain, block_gas_used: '-1', block_hash: '0xab' })).toMatchObject({
      block_gas_used: null,
      block_hash: '0xab',
    });
    expect(read({ ...plain, block_gas_used: null, block_hash: null, block_number: null })).toMatchObject({
      block_gas_used: null,
      block_hash: '0x',
      block_number: null,
    });
  });
});

describe('a result alone', () => {
  const details = (columns: Columns, changes: Partial<DetailsFormat> = {}) =>
    JSON.parse(
      resultDetails.json(rowOf(resultDetails, columns), {
        ...format,
        file: null,
        logs: [],
        stateChanges: [],
        ...changes,
      }),
    );

  it('has logs, state changes, and the gas limit that was signed', () => {
    const logs = [cellsOf(contractResultLog, { 'p.index': '3', 'p.contract_id': '5001' })];
    const limited = { ...signed, ethereum_gas_limit: '77' };
    expect(details(limited, { logs })).toMatchObject({ gas_limit: 77, logs: [{ index: 3 }], state_changes: [] });
    expect(details(plain).gas_limit).toBe(1_000_000);
  });

  it('takes parameters from the call data, else from the result, else from the file', () => {
    const file = Buffer.from('0c0b', 'hex');
    expect(details({ ...signed, ethereum_call_data: '\\xca11' }, { file }).function_parameters).toBe('0xca11');
    expect(details({ ...signed, ethereum_call_data: '\\x' }, { file }).function_parameters).toBe('0x0707');
    const empty = { ...signed, function_parameters: '\\x' };
    expect(details(empty, { file }).function_parameters).toBe('0x0c0b');
    expect(details(empty).function_parameters).toBe('0x');
  });

  it('shows code that failed to deploy', () => {
    const failed = { ...signed, transaction_result: '33' };
    expect(details({ ...failed, ethereum_call_data: '\\xca11' }).failed_initcode).toBe('0xca11');
    expect(details({ ...failed, failed_initcode: '\\x5644', ethereum_call_data: '\\xca11' }).failed_initcode).toBe(
      '0x5644',
    );
    expect(details({ ...signed, ethereum_call_data: '\\xca11' }).failed_initcode).toBeNull();
    expect(details(failed).failed_initcode).toBeNull();
  });
});

describe('a state change', () => {
  it('has words of 32 bytes, and null where nothing was written', () => {
    const word = (end: string) => `0x${end.padStart(64, '0')}`;
    const row = {
      'p.contract_id': '5002',
      'p.slot': '\\x',
      'p.value_read': '\\x01',
    };
    expect(JSON.parse(stateChange.json(cellsOf(stateChange, row)))).toEqual({
      address: '0x000000000000000000000000000000000000138a',
      contract_id: '0.0.5002',
      slot: word(''),
      value_read: word('1'),
      value_written: null,
    });
    const written = cellsOf(stateChange, { ...row, 'p.value_written': '\\x' });
    expect(JSON.parse(stateChange.json(written)).value_written).toBe(word(''));
  });
});
