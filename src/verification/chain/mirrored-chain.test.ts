import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../database/connection.ts';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { insertBlock, insertContract, insertTransaction, type LedgerContract } from '../testing/deployment.fixture.ts';
import { addressBytes, checksumAddress } from './address.ts';
import type { ContractChain } from './chain.ts';
import { openMirroredChain } from './mirrored-chain.ts';

const CREATED = 1_700_000_000_000_000_005n;
const EVM_ADDRESS = Buffer.alloc(20, 0xe1);
const HASH = Buffer.alloc(48, 7);
const ETHEREUM_HASH = Buffer.alloc(32, 8);
const CODE = Buffer.from('6001600255', 'hex');

let test: TestDatabase;
let database: Database;
let chain: ContractChain;

beforeAll(async () => {
  test = await createTestDatabase();
  ({ database } = test);
  chain = openMirroredChain(database, { chainId: '295', name: 'mainnet', shard: 0n, realm: 0n });
});
afterAll(() => test.drop());
beforeEach(async () => {
  await database.query(`truncate entity, contract, transaction, ethereum_transaction, contract_result, contract_action,
    contract_transaction_hash, transaction_hash, file_data, record_file`);
});

const contract = (changes: Partial<LedgerContract> = {}): LedgerContract => ({
  id: 5005,
  created: CREATED,
  evmAddress: EVM_ADDRESS,
  runtime: CODE,
  initcode: CODE,
  ...changes,
});

const identity = () => chain.identify(EVM_ADDRESS);
const hex = (bytes: Buffer): string => `0x${bytes.toString('hex')}`;

const insertEthereum = (at: bigint, toAddress: Buffer | null, callData: Buffer): Promise<unknown> =>
  database.query(
    `insert into ethereum_transaction (consensus_timestamp, data, call_data, gas_limit, hash, max_gas_allowance, nonce,
       payer_account_id, signature_r, signature_s, to_address, type) values ($1, '', $2, 1, $3, 0, 0, 1001, '', '', $4, 2)`,
    [at, callData, ETHEREUM_HASH, toAddress],
  );

describe('addresses', () => {
  it.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  ])('have the check sum of EIP-55: %s', (address) => {
    expect(checksumAddress(addressBytes(address.toLowerCase()) ?? Buffer.alloc(0))).toBe(address);
    expect(addressBytes(`${address}00`)).toBeUndefined();
  });
});

