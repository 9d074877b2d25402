import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../database/testing/test-database.fixture.ts';
import { openStateSource } from './database-state-source.ts';
import type { StateReader } from './state-reader.ts';
import type { StateSource } from './state-source.ts';
import { entityRecord, nftRecord, relationRecord, tokenRecord } from './testing/memory-reader.fixture.ts';

const options = { shard: 0n, realm: 0n, maxFileAttempts: 12 };
const second = 1_000_000_000n;
const day = BigInt(Date.parse('2024-03-10T00:00:00Z')) * 1_000_000n;
const at = (seconds: bigint): bigint => day + seconds * second;

const address = 'a1'.repeat(20);
const reused = 'b2'.repeat(20);
const key = `1220${'0a'.repeat(32)}`;
const range = (lower: bigint, upper?: bigint): string => `'[${lower},${upper ?? ''})'`;

/**
 * Accounts 1001 (alice), 1002 (bob), contract 1003, tokens 2001 (fungible) and 2002 (serials), schedule 3001. Snapshots at
 * 100 s and, of what changed, at 200 s.
 */
const rows = `
  insert into entity (id, num, shard, realm, type, created_timestamp, timestamp_range, balance, alias, evm_address, key,
      memo, ethereum_nonce, deleted, auto_renew_period, auto_renew_account_id, expiration_timestamp,
      max_automatic_token_associations, receiver_sig_required, delegation_address) values
    (2, 2, 0, 0, 'ACCOUNT', 0, '[0,)', 900, null, null, null, '', 0, false, null, null, null, null, null, null),
    (1001, 1001, 0, 0, 'ACCOUNT', ${at(0n)}, ${range(at(150n))}, 75, '\\x${address}', null, '\\x${key}', 'new', 7, false,
      8000000, 1002, null, 5, true, '\\x${'cc'.repeat(20)}'),
    (1002, 1002, 0, 0, 'ACCOUNT', ${at(0n)}, ${range(at(0n))}, null, null, null, null, '', null, null, null, null,
      ${at(500n)}, null, null, '\\x${'00'.repeat(20)}'),
    (1003, 1003, 0, 0, 'CONTRACT', ${at(20n)}, ${range(at(180n))}, 5, null, '\\x${reused}', null, '', 1, true, 7776000, 0,
      null, 0, false, null),
    (1004, 1004, 0, 0, 'CONTRACT', ${at(190n)}, ${range(at(190n))}, 6, null, '\\x${reused}', null, '', 1, false, 7776000,
      0, null, 0, false, null),
    (2001, 2001, 0, 0, 'TOKEN', ${at(10n)}, ${range(at(10n))}, null, null, null, '\\x${key}', 'coin', null, false, 7776000,
      1001, null, null, null, null),
    (2002, 2002, 0, 0, 'TOKEN', ${at(10n)}, ${range(at(260n))}, null, null, null, null, '', null, true, null, null, null,
      null, null, null),
    (3001, 3001, 0, 0, 'SCHEDULE', ${at(40n)}, ${range(at(240n))}, null, null, null, '\\x${key}', 'later', null, true,
      null, null, null, null, null, null);
  insert into entity_history (id, num, shard, realm, type, created_timestamp, timestamp_range, alias, key, memo,
      ethereum_nonce, deleted, evm_address) values
    (1001, 1001, 0, 0, 'ACCOUNT', ${at(0n)}, ${range(at(0n), at(150n))}, '\\x${address}', null, 'old', 3, false, null),
    (1003, 1003, 0, 0, 'CONTRACT', ${at(20n)}, ${range(at(20n), at(180n))}, null, null, '', 1, false, '\\x${reused}'),
    (2002, 2002, 0, 0, 'TOKEN', ${at(10n)}, ${range(at(10n), at(260n))}, null, null, '', null, false, null),
    (3001, 3001, 0, 0, 'SCHEDULE', ${at(40n)}, ${range(at(40n), at(240n))}, null, '\\x${key}', 'later', null, false, null);
  insert into account_balance (consensus_timestamp, account_id, balance) values
    (${at(100n)}, 2, 1000), (${at(100n)}, 1001, 50), (${at(100n)}, 1002, 0), (${at(100n)}, 1003, 5),
    (${at(200n)}, 2, 950), (${at(200n)}, 1001, 60);
  insert into crypto_transfer (entity_id, consensus_timestamp, amount, payer_account_id, is_approval, errata) values
    (1001, ${at(50n)}, 50, 2, false, null), (1003, ${at(50n)}, 5, 2, false, null),
    (1001, ${at(120n)}, 10, 2, false, null), (1001, ${at(130n)}, 1000, 2, false, 'DELETE'),
    (1001, ${at(210n)}, 20, 2, false, null), (1001, ${at(220n)}, -5, 1002, true, null),
    (98, ${at(210n)}, 3, 2, false, null);
  insert into contract (id, runtime_bytecode) values (1003, '\\x6001'), (1004, '\\x');
  insert into contract_result (consensus_timestamp, contract_id, payer_account_id, sender_id, function_parameters,
      gas_limit, transaction_result) values
    (${at(70n)}, 1003, 1001, 1001, '', 1, 22), (${at(170n)}, 1003, 1001, 1001, '', 1, 22),
    (${at(225n)}, 359, 1001, 1002, '', 1, 22);
  insert into contract_state_change (consensus_timestamp, contract_id, payer_account_id, slot, value_read, value_written)
    values
    (${at(70n)}, 1003, 1001, '', '', '\\x01'), (${at(170n)}, 1003, 1001, '', '\\x01', '\\x0102'),
    (${at(170n)}, 1003, 1001, '\\x10', '\\x77', null), (${at(170n)}, 1003, 1001, '\\x0200', '', '\\x09');
  insert into contract_state (contract_id, slot, value, created_timestamp, modified_timestamp) values
    (1003, '\\x${'00'.repeat(32)}', '\\x0102', ${at(70n)}, ${at(170n)}),
    (1003, '\\x${'0200'.padStart(64, '0')}', '\\x09', ${at(170n)}, ${at(170n)});
  insert into token (token_id, created_timestamp, timestamp_range, name, symbol, decimals, initial_supply, total_supply,
      treasury_account_id, type, supply_type, max_supply, freeze_default, freeze_status, kyc_status, pause_status,
      freeze_key, kyc_key, metadata) values
    (2001, ${at(10n)}, ${range(at(160n))}, 'Coin', 'COI', 2, 1000, 1100, 1001, 'FUNGIBLE_COMMON', 'FINITE', 5000, true, 1,
      1, 'PAUSED', '\\x${key}', '\\x${key}', '\\x0708'),
    (2002, ${at(10n)}, ${range(at(10n))}, 'Art', 'ART', 0, 0, 1, 1001, 'NON_FUNGIBLE_UNIQUE', 'INFINITE', 0, false, 0, 0,
      'NOT_APPLICABLE', null, null, null);
  insert into token_history (token_id, created_timestamp, timestamp_range, name, symbol, decimals, initial_supply,
      total_supply, treasury_account_id, freeze_status, kyc_status) values
    (2001, ${at(10n)}, ${range(at(10n), at(160n))}, 'Penny', 'PEN', 2, 1000, 1000, 0, 0, 0);
  insert into custom_fee (entity_id, fixed_fees, fractional_fees, royalty_fees, timestamp_range) values
    (2001, '[{"amount": 9007199254740993, "collector_account_id": 1002, "denominating_token_id": null,
        "all_collectors_are_exempt": true}, {"amount": 1, "collector_account_id": null, "denominating_token_id": null}]',
      '[{"numerator": 1, "denominator": 100, "minimum_amount": 2, "maximum_amount": null, "net_of_transfers": true,
        "collector_account_id": 1001, "all_collectors_are_exempt": false}]', null, ${range(at(160n))}),
    (2002, null, null, '[{"numerator": 1, "denominator": 4, "collector_account_id": 1002,
        "fallback_fee": {"amount": 3, "denominating_token_id": 2001}, "all_collectors_are_exempt": false},
        {"numerator": 1, "denominator": 5, "collector_account_id": 1002, "fallback_fee": null}]', ${range(at(10n))});
  insert into custom_fee_history (entity_id, fixed_fees, timestamp_range) values
    (2001, '[]', ${range(at(10n), at(160n))});
  insert into token_account (account_id, token_id, associated, automatic_association, balance, freeze_status, kyc_status,
      created_timestamp, timestamp_range) values
    (1001, 2001, true, false, 880, null, null, ${at(10n)}, ${range(at(10n))}),
    (1002, 2001, true, true, 220, 2, 2, ${at(15n)}, ${range(at(140n))}),
    (1001, 2002, true, false, 1, null, null, ${at(10n)}, ${range(at(10n))}),
    (1002, 2002, false, false, 0, null, null, ${at(10n)}, ${range(at(250n))});
  insert into token_account_history (account_id, token_id, associated, automatic_association, freeze_status, kyc_status,
      created_timestamp, timestamp_range) values
    (1002, 2001, true, true, 1, 1, ${at(15n)}, ${range(at(15n), at(140n))}),
    (1002, 2002, true, false, null, null, ${at(10n)}, ${range(at(10n), at(250n))});
  insert into token_balance (consensus_timestamp, account_id, token_id, balance) values
    (${at(100n)}, 1001, 2001, 900), (${at(100n)}, 1002, 2001, 100), (${at(200n)}, 1002, 2001, 120),
    (${at(200n)}, 1001, 2001, 880);
  insert into token_transfer (token_id, account_id, consensus_timestamp, amount, payer_account_id, is_approval) values
    (2001, 1001, ${at(10n)}, 1000, 1001, false), (2001, 1001, ${at(60n)}, -100, 1001, false),
    (2001, 1002, ${at(60n)}, 100, 1001, false), (2001, 1001, ${at(120n)}, -20, 1002, true),
    (2001, 1002, ${at(120n)}, 20, 1002, true), (2001, 1001, ${at(215n)}, 100, 1001, false),
    (2001, 1001, ${at(225n)}, -100, 1001, true), (2001, 1002, ${at(225n)}, 100, 1001, false);
  insert into nft (token_id, serial_number, account_id, created_timestamp, deleted, metadata, spender, delegating_spender,
      timestamp_range) values
    (2002, 1, 1001, ${at(30n)}, false, '\\x01', 1002, 1003, ${range(at(230n))}),
    (2002, 2, null, ${at(30n)}, true, '\\x02', null, null, ${range(at(235n))}),
    (2002, 3, 1001, ${at(245n)}, false, '\\x03', null, null, ${range(at(245n))});
  insert into nft_history (token_id, serial_number, account_id, created_timestamp, deleted, metadata, timestamp_range)
    values
    (2002, 1, 1001, ${at(30n)}, false, '\\x01', ${range(at(30n), at(110n))}),
    (2002, 1, 1002, ${at(30n)}, false, '\\x01', ${range(at(110n), at(230n))}),
    (2002, 2, 1002, ${at(30n)}, false, '\\x02', ${range(at(30n), at(235n))});
  insert into crypto_allowance (owner, spender, amount, amount_granted, payer_account_id, timestamp_range) values
    (1001, 1002, 35, 40, 1001, ${range(at(205n))}), (1002, 1001, -4, 1, 1001, ${range(at(0n))});
  insert into crypto_allowance_history (owner, spender, amount, amount_granted, payer_account_id, timestamp_range) values
    (1001, 1002, 9, 9, 1001, ${range(at(90n), at(205n))});
  insert into token_allowance (owner, spender, token_id, amount, amount_granted, payer_account_id, timestamp_range) values
    (1001, 1002, 2001, 180, 300, 1001, ${range(at(80n))});
  insert into nft_allowance (owner, spender, token_id, approved_for_all, payer_account_id, timestamp_range) values
    (1001, 1002, 2002, true, 1001, ${range(at(80n))}), (1001, 1003, 2002, false, 1001, ${range(at(80n))});
  insert into nft_allowance_history (owner, spender, token_id, approved_for_all, payer_account_id, timestamp_range) values
    (1001, 1002, 2002, false, 1001, ${range(at(60n), at(80n))}),
    (1001, 1003, 2002, true, 1001, ${range(at(60n), at(80n))});
  insert into token_airdrop (sender_account_id, receiver_account_id, token_id, serial_number, amount, state,
      timestamp_range) values
    (1001, 1002, 2001, 0, 12, 'PENDING', ${range(at(150n))}), (1001, 1002, 2002, 3, null, 'CLAIMED', ${range(at(250n))});
  insert into token_airdrop_history (sender_account_id, receiver_account_id, token_id, serial_number, amount, state,
      timestamp_range) values
    (1001, 1002, 2001, 0, 4, 'PENDING', ${range(at(140n), at(150n))}),
    (1001, 1002, 2002, 3, null, 'PENDING', ${range(at(246n), at(250n))});
  insert into schedule (schedule_id, consensus_timestamp, creator_account_id, payer_account_id, executed_timestamp,
      transaction_body, expiration_time, wait_for_expiry) values
    (3001, ${at(40n)}, 1001, 1002, ${at(230n)}, '\\x0a', ${at(900n)}, true);
  insert into transaction_signature (consensus_timestamp, entity_id, public_key_prefix, signature, type) values
    (${at(40n)}, 3001, '\\x${'01'.repeat(32)}', '', 3), (${at(41n)}, 3001, '\\x${'01'.repeat(32)}', '', 3),
    (${at(41n)}, 3001, '\\x0102', '', 3), (${at(90n)}, 3001, '\\x${'02'.repeat(33)}', '', 6);`;

