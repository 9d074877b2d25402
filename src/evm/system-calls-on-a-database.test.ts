/** Contracts against the tables of a mirror node: on the newest state, and on that of past blocks. */
import { type Hex, toHex } from 'viem';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../database/testing/test-database.fixture.ts';
import { createExecute } from './engine/execute.ts';
import { openStateSource } from './state/database-state-source.ts';
import { createSystemContracts, feeSelectors } from './system-contracts/system-contracts.ts';
import { compileContracts, contractNamed } from './testing/solidity.fixture.ts';
import { code } from './testing/system-cases.fixture.ts';
import { bytesOf, functionOf, inputOf, outputsOf } from './testing/system-run.fixture.ts';
import { createSimulate, type Simulate } from './workers/simulate.ts';
import { simulationSettingsOf } from './workers/simulation-settings.ts';
import type { CallAnswer, CallTask } from './workers/simulation-task.ts';
import { web3SettingsWith } from './workers/testing/web3-settings.fixture.ts';

const acceptance = contractNamed(compileContracts('acceptance.sol', 'system-contracts.sol'), 'Acceptance');

const day = BigInt(Date.parse('2024-03-10T00:00:00Z')) * 1_000_000n;
const at = (seconds: bigint): bigint => day + seconds * 1_000_000_000n;
const from = (seconds: bigint): string => `'[${at(seconds)},)'`;
const between = (start: bigint, end: bigint): string => `'[${at(start)},${at(end)})'`;

const address = (id: bigint): Hex => `0x${id.toString(16).padStart(40, '0')}`;
const OWN_ADDRESS: Hex = `0x${'ca'.repeat(20)}`;
const BOB_ADDRESS: Hex = `0x${'b0'.repeat(20)}`;
const ALICE = address(1001n);
const DAVE = address(1003n);
const COIN = address(2001n);
const ART = address(2002n);
const NOBODY = address(0n);
const key = `'\\x1220${'09'.repeat(32)}'`;
const keyNames = 'freeze_key, kyc_key, pause_key, supply_key, wipe_key, fee_schedule_key';
const sixKeys = Array.from({ length: 6 }, () => key).join();

/**
 * Block 1 ends at 199 s, block 2 at 299 s. Between them Alice paid 40 tinybars and 100 coins, the coin got a new name
 * and a fee, Bob was frozen, a serial changed hands, and the counter went from 4 to 7.
 */