describe('the mirrored chain', () => {
  it('tells what a contract keeps now', async () => {
    await insertContract(database, contract());
    const slot = Buffer.alloc(32, 0x36);
    await database.query('delete from contract_state');
    await database.query(
      `insert into contract_state (contract_id, created_timestamp, modified_timestamp, slot, value)
       values (5005, 1, 1, $1, $2)`,
      [slot, Buffer.from('2a', 'hex')],
    );
    expect(Buffer.from(await chain.storage(await identity(), slot)).toString('hex')).toBe('2a');
    expect(await chain.storage(await identity(), Buffer.alloc(32))).toHaveLength(0);
    const nobody = await chain.identify(Buffer.alloc(20, 1));
    expect(await chain.storage(nobody, slot)).toHaveLength(0);
  });

  it('knows a contract by both of its addresses', async () => {
    await insertContract(database, contract());
    const known = { address: checksumAddress(EVM_ADDRESS), contractId: '5005', createdTimestamp: String(CREATED) };
    expect(await identity()).toEqual(known);
    const longZero = Buffer.alloc(20);
    longZero.writeUInt32BE(5005, 16);
    expect(await chain.identify(longZero)).toEqual(known);
    longZero.writeUInt32BE(5006, 16);
    expect(await chain.identify(longZero)).toMatchObject({ contractId: null });
  });

  it('has no code for contracts that are gone or whose code nobody told', async () => {
    await insertContract(database, contract());
    expect(await chain.runtimeCode(await identity())).toBe(hex(CODE));
    await database.query('update entity set deleted = true');
    expect(await chain.runtimeCode(await identity())).toBe('0x');
    await database.query('update entity set deleted = false');
    await database.query('update contract set runtime_bytecode = null');
    expect(await chain.runtimeCode(await identity())).toBe('0x');
    expect(await chain.runtimeCode(await chain.identify(Buffer.alloc(20, 1)))).toBe('0x');
  });

  it.each([
    ['hash of 48 bytes', hex(HASH)],
    ['hash of 32 bytes', hex(HASH.subarray(0, 32))],
    ['transaction id', '0.0.1001-1700000000-000000000'],
    ['transaction id of SDKs', '0.0.1001@1700000000.0'],
  ])('takes the creator by its %s', async (_what, text) => {
    await insertContract(database, contract());
    await insertTransaction(database, { at: CREATED, hash: HASH, index: 4 });
    await database.query('insert into transaction_hash (consensus_timestamp, hash, hash_suffix) values ($1, $2, $3)', [
      CREATED,
      HASH.subarray(0, 32),
      HASH.subarray(32),
    ]);
    await insertBlock(database, 12, CREATED - 1n, CREATED + 1n);
    expect(await chain.creation(await identity(), text)).toEqual({
      bytecode: hex(CODE),
      transactionHash: text,
      blockNumber: '12',
      transactionIndex: '4',
      deployer: '0x00000000000000000000000000000000000003e9',
    });
  });

  it('takes no transaction that created something else', async () => {
    await insertContract(database, contract());
    await insertTransaction(database, { at: CREATED, hash: HASH });
    await insertTransaction(database, { at: CREATED + 5n, hash: Buffer.alloc(48, 9) });
    await database.query('insert into transaction_hash (consensus_timestamp, hash) values ($1, $2)', [
      CREATED + 5n,
      Buffer.alloc(32, 9),
    ]);
    for (const text of [hex(Buffer.alloc(48, 9)), hex(Buffer.alloc(32, 6)), '0.0.9-1-1', 'nonsense']) {
      expect(await chain.creation(await identity(), text)).toBeUndefined();
    }
  });

  it('takes the call data of an Ethereum transaction to nobody for the code', async () => {
    await insertContract(database, contract({ initcode: null }));
    await insertTransaction(database, { at: CREATED - 1n, hash: HASH });
    await insertTransaction(database, { at: CREATED, hash: Buffer.alloc(48, 2), parent: CREATED - 1n });
    await insertEthereum(CREATED - 1n, null, CODE);
    expect(await chain.creation(await identity(), undefined)).toMatchObject({
      bytecode: hex(CODE),
      transactionHash: hex(ETHEREUM_HASH),
    });
  });

  it('takes what a factory was called with not for the code, but its action', async () => {
    const callData = Buffer.from('c0ffee00', 'hex');
    await insertContract(database, contract({ initcode: callData }));
    await insertTransaction(database, { at: CREATED - 1n, hash: HASH });
    await insertTransaction(database, { at: CREATED, hash: Buffer.alloc(48, 2), parent: CREATED - 1n });
    await insertEthereum(CREATED - 1n, Buffer.alloc(20, 3), callData);
    expect(await chain.creation(await identity(), undefined)).toMatchObject({ transactionHash: hex(ETHEREUM_HASH) });
    expect((await chain.creation(await identity(), undefined))?.bytecode).toBeUndefined();
    await database.query(
      `insert into contract_action (call_depth, call_type, consensus_timestamp, gas, gas_used, index, input,
         recipient_contract, result_data_type, value, payer_account_id) values (1, 2, $1, 1, 1, 1, $2, 5005, 11, 0, 1001)`,
      [CREATED - 1n, CODE],
    );
    expect((await chain.creation(await identity(), undefined))?.bytecode).toBe(hex(CODE));
  });

  it('keeps the code when the transaction is pruned', async () => {
    await insertContract(database, contract());
    expect(await chain.creation(await identity(), undefined)).toEqual({ bytecode: hex(CODE) });
  });
});
