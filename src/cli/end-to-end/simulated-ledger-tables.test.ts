/** What the simulator believes, against what the tables say after an import of everything that it wrote. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toHex } from '../../ledger/bytes.ts';
import type { ExpectedLedger } from '../../simulator/expected/expected-ledger.ts';
import type { ExpectedToken } from '../../simulator/expected/expected-tokens.ts';
import { RICH_LEDGER, type ServedLedger, serveSimulatedLedger } from './testing/served-ledger.fixture.ts';

const SUPPLY = 5_000_000_000_000_000_000n;
const ZERO_HASH = '00'.repeat(48);

let served: ServedLedger;
let expected: ExpectedLedger;

beforeAll(async () => {
  served = await serveSimulatedLedger(RICH_LEDGER);
  expected = served.ledger.expected;
}, 120_000);
afterAll(() => served?.stop());

const rows = <R extends Record<string, string>>(sql: string): Promise<R[]> => served.target.database.query<R>(sql);

/** The values of a query's rows as `a|b|c`, in some order that only depends on them; nothing for null. */
const lines = async (columns: readonly string[], from: string): Promise<string[]> => {
  const named = columns.map((column, index) => `${column} as c${index}`).join(', ');
  const found = await served.target.database.query<Record<string, string | boolean | null>>(
    `select ${named} from ${from}`,
  );
  return found.map((row) => line(...Object.values(row))).toSorted();
};
const line = (...values: (string | number | boolean | bigint | null | undefined)[]): string =>
  values.map((value) => (value === null || value === undefined ? '' : String(value))).join('|');

const hex = (bytes: Uint8Array | undefined): string => (bytes === undefined ? '' : toHex(bytes));

/** Lines for every token. */
const ofTokens = (about: (token: ExpectedToken, num: bigint) => readonly string[]): string[] =>
  [...expected.tokens].flatMap(([num, token]) => about(token, num)).toSorted();

describe('the simulated ledger', () => {
  it('is rich enough to show anything', () => {
    expect(Object.keys(expected.countsByResult).length).toBeGreaterThan(40);
    expect(Number(expected.blocks)).toBeGreaterThan(40);
    expect(expected.countsByType.NODESTAKEUPDATE).toBeGreaterThan(3);
    const tokens = [...expected.tokens.values()];
    expect(tokens.some(({ deleted }) => deleted)).toBe(true);
    expect(tokens.some(({ paused }) => paused)).toBe(true);
    expect(tokens.filter(({ nft, owners }) => nft && owners.size > 3).length).toBeGreaterThan(3);
    const serials = tokens.flatMap((token) => [...token.serials.values()]);
    expect(serials.some(({ owner }) => owner === undefined)).toBe(true);
    expect(serials.some(({ spender }) => spender !== undefined)).toBe(true);
    const schedules = [...expected.schedules.values()];
    expect(schedules.some(({ executed, waitForExpiry }) => executed !== undefined && waitForExpiry)).toBe(true);
    expect(schedules.some(({ deleted }) => deleted)).toBe(true);
    expect(schedules.some(({ creator, payer }) => creator !== payer)).toBe(true);
    const contracts = [...expected.contracts.values()];
    expect(contracts.some(({ created }) => created.length > 1)).toBe(true);
    expect(contracts.some(({ deleted }) => deleted)).toBe(true);
    const accounts = [...expected.entities.values()].flatMap(({ account }) => (account === undefined ? [] : [account]));
    expect(accounts.some(({ stakedAccount }) => stakedAccount !== undefined)).toBe(true);
    expect(accounts.some(({ delegation }) => delegation !== undefined)).toBe(true);
    expect(new Set([...expected.airdrops.values()].map((text) => text.split(' ')[0]))).toEqual(
      new Set(['PENDING', 'CANCELLED', 'CLAIMED']),
    );
    expect([...expected.hooks.values()].some((contract) => contract === undefined)).toBe(true);
    expect([...expected.hookStorage.values()].some((value) => value !== '')).toBe(true);
    expect([...expected.evm.ethereumTypes.keys()].toSorted()).toEqual([0, 1, 2, 4]);
    expect(expected.nodes.some(({ deleted }) => deleted)).toBe(true);
    expect(expected.registeredNodes.some(({ deleted }) => deleted)).toBe(true);
    for (const many of [expected.hbarAllowances, expected.tokenAllowances, expected.approvedForAll]) {
      expect(many.size).toBeGreaterThan(1);
    }
  });
});