const rows = `
  insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start, consensus_end, count,
      digest_algorithm, version, file_hash, index) values
    ('', 0, 0, '${'aa'.repeat(48)}', '', ${at(100n)}, ${at(199n)}, 1, 0, 6, '', 1),
    ('', 0, 0, '${'bb'.repeat(48)}', '', ${at(200n)}, ${at(299n)}, 1, 0, 6, '', 2);
  insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, evm_address, key, memo,
      ethereum_nonce, deleted, max_automatic_token_associations) values
    (2, 2, 0, 0, 'ACCOUNT', 0, '[0,)', 1000000, null, null, '', 0, false, 0),
    (1001, 1001, 0, 0, 'ACCOUNT', ${at(0n)}, ${from(0n)}, 60, null, ${key}, '', 0, false, 0),
    (1002, 1002, 0, 0, 'ACCOUNT', ${at(0n)}, ${from(0n)}, 0, '\\x${'b0'.repeat(20)}', ${key}, '', 0, false, 0),
    (1003, 1003, 0, 0, 'ACCOUNT', ${at(0n)}, ${from(0n)}, 0, null, ${key}, '', 0, false, 0),
    (999, 999, 0, 0, 'ACCOUNT', ${at(0n)}, ${from(0n)}, 0, null, ${key}, '', 0, false, 0),
    (2001, 2001, 0, 0, 'TOKEN', ${at(10n)}, ${from(10n)}, null, null, ${key}, '', null, false, null),
    (2002, 2002, 0, 0, 'TOKEN', ${at(10n)}, ${from(10n)}, null, null, ${key}, '', null, false, null),
    (2003, 2003, 0, 0, 'TOKEN', ${at(250n)}, ${from(250n)}, null, null, ${key}, '', null, false, null),
    (3001, 3001, 0, 0, 'CONTRACT', ${at(20n)}, ${from(20n)}, 1000000, '\\x${'ca'.repeat(20)}', null, '', 1, false, 0);
  insert into account_balance (consensus_timestamp, account_id, balance) values
    (${at(100n)}, 2, 1000000), (${at(100n)}, 1001, 100), (${at(100n)}, 3001, 1000000);
  insert into crypto_transfer (entity_id, consensus_timestamp, amount, payer_account_id, is_approval) values
    (1001, ${at(210n)}, -40, 1001, false);
  insert into contract (id, runtime_bytecode) values (3001, '${toHex(acceptance.runtimeCode).replace('0x', '\\x')}');
  insert into contract_state (contract_id, slot, value, created_timestamp, modified_timestamp) values
    (3001, '\\x${'00'.repeat(32)}', '\\x07', ${at(150n)}, ${at(220n)});
  insert into contract_state_change (consensus_timestamp, contract_id, payer_account_id, slot, value_read, value_written)
    values (${at(150n)}, 3001, 1001, '', '', '\\x04'), (${at(220n)}, 3001, 1001, '', '\\x04', '\\x07');
  insert into token (token_id, created_timestamp, timestamp_range, name, symbol, decimals, initial_supply, total_supply,
      treasury_account_id, type, supply_type, max_supply, freeze_default, freeze_status, kyc_status, pause_status,
      ${keyNames}) values
    (2001, ${at(10n)}, ${from(230n)}, 'New coin', 'NEW', 2, 1000, 1000, 1001, 'FUNGIBLE_COMMON', 'INFINITE', 0, false, 2,
      2, 'UNPAUSED', ${sixKeys}),
    (2002, ${at(10n)}, ${from(10n)}, 'Art', 'ART', 0, 0, 2, 1001, 'NON_FUNGIBLE_UNIQUE', 'INFINITE', 0, false, 2,
      2, 'UNPAUSED', ${sixKeys}),
    (2003, ${at(250n)}, ${from(250n)}, 'Late', 'LAT', 0, 0, 0, 1001, 'FUNGIBLE_COMMON', 'INFINITE', 0, false, 2,
      2, 'UNPAUSED', ${sixKeys});
  insert into token_history (token_id, created_timestamp, timestamp_range, name, symbol, decimals, initial_supply,
      total_supply, treasury_account_id, type, supply_type, max_supply, freeze_default, freeze_status, kyc_status,
      pause_status, ${keyNames}) values
    (2001, ${at(10n)}, ${between(10n, 230n)}, 'Old coin', 'OLD', 2, 1000, 1000, 1001, 'FUNGIBLE_COMMON', 'INFINITE', 0,
      false, 2, 2, 'UNPAUSED', ${sixKeys});
  insert into custom_fee (entity_id, fixed_fees, timestamp_range) values
    (2001, '[]', ${from(275n)});
  insert into custom_fee_history (entity_id, fixed_fees, timestamp_range) values
    (2001, '[{"amount": 3, "collector_account_id": 1001, "denominating_token_id": null,
      "all_collectors_are_exempt": false}]', ${between(10n, 275n)});
  insert into token_account (account_id, token_id, associated, automatic_association, balance, freeze_status, kyc_status,
      created_timestamp, timestamp_range) values
    (1001, 2001, true, false, 800, 2, 1, ${at(10n)}, ${from(10n)}),
    (1002, 2001, true, false, 150, 1, 1, ${at(15n)}, ${from(240n)}),
    (3001, 2001, true, false, 50, 2, 1, ${at(25n)}, ${from(25n)}),
    (1001, 2002, true, false, 0, 2, 1, ${at(10n)}, ${from(10n)}),
    (1002, 2002, true, false, 1, 2, 1, ${at(15n)}, ${from(15n)}),
    (3001, 2002, true, false, 1, 2, 1, ${at(25n)}, ${from(25n)});
  insert into token_account_history (account_id, token_id, associated, automatic_association, freeze_status, kyc_status,
      created_timestamp, timestamp_range) values
    (1002, 2001, true, false, 2, 2, ${at(15n)}, ${between(15n, 240n)});
  insert into token_balance (consensus_timestamp, account_id, token_id, balance) values
    (${at(100n)}, 1001, 2001, 900), (${at(100n)}, 1002, 2001, 50), (${at(100n)}, 3001, 2001, 50);
  insert into token_transfer (token_id, account_id, consensus_timestamp, amount, payer_account_id, is_approval) values
    (2001, 1001, ${at(215n)}, -100, 1001, false), (2001, 1002, ${at(215n)}, 100, 1001, false);
  insert into nft (token_id, serial_number, account_id, created_timestamp, deleted, metadata, spender, timestamp_range)
    values
    (2002, 1, 1002, ${at(30n)}, false, '\\x01', null, ${from(235n)}),
    (2002, 2, 3001, ${at(30n)}, false, '\\x02', null, ${from(30n)});
  insert into nft_history (token_id, serial_number, account_id, created_timestamp, deleted, metadata, spender,
      timestamp_range) values
    (2002, 1, 1001, ${at(30n)}, false, '\\x01', 1003, ${between(30n, 235n)});
  insert into token_allowance (owner, spender, token_id, amount, amount_granted, payer_account_id, timestamp_range) values
    (1001, 1003, 2001, 9, 9, 1001, ${from(260n)});
  insert into token_allowance_history (owner, spender, token_id, amount, amount_granted, payer_account_id,
      timestamp_range) values
    (1001, 1003, 2001, 2, 2, 1001, ${between(80n, 260n)});
  insert into nft_allowance (owner, spender, token_id, approved_for_all, payer_account_id, timestamp_range) values
    (1001, 1003, 2002, true, 1001, ${from(270n)});`;