let target: TestDatabase;
let source: StateSource;

beforeAll(async () => {
  target = await createTestDatabase();
  await target.database.query(rows);
  source = openStateSource(target.database, options);
});
afterAll(() => target?.drop());

const bytes = (hex: string): Uint8Array => new Uint8Array(Buffer.from(hex, 'hex'));
const past = (seconds: bigint): StateReader => source.at(at(seconds));

describe('entities', () => {
  const created = { createdTimestamp: at(0n) };
  const years = 9_223_372_036n;

  it('are read as they are now', async () => {
    const latest = source.latest();
    expect(await latest.entity(1001n)).toEqual(
      entityRecord(1001n, {
        ...created,
        evmAddress: address,
        alias: bytes(address),
        balance: 75n,
        nonce: 7n,
        key: bytes(key),
        memo: 'new',
        autoRenewPeriodSeconds: 8_000_000n,
        autoRenewAccountId: 1002n,
        expirySeconds: at(0n) / second + 8_000_000n,
        maxAutomaticAssociations: 5,
        receiverSigRequired: true,
        delegationAddress: 'cc'.repeat(20),
      }),
    );
    expect(await latest.entity(1002n)).toEqual(
      entityRecord(1002n, { ...created, key: undefined, expirySeconds: at(500n) / second }),
    );
    expect(await latest.entity(1003n)).toBeUndefined();
    expect(await latest.entity(1999n)).toBeUndefined();
  });

  it('are read as they were, with their balance', async () => {
    const alice = entityRecord(1001n, {
      ...created,
      evmAddress: address,
      alias: bytes(address),
      balance: 60n,
      // The newest one.
      nonce: 7n,
      nonceMayBeLater: true,
      key: undefined,
      memo: 'old',
      expirySeconds: years,
    });
    expect(await past(149n).entity(1001n)).toEqual(alice);
    expect(await past(-1n).entity(1001n)).toBeUndefined();
    expect((await past(250n).entity(1001n))?.memo).toBe('new');
    const balances = [0n, 50n, 99n, 100n, 119n, 120n, 205n, 210n, 300n].map(
      async (seconds) => (await past(seconds).entity(1001n))?.balance,
    );
    expect(await Promise.all(balances)).toEqual([0n, 50n, 50n, 50n, 50n, 60n, 60n, 80n, 75n]);
    // The later snapshot has no row of a contract whose balance hadn't changed.
    expect((await past(179n).entity(1003n))?.balance).toBe(5n);
    expect(await past(180n).entity(1003n)).toBeUndefined();
    expect(await past(19n).entity(1003n)).toBeUndefined();
  });

  it('are found by address', async () => {
    const ids = (reader: StateReader, addresses: readonly string[]) =>
      Promise.all(addresses.map((text) => reader.idByEvmAddress(text)));
    const asked = [address, reused, 'dd'.repeat(20)];
    expect(await ids(source.latest(), asked)).toEqual([1001n, 1004n, undefined]);
    expect(await ids(past(179n), asked)).toEqual([1001n, 1003n, undefined]);
    expect(await ids(past(189n), asked)).toEqual([1001n, undefined, undefined]);
    expect(await ids(past(190n), asked)).toEqual([1001n, 1004n, undefined]);
    expect(await ids(past(-1n), asked)).toEqual([undefined, undefined, undefined]);
  });

  it('end with the newest id', async () => {
    expect(await source.latest().lastEntityId()).toBe(3001n);
    expect(await past(0n).lastEntityId()).toBe(3001n);
  });
});