describe('the tables', () => {
  it('took everything, and complain of nothing but Ethereum transactions that the network refused as well', () => {
    const errors = served.commits.flatMap((commit) => commit.errors.map(({ message }) => message));
    expect(new Set(errors)).toEqual(new Set(['Invalid Ethereum transaction: type 96 is unknown']));
    expect(served.commits.reduce((total, { transactions }) => total + transactions, 0)).toBe(expected.transactions);
  });

  it('have the balance of every account, which add up to all hbars', async () => {
    const found = await lines(['id', 'balance'], "entity where type in ('ACCOUNT', 'CONTRACT')");
    expect(found).toEqual([...expected.balances].map(([num, balance]) => line(num, balance)).toSorted());
    const balances = [...expected.balances.values()];
    expect(balances.reduce((sum, balance) => sum + balance, 0n)).toBe(SUPPLY);
  });

  it('have every transfer, and transactions that sum to zero', async () => {
    const [count] = await rows<{ count: string }>('select count(*) from crypto_transfer');
    expect(count?.count).toBe(String(expected.hbarTransfers));
    const sums = await rows<{ sum: string }>(
      'select sum(amount) from crypto_transfer group by consensus_timestamp having sum(amount) <> 0',
    );
    expect(sums).toEqual([{ sum: String(SUPPLY) }]);
  });

  it('have the transactions of every type and result', async () => {
    expect(await lines(['type', 'result', 'count(*)'], 'transaction group by type, result')).toEqual(
      [...expected.counts].map(([key, count]) => line(...key.split('/'), count)).toSorted(),
    );
  });

  it('have every entity, with memo, key, and whether it is deleted', async () => {
    expect(
      await lines(['id', 'type', 'deleted', 'memo', "encode(key, 'hex')"], "entity where type <> 'FILE' or id > 1000"),
    ).toEqual(
      [...expected.entities]
        .map(([num, { type, deleted, memo, key }]) => line(num, type, deleted, memo, hex(key)))
        .toSorted(),
    );
  });

  it('have what accounts stake to, their nonces, and whose code they run', async () => {
    const columns = [
      'id',
      'nullif(staked_node_id, -1)',
      'nullif(staked_account_id, 0)',
      'coalesce(decline_reward, false)',
      'coalesce(ethereum_nonce, 0)',
      "encode(delegation_address, 'hex')",
    ];
    expect(await lines(columns, "entity where type in ('ACCOUNT', 'CONTRACT')")).toEqual(
      [...expected.entities]
        .flatMap(([num, { account }]) =>
          account === undefined
            ? []
            : [
                line(
                  num,
                  account.stakedNodeId,
                  account.stakedAccount,
                  account.declineReward,
                  account.ethereumNonce,
                  hex(account.delegation),
                ),
              ],
        )
        .toSorted(),
    );
  });

  it('have every token with its supply, treasury and pause', async () => {
    const columns = ['token_id', 'name', 'total_supply', 'treasury_account_id', "pause_status = 'PAUSED'", 'type'];
    expect(await lines(columns, 'token')).toEqual(
      ofTokens(({ name, supply, treasury, paused, nft }, num) => [
        line(num, name, supply, treasury, paused, nft ? 'NON_FUNGIBLE_UNIQUE' : 'FUNGIBLE_COMMON'),
      ]),
    );
  });

  it('have every association with balance, freeze and KYC', async () => {
    // A deleted account stays associated, with nothing: its deletion says nothing of tokens.
    expect(
      await lines(
        [
          'token_id',
          'account_id',
          'a.balance',
          "coalesce(a.freeze_status, t.freeze_status) || '/' || coalesce(a.kyc_status, t.kyc_status)",
        ],
        'token_account a join entity on id = account_id join token t using (token_id) ' +
          'where associated and (deleted is not true or a.balance <> 0)',
      ),
    ).toEqual(
      ofTokens(({ balances, relations }, num) =>
        [...balances].map(([account, balance]) => line(num, account, balance, relations.get(account))),
      ),
    );
  });

  it('have every NFT with owner, metadata and spender', async () => {
    expect(
      await lines(
        ['token_id', 'serial_number', 'deleted', 'account_id', 'spender', "convert_from(metadata, 'UTF8')"],
        'nft',
      ),
    ).toEqual(
      ofTokens(({ serials }, num) =>
        [...serials].map(([serial, { owner, spender, metadata }]) =>
          line(num, serial, owner === undefined, owner, spender, metadata),
        ),
      ),
    );
  });

  it('have what is left of every allowance', async () => {
    const ofLiving = 'join entity on id = owner where deleted is not true';
    expect(await lines(['owner', 'spender', 'amount'], `crypto_allowance ${ofLiving} and amount > 0`)).toEqual(
      [...expected.hbarAllowances].map(([key, amount]) => line(...key.split('/'), amount)).toSorted(),
    );
    expect(
      await lines(['owner', 'token_id', 'spender', 'amount'], `token_allowance ${ofLiving} and amount > 0`),
    ).toEqual([...expected.tokenAllowances].map(([key, amount]) => line(...key.split('/'), amount)).toSorted());
    expect(await lines(['owner', 'token_id', 'spender'], `nft_allowance ${ofLiving} and approved_for_all`)).toEqual(
      [...expected.approvedForAll].map((key) => line(...key.split('/'))).toSorted(),
    );
  });

  it('have every airdrop and what became of it', async () => {
    const parties = ['sender_account_id', 'receiver_account_id'];
    const columns = ['token_id', ...parties, 'serial_number', 'state', 'coalesce(amount, 0)'];
    expect(await lines(columns, 'token_airdrop')).toEqual(
      [...expected.airdrops].map(([key, state]) => line(...key.split('/'), ...state.split(' '))).toSorted(),
    );
  });

  it('have every schedule, when it was executed and when it ends', async () => {
    const accounts = ['creator_account_id', 'payer_account_id'];
    const columns = ['schedule_id', ...accounts, 'executed_timestamp', 'expiration_time', 'wait_for_expiry'];
    expect(await lines(columns, 'schedule')).toEqual(
      [...expected.schedules]
        .map(([num, { creator, payer, executed, expiration, waitForExpiry }]) =>
          line(num, creator, payer, executed, expiration, waitForExpiry),
        )
        .toSorted(),
    );
  });

  it('have every message of every topic, and what messages cost', async () => {
    const found = await lines(
      [
        'topic_id',
        'max(sequence_number)',
        'count(*)',
        "(array_agg(encode(running_hash, 'hex') order by sequence_number desc))[1]",
      ],
      'topic_message group by topic_id',
    );
    expect(found).toEqual(
      [...expected.topics]
        .filter(([, { sequence }]) => sequence > 0n)
        .map(([num, { sequence, runningHash }]) => line(num, sequence, sequence, toHex(runningHash)))
        .toSorted(),
    );
    const fees = 'topic left join custom_fee on entity_id = id left join jsonb_array_elements(fixed_fees) fee on true';
    expect(await lines(['id', "fee->>'amount'", "fee->>'collector_account_id'"], fees)).toEqual(
      [...expected.topics].map(([num, { fee }]) => line(num, fee?.amount, fee?.collector)).toSorted(),
    );
  });

  it('have the nodes, the registered nodes and the identity of the ledger', async () => {
    const registered = "array_to_string(associated_registered_nodes, ',')";
    const columns = ['node_id', 'account_id', 'decline_reward', 'deleted', registered];
    expect(await lines(columns, 'node')).toEqual(
      expected.nodes
        .map(({ nodeId, account, declineReward, deleted, registered }) =>
          line(nodeId, account, declineReward, deleted, registered.join(',')),
        )
        .toSorted(),
    );
    expect(
      await lines(['registered_node_id', 'description', 'deleted', "array_to_string(type, ',')"], 'registered_node'),
    ).toEqual(
      expected.registeredNodes
        .map(({ id, description, types, deleted }) => line(id, description, deleted, types.join(',')))
        .toSorted(),
    );
    expect(await lines(["encode(ledger_id, 'hex')"], 'ledger')).toEqual([hex(expected.ledgerId)]);
  });

  it('have the random numbers and the freezes', async () => {
    const succeeded = (type: number): string => String(expected.counts.get(`${type}/22`));
    expect(await lines(['count(*)'], 'prng')).toEqual([succeeded(52)]);
    expect(await lines(['count(*)'], 'network_freeze')).toEqual([succeeded(23)]);
    expect(await lines(['count(*)'], 'network_stake')).toEqual([succeeded(51)]);
  });

  it('have a block chain without a break, that ends where the ledger does', async () => {
    const found = await rows<{ index: string; hash: string; prev_hash: string; consensus_end: string }>(
      'select index, hash, prev_hash, consensus_end from record_file order by consensus_end',
    );
    expect(found.map(({ index }) => index)).toEqual(found.map((_, number) => String(number)));
    expect(found.map(({ prev_hash }) => prev_hash)).toEqual([ZERO_HASH, ...found.slice(0, -1).map(({ hash }) => hash)]);
    expect(found).toHaveLength(Number(expected.blocks));
    expect(found.at(-1)).toMatchObject({ hash: toHex(expected.lastBlockHash) });
    const [last] = await rows<{ max: string }>('select max(consensus_timestamp) from transaction');
    expect(last?.max).toBe(String(expected.lastConsensusTimestamp));
  });

  it('know the transactions inside each batch, and their parents', async () => {
    const found = await lines(
      ['b.result', 'cardinality(b.inner_transactions) / 2 = count(i.*)', 'bool_and(i.batch_key is not null)'],
      'transaction b left join transaction i on i.parent_consensus_timestamp = b.consensus_timestamp and i.nonce = 0 ' +
        'where b.type = 74 and b.inner_transactions is not null group by b.consensus_timestamp, b.result, b.inner_transactions',
    );
    expect(found.length).toBeGreaterThan(15);
    expect(new Set(found)).toEqual(new Set([line(22, true, true), line(391, true, true)]));
  });

  it('have every hook and what is in its storage', async () => {
    expect(
      await lines(["owner_id || '/' || hook_id", 'deleted', 'contract_id'], 'hook where deleted is not true'),
    ).toEqual(
      [...expected.hooks]
        .filter(([, contract]) => contract !== undefined)
        .map(([key, contract]) => line(key, false, contract))
        .toSorted(),
    );
    expect(await lines(["owner_id || '/' || hook_id"], 'hook where deleted')).toEqual(
      [...expected.hooks].flatMap(([key, contract]) => (contract === undefined ? [key] : [])).toSorted(),
    );
    const slot = "owner_id || '/' || hook_id || '/' || encode(key, 'hex')";
    const columns = [slot, "encode(value, 'hex')", 'deleted'];
    expect(await lines(columns, 'hook_storage')).toEqual(
      [...expected.hookStorage].map(([key, value]) => line(key, value, value === '')).toSorted(),
    );
  });
});

