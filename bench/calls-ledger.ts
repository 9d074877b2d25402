/** A ledger to call contracts on: an ERC-20 contract, an HTS token, an account that holds both, and some blocks. */
import type { Queryable } from '../src/database/connection.ts';
import { bombCode, bombs } from '../src/evm/engine/testing/precompile-bombs.fixture.ts';
import { compileContracts } from './evm/compile.ts';
import { addresses, deploy, SENDER } from './evm/engines.ts';

const SENDER_ID = 3_000n;
const TOKEN_ID = 4_000n;
const FIRST_CONTRACT_ID = 5_000n;
const FIRST_BOMB_ID = 6_000n;
const BLOCKS = 5_000;
const SECOND = 1_000_000_000n;
const BEGINNING = 1_700_000_000n * SECOND;

const word = (value: bigint): string => value.toString(16).padStart(64, '0');
const longZero = (id: bigint): string => id.toString(16).padStart(40, '0');

export interface Call {
  readonly name: string;
  readonly body: { readonly from: string; readonly to: string; readonly data: string; readonly gas: number };
}

export interface CallsLedger {
  readonly calls: readonly Call[];
  /** Uses all of 15 million gas, and ends without a result. */
  readonly heavy: Call;
  /** The same with a precompiled contract each. */
  readonly bombs: readonly Call[];
  /** Numbers of its blocks begin with 0. */
  readonly blocks: number;
}

export const writeCallsLedger = async (db: Queryable): Promise<CallsLedger> => {
  const contracts = compileContracts();
  await db.query(`
    insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
      digest_algorithm, version, file_hash, index, hapi_version_major, hapi_version_minor, hapi_version_patch, logs_bloom)
    select '', 0, 0, lpad(to_hex(n), 96, '0'), lpad(to_hex(n), 96, '0'), ${BEGINNING} + n * ${2n * SECOND},
      ${BEGINNING} + n * ${2n * SECOND} + 1, 1, 0, 6, '', n, 0, 70, 0, ''
    from generate_series(0::bigint, ${BLOCKS - 1}) n;
    insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, alias) values
      (2, 2, 0, 0, 'ACCOUNT', 0, '[0,)', 1000, null),
      (${SENDER_ID}, ${SENDER_ID}, 0, 0, 'ACCOUNT', 0, '[0,)', 1000, '\\x${SENDER}'),
      (${TOKEN_ID}, ${TOKEN_ID}, 0, 0, 'TOKEN', 0, '[0,)', null, null);
    insert into token (token_id, created_timestamp, timestamp_range, name, symbol, decimals, initial_supply, total_supply,
      treasury_account_id, type, supply_type, max_supply, freeze_default, freeze_status, kyc_status, pause_status) values
      (${TOKEN_ID}, 0, '[0,)', 'Coin', 'COI', 2, 1000, 1000, ${SENDER_ID}, 'FUNGIBLE_COMMON', 'INFINITE', 0, false, 0, 0,
        'NOT_APPLICABLE');
    insert into token_account (account_id, token_id, associated, automatic_association, balance, created_timestamp,
      timestamp_range) values (${SENDER_ID}, ${TOKEN_ID}, true, false, 1000, 0, '[0,)')`);
  for (const [index, { name, code, slots }] of (await deploy(contracts)).entries()) {
    const id = FIRST_CONTRACT_ID + BigInt(index);
    await db.query(
      `insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, evm_address,
        ethereum_nonce) values ($1, $1, 0, 0, 'CONTRACT', 0, '[0,)', 0, $2, 1)`,
      [id, Buffer.from(addresses[name] ?? '', 'hex')],
    );
    await db.query('insert into contract (id, runtime_bytecode) values ($1, $2)', [id, Buffer.from(code)]);
    for (const [slot, value] of slots) {
      await db.query(
        `insert into contract_state (contract_id, slot, value, created_timestamp, modified_timestamp)
         values ($1, $2, $3, 0, 0)`,
        [id, Buffer.from(slot, 'hex'), Buffer.from(value, 'hex')],
      );
    }
  }
  for (const [index, bomb] of bombs.entries()) {
    const id = FIRST_BOMB_ID + BigInt(index);
    await db.query(
      `insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance)
       values ($1, $1, 0, 0, 'CONTRACT', 0, '[0,)', 0)`,
      [id],
    );
    await db.query('insert into contract (id, runtime_bytecode) values ($1, $2)', [id, Buffer.from(bombCode(bomb))]);
  }
  const call = (name: string, to: string, selector: string | undefined, ...words: bigint[]): Call => ({
    name,
    body: {
      from: `0x${SENDER}`,
      to: `0x${to}`,
      data: `0x${selector}${words.map(word).join('')}`,
      gas: 15_000_000,
    },
  });
  const { Token, Loads } = contracts;
  const sender = BigInt(`0x${SENDER}`);
  const erc20 = addresses.Token ?? '';
  const balanceOf = Token?.selectors['balanceOf(address)'];
  return {
    calls: [
      call('ERC-20 balanceOf', erc20, balanceOf, sender),
      call('ERC-20 transfer', erc20, Token?.selectors['transfer(address,uint256)'], SENDER_ID, 5n),
      call('HTS isToken', longZero(0x167n), '19f37361', TOKEN_ID),
      call('HTS balanceOf through the facade', longZero(TOKEN_ID), balanceOf, sender),
    ],
    heavy: call('15 million gas', addresses.Loads ?? '', Loads?.selectors['arithmetic(uint256)'], 1n << 200n),
    bombs: bombs.map(({ name }, index) => call(name, longZero(FIRST_BOMB_ID + BigInt(index)), '')),
    blocks: BLOCKS,
  };
};