describe('contracts', () => {
  const word = (hex: string): string => hex.padStart(64, '0');

  it('have their code', async () => {
    expect(await source.latest().code(1003n)).toEqual(bytes('6001'));
    expect(await past(60n).code(1003n)).toEqual(bytes('6001'));
    expect(await source.latest().code(1004n)).toBeUndefined();
    expect(await source.latest().code(1001n)).toBeUndefined();
  });

  it('have their storage', async () => {
    const slots = (reader: StateReader) =>
      Promise.all(['', '10', '0200', 'ff'].map((slot) => reader.slot(1003n, word(slot))));
    expect(await slots(source.latest())).toEqual(['0102', '', '09', ''].map(word));
    expect(await slots(past(170n))).toEqual(['0102', '77', '09', ''].map(word));
    expect(await slots(past(169n))).toEqual(['01', '', '', ''].map(word));
    expect(await slots(past(69n))).toEqual(['', '', '', ''].map(word));
    expect(await source.latest().slot(1004n, word(''))).toBe(word(''));
  });
});

describe('tokens', () => {
  const coin = tokenRecord(2001n, {
    name: 'Coin',
    symbol: 'COI',
    decimals: 2,
    totalSupply: 1_100n,
    supplyType: 'FINITE',
    maxSupply: 5_000n,
    treasuryId: 1001n,
    paused: true,
    freezeDefault: true,
    kycDefault: true,
    keys: { admin: bytes(key), freeze: bytes(key), kyc: bytes(key) },
    memo: 'coin',
    metadata: bytes('0708'),
    createdTimestamp: at(10n),
    expirySeconds: at(10n) / second + 7_776_000n,
    autoRenewAccountId: 1001n,
    customFees: {
      fixed: [
        {
          amount: 9_007_199_254_740_993n,
          denominatingTokenId: undefined,
          collectorId: 1002n,
          allCollectorsAreExempt: true,
        },
      ],
      fractional: [
        {
          numerator: 1n,
          denominator: 100n,
          minimum: 2n,
          maximum: 0n,
          netOfTransfers: true,
          collectorId: 1001n,
          allCollectorsAreExempt: false,
        },
      ],
      royalty: [],
    },
  });

  it('are read as they are now, unless deleted', async () => {
    expect(await source.latest().token(2001n)).toEqual(coin);
    expect(await source.latest().token(2002n)).toBeUndefined();
    expect(await source.latest().token(1001n)).toBeUndefined();
  });

  it('are read as they were', async () => {
    expect(await past(300n).token(2001n)).toEqual(coin);
    expect(await past(159n).token(2001n)).toEqual({
      ...coin,
      name: 'Penny',
      symbol: 'PEN',
      totalSupply: 1_000n,
      supplyType: 'INFINITE',
      maxSupply: 9_223_372_036_854_775_807n,
      treasuryId: undefined,
      paused: false,
      freezeDefault: false,
      kycDefault: false,
      keys: { admin: bytes(key) },
      metadata: new Uint8Array(),
      customFees: { fixed: [], fractional: [], royalty: [] },
    });
    expect(await past(9n).token(2001n)).toBeUndefined();
    const royalty = { numerator: 1n, collectorId: 1002n, allCollectorsAreExempt: false };
    expect((await past(259n).token(2002n))?.customFees.royalty).toEqual([
      { ...royalty, denominator: 4n, fallback: { amount: 3n, denominatingTokenId: 2001n } },
      { ...royalty, denominator: 5n, fallback: undefined },
    ]);
    expect(await past(260n).token(2002n)).toBeUndefined();
  });

  it('had the supply that was minted by then', async () => {
    const supplies = (token: bigint, times: readonly bigint[]) =>
      Promise.all(times.map(async (seconds) => (await past(seconds).token(token))?.totalSupply));
    const times = [10n, 99n, 100n, 199n, 200n, 214n, 215n];
    const coins = [1_000n, 1_000n, 1_000n, 1_000n, 1_000n, 1_000n, 1_100n];
    expect(await supplies(2001n, times)).toEqual(coins);
    expect(await supplies(2002n, [29n, 30n, 234n, 235n, 245n])).toEqual([0n, 2n, 2n, 1n, 2n]);
    // With a newest block these times are recent, so that the supply is counted back from now.
    await target.database.query(`insert into record_file (name, load_start, load_end, hash, prev_hash, consensus_start,
        consensus_end, count, digest_algorithm, version, file_hash, index)
      values ('', 0, 0, '', '', ${at(290n)}, ${at(300n)}, 1, 0, 6, '', 1)`);
    await target.database.query('delete from token_balance where token_id = 2001 and account_id = 1001');
    try {
      source.onBlockCommitted();
      expect(await supplies(2001n, times)).toEqual(coins);
    } finally {
      await target.database.query(`delete from record_file; insert into token_balance
        (consensus_timestamp, account_id, token_id, balance)
        values (${at(100n)}, 1001, 2001, 900), (${at(200n)}, 1001, 2001, 880)`);
      source.onBlockCommitted();
    }
  });
});