let target: TestDatabase;
let simulate: Simulate;
beforeAll(async () => {
  target = await createTestDatabase();
  await target.database.query(rows);
  const network = { shard: 0n, realm: 0n };
  simulate = createSimulate({
    execute: await createExecute({ systemContracts: createSystemContracts(), feeSelectors }),
    source: openStateSource(target.database, { ...network, maxFileAttempts: 12 }),
    settings: simulationSettingsOf(web3SettingsWith({ evm: { validatePayerBalance: false } }).evm, network),
    clock: () => at(300n),
  });
});
afterAll(() => target?.drop());

type Changes = Partial<CallTask>;

const block1: Changes = { block: { kind: 'number', number: 1n } };
const block2: Changes = { block: { kind: 'number', number: 2n } };

const send = (to: Hex, data: Hex, changes: Changes = {}): Promise<CallAnswer> =>
  simulate(
    {
      block: { kind: 'latest' },
      data: bytesOf(data),
      from: ALICE.slice(2),
      to: to.slice(2),
      gas: 15_000_000n,
      isGasGiven: true,
      gasPrice: 0n,
      value: 0n,
      estimate: false,
      stateOverrides: [],
      ...changes,
    },
    { deadlineMs: performance.now() + 60_000 },
  );

/** Values of a call of the contract; of a failure the statuses. */
const ask = async (signature: string, args: readonly unknown[], changes: Changes = {}): Promise<readonly unknown[]> => {
  const item = functionOf(acceptance, signature);
  const answer = await send(OWN_ADDRESS, inputOf(item, args), changes);
  if (answer.kind === 'failure') return [answer.status, ...answer.childStatuses];
  return answer.kind === 'result' ? outputsOf(item, toHex(answer.output)) : [answer.kind];
};

const OK = code('SUCCESS');