describe('the tables of contracts', () => {
  it('have every contract with its code and address', async () => {
    const bytes = ["encode(runtime_bytecode, 'hex')", "encode(evm_address, 'hex')"];
    const columns = ['id', 'coalesce(deleted, false)', ...bytes];
    expect(await lines(columns, "contract join entity using (id) where type = 'CONTRACT'")).toEqual(
      [...expected.contracts]
        .map(([num, { deleted, runtime, evmAddress }]) => line(num, deleted, toHex(runtime), toHex(evmAddress)))
        .toSorted(),
    );
  });

  it('have what contracts stored, logged and created', async () => {
    expect(await lines(['contract_id', "encode(slot, 'hex')", "encode(value, 'hex')"], 'contract_state')).toEqual(
      [...expected.contracts]
        .flatMap(([num, { storage }]) => [...storage].map(([slot, value]) => line(num, slot, value)))
        .toSorted(),
    );
    const logs = 'contract_log join contract on contract_id = id group by contract_id';
    expect(await lines(['contract_id', 'count(*)'], logs)).toEqual(
      [...expected.contracts]
        .filter(([, contract]) => contract.logs > 0)
        .map(([num, contract]) => line(num, contract.logs))
        .toSorted(),
    );
    const created = 'contract_result, unnest(created_contract_ids) child where child <> contract_id';
    expect(await lines(['contract_id', 'child'], created)).toEqual(
      [...expected.contracts]
        .flatMap(([num, contract]) => contract.created.map((child) => line(num, child)))
        .toSorted(),
    );
  });

  it('have every result, log, action and state change', async () => {
    const { results, logs, actions, stateChanges } = expected.evm;
    expect({
      results: await lines(['count(*)'], 'contract_result'),
      logs: await lines(['count(*)'], 'contract_log join contract on root_contract_id = id'),
      actions: await lines(['count(*)'], 'contract_action'),
      stateChanges: await lines(['count(*)'], 'contract_state_change'),
    }).toEqual({
      results: [String(results)],
      logs: [String(logs)],
      actions: [String(actions)],
      stateChanges: [String(stateChanges)],
    });
  });

  it('have every Ethereum transaction', async () => {
    expect(await lines(['type', 'count(*)'], 'ethereum_transaction group by type')).toEqual(
      [...expected.evm.ethereumTypes].map(([type, count]) => line(type, count)).toSorted(),
    );
  });

  it('have the sidecar file of every block that a contract took part in', async () => {
    const [files] = await rows<{ stated: string; read: string }>(
      'select (select sum(sidecar_count) from record_file) as stated, count(*) filter (where count > 0) as read from sidecar_file',
    );
    expect(Number(files?.stated)).toBeGreaterThan(10);
    expect(files?.read).toBe(files?.stated);
  });
});