describe('token relations', () => {
  it('are read as they are now', async () => {
    const latest = source.latest();
    // The account has no status of its own: those of the token count.
    expect(await latest.tokenRelation(1001n, 2001n)).toEqual(
      relationRecord(1001n, 2001n, { balance: 880n, frozen: true, kycGranted: true }),
    );
    expect(await latest.tokenRelation(1002n, 2001n)).toEqual(
      relationRecord(1002n, 2001n, { balance: 220n, kycGranted: false, automaticAssociation: true }),
    );
    expect(await latest.tokenRelation(1002n, 2002n)).toBeUndefined();
    expect(await latest.tokenRelation(1003n, 2001n)).toBeUndefined();
  });

  it('are read as they were', async () => {
    expect(await past(139n).tokenRelation(1002n, 2001n)).toEqual(
      relationRecord(1002n, 2001n, { balance: 120n, frozen: true, automaticAssociation: true }),
    );
    expect(await past(14n).tokenRelation(1002n, 2001n)).toBeUndefined();
    expect(await past(250n).tokenRelation(1002n, 2002n)).toBeUndefined();
    const balances = (account: bigint, token: bigint, times: readonly bigint[]) =>
      Promise.all(times.map(async (seconds) => (await past(seconds).tokenRelation(account, token))?.balance));
    expect(await balances(1002n, 2001n, [15n, 60n, 100n, 120n, 224n, 225n])).toEqual([
      0n,
      100n,
      100n,
      120n,
      120n,
      220n,
    ]);
    expect(await balances(1001n, 2001n, [200n, 215n, 300n])).toEqual([880n, 980n, 880n]);
    expect(await balances(1001n, 2002n, [29n, 30n, 110n, 230n, 245n])).toEqual([0n, 1n, 0n, 1n, 2n]);
    expect(await balances(1002n, 2002n, [29n, 30n, 110n, 230n, 235n])).toEqual([0n, 1n, 2n, 1n, 0n]);
  });

  it('are counted', async () => {
    const counts = (reader: StateReader, ids: readonly bigint[]) =>
      Promise.all(ids.map(async (id) => Object.values(await reader.accountCounts(id))));
    expect(await counts(source.latest(), [1001n, 1002n, 1003n])).toEqual([
      [2, 2],
      [1, 1],
      [0, 0],
    ]);
    expect(await counts(past(120n), [1001n, 1002n])).toEqual([
      [2, 1],
      [2, 2],
    ]);
    expect(await counts(past(249n), [1002n])).toEqual([[2, 1]]);
    expect(await counts(past(12n), [1002n])).toEqual([[1, 0]]);
  });
});