describe('a contract on the newest state', () => {
  it('keeps changes of its storage to itself', async () => {
    expect(await ask('updateCounter(uint256)', [5n])).toEqual([5n]);
    expect(await ask('updateManyTimes(uint256)', [15n])).toEqual([14n]);
    expect(await ask('counter()', [])).toEqual([7n]);
  });

  it('deploys contracts at different addresses', async () => {
    const [first, second] = await ask('deployTwo()', []);
    expect(new Set([first, second, NOBODY]).size).toBe(3);
  });

  it('sends value', async () => {
    expect(await ask('send(address,uint256)', [DAVE, 10_000n])).toEqual([1_000_000n, 990_000n]);
    expect(await ask('balanceAt(address)', [ALICE])).toEqual([60n]);
  });

  it('mints, burns and wipes units', async () => {
    expect(await ask('mint(address,address,int64,bytes[])', [COIN, ALICE, 1n, []])).toEqual([
      800n,
      801n,
      1_000n,
      1_001n,
    ]);
    expect(await ask('burn(address,address,int64,int64[])', [COIN, ALICE, 1n, []])).toEqual([800n, 799n, 1_000n, 999n]);
    // Bob is frozen.
    expect(await ask('wipe(address,address,int64,int64[])', [COIN, OWN_ADDRESS, 1n, []])).toEqual([
      50n,
      49n,
      1_000n,
      999n,
    ]);
  });

  it('mints, burns and wipes serials', async () => {
    expect(await ask('mint(address,address,int64,bytes[])', [ART, ALICE, 0n, ['0x03']])).toEqual([0n, 1n, 2n, 3n]);
    expect(await ask('wipe(address,address,int64,int64[])', [ART, BOB_ADDRESS, 0n, [1n]])).toEqual([1n, 0n, 2n, 1n]);
    // Not the treasury's: nothing happens.
    expect(await ask('burn(address,address,int64,int64[])', [ART, ALICE, 0n, [1n]])).toEqual([0n, 0n, 2n, 2n]);
  });

  it.each([COIN, ART])('pauses, freezes and associates %s', async (token) => {
    expect(await ask('pauseAndUnpause(address)', [token])).toEqual([true, false]);
    expect(await ask('freezeAndUnfreeze(address,address)', [token, ALICE])).toEqual([true, false]);
    expect(await ask('associateAndDissociate(address,address)', [token, DAVE])).toEqual([
      OK,
      code('TOKEN_NOT_ASSOCIATED_TO_ACCOUNT'),
    ]);
  });

  it('approves units and serials', async () => {
    const signature = 'approveAndAsk(address,address,uint256,uint256)';
    expect(await ask(signature, [COIN, DAVE, 1n, 0n])).toEqual([1n, NOBODY]);
    expect(await ask(signature, [ART, BOB_ADDRESS, 0n, 2n])).toEqual([0n, BOB_ADDRESS]);
    expect(await ask('spendApproved(address,address,uint256)', [COIN, ALICE, 1n])).toEqual([0n, 800n, 801n]);
  });

  it('grants and revokes KYC', async () => {
    expect(await ask('grantAndRevokeKyc(address,address)', [COIN, ALICE])).toEqual([
      true,
      OK,
      false,
      OK,
      code('ACCOUNT_KYC_NOT_GRANTED_FOR_TOKEN'),
    ]);
  });
});

describe('accounts with an alias', () => {
  it('are known by it alone, but where a transaction begins', async () => {
    const byNumber = await ask('views(address,address,address)', [COIN, address(1002n), address(1002n)]);
    expect(byNumber).toEqual(['CONTRACT_REVERT_EXECUTED', 'INVALID_ACCOUNT_ID']);
    expect((await send(address(1002n), '0x', { value: 1n })).kind).toBe('result');
    expect(await ask('send(address,uint256)', [address(1002n), 1n])).toEqual(['CONTRACT_REVERT_EXECUTED']);
  });
});

describe('an estimate', () => {
  it.each([
    ['updateCounter(uint256)', [5n]],
    ['updateManyTimes(uint256)', [15n]],
    ['deployTwo()', []],
    ['mint(address,address,int64,bytes[])', [ART, ALICE, 0n, ['0x03']]],
    ['approveAndAsk(address,address,uint256,uint256)', [COIN, DAVE, 1n, 0n]],
    ['pauseAndUnpause(address)', [COIN]],
  ] as const)('of %s is enough, and at most a fifth too much', async (signature, args) => {
    const input = inputOf(functionOf(acceptance, signature), args);
    const called = await send(OWN_ADDRESS, input);
    const estimated = await send(OWN_ADDRESS, input, { estimate: true });
    if (called.kind !== 'result' || estimated.kind !== 'estimate') throw new Error('The call failed');
    expect(estimated.gas).toBeGreaterThanOrEqual(called.gasUsed);
    expect(estimated.gas).toBeLessThanOrEqual((called.gasUsed * 6n) / 5n);
    expect((await send(OWN_ADDRESS, input, { gas: estimated.gas })).kind).toBe('result');
  });
});