describe('serials', () => {
  const minted = { createdTimestamp: at(30n), metadata: bytes('01') };

  it('are read as they were, while their token was there', async () => {
    expect(await past(230n).nft(2002n, 1n)).toEqual(
      nftRecord(2002n, 1n, 1001n, { ...minted, spenderId: 1002n, delegatingSpenderId: 1003n }),
    );
    expect(await past(229n).nft(2002n, 1n)).toEqual(nftRecord(2002n, 1n, 1002n, minted));
    expect(await past(29n).nft(2002n, 1n)).toBeUndefined();
    expect((await past(234n).nft(2002n, 2n))?.ownerId).toBe(1002n);
    expect(await past(235n).nft(2002n, 2n)).toBeUndefined();
    expect(await past(260n).nft(2002n, 1n)).toBeUndefined();
    expect(await source.latest().nft(2002n, 1n)).toBeUndefined();
  });

  it('are read as they are now', async () => {
    await target.database.query('update entity set deleted = false where id = 2002');
    try {
      const latest = openStateSource(target.database, options).latest();
      expect(await latest.nft(2002n, 1n)).toEqual(
        nftRecord(2002n, 1n, 1001n, { ...minted, spenderId: 1002n, delegatingSpenderId: 1003n }),
      );
      expect(await latest.nft(2002n, 2n)).toBeUndefined();
      expect((await latest.token(2002n))?.totalSupply).toBe(1n);
    } finally {
      await target.database.query('update entity set deleted = true where id = 2002');
    }
  });

  it('are numbered on', async () => {
    const last = [source.latest(), past(244n), past(29n)].map((reader) => reader.lastSerialNumber(2002n));
    expect(await Promise.all(last)).toEqual([3n, 2n, 0n]);
    expect(await source.latest().lastSerialNumber(2001n)).toBe(0n);
  });
});

describe('allowances', () => {
  it('are what is left', async () => {
    const latest = source.latest();
    expect(await latest.hbarAllowance(1001n, 1002n)).toBe(35n);
    expect(await latest.hbarAllowance(1002n, 1001n)).toBe(0n);
    expect(await latest.hbarAllowance(1001n, 1003n)).toBe(0n);
    expect(await latest.tokenAllowance(1001n, 1002n, 2001n)).toBe(180n);
    expect(await latest.tokenAllowance(1001n, 1002n, 2002n)).toBe(0n);
    expect(await latest.approvedForAll(1001n, 1002n, 2002n)).toBe(true);
    expect(await latest.approvedForAll(1001n, 1003n, 2002n)).toBe(false);
    expect(await latest.approvedForAll(1001n, 1002n, 2001n)).toBe(false);
  });

  it('were what had been granted, less what was spent since', async () => {
    const hbar = [89n, 90n, 204n, 205n, 219n, 220n].map((seconds) => past(seconds).hbarAllowance(1001n, 1002n));
    expect(await Promise.all(hbar)).toEqual([0n, 9n, 9n, 40n, 40n, 35n]);
    // The last one was spent through a contract that another account paid for.
    const tokens = [79n, 80n, 119n, 120n, 225n].map((seconds) => past(seconds).tokenAllowance(1001n, 1002n, 2001n));
    expect(await Promise.all(tokens)).toEqual([0n, 300n, 300n, 280n, 180n]);
    const approved = (spender: bigint) =>
      Promise.all([59n, 60n, 79n, 80n].map((seconds) => past(seconds).approvedForAll(1001n, spender, 2002n)));
    expect(await approved(1002n)).toEqual([false, false, false, true]);
    expect(await approved(1003n)).toEqual([false, true, true, false]);
  });

  it('are counted by owner', async () => {
    const latest = source.latest();
    expect(await Promise.all([1001n, 1002n, 1003n].map((id) => latest.allowanceCount(id)))).toEqual([3, 0, 0]);
    const then = [0n, 60n, 80n, 90n, 205n].map((seconds) => past(seconds).allowanceCount(1001n));
    expect(await Promise.all(then)).toEqual([0, 1, 2, 3, 3]);
    // What was spent since still counts as granted.
    expect(await past(100n).allowanceCount(1002n)).toBe(1);
  });
});