describe('low addresses', () => {
  it.each([1n, 10n, 358n, 750n])('0.0.%s take nothing and show nothing', async (num) => {
    expect(await ask('destroy(address)', [address(num)])).toEqual(['INVALID_SOLIDITY_ADDRESS']);
    expect(await ask('balanceAt(address)', [address(num)])).toEqual([0n]);
    expect(await ask('codeAt(address)', [address(num)])).toEqual([0n, `0x${'00'.repeat(32)}`, '0x']);
  });

  it('above 0.0.750 are accounts, and no contract may leave itself everything', async () => {
    expect(await ask('destroy(address)', [OWN_ADDRESS])).toEqual(['OBTAINER_SAME_CONTRACT_ID']);
    expect(await ask('codeAt(address)', [address(999n)])).toEqual([0n, `0x${'00'.repeat(32)}`, '0x']);
    expect(await ask('balanceAt(address)', [OWN_ADDRESS])).toEqual([1_000_000n]);
  });

  it('are precompiles of the EVM', async () => {
    const words = [
      '456e9aea5e197a1f1af7a3e85a3212fa4049a3ba34c2289b4c860fc0b0c64ef3',
      '1c'.padStart(64, '0'),
      '9242685bf161793cc25603c231bc2f568eb630ea16aa137d2664ac8038825608',
      '4f8ae3bd7535248d0bd448298cc2e2071e56992d0774dc340c368ae950852ada',
    ];
    expect(await send(address(1n), `0x${words.join('')}`)).toMatchObject({
      kind: 'result',
      output: bytesOf(`0x${'00'.repeat(12)}7156526fbd7a3c72969b54f64e42c10fbb768c8a`),
    });
    expect(await send(address(2n), '0xff')).toMatchObject({
      kind: 'result',
      output: bytesOf('0xa8100ae6aa1940d0b663bb31cd466142ebbdbd5187131b92d93818987832eb89'),
    });
  });
});

describe('past blocks', () => {
  const views = 'views(address,address,address)';
  const approvals = 'approvals(address,address,address,address)';

  it('show storage and balances as they were', async () => {
    expect([await ask('counter()', [], block1), await ask('counter()', [], block2)]).toEqual([[4n], [7n]]);
    const balance = (changes: Changes) => ask('balanceAt(address)', [ALICE], changes);
    expect([await balance(block1), await balance(block2), await balance({})]).toEqual([[100n], [60n], [60n]]);
  });

  it('show tokens and relations as they were', async () => {
    const ofBob = [COIN, BOB_ADDRESS, BOB_ADDRESS];
    expect(await ask(views, ofBob, block1)).toEqual(['Old coin', 'OLD', 1_000n, 50n, false, false, 1n]);
    expect(await ask(views, ofBob, block2)).toEqual(['New coin', 'NEW', 1_000n, 150n, true, true, 0n]);
    expect(await ask(views, ofBob)).toEqual(['New coin', 'NEW', 1_000n, 150n, true, true, 0n]);
  });

  it('show approvals and owners as they were', async () => {
    const ofAlice = [COIN, ART, ALICE, DAVE];
    expect(await ask(approvals, ofAlice, block1)).toEqual([2n, false, ALICE, DAVE]);
    expect(await ask(approvals, ofAlice, block2)).toEqual([9n, true, BOB_ADDRESS, NOBODY]);
    expect(await ask(approvals, ofAlice)).toEqual([9n, true, BOB_ADDRESS, NOBODY]);
  });

  it('take changes, too', async () => {
    expect(await ask('mint(address,address,int64,bytes[])', [COIN, ALICE, 1n, []], block1)).toEqual([
      900n,
      901n,
      1_000n,
      1_001n,
    ]);
  });

  it('know nothing of a token that came later', async () => {
    const late = [address(2003n), ALICE, ALICE];
    expect(await ask(views, late)).toEqual(['Late', 'LAT', 0n, 0n, false, false, 0n]);
    expect(await ask(views, late, block1)).toEqual(['CONTRACT_REVERT_EXECUTED']);
  });

  it('are unknown beyond the newest', async () => {
    expect(await ask('counter()', [], { block: { kind: 'number', number: 20n } })).toEqual(['unknown-block']);
  });
});