describe('airdrops', () => {
  const coins = { senderId: 1001n, receiverId: 1002n, tokenId: 2001n, serialNumber: 0n };
  const serial = { ...coins, tokenId: 2002n, serialNumber: 3n };

  it('are there while they are pending', async () => {
    expect(await source.latest().pendingAirdrop(coins)).toEqual({ ...coins, amount: 12n });
    expect(await source.latest().pendingAirdrop(serial)).toBeUndefined();
    const amounts = [139n, 140n, 149n, 150n].map(
      async (seconds) => (await past(seconds).pendingAirdrop(coins))?.amount,
    );
    expect(await Promise.all(amounts)).toEqual([undefined, 4n, 4n, 12n]);
    expect(await past(249n).pendingAirdrop(serial)).toEqual({ ...serial, amount: 0n });
    expect(await past(250n).pendingAirdrop(serial)).toBeUndefined();
  });
});

describe('schedules', () => {
  const first = bytes('01'.repeat(32));
  const both = [first, bytes('02'.repeat(33))];
  const schedule = {
    id: 3001n,
    creatorId: 1001n,
    payerId: 1002n,
    transactionBody: bytes('0a'),
    signatories: both,
    executed: true,
    deleted: true,
    adminKey: bytes(key),
    memo: 'later',
    expirationSeconds: at(900n) / second,
    waitForExpiry: true,
    consensusTimestamp: at(40n),
  };

  it('are read with whole keys that have signed', async () => {
    expect(await source.latest().schedule(3001n)).toEqual(schedule);
    expect(await past(239n).schedule(3001n)).toEqual({ ...schedule, deleted: false });
    expect(await past(89n).schedule(3001n)).toEqual({
      ...schedule,
      signatories: [first],
      executed: false,
      deleted: false,
    });
    expect(await past(39n).schedule(3001n)).toBeUndefined();
    expect(await source.latest().schedule(1001n)).toBeUndefined();
  });
});
